// A merchant's report: sums of their ledger postings by period and asset, and totals.

import { query, type EntityManager } from '../../connection.ts';

export type ReportUnit = 'day' | 'week' | 'month';

/** The sums of one period and asset, in base units as decimal text; `period` is null in the totals. */
export interface ReportRow {
  /** The first day of the period, `YYYY-MM-DD`. */
  readonly period: string | null;
  readonly currency: string;
  readonly network: string;
  readonly payments: number;
  readonly gross: string;
  readonly fees: string;
  readonly refunded: string;
  readonly withdrawn: string;
}

export interface ReportFilter {
  readonly merchantId: string;
  readonly from: Date;
  readonly until: Date;
  readonly currency: string | null;
  readonly network: string | null;
  /** The length of the periods; `millennium` if only the totals are wanted. */
  readonly unit: ReportUnit | 'millennium';
}

/*
 * A credit moves from custody (from suspense, if it was explained by hand) to the available balance. A reversal moves
 * it back to custody, and the fee's part from the fees. A payout leaves to custody under its own reference.
 * Reservations, releases and other moves between the merchant's own accounts do not count.
 *
 * Amounts are summed by account number before accounts are looked up, and payments are counted separately: as
 * `distinct` beside the sums, they made PostgreSQL sort every posting on disk, which took three times as long. Only the
 * period's part of the merchant's transaction index is read.
 */
const PERIOD = `date_trunc($6, t.created_at at time zone 'UTC')::date`;
const FROM_POSTINGS_IN_PERIOD = `
  from ledger_transaction t join posting p on p.transaction_id = t.id
  where t.merchant_id = $1 and t.created_at >= $2 and t.created_at < $3`;
const MATCHES_ASSET = (account: string) =>
  `($4::text is null or ${account}.currency = $4) and ($5::text is null or ${account}.network = $5)`;
const STATEMENT = `
with posted as (
  select ${PERIOD} as period, p.source_id, p.destination_id,
    case when t.reference like 'reversal/%' then 'reversal' when t.reference like 'payout/rfd\\_%' then 'refund'
      when t.reference like 'payout/wdr\\_%' then 'withdrawal' end as kind, sum(p.amount) as amount
  ${FROM_POSTINGS_IN_PERIOD}
  group by 1, 2, 3, 4
), signed as (
  select period, s.currency, s.network,
    case when s.purpose in ('custody', 'suspense') and d.purpose = 'available' then amount
      when kind = 'reversal' and d.purpose = 'custody' then -amount else 0 end as gross,
    case when d.purpose = 'fees' then amount when s.purpose = 'fees' then -amount else 0 end as fees,
    case when kind = 'refund' and d.purpose = 'custody' then amount else 0 end as refunded,
    case when kind = 'withdrawal' and d.purpose = 'custody' then amount else 0 end as withdrawn
  from posted join ledger_account s on s.id = source_id join ledger_account d on d.id = destination_id
  where ${MATCHES_ASSET('s')}
), credited as (
  select destination_id, period, count(*) as payments
  from (
    select p.destination_id, t.payment_id, ${PERIOD} as period
    ${FROM_POSTINGS_IN_PERIOD} and t.payment_id is not null
      and p.destination_id = any(array(
        select a.id from ledger_account a where a.owner = $1 and a.purpose = 'available' and ${MATCHES_ASSET('a')}))
      and p.source_id = any(array(
        select a.id from ledger_account a
        where a.owner = 'gateway' and a.purpose in ('custody', 'suspense') and ${MATCHES_ASSET('a')}))
    group by grouping sets ((1, 2, 3), (1, 2))
  ) each
  group by 1, 2
), counted as (
  select period, currency, network, payments from credited join ledger_account a on a.id = destination_id
), summed as (
  select period, currency, network, sum(gross) as gross, sum(fees) as fees, sum(refunded) as refunded,
    sum(withdrawn) as withdrawn
  from signed
  group by grouping sets ((period, currency, network), (currency, network))
  having bool_or(gross <> 0 or fees <> 0 or refunded <> 0 or withdrawn <> 0)
)
select m.period::text, m.currency, m.network, coalesce(payments, 0)::int as payments, gross::text, fees::text,
  refunded::text, withdrawn::text
from summed m left join counted c
  on (c.currency, c.network) = (m.currency, m.network) and c.period is not distinct from m.period
order by m.period nulls last, m.network, m.currency`;

/** Reads a report: its rows in chronological order, then the totals. */
export function readReport(
  em: EntityManager,
  { merchantId, from, until, currency, network, unit }: ReportFilter,
): Promise<ReportRow[]> {
  return query<ReportRow>(em, STATEMENT, [merchantId, from, until, currency, network, unit]);
}
