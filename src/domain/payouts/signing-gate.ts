// The signing gate: the last check before a payout is signed, in the transaction that signs it, because the request may
// no longer be valid.

import { query, type EntityManager } from '../../database/connection.ts';
import {
  isFrozen,
  isHalted,
  isPayoutAssetOff,
  lockAgainstRecovery,
  lockForSigning,
  type ObstructedPayout,
} from '../../database/queries/payouts/obstacles.ts';
import { hasLiveTransaction } from '../../database/queries/payouts/due-payouts.ts';
import { hasReverted } from '../../database/queries/payouts/transaction-results.ts';
import type { Payout } from '../../entities/payout.ts';
import type { Network } from '../../values/assets.ts';
import { feeOf } from '../../values/amount.ts';
import type { HeldReason } from '../../values/held-reasons.ts';
import type { Deps } from '../deps.ts';
import { DEPOSIT_LOST } from '../payments/refunds.ts';
import { isCovered } from '../ledger/gateway-funds.ts';
import { failPayout, lockPayout } from './lifecycle.ts';
import { ITS_STATUS } from '../../database/queries/row-status.ts';

/** How long the signer skips a held payout: longer, the longer it has been held for one reason. */
const LOOK_AGAIN_AFTER_MS = { least: 10_000, most: 5 * 60_000 };

type GateDeps = Pick<Deps, 'environment' | 'payUrl' | 'clock' | 'chains'>;

/**
 * Whether anything may be signed for a network now. Holds off the operator's freezes and halts until the transaction
 * ends.
 */
export async function mayTransact(em: EntityManager, network: Network): Promise<boolean> {
  await lockForSigning(em);
  await lockAgainstRecovery(em, network);
  return !(await isHalted(em, network));
}

/**
 * Whether a payout may be signed. Its row is locked, none of its transactions can take effect, and `mayTransact` was
 * checked. If not, it is held with a reason, or fails. A refund fails if its payment has lost the money. A payout fails
 * if its merchant's balance no longer backs it because a credit was taken back after the request: what it had reserved
 * pays off the merchant's debt, and the next payout is judged by what is left. While it is not known whether a deposit
 * comes back, payouts that depend on it are held.
 */
export async function mayPay(deps: GateDeps, em: EntityManager, payout: Payout): Promise<boolean> {
  const obstacle = await findObstacle(em, { ...payout, merchantId: payout.merchantId ?? null });
  if (obstacle !== null) return hold(deps, em, payout.id, obstacle);
  if (isMisdirected(deps, payout)) return hold(deps, em, payout.id, 'NOT_COLD_ADDRESS');
  // A booked payout has left the balance already, and is only sent again.
  if (payout.completedAt != null) return true;
  if (payout.paymentId != null && (await isDepositLost(em, payout.paymentId)))
    return failUnpaid(deps, em, payout.id, DEPOSIT_LOST);
  const backing = await judgeBacking(em, payout);
  if (backing === 'UNSURE') return hold(deps, em, payout.id, 'DEPOSIT_UNSURE');
  if (backing === 'COVERED') return true;
  return failUnpaid(deps, em, payout.id, 'a deposit that backed it was taken back');
}

/**
 * Whether fees would leave to another address than the one that this process, the signer, is configured with: those who
 * request them are believed in nothing.
 */
function isMisdirected({ environment, chains }: GateDeps, { kind, network, address }: Payout): boolean {
  if (kind !== 'FEES') return false;
  const { adapter, coldAddress } = chains.get(network) ?? {};
  if (coldAddress === undefined) return environment === 'live';
  return adapter?.parseAddress(coldAddress)?.key !== adapter?.parseAddress(address)?.key;
}

/** Whether a payout still needs a transaction and may be signed. Locks its row. Check `mayTransact` first. */
export async function isDue(deps: GateDeps, em: EntityManager, payoutId: string): Promise<boolean> {
  const { payout } = await lockPayout(em, payoutId);
  if (payout.status !== 'REQUESTED' && payout.status !== 'BROADCAST') return false;
  return !(await hasLiveTransaction(em, payoutId)) && (await mayPay(deps, em, payout));
}

/** Always false, so that callers can return it. */
async function failUnpaid(deps: GateDeps, em: EntityManager, payoutId: string, reason: string): Promise<false> {
  const reverted = await hasReverted(em, payoutId);
  await failPayout(deps, em, payoutId, reason, { reverted, wasSigned: true });
  return false;
}

/** Whether a payment no longer has the money that its refunds were to give back. */
async function isDepositLost(em: EntityManager, paymentId: string): Promise<boolean> {
  const rows = await query(
    em,
    `select 1 from payment p where p.id = $1 and p.amount_confirmed <
       (select sum(r.amount) from payout r where r.payment_id = p.id and r.status not in ('FAILED', 'REJECTED'))`,
    [paymentId],
  );
  return rows.length > 0;
}

/** The operator's obstacle to a payout; null if there is none. */
export async function findObstacle(em: EntityManager, payout: ObstructedPayout): Promise<HeldReason | null> {
  if (await isFrozen(em, payout)) return 'FROZEN';
  return (await isPayoutAssetOff(em, payout)) ? 'ASSET_OFF' : null;
}

/**
 * Holds a payout with a reason: the signer skips it for a while, or for `againAfterMs`. Always false, so that callers
 * can return it.
 */
export async function hold(
  { clock }: Pick<Deps, 'clock'>,
  em: EntityManager,
  payoutId: string,
  reason: HeldReason,
  againAfterMs: number | null = null,
): Promise<false> {
  const now = clock.now();
  const { least, most } = LOOK_AGAIN_AFTER_MS;
  const wait = againAfterMs === null ? { least, most } : { least: againAfterMs, most: againAfterMs };
  await query(
    em,
    `update payout set held_reason = $2, held_since = case when held_reason = $2 then held_since else $3 end,
       look_at = $3::timestamptz + least($5::double precision, greatest($4::double precision, extract(epoch from
         case when held_reason = $2 then $3 - held_since else interval '0' end) * 1000)) * interval '1 millisecond'
     where id = $1 and ${ITS_STATUS} in ('REQUESTED', 'BROADCAST')`,
    [payoutId, reason, now, wait.least, wait.most],
  );
  return false;
}

/**
 * Whether the balance that a payout comes from still covers it: `OWED` if its merchant owes the gateway money in the
 * asset, `UNSURE` if they would owe it should deposits that are off the chain now not come back. Locks the balances in
 * the order used when credits are taken back, so that a reversal either was committed before or waits until this is
 * signed.
 */
async function judgeBacking(em: EntityManager, payout: Payout): Promise<'COVERED' | 'UNSURE' | 'OWED'> {
  const { merchantId, currency, network } = payout;
  if (merchantId == null) return (await isCovered(em, payout)) ? 'COVERED' : 'OWED';
  const balances = await query<{ purpose: string; balance: string }>(
    em,
    `select purpose, balance::text from ledger_account where (owner, currency, network) = ($1, $2, $3)
     and purpose in ('available', 'reserved', 'receivable') order by id for update`,
    [merchantId, currency, network],
  );
  const balanceOf = (of: string) => BigInt(balances.find(({ purpose }) => purpose === of)?.balance ?? 0);
  if (balanceOf('receivable') < 0n) return 'OWED';
  const offChain = await query<{ amount: string }>(
    em,
    `select amount::text from deposit where merchant_id = $1 and currency = $2 and network = $3
     and credited and block_height is null`,
    [merchantId, currency, network],
  );
  const net = offChain.map(({ amount }) => BigInt(amount)).reduce((sum, amount) => sum + amount - feeOf(amount), 0n);
  return net > balanceOf('available') ? 'UNSURE' : 'COVERED';
}
