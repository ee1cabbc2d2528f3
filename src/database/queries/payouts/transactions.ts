// The rows of our own signed transactions: what waits, what was thought settled and is not, and their changes.

import { query, toDate, type EntityManager } from '../../connection.ts';

/** OUTFLOW: money that left by a signature of ours which nobody could explain, found on the chain. */
export type TransferPurpose = 'PAYOUT' | 'SWEEP' | 'GAS' | 'OUTFLOW';
type TransferStatus = 'SIGNED' | 'BROADCAST' | 'CONFIRMED' | 'REPLACED' | 'FAILED' | 'EXPIRED' | 'UNCLEAR';

/** A transaction of ours. Amounts in base units; `raw` is what is sent, again and again, until a block has it. */
export interface TransferRow {
  readonly id: string;
  readonly purpose: TransferPurpose;
  readonly payoutId: string | null;
  /** Of a sweep or a top-up: the payout that it was made for. */
  readonly forPayoutId: string | null;
  readonly senderKey: string;
  readonly senderPath: string;
  /** Who pays what the chain takes; null: the sender. */
  readonly payerKey: string | null;
  readonly recipientKey: string;
  readonly currency: string;
  readonly amount: bigint;
  readonly nonce: number;
  readonly gas: bigint;
  readonly maxPerGas: bigint;
  readonly tipPerGas: bigint | null;
  /** The most that the chain may take for it. */
  readonly maxCost: bigint;
  /** The last moment, as its adapter counts, at which a block may take it; null where it stays valid. */
  readonly validUntil: number | null;
  readonly raw: string;
  readonly txHash: string;
  readonly status: TransferStatus;
  readonly blockHash: string | null;
  /** What the chain took; null until it is settled. */
  readonly cost: bigint | null;
  /** What a fee of the token kept besides what was to move, in base units of its currency; booked as a cost. */
  readonly lost: bigint;
  /** Where the token took a fee: what left the sender, and of a payout no more than its amount; else 0. */
  readonly moved: bigint;
  /** How often it was settled: more than once where its block left the chain. */
  readonly turn: number;
  readonly broadcastAt: Date | null;
  /** Why the nodes do not take it, and since when; null while none has refused it, or one has taken it. */
  readonly refusal: string | null;
  readonly refusedAt: Date | null;
}

type TextRow = Record<string, string> & { payout_id: string | null; for_payout_id: string | null; turn: number };

const COLUMNS = `id, purpose, payout_id, for_payout_id, sender_key, sender_path, payer_key, recipient_key, currency, amount::text,
  nonce::text, gas::text, max_per_gas::text, tip_per_gas::text, max_cost::text, valid_until::text, raw, tx_hash,
  status, block_hash, cost::text, lost::text, moved::text, turn, broadcast_at, refusal, refused_at`;

function readRow(row: TextRow): TransferRow {
  const text = (name: string): string => row[name] ?? '';
  const orNull = <Value>(name: string, read: (value: string) => Value): Value | null =>
    row[name] == null ? null : read(row[name]);
  return {
    id: text('id'),
    purpose: text('purpose') as TransferPurpose,
    payoutId: row.payout_id,
    forPayoutId: row.for_payout_id,
    senderKey: text('sender_key'),
    senderPath: text('sender_path'),
    payerKey: orNull('payer_key', String),
    recipientKey: text('recipient_key'),
    currency: text('currency'),
    amount: BigInt(text('amount')),
    nonce: Number(text('nonce')),
    gas: BigInt(text('gas')),
    maxPerGas: BigInt(text('max_per_gas')),
    tipPerGas: orNull('tip_per_gas', BigInt),
    maxCost: BigInt(text('max_cost')),
    validUntil: orNull('valid_until', Number),
    raw: text('raw'),
    txHash: text('tx_hash'),
    status: text('status') as TransferStatus,
    blockHash: orNull('block_hash', String),
    cost: orNull('cost', BigInt),
    lost: BigInt(text('lost')),
    moved: BigInt(text('moved')),
    turn: row.turn,
    broadcastAt: orNull('broadcast_at', toDate),
    refusal: orNull('refusal', String),
    refusedAt: orNull('refused_at', toDate),
  };
}

/** Those that may still be mined, in the order of each sender's nonces. */
export async function findOpenTransfers(em: EntityManager, network: string): Promise<TransferRow[]> {
  const rows = await query<TextRow>(
    em,
    `select ${COLUMNS} from transfer where network = $1 and status in ('SIGNED', 'BROADCAST')
     order by sender_key, nonce, id`,
    [network],
  );
  return rows.map(readRow);
}

/** Of a transfer `t` of the network $1: that it is settled, and its block not among those that the watcher remembers. */
export const IS_DOUBTFUL = `t.network = $1 and t.status in ('CONFIRMED', 'FAILED', 'UNCLEAR')
  and t.block_height >= (select min(height) from chain_block where network = $1)
  and not exists (select 1 from chain_block b
    where (b.network, b.height, b.hash) = (t.network, t.block_height, t.block_hash))`;

/**
 * Settled ones whose block is not among those that the watcher remembers: it left the chain, or was not read yet.
 * What is older than all that is remembered is beyond doubt.
 */
export async function findDoubtful(em: EntityManager, network: string): Promise<TransferRow[]> {
  const rows = await query<TextRow>(
    em,
    `select ${COLUMNS} from transfer t where ${IS_DOUBTFUL} order by sender_key, nonce, id`,
    [network],
  );
  return rows.map(readRow);
}

/** The newest signed of those with one nonce: the others are its predecessors with a lower fee. */
export async function findNewestOfNonce(
  em: EntityManager,
  network: string,
  { senderKey, nonce }: Pick<TransferRow, 'senderKey' | 'nonce'>,
): Promise<TransferRow | null> {
  const [row] = await query<TextRow>(
    em,
    `select ${COLUMNS} from transfer where (network, sender_key, nonce) = ($1, $2, $3)
     order by max_per_gas desc, id desc limit 1`,
    [network, senderKey, nonce],
  );
  return row ? readRow(row) : null;
}

/** How many transactions were signed with one nonce. */
export async function countOfNonce(
  em: EntityManager,
  network: string,
  { senderKey, nonce }: Pick<TransferRow, 'senderKey' | 'nonce'>,
): Promise<number> {
  const [row] = await query<{ count: number }>(
    em,
    'select count(*)::int as count from transfer where (network, sender_key, nonce) = ($1, $2, $3)',
    [network, senderKey, nonce],
  );
  return row?.count ?? 0;
}

/** Whether transactions that were not signed for the same payout wait behind one, by its sender's nonces. */
export async function holdsUpOthers(
  em: EntityManager,
  network: string,
  { senderKey, nonce, payoutId, forPayoutId }: Pick<TransferRow, 'senderKey' | 'nonce' | 'payoutId' | 'forPayoutId'>,
): Promise<boolean> {
  const rows = await query(
    em,
    `select 1 from transfer where network = $1 and sender_key = $2 and nonce > $3 and status in ('SIGNED', 'BROADCAST')
       and coalesce(payout_id, for_payout_id) is distinct from $4 limit 1`,
    [network, senderKey, nonce, payoutId ?? forPayoutId],
  );
  return rows.length > 0;
}

/** For how many nonces of a sender, from one on, transactions are signed for a payout and not settled. */
export async function countOpenFor(
  em: EntityManager,
  network: string,
  payoutId: string,
  { senderKey, nonce }: Pick<TransferRow, 'senderKey' | 'nonce'>,
): Promise<number> {
  const [row] = await query<{ count: number }>(
    em,
    `select count(distinct nonce)::int as count from transfer where network = $1 and sender_key = $2 and nonce >= $3
       and status in ('SIGNED', 'BROADCAST') and (payout_id = $4 or for_payout_id = $4)`,
    [network, senderKey, nonce, payoutId],
  );
  return row?.count ?? 0;
}

/** What is known of a transfer only once it was sent. */
type Later = 'status' | 'blockHash' | 'cost' | 'lost' | 'moved' | 'turn' | 'broadcastAt' | 'refusal' | 'refusedAt';

/** What is known of a transfer when it is signed. */
export type SignedTransfer = Omit<TransferRow, Later>;

/** Stores a signed transaction, before anybody has seen it. */
export async function insertTransfer(
  em: EntityManager,
  network: string,
  row: SignedTransfer,
  now: Date,
): Promise<void> {
  await query(
    em,
    `insert into transfer (id, network, purpose, payout_id, sender_key, sender_path, payer_key, recipient_key, currency,
       amount, nonce, gas, max_per_gas, tip_per_gas, max_cost, valid_until, raw, tx_hash, status, created_at, for_payout_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, 'SIGNED', $19, $20)`,
    [
      ...[row.id, network, row.purpose, row.payoutId, row.senderKey, row.senderPath, row.payerKey, row.recipientKey],
      ...[row.currency, row.amount.toString(), row.nonce, row.gas.toString(), row.maxPerGas.toString()],
      ...[row.tipPerGas?.toString() ?? null, row.maxCost.toString(), row.validUntil, row.raw, row.txHash, now],
      row.forPayoutId,
    ],
  );
}

/** The node has it. */
export async function markSent(em: EntityManager, id: string, now: Date): Promise<void> {
  await query(
    em,
    `update transfer set status = 'BROADCAST', broadcast_at = coalesce(broadcast_at, $2), refusal = null, refused_at = null
     where id = $1 and status in ('SIGNED', 'BROADCAST')`,
    [id, now],
  );
}

/** No node takes it. False where that was known, or it is settled. Nothing follows from it for what it may still do. */
export async function markRefused(em: EntityManager, id: string, refusal: string, now: Date): Promise<boolean> {
  const rows = await query(
    em,
    `update transfer set refusal = $2, refused_at = coalesce(refused_at, $3)
     where id = $1 and status in ('SIGNED', 'BROADCAST') and refusal is distinct from $2 returning id`,
    [id, refusal, now],
  );
  return rows.length > 0;
}

/** It is mined for good; what else has its nonce is replaced. Answers its turn, or null when that was known. */
export async function markSettled(
  em: EntityManager,
  network: string,
  { id, senderKey, nonce }: TransferRow,
  outcome: { status: 'CONFIRMED' | 'FAILED' | 'UNCLEAR'; block: { hash: string; height: number }; cost: bigint },
): Promise<number | null> {
  const { status, block, cost } = outcome;
  const [row] = await query<{ turn: number }>(
    em,
    `update transfer set status = $2, block_hash = $3, block_height = $4, cost = $5, turn = turn + 1
     where id = $1 and status in ('SIGNED', 'BROADCAST') returning turn`,
    [id, status, block.hash, block.height, cost.toString()],
  );
  if (!row) return null;
  await query(
    em,
    `update transfer set status = 'REPLACED' where (network, sender_key, nonce) = ($1, $2, $3) and id <> $4
       and status in ('SIGNED', 'BROADCAST')`,
    [network, senderKey, nonce, id],
  );
  return row.turn;
}

/** Its block left the chain: it and what it had replaced may be mined again. False when that was known. */
export async function reopen(
  em: EntityManager,
  network: string,
  { id, senderKey, nonce, turn }: TransferRow,
): Promise<boolean> {
  const rows = await query(
    em,
    `update transfer set status = 'BROADCAST', block_hash = null, block_height = null, cost = null, broadcast_at = null,
       refusal = null, refused_at = null
     where id = $1 and status in ('CONFIRMED', 'FAILED', 'UNCLEAR') and turn = $2 returning id`,
    [id, turn],
  );
  if (rows.length === 0) return false;
  await query(
    em,
    `update transfer set status = 'BROADCAST', refusal = null, refused_at = null
     where (network, sender_key, nonce) = ($1, $2, $3) and status = 'REPLACED'`,
    [network, senderKey, nonce],
  );
  return true;
}

/** It is in no block and can be in none any more: it moved nothing and cost nothing. False when that was known. */
export async function markExpired(em: EntityManager, id: string): Promise<boolean> {
  const rows = await query(
    em,
    `update transfer set status = 'EXPIRED' where id = $1 and status in ('SIGNED', 'BROADCAST') returning id`,
    [id],
  );
  return rows.length > 0;
}

/** An operator has said what a payout's unclear transaction did. Null where there is none. */
export async function markClear(
  em: EntityManager,
  payoutId: string,
  status: 'CONFIRMED' | 'FAILED',
): Promise<{ txHash: string } | null> {
  const [row] = await query<{ txHash: string }>(
    em,
    `update transfer set status = $2 where payout_id = $1 and status = 'UNCLEAR' returning tx_hash as "txHash"`,
    [payoutId, status],
  );
  return row ?? null;
}

/** Whether a transaction of a payout was mined and moved nothing. */
export async function hasReverted(em: EntityManager, payoutId: string): Promise<boolean> {
  const rows = await query(em, `select 1 from transfer where payout_id = $1 and status = 'FAILED' limit 1`, [payoutId]);
  return rows.length > 0;
}

/** Whether a transaction of a payout was mined and paid it. */
export async function hasPaid(em: EntityManager, payoutId: string): Promise<boolean> {
  const rows = await query(em, `select 1 from transfer where payout_id = $1 and status = 'CONFIRMED' limit 1`, [
    payoutId,
  ]);
  return rows.length > 0;
}

/** Whether the unclear transaction of a payout is known to have moved money, of which the token may have kept a part. */
export async function hasMoved(em: EntityManager, payoutId: string): Promise<boolean> {
  const rows = await query(
    em,
    `select 1 from transfer where payout_id = $1 and status = 'UNCLEAR' and moved + lost > 0 limit 1`,
    [payoutId],
  );
  return rows.length > 0;
}

/** What a mined transaction really moved, where a fee of the token kept a part; zeros take it back. Base units. */
export async function markLoss(
  em: EntityManager,
  id: string,
  { moved, lost }: { readonly moved: bigint; readonly lost: bigint },
): Promise<void> {
  await query(em, 'update transfer set moved = $2, lost = $3 where id = $1', [id, moved.toString(), lost.toString()]);
}
