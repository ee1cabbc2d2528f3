// The gateway's own funds: which of the money on the chain is its own, and how much of it may be withdrawn as fees.

import { query, type EntityManager } from '../../database/connection.ts';
import type { Asset } from '../../values/assets.ts';
import { GATEWAY, min } from './ledger.ts';

/**
 * The gateway's own accounts of an asset, in base units, with the ledger's signs: costs are negative if more was paid
 * than merchants were charged.
 */
export interface OwnFunds {
  readonly fees: bigint;
  readonly costs: bigint;
  readonly capital: bigint;
}

const NOTHING: OwnFunds = { fees: 0n, costs: 0n, capital: 0n };

/**
 * What may be withdrawn as fees: at most what was earned, and at most what is left of the gateway's money after costs.
 */
export function withdrawableOf({ fees, costs, capital }: OwnFunds): bigint {
  const least = min(fees, fees + costs + capital);
  return least > 0n ? least : 0n;
}

/**
 * Reads the gateway's own accounts of an asset and locks them until the transaction ends, with the account that fees
 * are reserved in: all accounts that a reservation uses, in the order in which they are always locked.
 */
export async function lockOwnFunds(em: EntityManager, asset: Pick<Asset, 'currency' | 'network'>): Promise<OwnFunds> {
  const rows = await query<{ purpose: string; balance: string }>(
    em,
    `select purpose, balance::text from ledger_account
     where (owner, currency, network) = ($1, $2, $3) and purpose in ('fees', 'costs', 'capital', 'reserved')
     order by id for update`,
    [GATEWAY, asset.currency, asset.network],
  );
  return rows.reduce((funds, { purpose, balance }) => ({ ...funds, [purpose]: BigInt(balance) }), NOTHING);
}

/**
 * Whether the gateway's own money still covers a reserved payout of fees: its earnings were not reversed since. Costs
 * of later transactions, such as the payout's own sweeps, do not count: gas is a cost of later withdrawals. Booking
 * costs locks their account, as a reservation does, so posting numbers separate costs before the reservation from those
 * after.
 */
export async function isCovered(
  em: EntityManager,
  { id, currency, network }: { readonly id: string } & Pick<Asset, 'currency' | 'network'>,
): Promise<boolean> {
  const { fees, costs, capital } = await lockOwnFunds(em, { currency, network });
  const [row] = await query<{ units: string }>(
    em,
    `select coalesce(sum(case when p.destination_id = a.id then p.amount else -p.amount end), 0)::text as units
     from ledger_account a join posting p on p.source_id = a.id or p.destination_id = a.id
     where (a.owner, a.purpose, a.currency, a.network) = ($1, 'costs', $2, $3)
       and p.id > (select max(r.id) from posting r join ledger_transaction t on t.id = r.transaction_id where t.reference = $4)`,
    [GATEWAY, currency, network, `reserve/${id}`],
  );
  const costsThen = costs - BigInt(row?.units ?? 0);
  return fees >= 0n && fees + costsThen + capital >= 0n;
}
