// Assets that are out of service: new orders of them are refused, and with a transfer fee their payouts wait too.

import { query, type EntityManager } from '../../database/connection.ts';

/** Why an asset is out of service: an operator says so, or its token was seen to take a fee on transfers. */
export type AssetOffCause = 'OPERATOR' | 'TRANSFER_FEE';

export interface AssetOff {
  readonly network: string;
  readonly currency: string;
  readonly cause: AssetOffCause;
  readonly reason: string;
  readonly createdBy: string;
}

/** Takes an asset out of service; false when it was, and then nothing is changed. */
export async function setAssetOff(em: EntityManager, asset: AssetOff, now: Date): Promise<boolean> {
  const { network, currency, cause, reason, createdBy } = asset;
  const rows = await query(
    em,
    `insert into asset_off (network, currency, cause, reason, created_by, created_at) values ($1, $2, $3, $4, $5, $6)
     on conflict do nothing returning 1`,
    [network, currency, cause, reason, createdBy, now],
  );
  return rows.length > 0;
}

/** Puts an asset back; false when it was in service. Payouts that waited for it are looked at again at once. */
export async function setAssetOn(
  em: EntityManager,
  { network, currency }: Pick<AssetOff, 'network' | 'currency'>,
): Promise<boolean> {
  const rows = await query(em, 'delete from asset_off where (network, currency) = ($1, $2) returning 1', [
    network,
    currency,
  ]);
  await query(
    em,
    `update payout set held_reason = null, held_since = null, look_at = null
     where (network, currency) = ($1, $2) and status in ('REQUESTED', 'BROADCAST') and held_reason = 'ASSET_OFF'`,
    [network, currency],
  );
  return rows.length > 0;
}

/** The assets that are out of service. */
export async function readAssetsOff(em: EntityManager): Promise<AssetOff[]> {
  return query<AssetOff>(
    em,
    `select network, currency, cause, reason, created_by as "createdBy" from asset_off order by network, currency`,
  );
}
