// Stores what deposits were worth when they were first credited, and reads what that depends on.

import { query, type EntityManager } from '../../connection.ts';

/** The books of a merchant at a time: that of a block, in which many deposits may be. */
export interface BookTime {
  readonly merchantId: string;
  readonly at: Date;
}

/** What deposits of that time are valued in. */
export interface AccountingRow {
  /** Of the merchant's books; null for that of each invoice. */
  readonly currency: string | null;
  /** The prices that the merchant had moved in the sandbox then: US dollars by code, null for none. */
  readonly movedPrices: Readonly<Record<string, string | null>>;
}

/**
 * A block's time is a whole second: what moved within it counts. Each row is looked up by its key, as a join could be
 * planned over whole tables.
 */
const ACCOUNTING = `
select m.accounting_currency as currency, coalesce(moved.prices, '{}') as "movedPrices"
from unnest($1::text[], $2::timestamptz[]) with ordinality as given(merchant_id, at, nth)
cross join lateral (select accounting_currency from merchant where id = given.merchant_id offset 0) m
left join lateral (
  select json_object_agg(code, usd::text) as prices from (
    select distinct on (code) code, usd, is_default from sandbox_rate
    where merchant_id = given.merchant_id and moved_at < given.at + interval '1 second' order by code, moved_at desc
  ) newest where not is_default
) moved on true
order by given.nth`;

/** What merchants' books are in at these times, in their order. */
export function readAccounting(em: EntityManager, times: readonly BookTime[]): Promise<AccountingRow[]> {
  return query<AccountingRow>(em, ACCOUNTING, [times.map(({ merchantId }) => merchantId), times.map(({ at }) => at)]);
}

/** The currencies of the invoices of payments, by payment; without ids, costs no statement. */
export async function readPriceCurrencies(
  em: EntityManager,
  paymentIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (paymentIds.length === 0) return new Map();
  const rows = await query<{ id: string; currency: string }>(
    em,
    `select given.id, q.currency from unnest($1::text[]) as given(id)
     cross join lateral (select currency from quote where payment_id = given.id offset 0) q`,
    [paymentIds],
  );
  return new Map(rows.map(({ id, currency }) => [id, currency]));
}

/** A receipt to store. Decimal strings: the rate with its point, figures in minor units; all null without a rate. */
export interface NewReceipt {
  readonly depositId: string;
  readonly fiatCurrency: string;
  readonly rate: string | null;
  readonly rateAt: Date | null;
  readonly fiatAmount: string | null;
  readonly fiatFee: string | null;
}

/** Stores receipts; without any, costs no statement. One that is there stays as it is. */
export async function insertReceipts(em: EntityManager, receipts: readonly NewReceipt[]): Promise<void> {
  if (receipts.length === 0) return;
  await query(
    em,
    `insert into receipt (deposit_id, fiat_currency, rate, rate_at, fiat_amount, fiat_fee)
     select * from unnest($1::text[], $2::text[], $3::numeric[], $4::timestamptz[], $5::numeric[], $6::numeric[])
     on conflict do nothing`,
    [
      receipts.map(({ depositId }) => depositId),
      receipts.map(({ fiatCurrency }) => fiatCurrency),
      receipts.map(({ rate }) => rate),
      receipts.map(({ rateAt }) => rateAt),
      receipts.map(({ fiatAmount }) => fiatAmount),
      receipts.map(({ fiatFee }) => fiatFee),
    ],
  );
}
