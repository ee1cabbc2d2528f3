// Deletes rows whose retention period is over, a batch at a time so that nothing waits for a long delete.

import { query, type EntityManager } from '../connection.ts';

const BATCH = 1_000;

const STATEMENTS = {
  idempotency: `
    with old as (
      select scope, operation, key from idempotency where created_at < $1
      order by created_at limit $2 for update skip locked
    )
    delete from idempotency i using old where (i.scope, i.operation, i.key) = (old.scope, old.operation, old.key)
    returning 1`,
  // Keeps rows that live subscriptions cannot read yet because of a running transaction.
  deliveryChanges: `
    with old as (
      select ctid from webhook_change
      where recorded_at < $1 and recorded_in < pg_snapshot_xmin(pg_current_snapshot())
      order by recorded_at limit $2 for update skip locked
    )
    delete from webhook_change c using old where c.ctid = old.ctid returning 1`,
  sessions: `
    with old as (
      select id from owner_session where least(ended_at, expires_at) < $1
      order by least(ended_at, expires_at) limit $2 for update skip locked
    )
    delete from owner_session using old where owner_session.id = old.id returning 1`,
  apiLog: `
    with old as (select id from api_log where at < $1 order by at limit $2 for update skip locked)
    delete from api_log using old where api_log.id = old.id returning 1`,
} as const;

/** Deletes at most a batch of rows made before `before`. Returns whether there may be more. */
export async function pruneRows(em: EntityManager, what: keyof typeof STATEMENTS, before: Date): Promise<boolean> {
  const pruned = await query(em, STATEMENTS[what], [before, BATCH]);
  return pruned.length === BATCH;
}

/**
 * Deletes a batch of events made before `before`, with their deliveries and attempts: only events that the relay has
 * passed and that have no pending delivery. Sequence numbers stay gap-free from the oldest event kept.
 */
export async function pruneEvents(em: EntityManager, before: Date): Promise<boolean> {
  const old = await query<{ id: string }>(
    em,
    `select e.id from event e
     where e.position <= (select min(position) from relay_cursor) and e.created_at < $1
       and not exists (select 1 from webhook_delivery d where d.event_id = e.id and d.due_at is not null)
     order by e.position limit $2 for update of e skip locked`,
    [before, BATCH],
  );
  if (old.length === 0) return false;
  const ids = [old.map(({ id }) => id)];
  await query(
    em,
    'delete from webhook_attempt a using webhook_delivery d where d.event_id = any($1) and a.delivery_id = d.id',
    ids,
  );
  await query(em, 'delete from webhook_delivery where event_id = any($1)', ids);
  await query(em, 'delete from event where id = any($1)', ids);
  return old.length === BATCH;
}
