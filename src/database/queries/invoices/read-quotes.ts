// Reads what the rate of a deposit to an invoice's payment depends on.

import type { Network } from '../../../values/assets.ts';
import { RateType } from '../../../entities/rate-type.ts';
import { query, toDate, type EntityManager } from '../../connection.ts';

/** A payment of an invoice with its quote. */
export interface QuotedReceiver {
  readonly paymentId: string;
  readonly merchantId: string;
  readonly currency: string;
  readonly network: Network;
  /** Of the invoice. */
  readonly priceCurrency: string;
  /** In basis points, as it was when the invoice was created. */
  readonly spread: number;
  readonly rate: bigint;
  readonly endsAt: Date;
}

type Row = Omit<QuotedReceiver, 'rate' | 'endsAt'> & { readonly rate: string; readonly endsAt: string };

const rateType = new RateType();

/** The quotes of payments; each is looked up by its key, as a join could be planned over all of them. */
export async function readQuoted(em: EntityManager, paymentIds: readonly string[]): Promise<QuotedReceiver[]> {
  const rows = await query<Row>(
    em,
    `select q.payment_id as "paymentId", i.merchant_id as "merchantId", p.currency, p.network, q.currency as "priceCurrency",
       i.spread, q.rate::text as rate, q.ends_at as "endsAt"
     from unnest($1::text[]) as given(id)
     cross join lateral (select * from quote where payment_id = given.id offset 0) q
     cross join lateral (select currency, network from payment where id = q.payment_id offset 0) p
     cross join lateral (select merchant_id, spread from invoice where id = q.invoice_id offset 0) i`,
    [paymentIds],
  );
  return rows.map((row) => ({
    ...row,
    rate: rateType.convertToJSValue(row.rate) ?? 0n,
    endsAt: toDate(row.endsAt),
  }));
}
