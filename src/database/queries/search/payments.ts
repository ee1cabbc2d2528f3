// Finds payments by what somebody knows of them: the beginning of an id, a reference, an e-mail address or a product,
// or an address or a transaction. Each way reads the end of a range of one index, so it costs the same however many
// payments there are.

import type { QueryConfig } from 'pg';
import type { Readable } from '../../read-source.ts';
import { SELECT_PAYMENT, toReadPayment, type PaymentQueryRow, type ReadPayment } from '../payments/read-payments.ts';
import { beginning, idsBeginning } from '../text-key.ts';

/** What is looked for, in the forms that the tables have it in. */
export interface Sought {
  readonly merchantId: string;
  readonly text: string;
  /** The beginning of an id, where it may be one. */
  readonly id: string | null;
  /** Keys of addresses, by their accounts, where it may be an address. */
  readonly addresses: readonly { readonly account: string; readonly key: string }[];
  /** The forms of a transaction's hash, where it may be one. */
  readonly hashes: readonly string[];
  readonly networks: readonly string[];
}

/** As much of a product's name as is looked at. */
const PRODUCT = 'left(product_name, 64)';

const AT_ADDRESS = `
select p.id from unnest($4::text[], $5::text[]) as a(account, key) cross join lateral (
  select id, merchant_id from payment where derivation_account = a.account and address_key = a.key offset 0) p
where p.merchant_id = $1`;

// A transaction pays as many as it has outputs; of those of others none is taken.
const BY_TRANSACTION = `
select d.payment_id as id from unnest($6::text[]) as t(hash) cross join unnest($7::text[]) as n(network)
cross join lateral (
  select payment_id, merchant_id from deposit where network = n.network and tx_hash = t.hash offset 0) d
where d.merchant_id = $1`;

const WAYS = [
  idsBeginning('payment', '$8'),
  beginning({ table: 'payment', column: 'merchant_order_id', isByIdToo: true }, '$8'),
  beginning({ table: 'payment', column: 'customer_email', isByIdToo: false }, '$8'),
  beginning({ table: 'payment', column: PRODUCT, from: 'product_name', isByIdToo: true }, '$8'),
  AT_ADDRESS,
  BY_TRANSACTION,
];
const STATEMENT = `
with found as materialized (
  select distinct id from (${WAYS.map((way) => `(${way})`).join(' union all ')}) each order by id desc limit $8
)
select payment.* from found cross join lateral (${SELECT_PAYMENT} where p.id = found.id offset 0) payment
order by payment.id desc`;

/** At most `limit` payments, newest first. */
export async function searchPayments(pool: Readable, sought: Sought, limit: number): Promise<ReadPayment[]> {
  return (await pool.query<PaymentQueryRow>(paymentsOf(sought, limit))).rows.map(toReadPayment);
}

/** The prepared statement of a search. */
export function paymentsOf(sought: Sought, limit: number): QueryConfig {
  const { merchantId, text, id, addresses, hashes, networks } = sought;
  const [accounts, keys] = [addresses.map(({ account }) => account), addresses.map(({ key }) => key)];
  const values = [merchantId, text, id, accounts, keys, hashes, networks, limit];
  return { name: 'search-payments', text: STATEMENT, values };
}
