// What the credits of a report were worth in fiat: sums of receipts by period and asset, and totals.

import { query, type EntityManager } from '../../connection.ts';
import type { ReportFilter } from './report.ts';

/** The sums of one period and asset; `period` is null in the totals. */
export interface FiatSums {
  readonly period: string | null;
  readonly currency: string;
  readonly network: string;
  /** Credits less reversals of deposits, in base units: what the sums are of. */
  readonly units: string;
  /** Null unless all of them have one and the same. */
  readonly fiatCurrency: string | null;
  /** In its minor units; null where one lacks a value. */
  readonly fiat: string | null;
}

/** A credit adds what its deposit was worth when it was first credited, a reversal takes the same away. */
const STATEMENT = `
with valued as (
  select date_trunc($6, t.created_at at time zone 'UTC')::date as period, d.currency, d.network,
    t.sign * d.amount as units, r.fiat_currency, t.sign * r.fiat_amount as fiat
  from (
    select created_at, split_part(reference, '/', 2) as deposit_id,
      case when reference like 'credit/%' then 1 else -1 end as sign
    from ledger_transaction where merchant_id = $1 and created_at >= $2 and created_at < $3
      and (reference like 'credit/%' or reference like 'reversal/%')
  ) t
  cross join lateral (select id, currency, network, amount from deposit where id = t.deposit_id offset 0) d
  left join lateral (select fiat_currency, fiat_amount from receipt where deposit_id = d.id offset 0) r on true
  where ($4::text is null or d.currency = $4) and ($5::text is null or d.network = $5)
)
select period::text, currency, network, sum(units)::text as units,
  case when count(fiat_currency) = count(*) and min(fiat_currency) = max(fiat_currency) then min(fiat_currency) end
    as "fiatCurrency",
  case when count(fiat) = count(*) then sum(fiat)::text end as fiat
from valued group by grouping sets ((period, currency, network), (currency, network))`;

/** Reads the sums of a report. */
export function readFiatSums(
  em: EntityManager,
  { merchantId, from, until, currency, network, unit }: ReportFilter,
): Promise<FiatSums[]> {
  return query<FiatSums>(em, STATEMENT, [merchantId, from, until, currency, network, unit]);
}
