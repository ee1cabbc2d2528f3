// Requests payouts, each to a new address, so that what the address received belongs to this payout.

import { randomBytes, randomUUID } from 'node:crypto';
import { getAddress } from 'viem/utils';
import type { LoadParts } from './scenario.ts';
import type { PayoutNote } from './client-log.ts';

/** A payout to be requested. */
export interface Wish extends Pick<PayoutNote, 'shop' | 'currency' | 'amount'> {
  readonly orderId: string | null;
}

/** Requests a withdrawal to a new address, under an id of the merchant's own. */
export async function withdraw(parts: LoadParts, wish: Wish): Promise<PayoutNote> {
  const note = notePayout(parts, wish, 'withdrawal', wish.amount);
  await askFor(parts, note, '/wallet/withdraw', withdrawalBody(note));
  return note;
}

/** The body of a withdrawal request; a merchant who repeats the request sends the same body. */
export const withdrawalBody = ({ currency, amount, address, merchantWithdrawalId }: PayoutNote): object => ({
  ...{ currency, network: 'ETH', amount, address, merchantWithdrawalId },
});

/** Notes a payout that is about to be requested. */
export function notePayout({ notes }: LoadParts, wish: Wish, kind: PayoutNote['kind'], amount: string): PayoutNote {
  const { shop, currency, orderId } = wish;
  const address = getAddress(`0x${randomBytes(20).toString('hex')}`);
  const merchantWithdrawalId = kind === 'withdrawal' ? randomUUID() : null;
  const note: PayoutNote = {
    ...{ shop, kind, address, currency, amount, orderId, merchantWithdrawalId },
    ...{ id: null, refused: null },
  };
  notes.payouts.push(note);
  return note;
}

/** Requests a payout until it is answered, and notes the answer. */
export async function askFor({ client }: LoadParts, note: PayoutNote, path: string, body: object): Promise<void> {
  const call = { token: note.shop.token, body, idempotencyKey: randomUUID() };
  const answer = await client.untilAnswered('POST', path, call);
  if (answer.code === null) note.id = (answer.data.withdrawalId ?? answer.data.refundId) as string;
  else note.refused = answer.code;
}
