// Stores what deposits were worth when they were first credited, and reads what that depends on.

import { query, type EntityManager } from '../../connection.ts';

/** A deposit to value: whose it is, and when it was mined. */
export interface ValuedDeposit {
  readonly paymentId: string;
  readonly merchantId: string;
  readonly at: Date;
}

/** What a deposit is valued in. */
export interface AccountingRow {
  /** The merchant's, else that of the invoice's price; null for neither. */
  readonly currency: string | null;
  /** The prices that the merchant had moved in the sandbox then: US dollars by code, null for none. */
  readonly movedPrices: Readonly<Record<string, string | null>>;
}

/**
 * A block's time is a whole second: what moved within it counts. Each row is looked up by its key, as a join could be
 * planned over whole tables.
 */
const ACCOUNTING = `
select coalesce(m.accounting_currency, q.currency) as currency, coalesce(moved.prices, '{}') as "movedPrices"
from unnest($1::text[], $2::text[], $3::timestamptz[]) with ordinality as given(payment_id, merchant_id, at, nth)
cross join lateral (select accounting_currency from merchant where id = given.merchant_id offset 0) m
left join lateral (select currency from quote where payment_id = given.payment_id offset 0) q on true
left join lateral (
  select json_object_agg(code, usd::text) as prices from (
    select distinct on (code) code, usd, is_default from sandbox_rate
    where merchant_id = given.merchant_id and moved_at < given.at + interval '1 second' order by code, moved_at desc
  ) newest where not is_default
) moved on true
order by given.nth`;

/** What deposits are valued in, in their order. */
export function readAccounting(em: EntityManager, deposits: readonly ValuedDeposit[]): Promise<AccountingRow[]> {
  return query<AccountingRow>(em, ACCOUNTING, [
    deposits.map(({ paymentId }) => paymentId),
    deposits.map(({ merchantId }) => merchantId),
    deposits.map(({ at }) => at),
  ]);
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
