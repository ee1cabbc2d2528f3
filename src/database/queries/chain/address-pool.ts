// The addresses that a signer made ahead: filled in the order of their indexes, taken once. Those that were made under
// another copy of the database, or in another run of its server, are void: a lost copy may have handed them out.

import { query, type EntityManager } from '../../connection.ts';
import { ADOPTION_LEAP, EARLIEST_INDEX, type GivenUnder } from './address-ranges.ts';
import { KNOWN_CLUSTER } from '../cluster-identity.ts';

export interface PooledAddress {
  readonly index: number;
  readonly address: string;
  readonly key: string;
}

/** Takes some addresses for good, those that were made first; fewer, or none, where there are no more that hold. */
export async function takeAddresses(
  em: EntityManager,
  account: string,
  count: number,
): Promise<(PooledAddress & { given: GivenUnder })[]> {
  const rows = await query<{ index: string; address: string; key: string; epoch: string; serverRun: string }>(
    em,
    `update address_pool p set taken = true
     from (select a.index, k.written_in from address_pool a join (${KNOWN_CLUSTER}) k
             on k.adoptions = a.epoch and k.server_run = a.server_run
           where a.account = $1 and not a.taken order by a.index limit $2
           for update of a skip locked) as free
     where p.account = $1 and p.index = free.index
     returning p.index::text, p.address, p.address_key as key, free.written_in as epoch,
       p.server_run as "serverRun"`,
    [account, count],
  );
  const taken = rows.map(({ index, address, key, epoch, serverRun }) => ({
    ...{ index: Number(index), address, key },
    given: { epoch, serverRun },
  }));
  return taken.sort((a, b) => a.index - b.index);
}

/** Where the pool goes on: the next index that no copy of the database has handed out, and what its addresses hold for. */
export interface PoolEnd {
  readonly next: number;
  readonly adoptions: number;
  readonly serverRun: string;
}

/**
 * Takes what is void out of the pool for good, and answers where it goes on; null where the copy of the database is not
 * recorded yet.
 */
export async function renewPool(em: EntityManager, account: string): Promise<PoolEnd | null> {
  const [row] = await query<{ next: string; adoptions: number; serverRun: string }>(
    em,
    `with known as materialized (${KNOWN_CLUSTER}), void as (
       update address_pool p set taken = true from known k
       where p.account = $1 and not p.taken and (p.epoch <> k.adoptions or p.server_run <> k.server_run)
     )
     select k.adoptions, k.server_run as "serverRun",
       (greatest(l.index + 1, ${EARLIEST_INDEX})
         + ${ADOPTION_LEAP}::bigint * greatest(k.adoptions - coalesce(l.epoch, 0), 0))::text as next
     from known k left join lateral
       (select index, epoch from address_pool where account = $1 order by index desc limit 1) as l on true`,
    [account],
  );
  return row ? { ...row, next: Number(row.next) } : null;
}

/** How many addresses nobody took, counted up to `limit`. */
export async function countFree(em: EntityManager, account: string, limit: number): Promise<number> {
  const [row] = await query<{ count: number }>(
    em,
    `select count(*)::int as count
     from (select 1 from address_pool where account = $1 and not taken limit $2) as free`,
    [account, limit],
  );
  return row?.count ?? 0;
}

/** The address that was made last; null when there is none. */
export async function findLastAddress(em: EntityManager, account: string): Promise<PooledAddress | null> {
  const [row] = await query<{ index: string; address: string; key: string }>(
    em,
    // By the number, not by its text, which the list before would name.
    `select p.index::text, p.address, p.address_key as key from address_pool p where account = $1
     order by p.index desc limit 1`,
    [account],
  );
  return row ? { ...row, index: Number(row.index) } : null;
}

/** Adds addresses; those that another signer added meanwhile are left alone. */
export async function addAddresses(
  em: EntityManager,
  account: string,
  made: readonly PooledAddress[],
  { adoptions, serverRun }: PoolEnd,
): Promise<void> {
  await query(
    em,
    `insert into address_pool (account, index, address, address_key, epoch, server_run)
     select $1, made.*, $5, $6 from unnest($2::bigint[], $3::text[], $4::text[]) as made on conflict do nothing`,
    [
      ...[account, made.map(({ index }) => index), made.map(({ address }) => address), made.map(({ key }) => key)],
      ...[adoptions, serverRun],
    ],
  );
}
