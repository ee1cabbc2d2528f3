// Rebuilds rows that the book has lost from lines of the signer's journal. Lines are JSON written by the database, so
// that no amount passes through a float. Columns added by later versions get their defaults.

import { NETWORKS, type Network } from '../../../values/assets.ts';
import { query, type EntityManager } from '../../connection.ts';

/** A journal line's body, with the fields that are needed of it. */
export interface LostTransaction {
  readonly hash: string;
  readonly body: string;
  readonly purpose: string;
  readonly senderKey: string;
  readonly nonce: number;
  readonly payoutId: string | null;
}

/** SQL: the payout of a line, whose body is the first parameter; null if it pays none. */
const PAYOUT = `json_populate_record(null::payout, nullif(($1::json->'payout')::text, 'null')::json)`;

/** Reads the needed fields of lines, in their order. */
export async function readLost(em: EntityManager, bodies: readonly string[]): Promise<LostTransaction[]> {
  const rows = await query<Omit<LostTransaction, 'nonce'> & { nonce: string }>(
    em,
    `select line->>'hash' as hash, line::text as body, t->>'purpose' as purpose, t->>'sender_key' as "senderKey",
       t->>'nonce' as nonce, t->>'payout_id' as "payoutId"
     from unnest($1::text[]) with ordinality as given(text, place), lateral (select text::json as line) l,
       lateral (select line->'transfer' as t) f
     order by place`,
    [bodies],
  );
  return rows.map((row) => ({ ...row, nonce: Number(row.nonce) }));
}

/** The fields of a payout in the journal that are checked before it is restored. */
export interface LostPayout {
  readonly id: string;
  readonly merchantId: string | null;
  readonly paymentId: string | null;
  readonly currency: string;
  readonly network: string;
  readonly amount: bigint;
  readonly networkFee: bigint;
  readonly merchantWithdrawalId: string | null;
  /** Whether the book has the merchant and, for a refund, the payment. */
  readonly hasOwner: boolean;
  /** The status of the book's payout with that id; null if there is none. */
  readonly status: string | null;
}

/** The payout of a line that pays one. */
export async function readLostPayout(em: EntityManager, body: string): Promise<LostPayout | null> {
  const [row] = await query<Omit<LostPayout, 'amount' | 'networkFee'> & { amount: string; networkFee: string }>(
    em,
    `select l.id, l.merchant_id as "merchantId", l.payment_id as "paymentId", l.currency, l.network,
       l.amount::text, l.network_fee::text as "networkFee", l.merchant_withdrawal_id as "merchantWithdrawalId",
       (l.merchant_id is null or exists (select 1 from merchant m where m.id = l.merchant_id))
         and (l.payment_id is null or exists (select 1 from payment p where p.id = l.payment_id)) as "hasOwner",
       (select status from payout o where o.id = l.id) as status
     from ${PAYOUT} l where l.id is not null`,
    [body],
  );
  return row ? { ...row, amount: BigInt(row.amount), networkFee: BigInt(row.networkFee) } : null;
}

/**
 * Payouts of the book that repeat a lost one: requested again under its `merchantWithdrawalId`, idempotency key or
 * reference, which the book no longer knew. One of fees has no merchant, and is known by its reference alone.
 */
export async function findRepeats(em: EntityManager, body: string): Promise<{ id: string; status: string }[]> {
  return query(
    em,
    `select id, status from (
       select o.id, o.status, o.created_at from payout o, ${PAYOUT} l
       where o.merchant_id = l.merchant_id and o.id <> l.id and (o.merchant_withdrawal_id = l.merchant_withdrawal_id
         or (o.once_operation, o.once_key) = (l.once_operation, l.once_key) or o.reference = l.reference)
       union all
       select o.id, o.status, o.created_at from payout o, ${PAYOUT} l
       where o.merchant_id is null and l.merchant_id is null and o.id <> l.id and o.reference = l.reference
     ) again order by created_at, id`,
    [body],
  );
}

/** Removes a payout's references that must be unique within its merchant. */
export async function forgetReference(em: EntityManager, id: string): Promise<void> {
  await query(
    em,
    `update payout set merchant_withdrawal_id = null, once_operation = null, once_key = null, reference = null
     where id = $1`,
    [id],
  );
}

/**
 * Inserts rows given as a JSON array. A column that no row has, or that is null but must not be, gets its default. One
 * that the table no longer has is ignored.
 */
async function insertJson(em: EntityManager, table: string, rows: string, conflict = ''): Promise<void> {
  const [found] = await query<{ columns: string | null }>(
    em,
    `select string_agg(quote_ident(a.attname), ', ' order by a.attnum) as columns from pg_attribute a
     where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped and a.attname in (
       select part.key from json_array_elements($2::json) given(line), json_each_text(line) part
       where not (a.attnotnull and part.value is null))`,
    [table, rows],
  );
  const columns = found?.columns;
  if (columns == null) return;
  await query(
    em,
    `insert into ${table} (${columns}) select ${columns} from json_populate_recordset(null::${table}, $1::json) ${conflict}`,
    [rows],
  );
}

/** A part of a line, with some columns replaced, as a JSON array of rows; empty if the line lacks that part. */
async function readPart(em: EntityManager, body: string, part: string, values = "'{}'", parameters: unknown[] = []) {
  const [row] = await query<{ rows: string }>(
    em,
    `select case jsonb_typeof(part) when 'object' then jsonb_build_array(part || ${values})
       when 'array' then part else '[]' end::text as rows
     from (select $1::jsonb->'${part}' as part) given`,
    [body, ...parameters],
  );
  return row?.rows ?? '[]';
}

/** Restores the payout as it was when its transaction was sent, and the stored answer to its idempotency key. */
export async function insertLostPayout(em: EntityManager, body: string): Promise<void> {
  const sent = `jsonb_build_object('status', 'BROADCAST', 'tx_hash', $1::jsonb->>'hash', 'completed_at', null,
    'failure', null, 'held_reason', null, 'held_since', null, 'look_at', null,
    'version', greatest(1, coalesce((part->>'version')::int, 0)))`;
  await insertJson(em, 'payout', await readPart(em, body, 'payout', sent));
  const again = `on conflict (scope, operation, key)
    do update set input_digest = excluded.input_digest, result = excluded.result`;
  await insertJson(em, 'idempotency', await readPart(em, body, 'once'), again);
}

/** What a rebuilt transaction is for. */
export interface Belonging {
  readonly purpose: 'PAYOUT' | 'SWEEP' | 'GAS' | 'OUTFLOW';
  readonly payoutId: string | null;
}

/**
 * Restores the transaction as one that waits to be mined, with its inputs and change as far as the line has them. If
 * another one with its nonce is final already, it was replaced. A sweep for a lost payout loses that reference.
 */
export async function insertLostTransaction(
  em: EntityManager,
  body: string,
  { purpose, payoutId }: Belonging,
  now: Date,
): Promise<void> {
  const waiting = `jsonb_build_object('purpose', $2::text, 'payout_id', $3::text,
    'status', case when part->>'valid_until' is null and exists (
      select 1 from transfer o where (o.network, o.sender_key, o.nonce)
        = (part->>'network', part->>'sender_key', (part->>'nonce')::bigint) and o.status in ('CONFIRMED', 'FAILED'))
      then 'REPLACED' else 'BROADCAST' end,
    'for_payout_id', (select p.id from payout p where p.id = part->>'for_payout_id'),
    'broadcast_at', $4::timestamptz, 'block_height', null, 'block_hash', null, 'cost', null, 'turn', 0)`;
  await insertJson(em, 'transfer', await readPart(em, body, 'transfer', waiting, [purpose, payoutId, now]));
  await insertJson(em, 'change_output', await readPart(em, body, 'change'), 'on conflict do nothing');
  const over = `on conflict (network, outpoint) do update set sender_key = excluded.sender_key, nonce = excluded.nonce`;
  await insertJson(em, 'spent_output', await readPart(em, body, 'spent'), over);
}

/** Raises a sender's next nonce above one that it has used. */
export async function raiseNonce(
  em: EntityManager,
  network: string,
  { key, role, nonce }: { readonly key: string; readonly role: string; readonly nonce: number },
): Promise<void> {
  await query(
    em,
    `insert into sender as s (network, address_key, role, next_nonce) values ($1, $2, $3, $4 + 1)
     on conflict (network, address_key) do update set next_nonce = greatest(s.next_nonce, excluded.next_nonce)`,
    [network, key, role, nonce],
  );
}

/** An output of ours, and the address that it belongs to. */
export interface SpendableOutput {
  readonly outpoint: string;
  readonly amount: bigint;
  readonly addressKey: string;
  /** The derivation index of a deposit address; null for a wallet. */
  readonly index: number | null;
}

/** Reads what the book has of some outputs of ours. */
export async function readOutputs(
  em: EntityManager,
  network: Network,
  outpoints: readonly string[],
): Promise<SpendableOutput[]> {
  const rows = await query<{ outpoint: string; amount: string; key: string; index: string | null }>(
    em,
    `select outpoint, amount::text, key, index::text from (
       select d.tx_hash || ':' || d.ordinal as outpoint, d.amount, p.address_key as key, p.derivation_index as index
       from deposit d join payment p on p.id = d.payment_id where d.network = $1 and d.tx_hash = any($3)
       union select f.tx_hash || ':' || f.ordinal, f.amount, f.address_key, g.index from funding f
         left join gap_address g on g.account = $4 and g.address_key = f.address_key and f.purpose = 'suspense'
         where f.network = $1 and f.tx_hash = any($3)
       union select t.tx_hash || ':' || c.ordinal, c.amount, t.sender_key, null
       from transfer t join change_output c on c.transfer_id = t.id where t.network = $1 and t.tx_hash = any($3)
     ) own where outpoint = any($2)`,
    [
      network,
      outpoints,
      outpoints.map((outpoint) => outpoint.slice(0, outpoint.indexOf(':'))),
      NETWORKS[network].account,
    ],
  );
  return rows.map(({ outpoint, amount, key, index }) => ({
    ...{ outpoint, addressKey: key, amount: BigInt(amount) },
    index: index === null ? null : Number(index),
  }));
}

/** The derivation index of an address that we gave out, or may have given out. */
export async function findIndex(em: EntityManager, account: string, key: string): Promise<number | null> {
  const [row] = await query<{ index: string }>(
    em,
    `select derivation_index::text as index from payment where (derivation_account, address_key) = ($1, $2)
     union all select index::text from gap_address where (account, address_key) = ($1, $2) limit 1`,
    [account, key],
  );
  return row ? Number(row.index) : null;
}
