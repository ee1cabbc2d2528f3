// The audit of all invoices: invariants that must hold whatever happened to them.

import { expect } from '@jest/globals';
import type { Setup } from '../book.fixture.ts';

/** SQL: what an invoice's own deposits are worth at their own rates, in 10⁻³⁰, that meet a condition. */
const worth = (condition: string) => `(
  select coalesce(sum(d.amount * d.value_rate * 10 ^ (30 - case
    when p.currency = 'ETH' then 18 when p.currency in ('BTC', 'LTC') then 8 else 6 end)::numeric), 0)
  from quote q join payment p on p.id = q.payment_id
    join deposit d on d.payment_id = p.id and (d.currency, d.network) = (p.currency, p.network)
  where q.invoice_id = i.id and ${condition})`;

/** SQL: the price as a value. All prices of these tests are in currencies with two decimals. */
const PRICE = '(i.amount * 10 ^ 28::numeric)';

/** SQL: the least value that settles an invoice. */
const LEAST = `${PRICE} * (10000 - i.tolerance_basis_points) / 10000`;

/** Each check is a query that must return no rows. */
const CHECKS = {
  'a deposit of an invoice counts at no rate, or at more than the quoted one': `
    select d.id, d.value_rate, q.rate from deposit d join payment p on p.id = d.payment_id
      join quote q on q.payment_id = p.id
    where (d.currency, d.network) = (p.currency, p.network) and (d.value_rate is null or d.value_rate > q.rate)`,
  'a deposit that was in time counts at less than the quoted rate': `
    select d.id from deposit d join quote q on q.payment_id = d.payment_id
    where least(d.seen_at, d.block_time) <= q.ends_at and d.value_rate < q.rate`,
  "an invoice's values are not those of its deposits": `
    select i.id, i.value_received, i.value_confirmed from invoice i
    where (i.value_received, i.value_confirmed) <> (${worth(`d.status <> 'ORPHANED'`)}, ${worth('d.credited')})`,
  'an invoice is paid for less than its price, at the rates of its own deposits': `
    select i.id, i.status from invoice i
    where i.status in ('SETTLED', 'PARTIALLY_REFUNDED', 'REFUNDED')
      and ${worth('d.credited')} - i.value_set_aside < ${LEAST}`,
  "an invoice's events are not numbered from one to its version": `
    select i.id, i.version, e.versions from invoice i, lateral (
      select array_agg(version order by version) as versions from event where invoice_id = i.id) e
    where e.versions is distinct from (select array_agg(n) from generate_series(1, i.version) n)`,
  'the last event tells another state than the invoice has': `
    select i.id, i.status, e.payload from invoice i join event e on e.invoice_id = i.id and e.version = i.version
    where (e.payload->>'status', e.payload->>'exception') is distinct from (i.status, i.exception)`,
  'an entry to SETTLED is not told once, or told without being one': `
    select invoice_id, version, type, before, status from (
      select invoice_id, version, type, payload->>'status' as status,
        lag(payload->>'status') over (partition by invoice_id order by version) as before from event
      where invoice_id is not null) e
    where (type = 'invoice.settled' and before not in ('PROCESSING', 'FAILED'))
      or (status = 'SETTLED' and before not in ('SETTLED') and type <> 'invoice.settled')`,
  'an event of a payment of an invoice is sent': `
    select e.id from event e join quote q on q.payment_id = e.payment_id where e.body is not null`,
  'a payment of an invoice ends before its quote or its invoice': `
    select p.id from payment p join quote q on q.payment_id = p.id join invoice i on i.id = q.invoice_id
    where p.invoice_id is distinct from q.invoice_id or p.expires_at > i.deadline and i.status not in ('CANCELED')`,
} as const;

/** Fails if an invoice breaks any of the checks. */
export async function auditInvoices({ sql }: Pick<Setup, 'sql'>): Promise<void> {
  const findings: Record<string, unknown> = {};
  for (const [fault, question] of Object.entries(CHECKS)) {
    const rows = await sql(question);
    if (rows.length > 0) findings[fault] = rows;
  }
  expect(findings).toEqual({});
}

/**
 * From now on each event `invoice.settled` is looked at as it is recorded, in its own transaction: what is credited
 * then may be refunded or lost before anything comes to rest.
 */
export async function watchSettlements({ sql }: Pick<Setup, 'sql'>): Promise<void> {
  await sql('create table watched_settlement (event_id text primary key, worth numeric, least numeric)');
  await sql(`create function watch_settlement() returns trigger language plpgsql as $$ begin
    insert into watched_settlement select new.id, ${worth('d.credited')} - i.value_set_aside, ${LEAST}
      from invoice i where i.id = new.invoice_id;
    return null;
  end $$`);
  await sql(`create trigger watch_settlement after insert on event for each row
    when (new.type = 'invoice.settled') execute function watch_settlement()`);
}

/** Fails if an invoice was ever settled for less than its price, at the rates that its deposits counted at then. */
export async function auditSettlements({ sql }: Pick<Setup, 'sql'>): Promise<void> {
  const cheap = await sql(
    `select e.id, w.worth, w.least from event e left join watched_settlement w on w.event_id = e.id
     where e.type = 'invoice.settled' and (w.worth >= w.least) is not true`,
  );
  expect(cheap).toEqual([]);
}
