// One scenario of the load: what a customer and their merchant do with one order.

import { Violation } from '../invariants/violation.ts';
import type { Client } from './client.ts';
import type { Notes, OrderNote, Shop } from './client-log.ts';
import type { Random } from './random.ts';

export interface LoadParts {
  readonly client: Client;
  readonly notes: Notes;
  readonly random: Random;
  /** The receiver's origin. */
  readonly receiver: string;
}

/** What happens to an order once it is placed. */
export interface Scenario {
  readonly weight: number;
  readonly live: (parts: LoadParts, order: PlacedOrder) => Promise<void>;
}

export type PlacedOrder = OrderNote & { readonly orderId: string };

/** Half of what is sold has a callback URL; some of these never accept a webhook, or answer that they are gone. */
export function callbackOf({ receiver, random }: LoadParts, shop: Shop, reference: string): string | null {
  if (random.chance(0.5) && shop.endpoints.length > 0) return null;
  if (random.chance(0.1)) return shop.endpoints[0] ?? null;
  const manner = random.weighted([
    { weight: 80, path: 'mixed' },
    { weight: 8, path: 'dead' },
    { weight: 6, path: 'lost' },
    { weight: 6, path: 'gone' },
  ]);
  return `${receiver}/${manner.path}/callback/${reference}`;
}

/** Requests a deposit only once: a repeat would be a second deposit. */
export async function deposit(
  { client, notes }: LoadParts,
  { orderId, shop, currency }: Pick<PlacedOrder, 'orderId' | 'shop' | 'currency'>,
  amount: string,
): Promise<void> {
  const note = { orderId, currency, amount, answered: false };
  notes.deposits.push(note);
  const call = { token: shop.token, body: { amount } };
  const answer = await client.tryOnce('POST', `/sandbox/payments/${orderId}/deposit`, call);
  if (answer !== null && answer.code !== null)
    throw new Violation(`The deposit of ${amount} to ${orderId} was refused with ${answer.status}/${answer.code}`);
  note.answered = answer !== null;
}
