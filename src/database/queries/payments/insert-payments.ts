// Inserts a batch of new payments with their events and idempotency keys, usually in one statement. It is safe to
// retry: what an earlier attempt stored is left as it is. A payment is refused if its address was issued under another
// copy of the database, or before the database server last restarted.

import type { Pool } from 'pg';
import { holdsUnder, type GivenUnder } from '../chain/address-ranges.ts';

/** A payment to insert. Amounts are base units as text; `metadata` and `payload` are stored as JSON. */
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
  /** The copy and server run under which its address was given out. */
  readonly given: GivenUnder;
  readonly test: boolean | null;
  readonly merchant_order_id: string | null;
  readonly product_name: string | null;
  readonly customer_email: string | null;
  readonly callback_url: string | null;
  readonly return_url: string | null;
  readonly metadata: object | null;
  readonly tolerance_basis_points: number;
  readonly late_payment_policy: string;
  readonly required_confirmations: number;
  readonly expires_at: Date;
  readonly created_at: Date;
  readonly event_id: string;
  readonly payload: object;
  readonly once_key: string | null;
  /** Hexadecimal. */
  readonly once_digest: string | null;
}

const STATEMENT = `
with given as materialized (
  select ${holdsUnder('$2', '$3')} as holds
), command as materialized (
  select c.* from json_to_recordset($1::json) as c(
    id text, merchant_id text, currency text, network text, amount numeric, address text, address_key text,
    derivation_account text, derivation_index bigint, test boolean, merchant_order_id text, product_name text,
    customer_email text, callback_url text, return_url text, metadata json, tolerance_basis_points int,
    late_payment_policy text, required_confirmations int, expires_at timestamptz, created_at timestamptz,
    event_id text, payload json, once_key text, once_digest text)
  where (select holds from given)
), claimed as (
  insert into idempotency (scope, operation, key, input_digest, result, created_at)
  select merchant_id, 'createPayment', once_key, decode(once_digest, 'hex'), payload, created_at
  from command where once_key is not null
  order by merchant_id, once_key -- the same in every process, so that two batches never deadlock
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
    'PENDING', 1, test, merchant_order_id, product_name, customer_email, callback_url, return_url, metadata,
    tolerance_basis_points, late_payment_policy, required_confirmations, expires_at, created_at, created_at
  from accepted
  on conflict (id) do nothing
), recorded as (
  insert into event (id, merchant_id, payment_id, version, type, payload, created_at)
  select event_id, merchant_id, id, 1, 'payment.created', payload, created_at from accepted
  on conflict (id) do nothing
)
select given.holds, accepted.id from given left join accepted on true`;

/** STALE: not stored, since its address may be another's by now. REPEATED: its idempotency key was used before. */
export type Insertion = 'ACCEPTED' | 'STALE' | 'REPEATED';

/**
 * Inserts the batch; returns the result of each, in order.
 * Throws if a key occurs twice in the batch: the statement would take both for the first.
 */
export async function insertPayments(pool: Pool, batch: readonly NewPaymentRow[]): Promise<Insertion[]> {
  const keys = batch.filter((row) => row.once_key !== null).map((row) => `${row.merchant_id} ${row.once_key}`);
  if (new Set(keys).size < keys.length) throw new Error('An idempotency key is in one batch twice');
  const outcomes = new Map<string, Insertion>();
  // Almost always one group: all addresses of a process are given out under the same copy and run.
  const groups = Map.groupBy(batch, ({ given }) => `${given.epoch} ${given.serverRun}`);
  for (const group of groups.values())
    for (const [id, insertion] of await insertGroup(pool, group)) outcomes.set(id, insertion);
  return batch.map(({ id }) => outcomes.get(id) ?? 'REPEATED');
}

async function insertGroup(pool: Pool, group: readonly NewPaymentRow[]): Promise<[string, Insertion][]> {
  const { epoch, serverRun } = group[0]?.given ?? { epoch: '', serverRun: '' };
  const { rows } = await pool.query<{ holds: boolean; id: string | null }>({
    name: 'insert-payments',
    text: STATEMENT,
    values: [JSON.stringify(group), epoch, serverRun],
  });
  if (rows[0]?.holds === true) return rows.flatMap(({ id }) => (id === null ? [] : [[id, 'ACCEPTED']]));
  // Payments of an earlier try, stored when the server was still the same.
  const ids = group.map(({ id }) => id);
  const stored = await pool.query<{ id: string }>('select id from payment where id = any($1)', [ids]);
  const before = new Set(stored.rows.map(({ id }) => id));
  return ids.map((id) => [id, before.has(id) ? 'ACCEPTED' : 'STALE']);
}
