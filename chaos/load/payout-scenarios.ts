// Scenarios in which money goes out again: refunds and withdrawals, each to an address of its own.

import { setTimeout as rest } from 'node:timers/promises';
import { askFor, notePayout, withdraw } from './payouts.ts';
import { deposit, type LoadParts, type PlacedOrder, type Scenario } from './scenario.ts';

export const PAYOUT_SCENARIOS: readonly Scenario[] = [
  { weight: 45, live: (parts, order) => deposit(parts, order, order.amount) },
  { weight: 30, live: payAndRefund },
  { weight: 25, live: payAndWithdraw },
];

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
async function payAndWithdraw(parts: LoadParts, order: PlacedOrder): Promise<void> {
  await deposit(parts, order, order.amount);
  if (!(await becomesPaid(parts, order))) return;
  await withdraw(parts, { ...order, amount: '0.7' });
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
