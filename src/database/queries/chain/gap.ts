// The gap: watched addresses that a lost copy of the book may have given to orders. Money that arrives goes to
// suspense.

import type { Network } from '../../../values/assets.ts';
import { query, type EntityManager } from '../../connection.ts';
import { EARLIEST_INDEX } from './address-ranges.ts';
import { KNOWN_CLUSTER } from '../cluster-identity.ts';
import { beginHoldings } from '../ledger/holdings.ts';

/** Where the gap of an account begins, and how far the lost copy can have come. */
export interface GapBounds {
  /** One more than the book's last index, or than the last address made ahead. */
  readonly first: number;
  /** The clock-based indexes from when the book was last written until it was found to be a copy. */
  readonly clock: { readonly first: number; readonly end: number };
}

/** The address was made ahead under another copy of the database, or in another run of its server. */
const IS_VOID = `not exists (select 1 from (${KNOWN_CLUSTER}) known
  where known.adoptions = epoch and known.server_run = address_pool.server_run)`;

/**
 * How far the network had been read when the book was restored, and a time after which the book was written, if known.
 */
interface Written {
  readonly network: Network;
  readonly height: number;
  readonly writtenAfter: Date | null;
}

/** Bounds the gap by what the restored book contains: it was written at least until its last order and last block. */
export async function readGapBounds(
  em: EntityManager,
  account: string,
  { network, height, writtenAfter }: Written,
): Promise<GapBounds> {
  const [row] = await query<{ first: string; clock_first: string; clock_end: string; restored_at: string }>(
    em,
    `with restored as (
       select coalesce((select min(at) from cluster_change where kind <> 'FIRST'
         and (cursors->$2->>'height')::bigint = $3), now()) as at
     ), last as (
       select max(derivation_index) as index, max(created_at) as at from payment, restored
       where derivation_account = $1 and created_at < restored.at
     ), pooled as (
       select max(index) as index from address_pool where account = $1 and ${IS_VOID}
     )
     select (greatest(last.index, pooled.index, -1) + 1)::text as first,
       (floor(extract(epoch from coalesce(greatest(last.at, least($4::timestamptz, restored.at)), restored.at)))::bigint
         - 1767225600 + 100000)::text as clock_first,
       least(${EARLIEST_INDEX}, floor(extract(epoch from restored.at))::bigint - 1767225600 + 100000)::text as clock_end
     from restored, last, pooled`,
    [account, network, height, writtenAfter],
  );
  if (!row) throw new Error('The bounds of the gap were not read');
  return { first: Number(row.first), clock: { first: Number(row.clock_first), end: Number(row.clock_end) } };
}

/** An address by its index. */
export interface GapAddress {
  readonly index: number;
  readonly key: string;
}

/**
 * Watches addresses from now on, leaving out those of orders that the book has. For use in a transaction: until it
 * ends, no transaction of ours changes its status.
 */
export async function addGap(em: EntityManager, account: string, addresses: readonly GapAddress[]): Promise<void> {
  // Transactions that finish later find the addresses; those that finished before are counted here.
  await query(em, 'lock table transfer in share mode');
  const added = await query<{ id: string }>(
    em,
    `insert into gap_address (id, account, index, address_key)
     select 'gap_' || $1 || '_' || index, $1, index, key from unnest($2::bigint[], $3::text[]) as g(index, key)
     where not exists (select 1 from payment p where (p.derivation_account, p.address_key) = ($1, g.key))
     on conflict do nothing returning id`,
    [account, addresses.map(({ index }) => index), addresses.map(({ key }) => key)],
  );
  await beginHoldings(
    em,
    account,
    added.map(({ id }) => id),
  );
}

/** Addresses made ahead that no order of the book uses. */
export async function readUntaken(em: EntityManager, account: string): Promise<GapAddress[]> {
  const rows = await query<{ index: string; key: string }>(
    em,
    `select index::text, address_key as key from address_pool where account = $1 and not exists (
       select 1 from payment p where (p.derivation_account, p.derivation_index) = (account, index))
       and ${IS_VOID}`,
    [account],
  );
  return rows.map(({ index, key }) => ({ index: Number(index), key }));
}

/** The extended public key of an account; null if its addresses are made ahead. */
export async function readXpub(em: EntityManager, account: string): Promise<string | null> {
  const [row] = await query<{ xpub: string }>(em, 'select xpub from derivation_account where account = $1', [account]);
  return row?.xpub ?? null;
}
