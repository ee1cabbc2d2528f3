// Pages through a merchant's invoices, newest first, as through their payments: each page is the end of one or several
// index ranges, and costs the same however many invoices there are and however rare the wanted ones.

import type { QueryConfig } from 'pg';
import { INVOICE_STATUSES } from '../../../entities/enums.ts';
import { firstIdOf } from '../../../values/id.ts';
import type { Readable } from '../../read-source.ts';
import { firstOf } from '../page-limit.ts';
import { INVOICE_WAITS } from '../attention.ts';
import { SELECT_INVOICE, toReadInvoice, type InvoiceQueryRow, type ReadInvoice } from './read-invoices.ts';

/** What a list may be narrowed by. The page starts below the id `before`; dates are those of creation. */
export interface InvoiceListFilter {
  readonly merchantId: string;
  readonly statuses: readonly string[] | null;
  readonly currency: string | null;
  readonly merchantInvoiceId: string | null;
  readonly linkId: string | null;
  /** Only those that wait for their merchant (attention.ts). */
  readonly needsAttention: boolean;
  readonly from: Date | null;
  /** Exclusive. */
  readonly until: Date | null;
  readonly before: string | null;
}

/** A text above every id. */
const LAST = '~';

// Each shape names its index's full order and a range of it, for the reason in list-payments.ts.
const ALL = firstOf(
  'select merchant_id, id from invoice where (merchant_id, id) >= ($1, $2) and (merchant_id, id) < ($1, $3)',
  'merchant_id desc, id desc',
  '$4',
);

/** Each combination of a state and a currency is read from its own part of the index; the results are merged. */
const OF_KIND = `
select o.status, o.currency, o.id from invoice o
where o.merchant_id = $1 and (o.status, o.currency, o.id) >= (k.status, k.currency, $2)
  and (o.status, o.currency, o.id) < (k.status, k.currency, $3)`;
const OF_KINDS = `
select newest.id from unnest($5::text[], $6::text[]) as k(status, currency) cross join lateral (
  ${firstOf(OF_KIND, 'status desc, currency desc, id desc', '$4')}
) newest order by newest.id desc limit $4`;

/** The currencies of a merchant's invoices are few: each is found by a step of the index from the one before. */
const OF_STATUSES = `
with recursive currencies as (
  select k.status, (select min(currency) from invoice where merchant_id = $1 and status = k.status) as currency
  from unnest($5::text[]) as k(status)
  union all
  select c.status, (select min(currency) from invoice where merchant_id = $1 and status = c.status and currency > c.currency)
  from currencies c where c.currency is not null
)
select newest.id from (select status, currency from currencies where currency is not null offset 0) k cross join lateral (
  ${firstOf(OF_KIND, 'status desc, currency desc, id desc', '$4')}
) newest order by newest.id desc limit $4`;

/** A link has many invoices, of any state: the other filters are applied to each. */
const OF_LINK = firstOf(
  `select merchant_id, link_id, id from invoice
  where link_id is not null
    and (merchant_id, link_id, id) >= ($1, $5, $2) and (merchant_id, link_id, id) < ($1, $5, $3)
    and ($6::text[] is null or status = any($6)) and ($7::text is null or currency = $7)`,
  'merchant_id desc, link_id desc, id desc',
  '$4',
);

/** Few wait, so the other filters are applied to each. */
const WAITING = firstOf(
  `select merchant_id, id from invoice
  where ${INVOICE_WAITS} and (merchant_id, id) >= ($1, $2) and (merchant_id, id) < ($1, $3)
    and ($5::text[] is null or status = any($5)) and ($6::text is null or currency = $6)
    and ($7::text is null or link_id = $7) and ($8::text is null or merchant_invoice_id = $8)`,
  'merchant_id desc, id desc',
  '$4',
);

/** At most one, looked up by its reference alone: a range of ids beside it could be taken for the better way. */
const OF_REFERENCE = `select id from (
    select id, status, currency, link_id from invoice where merchant_id = $1 and merchant_invoice_id = $5 offset 0) i
  where id >= $2 and id < $3 and ($6::text[] is null or status = any($6)) and ($7::text is null or currency = $7)
    and ($8::text is null or link_id = $8)
  limit $4`;

// Each invoice of the page is looked up separately: a plan that does not know the page's length would read the table.
const page = (ids: string) => `
with page as materialized (${ids})
select invoice.* from page cross join lateral (${SELECT_INVOICE} where i.id = page.id offset 0) invoice
order by invoice.id desc`;
const STATEMENTS = {
  all: page(ALL),
  kinds: page(OF_KINDS),
  statuses: page(OF_STATUSES),
  link: page(OF_LINK),
  reference: page(OF_REFERENCE),
  waiting: page(WAITING),
};

/** A page of at most `limit` invoices. */
export async function listInvoices(pool: Readable, filter: InvoiceListFilter, limit: number): Promise<ReadInvoice[]> {
  return (await pool.query<InvoiceQueryRow>(invoicePageOf(filter, limit))).rows.map(toReadInvoice);
}

/** The statement of a page, prepared by name because planning it takes longer than running it. */
export function invoicePageOf(filter: InvoiceListFilter, limit: number): QueryConfig {
  const { merchantId, statuses, currency, merchantInvoiceId, linkId, needsAttention, from, until, before } = filter;
  const start = from ? firstIdOf('inv', from.getTime()) : '';
  const end = until ? firstIdOf('inv', until.getTime()) : LAST;
  const range = [merchantId, start, before !== null && before < end ? before : end, limit];
  const some = statuses !== null && statuses.length > 0 ? [...new Set(statuses)] : null;
  const statement = (shape: keyof typeof STATEMENTS, ...values: unknown[]): QueryConfig => {
    return { name: `list-invoices-${shape}`, text: STATEMENTS[shape], values: [...range, ...values] };
  };
  if (needsAttention) return statement('waiting', some, currency, linkId, merchantInvoiceId);
  if (merchantInvoiceId !== null) return statement('reference', merchantInvoiceId, some, currency, linkId);
  if (linkId !== null) return statement('link', linkId, some, currency);
  if (!some && currency === null) return statement('all');
  const wanted = some ?? INVOICE_STATUSES;
  if (currency === null) return statement('statuses', wanted);
  const currencies = wanted.map(() => currency);
  return statement('kinds', wanted, currencies);
}
