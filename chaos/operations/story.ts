// The story by which it is judged whether everything is right: an order is paid, its webhook arrives, and a withdrawal
// reaches the chain.

import { randomUUID } from 'node:crypto';
import { setTimeout as rest } from 'node:timers/promises';
import type { Client } from '../load/client.ts';
import type { OrderNote, Shop } from '../load/client-log.ts';
import { withdraw } from '../load/payouts.ts';
import { deposit, type LoadParts } from '../load/scenario.ts';
import type { Receiver } from '../receiver/receiver.ts';

/** After this a story is given up, and another one begun. */
const STORY_WITHIN_MS = 30_000;
const LOOK_EVERY_MS = 200;
const ORDER = { amount: '2.50001', currency: 'USDT', network: 'ETH' };

/** Plays stories until one comes to its end; a step that is refused for the moment is repeated. */
export async function playStory(parts: LoadParts, shop: Shop, receiver: Receiver): Promise<void> {
  while (!(await tryStory(parts, shop, receiver)));
}

async function tryStory(parts: LoadParts, shop: Shop, receiver: Receiver): Promise<boolean> {
  const { client, notes } = parts;
  const { token } = shop;
  const reference = randomUUID();
  const path = `/fine/story/${reference}`;
  const { amount, currency } = ORDER;
  const note: OrderNote = { shop, reference, callbackUrl: parts.receiver + path, currency, amount, orderId: null };
  notes.orders.push(note);
  const body = { ...ORDER, merchantOrderId: reference, callbackUrl: note.callbackUrl };
  const { orderId } = await client.data('POST', '/payments', { token, body, idempotencyKey: reference });
  note.orderId = orderId as string;
  await deposit(parts, { ...note, orderId: note.orderId }, amount);
  if (!(await becomes(client, token, `/payments/${note.orderId}`, 'SUCCEEDED'))) return false;
  const payout = await withdraw(parts, { shop, currency, amount: '1.5', orderId: note.orderId });
  if (payout.id === null) return false;
  if (!(await becomes(client, token, `/wallet/withdrawals/${payout.id}`, 'COMPLETED'))) return false;
  return within(() => receiver.hasTaken(path));
}

const becomes = (client: Client, token: string, path: string, status: string) =>
  within(async () => (await client.tryOnce('GET', path, { token }))?.data?.status === status);

async function within(look: () => Promise<boolean>): Promise<boolean> {
  const end = performance.now() + STORY_WITHIN_MS;
  while (performance.now() < end) {
    if (await look()) return true;
    await rest(LOOK_EVERY_MS);
  }
  return false;
}
