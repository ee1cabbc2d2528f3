// Ranges of derivation indexes: where one starts, how an account leaps when its database is another copy, where it ends.

import { query, type EntityManager } from '../../connection.ts';
import { KNOWN_CLUSTER } from '../cluster-identity.ts';

/**
 * The index below which no range starts, as SQL: the seconds since 2026-01-01 UTC by the database's clock, and 100,000.
 * An account that hands out less than one address a second never meets an index that a lost copy has handed out.
 */
export const EARLIEST_INDEX = '(floor(extract(epoch from clock_timestamp()))::bigint - 1767225600 + 100000)';

/** Added to the next index of every account by an adoption. */
export const ADOPTION_LEAP = 1_000_000;

/** Indexes of an account, 0 to one less: beyond are the hardened ones, which have no public derivation. */
export const MOST_ADDRESSES = 2 ** 31;

/**
 * Under which copy of the database, and in which run of its server, an address was given out; it holds for that alone.
 * `epoch` is the transaction that recorded the copy: a dump that is loaded twice has the same number of adoptions twice.
 */
export interface GivenUnder {
  readonly epoch: string;
  readonly serverRun: string;
}

export interface IndexRange {
  readonly given: GivenUnder;
  readonly xpub: string;
  readonly first: number;
  /** One more than the last. */
  readonly end: number;
}

/** Takes indexes for good. Null where there is no such account, no room in it, or no recorded identity. */
export async function takeRange(em: EntityManager, account: string, count: number): Promise<IndexRange | null> {
  const [row] = await query<{ xpub: string; end: string; epoch: string; serverRun: string }>(
    em,
    `update derivation_account a set next_index = greatest(a.next_index, ${EARLIEST_INDEX}) + $2::bigint
     from (${KNOWN_CLUSTER}) known
     where a.account = $1 and greatest(a.next_index, ${EARLIEST_INDEX}) + $2::bigint <= ${MOST_ADDRESSES}
     returning a.xpub, a.next_index::text as end, known.written_in as epoch, known.server_run as "serverRun"`,
    [account, count],
  );
  if (!row) return null;
  const end = Number(row.end);
  return { xpub: row.xpub, first: end - count, end, given: { epoch: row.epoch, serverRun: row.serverRun } };
}

/** How many indexes of an account are used up, or left out; null for one without an extended public key. */
export async function countAddresses(em: EntityManager, account: string): Promise<number | null> {
  const [row] = await query<{ next: string }>(
    em,
    'select next_index::text as next from derivation_account where account = $1',
    [account],
  );
  return row ? Number(row.next) : null;
}

/** How much of its indexes each account has used up, from 0 to 1: those that derive, and those named that have a pool. */
export async function readShares(em: EntityManager, pooled: readonly string[]): Promise<Map<string, number>> {
  const rows = await query<{ account: string; next: string }>(
    em,
    `select account, next_index::text as next from derivation_account
     union all
     select a.account, ((select max(index) + 1 from address_pool p where p.account = a.account))::text
     from unnest($1::text[]) as a (account)`,
    [pooled],
  );
  return new Map(rows.map(({ account, next }) => [account, Number(next) / MOST_ADDRESSES]));
}

/** Each account goes on from beyond whatever the lost copy can have handed out, to its last index at most. */
export async function voidRanges(em: EntityManager): Promise<void> {
  await query(
    em,
    `with own as (select account from derivation_account order by account for update)
     update derivation_account a
     set next_index = least(greatest(a.next_index, ${EARLIEST_INDEX}) + ${ADOPTION_LEAP}, ${MOST_ADDRESSES})
     from own where own.account = a.account`,
  );
}
