// The payouts that merchants request in a history, and request again.

import { randomUUID } from 'node:crypto';
import type { PayoutSnapshot } from '../../../src/domain/snapshots/payout.ts';
import { requestRefund, requestWithdrawal } from '../../../src/domain/payouts/request.ts';
import { formatAmount } from '../../../src/values/amount.ts';
import { assetOf } from '../../../src/values/assets.ts';
import { at, unitOf, type History, type Wanted } from './history.fixture.ts';
import type { Move } from './moves.fixture.ts';

const ALLOWED = ['INSUFFICIENT_FUNDS', 'NOT_REFUNDABLE', 'DUST', 'BELOW_MINIMUM', 'NETWORK_UNAVAILABLE'];

export async function ask(history: History, move: Extract<Move, { kind: 'withdraw' | 'refund' }>): Promise<void> {
  const { chain } = history;
  const { merchantId, id, currency } = at(history.orders, move.order);
  const units = (unitOf(chain, currency) * BigInt(move.parts)) / 10n;
  const to = await chain.recipient(move.to);
  const paymentId = move.kind === 'refund' ? id : null;
  const wanted: Wanted = {
    ...{ merchantId, paymentId, currency, units, to, recipient: move.to, reference: randomUUID(), id: '' },
  };
  const payout = await submit(history, wanted).catch(unlessRefused);
  if (!payout) return;
  wanted.id = payout.id;
  history.wanted.push(wanted);
}

async function submit({ process, chain }: History, wanted: Wanted): Promise<PayoutSnapshot> {
  const { network } = chain.adapter;
  const { merchantId, paymentId, currency, units, to: address, reference } = wanted;
  const amount = formatAmount(units, assetOf({ currency, network }).decimals);
  if (paymentId !== null)
    return (await requestRefund(process.deps, merchantId, { paymentId, address, amount }, null)).result;
  const request = { currency, network, amount, address, merchantWithdrawalId: reference };
  return (await requestWithdrawal(process.deps, merchantId, request, null)).result;
}

/**
 * A repeated request under the same id is rejected as a duplicate; only a payout that the book has lost is accepted
 * anew.
 */
export async function retry(history: History, nth: number): Promise<void> {
  const wanted = history.wanted[nth];
  if (!wanted || wanted.paymentId !== null) return;
  const again = await submit(history, wanted).catch((error: unknown) =>
    (error as { errorName?: string }).errorName === 'DUPLICATE_WITHDRAWAL' ? null : unlessRefused(error),
  );
  if (again) wanted.id = again.id;
}

function unlessRefused(error: unknown): null {
  if (!ALLOWED.includes(String((error as { errorName?: string }).errorName))) throw error;
  return null;
}
