// Pages through a merchant's payments, newest first. Ids begin with the creation time, so a range of dates is a range
// of ids, and each page is the end of one or several index ranges: every page costs the same, however many payments
// there are and however rare the wanted ones.

import type { QueryConfig } from 'pg';
import { PAYMENT_STATUSES } from '../../../entities/enums.ts';
import { ASSETS } from '../../../values/assets.ts';
import { firstIdOf } from '../../../values/id.ts';
import type { Readable } from '../../read-source.ts';
import { firstOf } from '../page-limit.ts';
import { PAYMENT_WAITS } from '../attention.ts';
import { keyOf } from '../text-key.ts';
import { SELECT_PAYMENT, toReadPayment, type PaymentQueryRow, type ReadPayment } from './read-payments.ts';

/** What a list may be narrowed by. The page starts below the id `before`; dates are those of creation. */
export interface PaymentListFilter {
  readonly merchantId: string;
  readonly statuses?: readonly string[] | null;
  readonly currency?: string | null;
  readonly network?: string | null;
  readonly merchantOrderId?: string | null;
  readonly invoiceId?: string | null;
  /** Only those that wait for their merchant (attention.ts). */
  readonly needsAttention?: boolean | null;
  readonly from?: Date | null;
  /** Exclusive. */
  readonly until?: Date | null;
  readonly before?: string | null;
}

/** A text above every id. */
const LAST = '~';

/*
 * Each shape names its index's full order and a range of it, though the id would suffice. Otherwise PostgreSQL would
 * read the primary key backwards and filter, which takes 900 ms among a million payments if the wanted ones are rare.
 */
const ALL = firstOf(
  'select merchant_id, id from payment where (merchant_id, id) >= ($1, $2) and (merchant_id, id) < ($1, $3)',
  'merchant_id desc, id desc',
  '$4',
);

/** Each combination of a state and an asset is read from its own part of the index; the results are merged. */
const OF_KIND = `
select o.status, o.currency, o.network, o.id from payment o
where o.merchant_id = $1 and (o.status, o.currency, o.network, o.id) >= (k.status, k.currency, k.network, $2)
  and (o.status, o.currency, o.network, o.id) < (k.status, k.currency, k.network, $3)`;
const OF_KINDS = `
select newest.id from unnest($5::text[], $6::text[], $7::text[]) as k(status, currency, network) cross join lateral (
  ${firstOf(OF_KIND, 'status desc, currency desc, network desc, id desc', '$4')}
) newest order by newest.id desc limit $4`;

const REFERENCE = keyOf('lower(merchant_order_id)');
const SOUGHT = `($1::text || ' ' || lower($5::text))`;

/**
 * A merchant's reference has few payments, whatever its case, so the other filters are applied to each. How many are of
 * one case is hidden from the planner: for the one that it expects it would read and sort all.
 */
const OF_REFERENCE = firstOf(
  `select ${REFERENCE} as key, id from payment
  where merchant_order_id is not null and (${REFERENCE}, id) >= (${SOUGHT}, $2) and (${REFERENCE}, id) < (${SOUGHT}, $3)
    and coalesce(merchant_order_id = $5, false) and ($6::text[] is null or status = any($6)) and ($7::text is null or currency = $7)
    and ($8::text is null or network = $8)`,
  'key desc, id desc',
  '$4',
);

/** Few wait, so the other filters are applied to each. */
const WAITING = firstOf(
  `select merchant_id, id from payment
  where ${PAYMENT_WAITS} and (merchant_id, id) >= ($1, $2) and (merchant_id, id) < ($1, $3)
    and ($5::text[] is null or status = any($5)) and ($6::text is null or currency = $6)
    and ($7::text is null or network = $7) and ($8::text is null or merchant_order_id = $8)
    and ($9::text is null or invoice_id = $9)`,
  'merchant_id desc, id desc',
  '$4',
);

/** An invoice has at most fifty payments. They are read first, so that the planner starts from nothing else. */
const OF_INVOICE = firstOf(
  `select p.id from (select payment_id from quote where invoice_id = $5 offset 0) q
  cross join lateral (select * from payment where id = q.payment_id offset 0) p
  where p.merchant_id = $1 and p.id >= $2 and p.id < $3
    and ($6::text[] is null or p.status = any($6)) and ($7::text is null or p.currency = $7)
    and ($8::text is null or p.network = $8) and ($9::text is null or p.merchant_order_id = $9)`,
  'id desc',
  '$4',
);

// Each payment of the page is looked up separately: a plan that does not know the page's length would read the table.
const page = (ids: string) => `
with page as materialized (select id from (${ids}) ids)
select payment.* from page cross join lateral (${SELECT_PAYMENT} where p.id = page.id offset 0) payment
order by payment.id desc`;
const STATEMENTS = {
  all: page(ALL),
  kinds: page(OF_KINDS),
  reference: page(OF_REFERENCE),
  invoice: page(OF_INVOICE),
  waiting: page(WAITING),
};

/** A page of at most `limit` payments. */
export async function listPayments(pool: Readable, filter: PaymentListFilter, limit: number): Promise<ReadPayment[]> {
  return (await pool.query<PaymentQueryRow>(pageOf(filter, limit))).rows.map(toReadPayment);
}

/** The statement of a page, prepared by name because planning it takes longer than running it. */
export function pageOf(filter: PaymentListFilter, limit: number): QueryConfig {
  const { merchantId, statuses, currency, network, merchantOrderId, invoiceId, needsAttention } = filter;
  const { from, until, before } = filter;
  const start = from ? firstIdOf('ord', from.getTime()) : '';
  const end = until ? firstIdOf('ord', until.getTime()) : LAST;
  const range = [merchantId, start, before != null && before < end ? before : end, limit];
  const some = statuses != null && statuses.length > 0 ? [...new Set(statuses)] : null;
  const statement = (shape: keyof typeof STATEMENTS, ...values: unknown[]): QueryConfig => {
    return { name: `list-payments-${shape}`, text: STATEMENTS[shape], values: [...range, ...values] };
  };
  const asset = [currency ?? null, network ?? null];
  if (needsAttention === true) return statement('waiting', some, ...asset, merchantOrderId ?? null, invoiceId ?? null);
  if (invoiceId != null) return statement('invoice', invoiceId, some, ...asset, merchantOrderId ?? null);
  if (merchantOrderId != null) return statement('reference', merchantOrderId, some, ...asset);
  if (!some && currency == null && network == null) return statement('all');
  const kinds = kindsOf(some ?? PAYMENT_STATUSES, currency ?? null, network ?? null);
  return statement(
    'kinds',
    ...(['status', 'currency', 'network'] as const).map((part) => kinds.map((kind) => kind[part])),
  );
}

function kindsOf(statuses: readonly string[], currency: string | null, network: string | null) {
  const assets = ASSETS.filter(
    (asset) => (currency === null || asset.currency === currency) && (network === null || asset.network === network),
  );
  return statuses.flatMap((status) => assets.map((asset) => ({ status, ...asset })));
}
