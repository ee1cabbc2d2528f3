// The last look before a payout is signed, in the transaction that signs it: what was asked for may not be right any
// more.

import { query, type EntityManager } from '../../database/connection.ts';
import {
  isFrozen,
  isHalted,
  isPayoutAssetOff,
  lockAgainstRecovery,
  lockForSigning,
  type ObstructedPayout,
} from '../../database/queries/payouts/obstacles.ts';
import { hasLiveTransfer } from '../../database/queries/payouts/due-payouts.ts';
import { hasReverted } from '../../database/queries/payouts/transactions.ts';
import type { Payout } from '../../entities/payout.ts';
import type { Network } from '../../values/assets.ts';
import { feeOf } from '../../values/amount.ts';
import type { HeldReason } from '../../values/held-reasons.ts';
import type { Deps } from '../deps.ts';
import { DEPOSIT_LOST } from '../payments/refunds.ts';
import { isCovered } from '../ledger/gateway-funds.ts';
import { failPayout, lockPayout } from './lifecycle.ts';

/** A payout that was not signed is looked at again after so long: longer, the longer it has waited for one reason. */
const LOOK_AGAIN_AFTER_MS = { least: 10_000, most: 5 * 60_000 };

type GateDeps = Pick<Deps, 'environment' | 'payUrl' | 'clock'>;

/**
 * Whether anything may be signed for a network, now and until the transaction ends: an operator's freeze and a halt
 * wait for the transaction, or are seen here.
 */
export async function mayTransact(em: EntityManager, network: Network): Promise<boolean> {
  await lockForSigning(em);
  await lockAgainstRecovery(em, network);
  return !(await isHalted(em, network));
}

/**
 * Whether a payout, whose row is locked and of whose transactions none can take effect, may be signed; to be asked after
 * `mayTransact`. If not, it is held with a reason. A refund of money that its payment has lost fails. So does a payout that
 * its merchant's balance no longer backs, because a deposit was taken back after it was asked for: what it had reserved
 * settles what the merchant owes, and the next one is then judged by what that left. While it is not known whether a deposit comes back, what that one would have to cover waits.
 */
export async function mayPay(deps: GateDeps, em: EntityManager, payout: Payout): Promise<boolean> {
  const obstacle = await findObstacle(em, { ...payout, merchantId: payout.merchantId ?? null });
  if (obstacle !== null) return hold(deps, em, payout.id, obstacle);
  // What was booked as paid left the balance already, and is only sent again.
  if (payout.completedAt != null) return true;
  if (payout.paymentId != null && (await isDepositLost(em, payout.paymentId)))
    return failUnpaid(deps, em, payout.id, DEPOSIT_LOST);
  const backing = await judgeBacking(em, payout);
  if (backing === 'UNSURE') return hold(deps, em, payout.id, 'DEPOSIT_UNSURE');
  if (backing === 'COVERED') return true;
  return failUnpaid(deps, em, payout.id, 'a deposit that backed it was taken back');
}

/**
 * Whether a payout still needs a transaction, and may be signed; its row is locked. To be asked after `mayTransact`.
 */
export async function isDue(deps: GateDeps, em: EntityManager, payoutId: string): Promise<boolean> {
  const { payout } = await lockPayout(em, payoutId);
  if (payout.status !== 'REQUESTED' && payout.status !== 'BROADCAST') return false;
  return !(await hasLiveTransfer(em, payoutId)) && (await mayPay(deps, em, payout));
}

/** Always false, for its caller. */
async function failUnpaid(deps: GateDeps, em: EntityManager, payoutId: string, reason: string): Promise<false> {
  const reverted = await hasReverted(em, payoutId);
  await failPayout(deps, em, payoutId, reason, { reverted, wasSigned: true });
  return false;
}

/** Whether a payment has lost what its refunds were to give back: there are more of them than it has money. */
async function isDepositLost(em: EntityManager, paymentId: string): Promise<boolean> {
  const rows = await query(
    em,
    `select 1 from payment p where p.id = $1 and p.amount_confirmed <
       (select sum(r.amount) from payout r where r.payment_id = p.id and r.status <> 'FAILED')`,
    [paymentId],
  );
  return rows.length > 0;
}

/** What an operator has put in the way of a payout; null where there is nothing. */
export async function findObstacle(em: EntityManager, payout: ObstructedPayout): Promise<HeldReason | null> {
  if (await isFrozen(em, payout)) return 'FROZEN';
  return (await isPayoutAssetOff(em, payout)) ? 'ASSET_OFF' : null;
}

/**
 * Parks a payout by itself: it says why, and the signer passes over it for a while, or for as long as is said. Always
 * false, for its callers.
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
     where id = $1 and status in ('REQUESTED', 'BROADCAST')`,
    [payoutId, reason, now, wait.least, wait.most],
  );
  return false;
}

/**
 * Whether the money that a payout comes out of still covers it: `OWED` where its merchant owes the gateway of the asset,
 * `UNSURE` where they would, should deposits that are off the chain at present not come back. Their balances are locked, in
 * the order of all who take credits back: what does so was committed before, or waits until this is signed.
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
