// Stores what deposits were worth when they were first credited, and reads what that depends on.

import { query, type EntityManager } from '../../connection.ts';

/** The currencies of merchants' books; those without one are missing. Each is looked up by its key. */
export async function readAccountingCurrencies(
  em: EntityManager,
  merchantIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await query<{ id: string; currency: string }>(
    em,
    `select given.id, m.currency from unnest($1::text[]) as given(id)
     cross join lateral (select accounting_currency as currency from merchant where id = given.id offset 0) m
     where m.currency is not null`,
    [merchantIds],
  );
  return new Map(rows.map(({ id, currency }) => [id, currency]));
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
