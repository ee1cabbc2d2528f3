// The rows of our own signed transactions (table `transfer`): storing, finding and changing their status.

import { query, toDate, type EntityManager } from '../../connection.ts';
import { transactionsOf } from './due-payouts.ts';
import { ITS_STATUS } from '../row-status.ts';

/** OUTFLOW: money that left by our signature, found on the chain and explained by nothing in the book. */
export type TransactionPurpose = 'PAYOUT' | 'SWEEP' | 'GAS' | 'OUTFLOW';
type TransferStatus = 'SIGNED' | 'BROADCAST' | 'CONFIRMED' | 'REPLACED' | 'FAILED' | 'EXPIRED' | 'UNCLEAR';

/** A transaction of ours. Amounts in base units; `raw` is broadcast again and again until it is mined. */
export interface TransactionRow {
  readonly id: string;
  readonly purpose: TransactionPurpose;
  readonly payoutId: string | null;
  /** For a sweep or a top-up: the payout that it was made for. */
  readonly forPayoutId: string | null;
  readonly senderKey: string;
  readonly senderPath: string;
  /** The payer of the network fee; null for the sender. */
  readonly payerKey: string | null;
  readonly recipientKey: string;
  readonly currency: string;
  readonly amount: bigint;
  readonly nonce: number;
  readonly gas: bigint;
  readonly maxPerGas: bigint;
  readonly tipPerGas: bigint | null;
  /** The most that the chain may charge for it. */
  readonly maxCost: bigint;
  /** The last moment, as its adapter counts, at which a block may include it; null if it stays valid. */
  readonly validUntil: number | null;
  readonly raw: string;
  readonly txHash: string;
  readonly status: TransferStatus;
  readonly blockHash: string | null;
  /** What the chain charged; null until it is final. */
  readonly cost: bigint | null;
  /** What the token's own fee kept in addition to what was moved, in base units of its currency; booked as a cost. */
  readonly lost: bigint;
  /** If the token charged a fee: what left the sender, for a payout at most its amount; otherwise 0. */
  readonly moved: bigint;
  /** How often it became final: more than once if its block left the chain. */
  readonly turn: number;
  readonly broadcastAt: Date | null;
  /** Why the nodes reject it; null if none has, or one has accepted it. */
  readonly refusal: string | null;
  /** Since when the nodes reject it. */
  readonly refusedAt: Date | null;
}

type TextRow = Record<string, string> & { payout_id: string | null; for_payout_id: string | null; turn: number };

const COLUMNS = `id, purpose, payout_id, for_payout_id, sender_key, sender_path, payer_key, recipient_key, currency, amount::text,
  nonce::text, gas::text, max_per_gas::text, tip_per_gas::text, max_cost::text, valid_until::text, raw, tx_hash,
  status, block_hash, cost::text, lost::text, moved::text, turn, broadcast_at, refusal, refused_at`;

function readRow(row: TextRow): TransactionRow {
  const text = (name: string): string => row[name] ?? '';
  const orNull = <Value>(name: string, read: (value: string) => Value): Value | null =>
    row[name] == null ? null : read(row[name]);
  return {
    id: text('id'),
    purpose: text('purpose') as TransactionPurpose,
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

/** Transactions that may still be mined, ordered by sender and nonce. */
export async function findOpenTransactions(em: EntityManager, network: string): Promise<TransactionRow[]> {
  const rows = await query<TextRow>(
    em,
    `select ${COLUMNS} from (
       select * from transfer where network = $1 and status in ('SIGNED', 'BROADCAST') order by network, id offset 0
     ) open order by sender_key, nonce, id`,
    [network],
  );
  return rows.map(readRow);
}

/** Above every height: a range with two ends is always read from the index. */
const LAST_HEIGHT = 9_000_000_000_000;
/** SQL: a transaction `t` of the network $1 is final, but its block is not among those that the watcher remembers. */
export const IS_DOUBTFUL = `t.network = $1 and t.status in ('CONFIRMED', 'FAILED', 'UNCLEAR')
  and t.block_height >= (select min(height) from chain_block where network = $1) and t.block_height < ${LAST_HEIGHT}
  and not exists (select 1 from chain_block b
    where (b.network, b.height, b.hash) = (t.network, t.block_height, t.block_hash))`;

/**
 * Final transactions whose block is not among those that the watcher remembers: it left the chain or was not read yet.
 * Blocks older than all remembered ones are beyond doubt.
 */
export async function findDoubtful(em: EntityManager, network: string): Promise<TransactionRow[]> {
  const rows = await query<TextRow>(
    em,
    `select ${COLUMNS} from transfer t where ${IS_DOUBTFUL} order by sender_key, nonce, id`,
    [network],
  );
  return rows.map(readRow);
}

/** The newest transaction with a nonce. The others are predecessors with a lower fee. */
export async function findNewestOfNonce(
  em: EntityManager,
  network: string,
  { senderKey, nonce }: Pick<TransactionRow, 'senderKey' | 'nonce'>,
): Promise<TransactionRow | null> {
  const [row] = await query<TextRow>(
    em,
    `select ${COLUMNS} from transfer where (network, sender_key, nonce) = ($1, $2, $3)
     order by max_per_gas desc, id desc limit 1`,
    [network, senderKey, nonce],
  );
  return row ? readRow(row) : null;
}

/** How many transactions were signed with a nonce. */
export async function countOfNonce(
  em: EntityManager,
  network: string,
  { senderKey, nonce }: Pick<TransactionRow, 'senderKey' | 'nonce'>,
): Promise<number> {
  const [row] = await query<{ count: number }>(
    em,
    'select count(*)::int as count from transfer where (network, sender_key, nonce) = ($1, $2, $3)',
    [network, senderKey, nonce],
  );
  return row?.count ?? 0;
}

/** Whether transactions for other payouts wait behind this one's nonce. */
export async function holdsUpOthers(
  em: EntityManager,
  network: string,
  { senderKey, nonce, payoutId, forPayoutId }: Pick<TransactionRow, 'senderKey' | 'nonce' | 'payoutId' | 'forPayoutId'>,
): Promise<boolean> {
  const rows = await query(
    em,
    `select 1 from transfer where network = $1 and sender_key = $2 and nonce > $3 and status in ('SIGNED', 'BROADCAST')
       and coalesce(payout_id, for_payout_id) is distinct from $4 limit 1`,
    [network, senderKey, nonce, payoutId ?? forPayoutId],
  );
  return rows.length > 0;
}

/** How many nonces of a sender, from one on, have open transactions for a payout. */
export async function countOpenFor(
  em: EntityManager,
  network: string,
  payoutId: string,
  { senderKey, nonce }: Pick<TransactionRow, 'senderKey' | 'nonce'>,
): Promise<number> {
  const [row] = await query<{ count: number }>(
    em,
    `select count(distinct nonce)::int as count from transfer where network = $1 and sender_key = $2 and nonce >= $3
       and status in ('SIGNED', 'BROADCAST') and (payout_id = $4 or for_payout_id = $4)`,
    [network, senderKey, nonce, payoutId],
  );
  return row?.count ?? 0;
}

/** Columns that are only known after sending. */
type Later = 'status' | 'blockHash' | 'cost' | 'lost' | 'moved' | 'turn' | 'broadcastAt' | 'refusal' | 'refusedAt';

/** A transaction as it is when it is signed. */
export type SignedTransaction = Omit<TransactionRow, Later>;

/** Stores a signed transaction, before it is broadcast. */
export async function insertTransaction(
  em: EntityManager,
  network: string,
  row: SignedTransaction,
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

/** Marks a transaction as accepted by a node. */
export async function markSent(em: EntityManager, id: string, now: Date): Promise<void> {
  await query(
    em,
    `update transfer set status = 'BROADCAST', broadcast_at = coalesce(broadcast_at, $2), refusal = null, refused_at = null
     where id = $1 and ${ITS_STATUS} in ('SIGNED', 'BROADCAST')`,
    [id, now],
  );
}

/** Marks a transaction as rejected by all nodes. It may still be mined. False if nothing changed. */
export async function markRefused(em: EntityManager, id: string, refusal: string, now: Date): Promise<boolean> {
  const rows = await query(
    em,
    `update transfer set refusal = $2, refused_at = coalesce(refused_at, $3)
     where id = $1 and ${ITS_STATUS} in ('SIGNED', 'BROADCAST') and refusal is distinct from $2 returning id`,
    [id, refusal, now],
  );
  return rows.length > 0;
}

/**
 * Marks a transaction as mined for good, and others with its nonce as replaced. Returns its turn; null if it was known.
 */
export async function markFinal(
  em: EntityManager,
  network: string,
  { id, senderKey, nonce }: TransactionRow,
  outcome: { status: 'CONFIRMED' | 'FAILED' | 'UNCLEAR'; block: { hash: string; height: number }; cost: bigint },
): Promise<number | null> {
  const { status, block, cost } = outcome;
  const [row] = await query<{ turn: number }>(
    em,
    `update transfer set status = $2, block_hash = $3, block_height = $4, cost = $5, turn = turn + 1
     where id = $1 and ${ITS_STATUS} in ('SIGNED', 'BROADCAST') returning turn`,
    [id, status, block.hash, block.height, cost.toString()],
  );
  if (!row) return null;
  await query(
    em,
    `update transfer set status = 'REPLACED' where (network, sender_key, nonce) = ($1, $2, $3) and id <> $4
       and ${ITS_STATUS} in ('SIGNED', 'BROADCAST')`,
    [network, senderKey, nonce, id],
  );
  return row.turn;
}

/** Its block left the chain: it and those it had replaced may be mined again. False if that was known. */
export async function reopen(
  em: EntityManager,
  network: string,
  { id, senderKey, nonce, turn }: TransactionRow,
): Promise<boolean> {
  const rows = await query(
    em,
    `update transfer set status = 'BROADCAST', block_hash = null, block_height = null, cost = null, broadcast_at = null,
       refusal = null, refused_at = null
     where id = $1 and ${ITS_STATUS} in ('CONFIRMED', 'FAILED', 'UNCLEAR') and turn = $2 returning id`,
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

/** Marks a transaction that can no longer be mined: it moved and cost nothing. False if that was known. */
export async function markExpired(em: EntityManager, id: string): Promise<boolean> {
  const rows = await query(
    em,
    `update transfer set status = 'EXPIRED' where id = $1 and ${ITS_STATUS} in ('SIGNED', 'BROADCAST') returning id`,
    [id],
  );
  return rows.length > 0;
}

/** Whether a transaction of a payout was mined and paid it. */
export async function hasPaid(em: EntityManager, payoutId: string): Promise<boolean> {
  const rows = await query(em, `select 1 from ${transactionsOf('$1')} t where status = 'CONFIRMED' limit 1`, [
    payoutId,
  ]);
  return rows.length > 0;
}

/** Records what a mined transaction really moved if the token kept a fee; zeros undo it. Base units. */
export async function markLoss(
  em: EntityManager,
  id: string,
  { moved, lost }: { readonly moved: bigint; readonly lost: bigint },
): Promise<void> {
  await query(em, 'update transfer set moved = $2, lost = $3 where id = $1', [id, moved.toString(), lost.toString()]);
}
