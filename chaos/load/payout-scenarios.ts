// Scenarios in which money goes out again: refunds and withdrawals, each to an address of its own.

import { setTimeout as rest } from 'node:timers/promises';
import type { PayoutNote } from './client-log.ts';
import { askFor, notePayout, withdraw } from './payouts.ts';
import { deposit, type LoadParts, type PlacedOrder, type Scenario } from './scenario.ts';

export const PAYOUT_SCENARIOS: readonly Scenario[] = [
  { weight: 45, live: (parts, order) => deposit(parts, order, order.amount) },
  { weight: 30, live: payAndRefund },
  { weight: 25, live: async (parts, order) => void (await payAndWithdraw(parts, order)) },
];

/** The same where the load must not outrun a busy machine: a customer waits for their withdrawal. */
export const PATIENT_SCENARIOS: readonly Scenario[] = [
  { weight: 50, live: (parts, order) => deposit(parts, order, order.amount) },
  { weight: 20, live: payAndRefund },
  { weight: 30, live: async (parts, order) => untilCompleted(parts, order, await payAndWithdraw(parts, order)) },
];

const COMPLETED_WITHIN_MS = 60_000;
const PAID_WITHIN_MS = 10_000;
const LOOK_EVERY_MS = 100;

/** Refunds a payment in part or in full. If its deposit was cut off it may never be paid: nothing to refund then. */
async function payAndRefund(parts: LoadParts, order: PlacedOrder): Promise<void> {
  await deposit(parts, order, order.amount);
  if (!(await becomesPaid(parts, order))) return;
  const amount = parts.random.chance(0.5) ? '0.3' : order.amount;
  const note = notePayout(parts, order, 'refund', amount);
  await askFor(parts, note, `/payments/${order.orderId}/refund`, { address: note.address, amount });
}

/** Withdraws less than was just paid in, so that the balance mostly suffices; if not, the answer is 4001. */
async function payAndWithdraw(parts: LoadParts, order: PlacedOrder): Promise<PayoutNote | null> {
  await deposit(parts, order, order.amount);
  if (!(await becomesPaid(parts, order))) return null;
  return withdraw(parts, { ...order, amount: '0.7' });
}

/** Waits until a withdrawal is completed, but not forever: it may be held. */
async function untilCompleted({ client }: LoadParts, { shop }: PlacedOrder, payout: PayoutNote | null): Promise<void> {
  if (payout === null || payout.id === null) return;
  const end = performance.now() + COMPLETED_WITHIN_MS;
  while (performance.now() < end) {
    const answer = await client.tryOnce('GET', `/wallet/withdrawals/${payout.id}`, { token: shop.token });
    if (answer?.data?.status === 'COMPLETED') return;
    await rest(5 * LOOK_EVERY_MS);
  }
}

async function becomesPaid({ client }: LoadParts, { orderId, shop }: PlacedOrder): Promise<boolean> {
  const end = performance.now() + PAID_WITHIN_MS;
  while (performance.now() < end) {
    const answer = await client.tryOnce('GET', `/payments/${orderId}`, { token: shop.token });
    if (answer?.data?.status === 'SUCCEEDED') return true;
    await rest(LOOK_EVERY_MS);
  }
  return false;
}
