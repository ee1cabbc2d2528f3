// Ranges of derivation indexes: where the next one starts, how it leaps when the database is a new copy, where it ends.

import { query, type EntityManager } from '../../connection.ts';
import { KNOWN_CLUSTER } from '../cluster-identity.ts';

/**
 * The lowest index at which a range may start, as SQL: the seconds since 2026-01-01 UTC by the database's clock, plus
 * 100,000. An account that hands out less than one address a second never reuses an index that a lost copy handed out.
 */
export const EARLIEST_INDEX = '(floor(extract(epoch from clock_timestamp()))::bigint - 1767225600 + 100000)';

/** Added to the next index of every account when a copy is adopted. */
export const ADOPTION_LEAP = 1_000_000;

/** The number of indexes of an account. Higher indexes are hardened and have no public derivation. */
export const MOST_ADDRESSES = 2 ** 31;

/**
 * The copy of the database, and the run of its server, under which an address was given out; it is valid for that
 * alone. `epoch` is the transaction that recorded the copy: a dump loaded twice has the same number of adoptions both
 * times.
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

/** SQL: whether an address that was given under this copy and run, two parameters, may still be handed out. */
export const holdsUnder = (epoch: string, serverRun: string): string =>
  `${epoch}::text = coalesce((select written_in from cluster_identity), '')
    and ${serverRun}::text = extract(epoch from pg_postmaster_start_time())::text`;

/** Whether an address may be handed out by the current transaction. */
export async function isStillGiven(em: EntityManager, { epoch, serverRun }: GivenUnder): Promise<boolean> {
  const [row] = await query<{ holds: boolean }>(em, `select ${holdsUnder('$1', '$2')} as holds`, [epoch, serverRun]);
  return row?.holds ?? false;
}

/** Takes indexes for good. Null if the account is unknown or used up, or the copy is not recorded. */
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

/** How many indexes of an account are used up or skipped; null for one without an extended public key. */
export async function countAddresses(em: EntityManager, account: string): Promise<number | null> {
  const [row] = await query<{ next: string }>(
    em,
    'select next_index::text as next from derivation_account where account = $1',
    [account],
  );
  return row ? Number(row.next) : null;
}

/** The share of its indexes that each account has used, from 0 to 1, for derived accounts and the named pools. */
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

/** Moves each account past every index that the lost copy can have handed out, up to its last index. */
export async function voidRanges(em: EntityManager): Promise<void> {
  await query(
    em,
    `with own as (select account from derivation_account order by account for update)
     update derivation_account a
     set next_index = least(greatest(a.next_index, ${EARLIEST_INDEX}) + ${ADOPTION_LEAP}, ${MOST_ADDRESSES})
     from own where own.account = a.account`,
  );
}
