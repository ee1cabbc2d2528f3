// Numbers committed events: global positions, and the sequence numbers of each merchant. Set-based, so a batch costs
// one statement; gap-free, because the counters move in the same transaction.

import type { Pool, PoolClient } from 'pg';

/** Events taken at a time, not counting earlier versions that a batch must include. */
export const NUMBERING_BATCH = 500;

/** The key of the leader's lock; an arbitrary number that no other advisory lock uses. */
export const LEADER_LOCK = '7308900664271961';

/**
 * What is true of an event without a number. Two small indexes have the same condition, and nothing else can use it:
 * with `position is null`, statistics from before an outage made PostgreSQL search all waiting events for each payment
 * (50 events a second instead of 18,000).
 */
export const IS_UNNUMBERED = 'coalesce(position, 0) = 0';

/** What an event is about, within which order holds: a payment, an invoice, a payout, or nothing but itself. */
const SUBJECT = 'coalesce(payment_id, invoice_id, payout_id, id)';

/*
 * `due` takes a batch by id, but ids do not follow commit order: a transaction that started first, waited for a
 * payment's row and committed last has a higher version under a lower id. So `earlier` adds the versions that a batch
 * would skip, and the event of a payment, invoice or payout takes the place of the highest id among itself and its
 * subject's lower versions (`slot`). No lower version can be missing because it is not visible yet: versions are made
 * under the subject's row lock, which PostgreSQL releases after the commit is visible, so a reader of one version sees
 * all below it. (Asking for "the highest numbered version plus one" was rejected: it would stop a subject for good once
 * retention has removed the version before.)
 *
 * The plan is fixed, whatever the statistics say: `offset 0` keeps the search for each subject apart, the array of ids
 * makes the update begin with the key, and the leader's transaction neither sorts where an index has the order, nor
 * reads all of an index at once.
 */
const NUMBER = `
with due as materialized (
  select id, merchant_id, ${SUBJECT} as subject, version from event
  where ${IS_UNNUMBERED} order by id limit ${NUMBERING_BATCH}
), earlier as materialized (
  select e.*
  from (select subject, max(version) as version from due where version is not null group by subject) head
  cross join lateral (
    select id, merchant_id, ${SUBJECT} as subject, version from event
    where ${SUBJECT} = head.subject and version < head.version and ${IS_UNNUMBERED} offset 0
  ) e
), slotted as (
  select *, max(id) over (partition by subject order by version) as slot
  from (select * from due union select * from earlier) batch
), ranked as materialized (
  select id, merchant_id, row_number() over (order by slot, version) as nth,
    row_number() over (partition by merchant_id order by slot, version) as nth_of_merchant
  from slotted
), sizes as (
  select 'position' as scope, count(*) as size from ranked having count(*) > 0
  union all
  select merchant_id, count(*) from ranked group by merchant_id
), counted as (
  insert into event_counter as counter (scope, last) select scope, size from sizes
  on conflict (scope) do update set last = counter.last + excluded.last
  returning scope, last
), bases as (
  select scope, last - size as base from counted join sizes using (scope)
)
update event e set position = log.base + ranked.nth, sequence = own.base + ranked.nth_of_merchant
from ranked
  join bases own on own.scope = ranked.merchant_id
  join bases log on log.scope = 'position'
where e.id = ranked.id and e.id = any (array(select id from ranked))`;

/** Whether any committed event has no number yet. Asked for in order, as only the index of these events can answer. */
export async function hasUnnumberedEvents(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query(`select id from event where ${IS_UNNUMBERED} order by id limit 1`);
  return rows.length > 0;
}

/** Numbers a batch in one transaction; returns how many. Null if another process is the leader now. */
export async function numberEvents(pool: Pool): Promise<number | null> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const numbered = await numberAsLeader(client);
    await client.query('commit');
    client.release();
    return numbered;
  } catch (error) {
    // Drops the connection, and with it the transaction, whatever their state.
    client.release(true);
    throw error;
  }
}

/** Takes the lock in a separate statement, so that the next one sees everything that the previous leader committed. */
async function numberAsLeader(client: PoolClient): Promise<number | null> {
  const { rows } = await client.query<{ leads: boolean }>({
    name: 'lead-numbering',
    text: `select pg_try_advisory_xact_lock(${LEADER_LOCK}) as leads, set_config('enable_sort', 'off', true),
      set_config('enable_bitmapscan', 'off', true)`,
  });
  if (!rows[0]?.leads) return null;
  // Not prepared, nor is the check above: a plan kept from when the log was small took 200 ms a batch at 100,000 events
  // instead of 10.
  const result = await client.query(NUMBER);
  return result.rowCount ?? 0;
}
