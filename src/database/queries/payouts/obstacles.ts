// Obstacles to signing a payout: freezes, assets out of service, halted networks; and the locks that guard them.

import { query, type EntityManager } from '../../connection.ts';

/** Arbitrary numbers, the same in every process: the first halves of the keys of the freeze and recovery locks. */
const FREEZE_SPACE = 7_367_003;
const RECOVERY_SPACE = 7_367_004;

/** Taken before signing, until the transaction ends. Many can hold it at once. */
export async function lockForSigning(em: EntityManager): Promise<void> {
  await query(em, 'select pg_advisory_xact_lock_shared($1, 0)', [FREEZE_SPACE]);
}

/** Taken before freezing: waits for signing in progress, and blocks further signing until it is committed. */
export async function lockForFreezing(em: EntityManager): Promise<void> {
  await query(em, 'select pg_advisory_xact_lock($1, 0)', [FREEZE_SPACE]);
}

/**
 * Taken before signing on a network or ending a payout there, until the transaction ends; excludes a recovery of the
 * network's book. Take it after `lockForSigning`.
 */
export async function lockAgainstRecovery(em: EntityManager, network: string): Promise<void> {
  await query(em, 'select pg_advisory_xact_lock_shared($1, hashtext($2))', [RECOVERY_SPACE, network]);
}

/** Taken by a recovery while it queries nodes: other networks continue, and payouts can still be requested here. */
export async function lockForRecovery(em: EntityManager, network: string): Promise<void> {
  await query(em, 'select pg_advisory_xact_lock($1, hashtext($2))', [RECOVERY_SPACE, network]);
}

/** Whether signing on a network is halted. */
export async function isHalted(em: EntityManager, network: string): Promise<boolean> {
  const rows = await query(em, 'select 1 from signing_halt where network = $1', [network]);
  return rows.length > 0;
}

/** Whether a freeze, a row of payout_freeze `f`, covers the payout `p`: the payout matches all that it names. */
const COVERS = `(f.payout_id is null or f.payout_id = p.id) and (f.merchant_id is null or f.merchant_id = p.merchant_id)
  and (f.network is null or f.network = p.network) and (f.currency is null or f.currency = p.currency)`;

/** Whether a freeze in force covers the payout `p`. */
export const IS_FROZEN = `exists (select 1 from payout_freeze f where f.lifted_at is null and ${COVERS})`;

/** The properties of a payout that obstacles depend on. */
export interface ObstructedPayout {
  /** Null for a payout that is being requested, which no freeze can name. */
  readonly id: string | null;
  /** Null for the gateway's own fees. */
  readonly merchantId: string | null;
  readonly currency: string;
  readonly network: string;
}

/** Whether a freeze in force covers a payout. */
export async function isFrozen(em: EntityManager, payout: ObstructedPayout): Promise<boolean> {
  const rows = await query(
    em,
    `select 1 from (select $1::text as id, $2::text as merchant_id, $3::text as network, $4::text as currency) p
     where ${IS_FROZEN}`,
    [payout.id, payout.merchantId, payout.network, payout.currency],
  );
  return rows.length > 0;
}

/** Whether payouts of an asset are held because its token charges a fee on transfers. */
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
