// One scenario of the load: what a customer and their merchant do with one order.

import { Violation } from '../invariants/violation.ts';
import type { Client } from './client.ts';
import type { Notes, OrderNote } from './client-log.ts';
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

/** Requests a deposit only once: a repeat would be a second deposit. */
export async function deposit({ client, notes }: LoadParts, order: PlacedOrder, amount: string): Promise<void> {
  const { orderId, shop } = order;
  const note = { orderId, amount, answered: false };
  notes.deposits.push(note);
  const call = { token: shop.token, body: { amount } };
  const answer = await client.tryOnce('POST', `/sandbox/payments/${orderId}/deposit`, call);
  if (answer !== null && answer.code !== null)
    throw new Violation(`The deposit of ${amount} to ${orderId} was refused with ${answer.status}/${answer.code}`);
  note.answered = answer !== null;
}
