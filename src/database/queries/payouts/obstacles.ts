// What stands against signing: freezes, assets out of service, halted networks, and what a merchant owes.

import { query, type EntityManager } from '../../connection.ts';

/**
 * Any numbers, the same in every process: the first halves of the locks between signing and freezing, and recovering.
 */
const SPACE = 7_367_003;
const RECOVERY_SPACE = 7_367_004;

/** Taken by what signs, until the transaction ends. Many hold it at once. */
export async function lockForSigning(em: EntityManager): Promise<void> {
  await query(em, 'select pg_advisory_xact_lock_shared($1, 0)', [SPACE]);
}

/** Taken by what freezes: waits for those that sign at the moment, and keeps others out until it is committed. */
export async function lockForFreezing(em: EntityManager): Promise<void> {
  await query(em, 'select pg_advisory_xact_lock($1, 0)', [SPACE]);
}

/**
 * Taken by what signs for a network, or ends a payout there, until the transaction ends: a recovery of its book waits
 * for them, and they for it. To be taken after `lockForSigning`.
 */
export async function lockAgainstRecovery(em: EntityManager, network: string): Promise<void> {
  await query(em, 'select pg_advisory_xact_lock_shared($1, hashtext($2))', [RECOVERY_SPACE, network]);
}

/** Taken by a recovery, which asks nodes meanwhile: other networks go on, and payouts are asked for on this one too. */
export async function lockForRecovery(em: EntityManager, network: string): Promise<void> {
  await query(em, 'select pg_advisory_xact_lock($1, hashtext($2))', [RECOVERY_SPACE, network]);
}

/** Whether signing on a network stands still. */
export async function isHalted(em: EntityManager, network: string): Promise<boolean> {
  const rows = await query(em, 'select 1 from signing_halt where network = $1', [network]);
  return rows.length > 0;
}

/** Whether a freeze, a row of payout_freeze `f`, covers the payout `p`: all that it names is the payout's. */
const COVERS = `(f.payout_id is null or f.payout_id = p.id) and (f.merchant_id is null or f.merchant_id = p.merchant_id)
  and (f.network is null or f.network = p.network) and (f.currency is null or f.currency = p.currency)`;

/** Whether a freeze that stands covers the payout `p`. */
export const IS_FROZEN = `exists (select 1 from payout_freeze f where f.lifted_at is null and ${COVERS})`;

/** A payout as far as obstacles go. */
export interface ObstructedPayout {
  /** Null for one that is only asked for: no freeze names it. */
  readonly id: string | null;
  /** Null for the gateway's own fees. */
  readonly merchantId: string | null;
  readonly currency: string;
  readonly network: string;
}

/** Whether a freeze that stands covers a payout: one without a scope covers all. */
export async function isFrozen(em: EntityManager, payout: ObstructedPayout): Promise<boolean> {
  const rows = await query(
    em,
    `select 1 from (select $1::text as id, $2::text as merchant_id, $3::text as network, $4::text as currency) p
     where ${IS_FROZEN}`,
    [payout.id, payout.merchantId, payout.network, payout.currency],
  );
  return rows.length > 0;
}

/** Whether payouts of an asset wait because its token takes a fee on transfers. */
export async function isPayoutAssetOff(
  em: EntityManager,
  { network, currency }: Pick<ObstructedPayout, 'network' | 'currency'>,
): Promise<boolean> {
  const rows = await query(
    em,
    `select 1 from asset_off where (network, currency) = ($1, $2) and cause = 'TRANSFER_FEE'`,
    [network, currency],
  );
  return rows.length > 0;
}
