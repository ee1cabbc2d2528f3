// Pages through the postings that touch a merchant, in either order of time. A page is read by transactions, each of
// which has a few postings, so that it costs the same wherever it lies in the book.

import type { QueryConfig } from 'pg';
import { toDate } from '../../connection.ts';
import type { Readable } from '../../read-source.ts';
import { firstOf } from '../page-limit.ts';

/** What a list may be narrowed by. */
export interface MovementListFilter {
  readonly merchantId: string;
  readonly from: Date | null;
  /** Exclusive. */
  readonly until: Date | null;
  readonly currency: string | null;
  readonly network: string | null;
}

/** Where a page begins, and how many transactions it has. */
export interface MovementPage {
  readonly oldestFirst: boolean;
  /** The transaction that the page begins with, that one included; null for the first page. */
  readonly at: string | null;
  readonly limit: number;
}

/** A posting between two accounts, of which one at least is the merchant's; in base units. */
export interface MovementPosting {
  readonly id: string;
  readonly source: string;
  readonly destination: string;
  readonly currency: string;
  readonly network: string;
  readonly amount: string;
}

/** A transaction of the ledger with its postings, in the order in which they were made. */
export interface MovementRow {
  readonly id: string;
  readonly at: Date;
  readonly reference: string;
  readonly paymentId: string | null;
  readonly postings: readonly MovementPosting[];
  /** Of the deposit, or of the payout, if it has one. */
  readonly txHash: string | null;
  readonly fiatCurrency: string | null;
  /** With its point. */
  readonly fiatRate: string | null;
}

/** The longest page of movements, one more to know whether there is a next page, and the one that it begins within. */
const LONGEST = 102;

const POSTINGS = `
  select json_agg(json_build_object('id', p.id::text, 'source', s.purpose, 'destination', d.purpose,
    'currency', s.currency, 'network', s.network, 'amount', p.amount::text) order by p.id) as postings
  from (
    select id, source_id, destination_id, amount from posting
    where transaction_id = t.id offset 0) p
  cross join lateral (
    select owner, purpose, currency, network from ledger_account where id = p.source_id offset 0) s
  cross join lateral (select owner, purpose from ledger_account where id = p.destination_id offset 0) d
  where (s.owner = $1 or d.owner = $1) and ($6::text is null or s.currency = $6) and ($7::text is null or s.network = $7)
  offset 0`;

const NEWEST = `(t.merchant_id, t.created_at) >= ($1, $2)
  and (t.merchant_id, t.created_at, t.id)
    <= ($1, coalesce((select created_at from ledger_transaction where id = $4), $3), $4)`;
const OLDEST = `(t.merchant_id, t.created_at) < ($1, $3)
  and (t.merchant_id, t.created_at, t.id)
    >= ($1, coalesce((select created_at from ledger_transaction where id = $4), $2), $4)`;

/** $1 merchant, $2 from, $3 until, $4 the first transaction or '', $5 limit, $6 currency, $7 network. */
const pageOf = (range: string, direction: 'asc' | 'desc') => `
with page as materialized (${firstOf(
  `select t.merchant_id, t.created_at, t.id, t.reference, t.payment_id, p.postings
   from ledger_transaction t cross join lateral (${POSTINGS}) p
   where t.merchant_id = $1 and ${range} and p.postings is not null`,
  `merchant_id ${direction}, created_at ${direction}, id ${direction}`,
  '$5',
  LONGEST,
)})
select page.id, page.created_at as at, page.reference, page.payment_id as "paymentId", page.postings,
  coalesce(d.tx_hash, o.tx_hash) as "txHash", v.fiat_currency as "fiatCurrency", v.fiat_rate::text as "fiatRate"
from page
left join lateral (
  select fiat_currency, fiat_rate from ledger_value where transaction_id = page.id offset 0) v on true
left join lateral (select tx_hash from deposit where id = split_part(page.reference, '/', 2) offset 0) d on true
left join lateral (select tx_hash from payout where id = split_part(page.reference, '/', 2) offset 0) o on true
order by page.created_at ${direction}, page.id ${direction}`;

const STATEMENTS = {
  newest: { name: 'list-movements-newest', text: pageOf(NEWEST, 'desc') },
  oldest: { name: 'list-movements-oldest', text: pageOf(OLDEST, 'asc') },
};

/** The transactions of a page, in the order asked for. Those without a posting that matches are left out. */
export async function listMovements(
  pool: Readable,
  filter: MovementListFilter,
  page: MovementPage,
): Promise<MovementRow[]> {
  const { rows } = await pool.query<Omit<MovementRow, 'at'> & { readonly at: string }>(statementOf(filter, page));
  return rows.map((row) => ({ ...row, at: toDate(row.at) }));
}

/** Prepared by name, as receipts are. */
function statementOf(
  { merchantId, from, until, currency, network }: MovementListFilter,
  { oldestFirst, at, limit }: MovementPage,
): QueryConfig {
  const values = [merchantId, from ?? '-infinity', until ?? 'infinity', at ?? '', limit, currency, network];
  return { ...(oldestFirst ? STATEMENTS.oldest : STATEMENTS.newest), values };
}
