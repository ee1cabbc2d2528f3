// The addresses that a signer made ahead: filled in the order of their indexes, taken once.

import { query, type EntityManager } from '../connection.ts';

export interface PooledAddress {
  readonly index: number;
  readonly address: string;
  readonly key: string;
}

/** Takes some addresses for good, those that were made first; fewer, or none, where there are no more. */
export async function takeAddresses(em: EntityManager, account: string, count: number): Promise<PooledAddress[]> {
  const rows = await query<{ index: string; address: string; key: string }>(
    em,
    `update address_pool p set taken = true
     from (select index from address_pool where account = $1 and not taken order by index limit $2
           for update skip locked) as free
     where p.account = $1 and p.index = free.index
     returning p.index::text, p.address, p.address_key as key`,
    [account, count],
  );
  return rows.map((row) => ({ ...row, index: Number(row.index) })).sort((a, b) => a.index - b.index);
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
export async function addAddresses(em: EntityManager, account: string, made: readonly PooledAddress[]): Promise<void> {
  await query(
    em,
    `insert into address_pool (account, index, address, address_key)
     select $1, * from unnest($2::bigint[], $3::text[], $4::text[]) on conflict do nothing`,
    [account, made.map(({ index }) => index), made.map(({ address }) => address), made.map(({ key }) => key)],
  );
}
