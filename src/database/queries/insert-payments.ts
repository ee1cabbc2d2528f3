// Inserts a batch of new payments with their events and idempotency keys: one statement, so one commit, for all.
// Safe to repeat: a payment whose id is there already was committed by the try before, and is left as it is.

import type { Pool } from 'pg';

/** One payment to insert. Amounts are base units as text, times ISO text, `metadata`, `payload` and `answer` JSON text. */
export interface NewPaymentRow {
  readonly id: string;
  readonly merchant_id: string;
  readonly currency: string;
  readonly network: string;
  readonly amount: string;
  readonly address: string;
  readonly address_key: string;
  readonly derivation_account: string;
  readonly derivation_index: number;
  readonly test: boolean | null;
  readonly merchant_order_id: string | null;
  readonly product_name: string | null;
  readonly customer_email: string | null;
  readonly callback_url: string | null;
  readonly return_url: string | null;
  readonly metadata: string | null;
  readonly tolerance_basis_points: number;
  readonly late_payment_policy: string;
  readonly required_confirmations: number;
  readonly expires_at: Date;
  readonly created_at: Date;
  readonly event_id: string;
  readonly payload: string;
  readonly once_key: string | null;
  /** Hexadecimal. */
  readonly once_digest: string | null;
}

const STATEMENT = `
with command as materialized (
  select * from json_to_recordset($1::json) as c(
    id text, merchant_id text, currency text, network text, amount numeric, address text, address_key text,
    derivation_account text, derivation_index bigint, test boolean, merchant_order_id text, product_name text,
    customer_email text, callback_url text, return_url text, metadata text, tolerance_basis_points int,
    late_payment_policy text, required_confirmations int, expires_at timestamptz, created_at timestamptz,
    event_id text, payload text, once_key text, once_digest text)
), claimed as (
  insert into idempotency (scope, operation, key, input_digest, result, created_at)
  select merchant_id, 'createPayment', once_key, decode(once_digest, 'hex'), payload::json, created_at
  from command where once_key is not null
  order by merchant_id, once_key -- the same in every process, so that two batches never wait for each other
  on conflict do nothing
  returning scope, key
), accepted as (
  select c.* from command c left join claimed on claimed.scope = c.merchant_id and claimed.key = c.once_key
  where c.once_key is null or claimed.key is not null
), inserted as (
  insert into payment (id, merchant_id, currency, network, amount, address, address_key, derivation_account,
    derivation_index, status, version, test, merchant_order_id, product_name, customer_email, callback_url, return_url,
    metadata, tolerance_basis_points, late_payment_policy, required_confirmations, expires_at, created_at, updated_at)
  select id, merchant_id, currency, network, amount, address, address_key, derivation_account, derivation_index,
    'PENDING', 1, test, merchant_order_id, product_name, customer_email, callback_url, return_url, metadata::json,
    tolerance_basis_points, late_payment_policy, required_confirmations, expires_at, created_at, created_at
  from accepted
  on conflict (id) do nothing
), recorded as (
  insert into event (id, merchant_id, payment_id, version, type, payload, created_at)
  select event_id, merchant_id, id, 1, 'payment.created', payload::json, created_at from accepted
  on conflict (id) do nothing
)
select id from accepted`;

/**
 * Inserts the batch; answers the ids that were accepted. The others met their idempotency key in the table.
 * Refuses a batch in which a key is twice: the statement would take both for the first.
 */
export async function insertPayments(pool: Pool, batch: readonly NewPaymentRow[]): Promise<Set<string>> {
  const keys = batch.filter((row) => row.once_key !== null).map((row) => `${row.merchant_id} ${row.once_key}`);
  if (new Set(keys).size < keys.length) throw new Error('An idempotency key is in one batch twice');
  const result = await pool.query<{ id: string }>({
    name: 'insert-payments',
    text: STATEMENT,
    values: [JSON.stringify(batch)],
  });
  return new Set(result.rows.map((row) => row.id));
}
