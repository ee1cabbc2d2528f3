// Money that arrived at gap addresses: in suspense until the operator says whose it is, then ours to spend.

import { query, type EntityManager } from '../../connection.ts';

/** Money that arrived at an address that a lost order may have. */
export interface GapArrival {
  /** The number that operators name it by. */
  readonly id: string;
  readonly network: string;
  readonly addressKey: string;
  readonly currency: string;
  /** Base units. */
  readonly amount: bigint;
  readonly txHash: string;
  readonly height: number;
}

type ArrivalRow = Omit<GapArrival, 'amount' | 'height'> & { readonly amount: string; readonly height: string };

/** Columns of a `funding` row `f`. */
const FIELDS = `f.id::text, f.network, f.address_key as "addressKey", f.currency, f.amount::text, f.tx_hash as "txHash",
  f.block_height::text as height`;

/** The arrival waits for the operator to say whose it is. */
const IS_OPEN = `f.purpose = 'suspense' and not f.explained and not f.reversed`;

const toArrival = <Row extends ArrivalRow>(row: Row) => ({
  ...row,
  amount: BigInt(row.amount),
  height: Number(row.height),
});

/** All open arrivals, oldest first, with the derivation of each address. */
export async function readGapArrivals(
  em: EntityManager,
): Promise<(GapArrival & { readonly account: string; readonly index: string })[]> {
  const rows = await query<ArrivalRow & { account: string; index: string }>(
    em,
    `select ${FIELDS}, g.account, g.index::text from funding f join gap_address g on g.address_key = f.address_key
     where ${IS_OPEN} order by f.id`,
  );
  return rows.map(toArrival);
}

/** An open arrival by its number; null if there is none. */
export async function findArrival(em: EntityManager, id: string): Promise<GapArrival | null> {
  const [row] = await query<ArrivalRow>(em, `select ${FIELDS} from funding f where f.id = $1 and ${IS_OPEN}`, [id]);
  return row ? toArrival(row) : null;
}

/** The total of an asset's open arrivals, in base units. */
export async function sumArrivals(
  em: EntityManager,
  { network, currency }: { readonly network: string; readonly currency: string },
): Promise<bigint> {
  const [row] = await query<{ units: string }>(
    em,
    `select coalesce(sum(f.amount), 0)::text as units from funding f
     where f.network = $1 and f.currency = $2 and ${IS_OPEN}`,
    [network, currency],
  );
  return BigInt(row?.units ?? 0);
}

/** Marks an arrival as explained: it no longer waits and can be spent. */
export async function explainArrival(em: EntityManager, id: string): Promise<void> {
  await query(em, 'update funding set explained = true where id = $1', [id]);
}
