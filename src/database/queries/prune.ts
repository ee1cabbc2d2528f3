// Deletes rows whose retention period is over, a batch at a time so that nothing waits for a long delete.

import { query, type EntityManager } from '../connection.ts';

const BATCH = 1_000;
/**
 * How many of the oldest events are looked at for a batch; so many would have to wait for their deliveries to keep
 * younger ones from being deleted. Without it, a look that finds little would read the whole log.
 */
const MOST_LOOKED_AT = 5_000;

/** SQL: the rows of `old`, which are locked, by their places: a join could be planned over the whole table. */
const IS_OLD = 'ctid = any(array(select ctid from old))';

const STATEMENTS = {
  idempotency: `
    with old as (
      select ctid from idempotency where created_at < $1
      order by created_at limit $2 for update skip locked
    )
    delete from idempotency where ${IS_OLD} returning 1`,
  // Keeps rows that live subscriptions cannot read yet because of a running transaction.
  deliveryChanges: `
    with old as (
      select ctid from webhook_change
      where recorded_at < $1 and recorded_in < pg_snapshot_xmin(pg_current_snapshot())
      order by recorded_at limit $2 for update skip locked
    )
    delete from webhook_change where ${IS_OLD} returning 1`,
  sessions: `
    with old as (
      select ctid from owner_session where least(ended_at, expires_at) < $1
      order by least(ended_at, expires_at) limit $2 for update skip locked
    )
    delete from owner_session where ${IS_OLD} returning 1`,
  // By the number, too: places are only unique within a partition.
  apiLog: `
    with old as materialized (
      select ctid, id from api_log where at > '-infinity' and at < $1 order by at limit $2 for update skip locked
    )
    delete from api_log where ${IS_OLD} and id = any(array(select id from old)) returning 1`,
  // That a mail was written stays, to whom and what does not.
  mails: `
    with old as (
      select ctid from mail where recipient <> '' and created_at < $1
      order by created_at limit $2 for update skip locked
    )
    update mail set recipient = '', params = '{}', status = case status when 'QUEUED' then 'SKIPPED' else status end
    where ${IS_OLD} returning 1`,
  mailLinks: `
    with old as (
      select ctid from mail_link where expires_at < $1 order by expires_at limit $2 for update skip locked
    )
    delete from mail_link where ${IS_OLD} returning 1`,
  challenges: `
    with old as (
      select ctid from challenge where expires_at < $1 order by expires_at limit $2 for update skip locked
    )
    delete from challenge where ${IS_OLD} returning 1`,
  devices: `
    with old as (
      select ctid from person_device where last_seen_at < $1 order by last_seen_at limit $2 for update skip locked
    )
    delete from person_device where ${IS_OLD} returning 1`,
  invitations: `
    with old as (
      select ctid from invitation where expires_at < $1 order by expires_at limit $2 for update skip locked
    )
    delete from invitation where ${IS_OLD} returning 1`,
  consoleFiles: `
    with old as (
      select ctid from console_file where kept_at < $1 order by kept_at limit $2 for update skip locked
    )
    delete from console_file where ${IS_OLD} returning 1`,
  endpointHours: `
    with old as (
      select ctid from webhook_endpoint_hour where hour < $1 order by hour limit $2 for update skip locked
    )
    delete from webhook_endpoint_hour where ${IS_OLD} returning 1`,
  // The newest figure of each code stays: it says that something here quoted the code.
  rates: `
    with old as (
      select ctid from rate where minute < $1 and exists (
        select 1 from rate newer where newer.code = rate.code and newer.minute > rate.minute offset 0)
      order by minute limit $2 for update skip locked
    )
    delete from rate where ${IS_OLD} returning 1`,
} as const;

/** Deletes at most a batch of rows made before `before`. Returns whether there may be more. */
export async function pruneRows(em: EntityManager, what: keyof typeof STATEMENTS, before: Date): Promise<boolean> {
  const pruned = await query(em, STATEMENTS[what], [before, BATCH]);
  return pruned.length === BATCH;
}

/** SQL: the deliveries of the events $1, looked up for each. */
const DELIVERIES_OF = `select d.id from unnest($1::text[]) as e(id)
  cross join lateral (select id from webhook_delivery where event_id = e.id offset 0) d`;

/**
 * SQL: the places of the events $1, which are locked, looked up for each: any number of ids may be most of the table.
 */
const EVENTS = `select e.ctid from unnest($1::text[]) as old(id)
  cross join lateral (select ctid from event where id = old.id offset 0) e`;

/**
 * Deletes a batch of events made before `before`, with their deliveries and attempts: only events that the relay of
 * webhooks has passed and that have no pending delivery. That of mails may stand still for good, where no process sends
 * them any more. Sequence numbers stay gap-free from the oldest event kept.
 */
export async function pruneEvents(em: EntityManager, before: Date): Promise<boolean> {
  const old = await query<{ id: string }>(
    em,
    `with first as materialized (
       select id from event where position <= (select position from relay_cursor where name = 'webhooks') order by position limit ${MOST_LOOKED_AT}
     )
     select e.id from first join lateral (
       select id from event where id = first.id and created_at < $1 for update of event skip locked
     ) e on not exists (
       select 1 from (select due_at from webhook_delivery where event_id = first.id offset 0) d where due_at is not null)
     limit $2`,
    [before, BATCH],
  );
  if (old.length === 0) return false;
  const ids = [old.map(({ id }) => id)];
  // By their deliveries, too: the places of two attempts may be the same, in two partitions.
  await query(
    em,
    `with deliveries as materialized (${DELIVERIES_OF})
     delete from webhook_attempt where ctid = any(array(
       select a.ctid from deliveries d
       cross join lateral (select ctid from webhook_attempt where delivery_id = d.id offset 0) a))
       and delivery_id = any(array(select id from deliveries))`,
    ids,
  );
  await query(em, `delete from webhook_delivery where id = any(array(${DELIVERIES_OF}))`, ids);
  await query(em, `delete from event where ctid = any(array(${EVENTS}))`, ids);
  return old.length === BATCH;
}
