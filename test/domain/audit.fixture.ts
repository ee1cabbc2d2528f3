// The audit of a whole book, run after every test: invariants that must hold whatever happened.

import { expect } from '@jest/globals';
import type { Setup } from './book.fixture.ts';

/** Each check is a query that must return no rows. */
const CHECKS = {
  'a balance is not the sum of its postings': `
    select a.owner, a.purpose, a.currency, a.balance, coalesce(sum(m.amount), 0) as posted
    from ledger_account a left join (
      select destination_id as id, amount from posting union all select source_id, -amount from posting
    ) m using (id) group by a.id having a.balance <> coalesce(sum(m.amount), 0)`,
  'money was made or lost: the balances of an asset do not sum to zero': `
    select currency, network, sum(balance) from ledger_account group by 1, 2 having sum(balance) <> 0`,
  'a posting joins two assets': `
    select p.id from posting p join ledger_account s on s.id = p.source_id join ledger_account d on d.id = p.destination_id
    where (s.currency, s.network) <> (d.currency, d.network)`,
  'a transaction has no posting': `
    select t.id from ledger_transaction t where not exists (select from posting where transaction_id = t.id)`,
  'a merchant has less than nothing, or we owe them as a receivable': `
    select * from ledger_account
    where (purpose in ('available', 'reserved') and balance < 0) or (purpose = 'receivable' and balance > 0)`,
  'a merchant owes us while they have money available': `
    select r.owner from ledger_account r join ledger_account a using (owner, currency, network)
    where r.purpose = 'receivable' and r.balance < 0 and a.purpose = 'available' and a.balance > 0`,
  'a deposit is not credited exactly as often as it says': `
    select d.id, d.credits, d.credited, credited.count, reversed.count from deposit d,
      lateral (select count(*) from ledger_transaction where reference like 'credit/' || d.id || '/%') credited,
      lateral (select count(*) from ledger_transaction where reference like 'reversal/' || d.id || '/%') reversed
    where credited.count <> d.credits or credited.count - reversed.count <> d.credited::int`,
  'a confirmed deposit is not credited, or one that is gone still is': `
    select id from deposit where (status = 'CONFIRMED' and not credited) or (gone and credited)`,
  'the fees are not one percent of what is credited, less what was paid out of them': `
    select currency, network from ledger_account a where purpose = 'fees' and balance + (
      select coalesce(sum(amount), 0) from payout o where kind = 'FEES' and status <> 'FAILED'
        and (o.currency, o.network) = (a.currency, a.network)) <> (
      select coalesce(sum(div(amount, 100)), 0) from (
        select currency, network, amount from deposit where credited
        union all select currency, network, amount from suspense_movement where kind = 'CREDIT') d
      where (d.currency, d.network) = (a.currency, a.network))`,
  "a payment's amounts are not those of its deposits": `
    select p.id from payment p, lateral (
      select coalesce(sum(amount) filter (where status <> 'ORPHANED'), 0) as received,
        coalesce(sum(amount) filter (where credited), 0) as confirmed,
        coalesce(sum(div(amount, 100)) filter (where credited), 0) as fee
      from deposit d where d.payment_id = p.id and (d.currency, d.network) = (p.currency, p.network)) d
    where (p.amount_received, p.amount_confirmed, p.fee_amount) <> (d.received, d.confirmed, d.fee)`,
  "a payment's events are not numbered from one to its version": `
    select p.id, p.version, e.versions from payment p, lateral (
      select array_agg(version order by version) as versions from event where payment_id = p.id) e
    where e.versions is distinct from (select array_agg(n) from generate_series(1, p.version) n)`,
  'the last event tells another state than the payment has': `
    select p.id, p.status, e.payload from payment p join event e on e.payment_id = p.id and e.version = p.version
    where (e.payload->>'status', e.payload->>'exception') is distinct from (p.status, p.exception)`,
  'the uses of a link are not its invoices that are processing, settled or refunded': `
    select l.id, l.uses, i.used from payment_link l, lateral (select count(*) as used from invoice
      where link_id = l.id and status in ('PROCESSING', 'SETTLED', 'PARTIALLY_REFUNDED', 'REFUNDED')) i
    where l.uses <> i.used`,
  'a receipt is of a deposit that was never credited': `
    select r.deposit_id from receipt r left join deposit d on d.id = r.deposit_id where coalesce(d.credits, 0) = 0`,
  "a payout's events are not numbered from one to its version": `
    select o.id, o.version, e.versions from payout o, lateral (
      select array_agg(version order by version) as versions from event where payout_id = o.id) e
    where o.merchant_id is not null
      and e.versions is distinct from (select array_agg(n) from generate_series(1, o.version) n)`,
  'the last event tells another state than the payout has': `
    select o.id, o.status, e.payload from payout o join event e on e.payout_id = o.id and e.version = o.version
    where e.payload->>'status' is distinct from o.status`,
  'a payout was broadcast, completed, failed or rejected twice': `
    select payout_id, type from event where payout_id is not null and type not like '%.updated'
    group by 1, 2 having count(*) > 1`,
  'what is reserved is not what payouts under way need': `
    select a.owner, a.currency from ledger_account a where a.purpose = 'reserved' and a.balance <> (
      select coalesce(sum(amount + network_fee), 0) from payout o where coalesce(o.merchant_id, 'gateway') = a.owner
        and (o.currency, o.network) = (a.currency, a.network) and o.completed_at is null
        and o.status not in ('FAILED', 'REJECTED'))`,
  'CONFIRMING was skipped': `
    select payment_id, version from (
      select payment_id, version, type, payload->>'status' as status,
        lag(payload->>'status') over (partition by payment_id order by version) as before from event) e
    where (status = 'SUCCEEDED' and before not in ('CONFIRMING', 'SUCCEEDED', 'FAILED'))
      or (type = 'payment.succeeded' and before not in ('CONFIRMING', 'FAILED'))`,
} as const;

/** Fails if the book breaks any of the checks. */
export async function audit({ sql }: Pick<Setup, 'sql'>): Promise<void> {
  const findings: Record<string, unknown> = {};
  for (const [fault, question] of Object.entries(CHECKS)) {
    const rows = await sql(question);
    if (rows.length > 0) findings[fault] = rows;
  }
  expect(findings).toEqual({});
}
