// How far the reading of custody has come: the pass over all addresses, the open orders, and whose turn it is. One
// process at a time reads a network, under a lease that each write extends.

import { query, type EntityManager } from '../../connection.ts';

/** Where the reading of a network stands. */
export interface CustodyProgress {
  /** The number of the comparison that is under way. */
  readonly round: number;
  /** The block of the last comparison. */
  readonly height: number;
  /** Whether this comparison's part of the addresses was read. */
  readonly sliced: boolean;
  /** The last address of the pass over all; the empty text at its beginning. */
  readonly after: string;
  readonly open: OpenPlace;
  /** How often all addresses were read. */
  readonly passes: number;
  /** How many the last pass had. */
  readonly addresses: number;
}

/** The last open order that was looked at. */
export interface OpenPlace {
  /** When it expires, as the database writes it; null at the beginning. */
  readonly at: string | null;
  readonly id: string;
}

/** Who reads a network: a text that no other process has. */
export interface Claim {
  readonly network: string;
  readonly by: string;
}

interface ProgressRow extends Record<'round' | 'height' | 'after_key' | 'open_id' | 'passes' | 'addresses', string> {
  readonly sliced: boolean;
  readonly open_at: string | null;
}

/** How long a process that has died keeps others from reading. */
const LEASE = `interval '2 minutes'`;

/** Takes the lease of a network; null while another process has it, and before the network has a cursor. */
export async function claimCustody(em: EntityManager, { network, by }: Claim): Promise<CustodyProgress | null> {
  await query(
    em,
    `insert into custody_progress (network, height) select network, height from chain_cursor where network = $1
     on conflict do nothing`,
    [network],
  );
  const [row] = await query<ProgressRow>(
    em,
    `update custody_progress set claimed_by = $2, claimed_until = now() + ${LEASE}
     where network = $1 and (claimed_until is null or claimed_until < now())
     returning round::text, height::text, sliced, after_key, open_at::text, open_id, passes::text, addresses::text`,
    [network, by],
  );
  return row ? toProgress(row) : null;
}

const toProgress = (row: ProgressRow): CustodyProgress => ({
  ...{ round: Number(row.round), height: Number(row.height), sliced: row.sliced, after: row.after_key },
  open: { at: row.open_at, id: row.open_id },
  ...{ passes: Number(row.passes), addresses: Number(row.addresses) },
});

/** Gives the lease back. */
export async function releaseCustody(em: EntityManager, { network, by }: Claim): Promise<void> {
  await query(
    em,
    'update custody_progress set claimed_by = null, claimed_until = null where network = $1 and claimed_by = $2',
    [network, by],
  );
}

/** Extends the lease, and locks it until the transaction ends; false if it was lost. */
export async function keepClaim(em: EntityManager, { network, by }: Claim): Promise<boolean> {
  const rows = await query(
    em,
    `update custody_progress set claimed_until = now() + ${LEASE} where network = $1 and claimed_by = $2 returning 1`,
    [network, by],
  );
  return rows.length > 0;
}

/** Moves on within the pass over all addresses, by so many; at its end, the next one begins. */
export async function advancePass(
  em: EntityManager,
  network: string,
  { after, count, isLast }: { readonly after: string; readonly count: number; readonly isLast: boolean },
): Promise<void> {
  await query(
    em,
    `update custody_progress set after_key = case when $4 then '' else $2 end, passes = passes + $4::int,
       addresses = case when $4 then counted + $3 else addresses end, counted = case when $4 then 0 else counted + $3 end
     where network = $1`,
    [network, after, count, isLast],
  );
}

/** Records the last open order that was looked at. */
export async function moveOpenPlace(em: EntityManager, network: string, { at, id }: OpenPlace): Promise<void> {
  await query(em, 'update custody_progress set open_at = $2, open_id = $3 where network = $1', [network, at, id]);
}

/** Records that a comparison's part of the addresses was read. */
export async function endSlice(em: EntityManager, network: string): Promise<void> {
  await query(em, 'update custody_progress set sliced = true where network = $1', [network]);
}

/**
 * The next addresses of all that we have on a network, in key order: of orders, of the gap, our wallets, strays. Those
 * of orders are a range of all accounts: of one account, without statistics, so few are expected that all get sorted.
 */
export async function findAddresses(
  em: EntityManager,
  { network, account }: { readonly network: string; readonly account: string },
  after: string,
  limit: number,
): Promise<string[]> {
  const rows = await query<{ key: string }>(
    em,
    `select key from (
       select key from (select derivation_account as account, address_key as key from payment
         where (derivation_account, address_key) > ($2, $3) order by 1, 2 limit $4) issued where account = $2
       union (select address_key from gap_address where account = $2 and address_key > $3 order by address_key limit $4)
       union (select address_key from sender where network = $1 and address_key > $3 order by address_key limit $4)
       union (select address_key from stray_address where network = $1 and address_key > $3
        order by address_key limit $4)
     ) as part order by key limit $4`,
    [network, account, after, limit],
  );
  return rows.map(({ key }) => key);
}

/** The next open orders of a network, by when they expire. */
export async function findOpenOrders(
  em: EntityManager,
  network: string,
  { at, id }: OpenPlace,
  limit: number,
): Promise<{ readonly key: string; readonly at: string; readonly id: string }[]> {
  return query(
    em,
    `select address_key as key, expires_at::text as at, id from payment
     where network = $1 and status in ('PENDING', 'PARTIALLY_PAID', 'CONFIRMING') and expires_at >= $2::timestamptz
       and (expires_at, id) > ($2::timestamptz, $3)
     order by expires_at, id limit $4`,
    [network, at ?? '-infinity', id, limit],
  );
}
