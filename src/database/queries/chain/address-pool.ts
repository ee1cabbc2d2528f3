// The address pool: addresses that the signer made ahead, each handed out once, in index order. Addresses made under
// another copy of the database, or another run of its server, are void: a lost copy may have handed them out.

import { query, type EntityManager } from '../../connection.ts';
import { ADOPTION_LEAP, EARLIEST_INDEX, type GivenUnder } from './address-ranges.ts';
import { KNOWN_CLUSTER } from '../cluster-identity.ts';

export interface PooledAddress {
  readonly index: number;
  readonly address: string;
  readonly key: string;
}

/** Takes the oldest valid addresses for good; returns fewer, or none, if the pool runs out. */
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

/** Where the pool continues: the next index that no copy has handed out, and which copy new addresses belong to. */
export interface PoolEnd {
  readonly next: number;
  readonly adoptions: number;
  readonly serverRun: string;
}

/**
 * Removes void addresses from the pool for good and returns where the pool continues; null if the copy of the database
 * is not recorded yet.
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

/** Counts the free addresses, up to `limit`. */
export async function countFree(em: EntityManager, account: string, limit: number): Promise<number> {
  const [row] = await query<{ count: number }>(
    em,
    `select count(*)::int as count
     from (select 1 from address_pool where account = $1 and not taken order by index limit $2) as free`,
    [account, limit],
  );
  return row?.count ?? 0;
}

/** The last address made; null if there is none. */
export async function findLastAddress(em: EntityManager, account: string): Promise<PooledAddress | null> {
  const [row] = await query<{ index: string; address: string; key: string }>(
    em,
    // Qualified, because plain `index` would order by the selected text.
    `select p.index::text, p.address, p.address_key as key from address_pool p where account = $1
     order by p.index desc limit 1`,
    [account],
  );
  return row ? { ...row, index: Number(row.index) } : null;
}

/** Adds addresses; those that another signer added meanwhile are left as they are. */
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
