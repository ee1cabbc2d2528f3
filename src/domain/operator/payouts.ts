// The operator lists open payouts, and ends one that does not end by itself.

import { query, type EntityManager } from '../../database/connection.ts';
import { hasLiveTransaction } from '../../database/queries/payouts/due-payouts.ts';
import { readOpenPayouts, readPaymentUrl, type OpenPayout } from '../../database/queries/payouts/open-payouts.ts';
import { isHalted, lockAgainstRecovery, lockForSigning } from '../../database/queries/payouts/obstacles.ts';
import { isCompared } from '../../database/queries/payouts/signing-state.ts';
import { hasMoved, hasReverted, markClear } from '../../database/queries/payouts/transaction-results.ts';
import { Payout } from '../../entities/payout.ts';
import { formatAmount } from '../../values/amount.ts';
import { assetOf } from '../../values/assets.ts';
import { GatewayError } from '../../values/errors.ts';
import type { PayoutStatus } from '../../values/payouts/state.ts';
import { inTransaction } from '../deps.ts';
import { completePayout, failPayout, lockPayout } from '../payouts/lifecycle.ts';
import { snapshotPayout, type PayoutSnapshot } from '../snapshots/payout.ts';
import { reasonOf, recordForMerchant, recordLook, recordOperation, type Operator } from './log.ts';

export type { OpenPayout } from '../../database/queries/payouts/open-payouts.ts';

/** Open payouts of one network, or of all, oldest first; with `olderThanMinutes`, those open for at least so long. */
export async function listOpenPayouts(
  operator: Operator,
  { network, olderThanMinutes }: { network: string | null; olderThanMinutes: number | null },
): Promise<OpenPayout[]> {
  const { deps } = operator;
  const until = new Date(deps.clock.now().getTime() - (olderThanMinutes ?? 0) * 60_000);
  return inTransaction(deps, async (em) => {
    await recordLook(em, operator, { action: 'PAYOUTS_READ', target: network });
    return readOpenPayouts(em, { network, until });
  });
}

/** How many stuck payouts are shown: those that wait longest. */
const MOST_SHOWN = 500;

/** Merchants' payouts that have been open for too long, oldest first. Fees are in `operator payouts`. */
export async function listStuckPayouts(operator: Operator, olderThanMinutes: number): Promise<PayoutSnapshot[]> {
  const found = await listOpenPayouts(operator, { network: null, olderThanMinutes });
  const ids = found.filter(({ merchantId }) => merchantId !== null).map(({ id }) => id);
  const order = { createdAt: 'asc', id: 'asc' } as const;
  const payouts = await operator.deps.db.em
    .fork()
    .find(Payout, { id: { $in: ids.slice(0, MOST_SHOWN) } }, { orderBy: order });
  return payouts.map(snapshotPayout);
}

/** An operator's decision on a payout, with the reason. */
export interface Decision {
  readonly id: string;
  readonly reason: string;
}

/** A payout that the decision ended. */
export type Ended = Pick<OpenPayout, 'id' | 'merchantId' | 'currency' | 'network' | 'amount'>;

/**
 * Fails a payout and releases what it reserved. None of its transactions may still take effect, and the book must not
 * be in doubt (halted, or a copy not compared yet). A transaction that was mined with an unclear result is taken to
 * have moved nothing. Errors: 2001, 2004, 4008.
 */
export function failStuckPayout(operator: Operator, decision: Decision): Promise<Ended> {
  return inTransaction(operator.deps, (em) => failStuckPayoutIn(em, operator, decision));
}

/** The same in the current transaction, which has locked no row but that of an operator's action yet. */
export function failStuckPayoutIn(em: EntityManager, operator: Operator, decision: Decision): Promise<Ended> {
  return decide(em, operator, 'PAYOUT_FAILED', decision, async (payout, reason) => {
    if (await hasMoved(em, payout.id))
      throw notNow(payout, 'its transaction moved the money, and the token kept a part of it: complete it instead');
    const reverted = await hasReverted(em, payout.id);
    await markClear(em, payout.id, 'FAILED');
    if (payout.completedAt != null)
      throw notNow(payout, 'it was paid before, and its transaction is being sent again: its money cannot be released');
    if (await isHalted(em, payout.network))
      throw notNow(
        payout,
        'signing is halted on its network, and the book may lack one of its transactions: recover first',
      );
    if (!(await isCompared(em, payout.network)))
      throw notNow(payout, 'the signer has not compared the book with what was signed yet: start it, and wait for it');
    if (await hasLiveTransaction(em, payout.id)) throw notNow(payout, 'a transaction of it may still take effect');
    await failPayout(await stepDepsOf(operator, em, payout), em, payout.id, reason, { reverted, wasSigned: true });
  });
}

/**
 * Books a payout as paid whose transaction was mined successfully, but with a result that the gateway could not read.
 * Errors: 2001, 2004, 4008 if there is no such transaction.
 */
export function completeUnclearPayout(operator: Operator, decision: Decision): Promise<Ended> {
  return inTransaction(operator.deps, (em) =>
    decide(em, operator, 'PAYOUT_COMPLETED', decision, async (payout) => {
      const transfer = await markClear(em, payout.id, 'CONFIRMED');
      if (transfer === null)
        throw notNow(payout, 'none of its transactions was mined with an effect that cannot be read');
      await completePayout(await stepDepsOf(operator, em, payout), em, payout.id, transfer.txHash);
    }),
  );
}

/** Those that wait for an approval can be ended as well. */
export const OPEN: readonly PayoutStatus[] = ['REQUESTED', 'BROADCAST', 'AWAITING_APPROVAL'];

/** Locks the payout and its payment, carries out the decision and records it, in the current transaction. */
async function decide(
  em: EntityManager,
  operator: Operator,
  action: 'PAYOUT_FAILED' | 'PAYOUT_COMPLETED',
  { id, reason: text }: Decision,
  carryOut: (payout: Payout, reason: string) => Promise<void>,
): Promise<Ended> {
  const reason = reasonOf(text);
  const [found] = await query<{ network: string }>(em, 'select network from payout where id = $1', [id]);
  if (!found) throw new GatewayError('NOT_FOUND', { message: `There is no payout ${id}` });
  // Before any row lock, as in the signer: a halt then either waits for this or is seen.
  await lockForSigning(em);
  await lockAgainstRecovery(em, found.network);
  const { payout } = await lockPayout(em, id);
  if (!OPEN.includes(payout.status))
    throw new GatewayError('ALREADY_DECIDED', { message: `The payout ${id} is ${payout.status} already` });
  const { currency, network, amount, merchantId = null } = payout;
  await carryOut(payout, reason);
  const details = { amount: formatAmount(amount, assetOf(payout).decimals), currency, network, reason };
  await recordOperation(em, operator, { action, target: id, details });
  await recordForMerchant(em, operator, merchantId, { action, target: id, details });
  return { id, merchantId, currency, network, amount };
}

/** Keeps the payment page's URL that the gateway used, because the operator's program may be configured differently. */
async function stepDepsOf({ deps }: Operator, em: EntityManager, { paymentId }: Payout) {
  if (paymentId == null) return deps;
  const url = await readPaymentUrl(em, paymentId);
  return { ...deps, payUrl: url?.slice(0, url.lastIndexOf('/')) ?? deps.payUrl };
}

function notNow({ id }: Payout, why: string): GatewayError {
  return new GatewayError('ALREADY_DECIDED', { message: `The payout ${id} cannot be ended like this: ${why}` });
}
