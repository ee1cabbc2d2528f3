// Claims feeds for polling, one process at a time, and records how their polls ended.

import { query, type EntityManager } from '../../connection.ts';

/** A claim on a feed. It ends with its lease, after which another process may poll the feed. */
export interface FeedClaim {
  readonly name: string;
  readonly lease: Date;
  /** Polls that failed in a row before this one. */
  readonly failures: number;
}

/** Claims a feed that is due; null while it is not, or while another process polls it. */
export async function claimFeed(em: EntityManager, name: string, now: Date, lease: Date): Promise<FeedClaim | null> {
  const [row] = await query<{ failures: number }>(
    em,
    `insert into rate_feed as feed (name, due_at, lease) values ($1, $2, $3)
     on conflict (name) do update set lease = excluded.lease
     where feed.due_at <= $2 and (feed.lease is null or feed.lease <= $2)
     returning failures`,
    [name, now, lease],
  );
  return row ? { name, lease, failures: row.failures } : null;
}

/** Ends a claim. False if it had ended before, by its lease: then nothing of its poll may be recorded. */
export async function endClaim(
  em: EntityManager,
  { name, lease }: FeedClaim,
  { dueAt, failures }: { readonly dueAt: Date; readonly failures: number },
): Promise<boolean> {
  const ended = await query(
    em,
    'update rate_feed set lease = null, due_at = $3, failures = $4 where name = $1 and lease = $2 returning 1',
    [name, lease, dueAt, failures],
  );
  return ended.length === 1;
}

/** Polls that failed in a row, by feed. */
export async function readFeedFailures(em: EntityManager): Promise<ReadonlyMap<string, number>> {
  const rows = await query<{ name: string; failures: number }>(em, 'select name, failures from rate_feed');
  return new Map(rows.map(({ name, failures }) => [name, failures]));
}
