// What a merchant's book says of a time: sums of his postings by period and asset, and over the whole of it.

import { query, type EntityManager } from '../connection.ts';

export type ReportUnit = 'day' | 'week' | 'month';

/** Sums of one period and asset in base units as decimal text; `period` is null in the totals. */
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
  readonly unit: ReportUnit;
}

/*
 * A credit comes from custody (from suspense, where it was explained by hand) to what is available, and goes back to
 * custody by a reversal, the fee's part from the fees. A payout leaves to custody under its own reference. What is
 * reserved, released or settled meanwhile moves between the merchant's own accounts, and counts for nothing here.
 */
const STATEMENT = `
with moved as (
  select (date_trunc($6, t.created_at at time zone 'UTC'))::date as period, s.currency, s.network, t.reference,
    t.payment_id, s.purpose as source, d.purpose as destination, p.amount
  from ledger_transaction t
    join posting p on p.transaction_id = t.id
    join ledger_account s on s.id = p.source_id
    join ledger_account d on d.id = p.destination_id
  where t.merchant_id = $1 and t.created_at >= $2 and t.created_at < $3
    and ($4::text is null or s.currency = $4) and ($5::text is null or s.network = $5)
), signed as (
  select period, currency, network, payment_id,
    case when source in ('custody', 'suspense') and destination = 'available' then amount
      when reference like 'reversal/%' and destination = 'custody' then -amount else 0 end as gross,
    case when destination = 'fees' then amount when source = 'fees' then -amount else 0 end as fees,
    case when reference like 'payout/rfd\\_%' and destination = 'custody' then amount else 0 end as refunded,
    case when reference like 'payout/wdr\\_%' and destination = 'custody' then amount else 0 end as withdrawn
  from moved
)
select period::text, currency, network, count(distinct payment_id) filter (where gross > 0)::int as payments,
  sum(gross)::text as gross, sum(fees)::text as fees, sum(refunded)::text as refunded, sum(withdrawn)::text as withdrawn
from signed
group by grouping sets ((period, currency, network), (currency, network))
having bool_or(gross <> 0 or fees <> 0 or refunded <> 0 or withdrawn <> 0)
order by period nulls last, network, currency`;

/** Reads a report: its rows in the order of time, and the totals behind them. */
export function readReport(
  em: EntityManager,
  { merchantId, from, until, currency, network, unit }: ReportFilter,
): Promise<ReportRow[]> {
  return query<ReportRow>(em, STATEMENT, [merchantId, from, until, currency, network, unit]);
}
