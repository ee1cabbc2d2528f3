// Our outputs on networks where money lies in outputs of transactions: what others paid us, what our own transactions
// left over, and which of them are spent by which.

import { query, type EntityManager } from '../connection.ts';

/** An output of ours, named `<transaction>:<index>`. */
export interface OwnOutput {
  readonly outpoint: string;
  /** Base units. */
  readonly amount: bigint;
  readonly addressKey: string;
  /** Of a deposit address, by which its key is found; null for the hot wallet. */
  readonly index: number | null;
  /** Whether it has the required confirmations; otherwise it is our own change on its way. */
  readonly settled: boolean;
  /** Of change on its way: what its transaction takes up and pays for it, by which the next one may have to help it. */
  readonly parentSize: bigint;
  readonly parentFee: bigint;
}

interface OutputRow {
  outpoint: string;
  amount: string;
  key: string;
  index: string | null;
  settled: boolean;
  size: string;
  fee: string;
}

const LIVE = `('SIGNED', 'BROADCAST', 'CONFIRMED')`;

/** A transaction of a number that may be, or was, carried out. `s` is a row of spent_output. */
const HAS_LIVE_SPENDER = `exists (select 1 from transfer l where (l.network, l.sender_key, l.nonce)
  = (s.network, s.sender_key, s.nonce) and l.status in ${LIVE})`;

/**
 * What can be spent, larger ones first and change on its way last: credited deposits, confirmed money of the hot wallet,
 * and what our own transactions left over. Not the change of a transaction that has a rival, because either may be mined.
 */
export async function findSpendable(
  em: EntityManager,
  network: string,
  { hotKey, confirmations }: { hotKey: string; confirmations: number },
  limit: number,
): Promise<OwnOutput[]> {
  const rows = await query<OutputRow>(
    em,
    `select outpoint, amount::text, key, index::text, settled, size::text, fee::text from (
       select d.tx_hash || ':' || d.ordinal as outpoint, d.amount, p.address_key as key, p.derivation_index as index,
         true as settled, 0 as size, 0 as fee
       from deposit d join payment p on p.id = d.payment_id
       where d.network = $1 and d.status = 'CONFIRMED' and d.credited
       union all
       select tx_hash || ':' || ordinal, amount, address_key, null, true, 0, 0 from funding
       where network = $1 and address_key = $2 and not reversed
         and block_height <= (select height from chain_cursor where network = $1) - $3 + 1
       union all
       select t.tx_hash || ':' || c.ordinal, c.amount, t.sender_key, null, t.status = 'CONFIRMED', t.gas, t.max_cost
       from change_output c join transfer t on t.id = c.transfer_id
       where t.network = $1 and (t.status = 'CONFIRMED' or t.status = 'BROADCAST' and not exists (
         select 1 from transfer r where (r.network, r.sender_key, r.nonce) = (t.network, t.sender_key, t.nonce)
           and r.id <> t.id))
     ) own
     where not exists (
       select 1 from spent_output s where s.network = $1 and s.outpoint = own.outpoint and ${HAS_LIVE_SPENDER})
     order by settled desc, amount desc, outpoint limit $4`,
    [network, hotKey, confirmations, limit],
  );
  return rows.map(({ outpoint, amount, key, index, settled, size, fee }) => ({
    ...{ outpoint, settled, addressKey: key },
    amount: BigInt(amount),
    index: index === null ? null : Number(index),
    parentSize: BigInt(settled ? 0 : size),
    parentFee: BigInt(settled ? 0 : fee),
  }));
}

/** An output that a transaction of ours spends. */
export interface SpentRow {
  readonly outpoint: string;
  readonly amount: bigint;
  readonly addressKey: string;
  readonly path: string;
}

interface Spender {
  readonly senderKey: string;
  readonly nonce: number;
}

/** What the transactions with one number spend, all of them together. */
export async function findSpent(
  em: EntityManager,
  network: string,
  spender: Spender,
): Promise<(SpentRow & Pick<OwnOutput, 'parentSize' | 'parentFee'>)[]> {
  const rows = await query<Omit<OutputRow, 'index' | 'settled'> & { path: string }>(
    em,
    `select s.outpoint, s.amount::text, s.address_key as key, s.path, coalesce(t.gas, 0)::text as size,
       coalesce(t.max_cost, 0)::text as fee
     from spent_output s left join transfer t
       on t.network = s.network and t.tx_hash = split_part(s.outpoint, ':', 1) and t.status = 'BROADCAST'
     where (s.network, s.sender_key, s.nonce) = ($1, $2, $3) order by s.outpoint`,
    [network, spender.senderKey, spender.nonce],
  );
  return rows.map(({ outpoint, amount, key, path, size, fee }) => ({
    ...{ outpoint, path, amount: BigInt(amount), addressKey: key },
    ...{ parentSize: BigInt(size), parentFee: BigInt(fee) },
  }));
}

/**
 * Takes outputs for the transactions with one number. False when another number has one of them: then the caller's
 * transaction must not be committed.
 */
export async function takeOutputs(
  em: EntityManager,
  network: string,
  { senderKey, nonce }: Spender,
  outputs: readonly SpentRow[],
): Promise<boolean> {
  const rows = await query(
    em,
    `insert into spent_output as s (network, outpoint, sender_key, nonce, amount, address_key, path)
     select $1, outpoint, $2, $3, amount, key, path
     from unnest($4::text[], $5::numeric[], $6::text[], $7::text[]) as o(outpoint, amount, key, path)
     on conflict (network, outpoint) do update set sender_key = excluded.sender_key, nonce = excluded.nonce
       where (s.sender_key, s.nonce) = (excluded.sender_key, excluded.nonce) or not ${HAS_LIVE_SPENDER}
     returning 1`,
    [
      ...[network, senderKey, nonce],
      outputs.map(({ outpoint }) => outpoint),
      outputs.map(({ amount }) => amount.toString()),
      outputs.map(({ addressKey }) => addressKey),
      outputs.map(({ path }) => path),
    ],
  );
  return rows.length === outputs.length;
}

/** Records what a transaction pays back to the hot wallet. */
export async function insertChange(
  em: EntityManager,
  transferId: string,
  { ordinal, amount }: { ordinal: number; amount: bigint },
): Promise<void> {
  await query(em, 'insert into change_output (transfer_id, ordinal, amount) values ($1, $2, $3)', [
    transferId,
    ordinal,
    amount.toString(),
  ]);
}

/** Whether a transaction of ours spends the change of another. */
export async function isChangeSpent(em: EntityManager, network: string, transferId: string): Promise<boolean> {
  const rows = await query(
    em,
    `select 1 from change_output c join transfer t on t.id = c.transfer_id
     join spent_output s on (s.network, s.outpoint) = (t.network, t.tx_hash || ':' || c.ordinal)
     where t.id = $2 and t.network = $1 and ${HAS_LIVE_SPENDER}`,
    [network, transferId],
  );
  return rows.length > 0;
}

/** Which of some transactions are ours, and whether they were given up: expired, or another with their number was mined. */
export async function findOwnParents(
  em: EntityManager,
  network: string,
  txHashes: readonly string[],
): Promise<{ txHash: string; isGivenUp: boolean }[]> {
  return query(
    em,
    `select tx_hash as "txHash", status in ('EXPIRED', 'REPLACED') as "isGivenUp" from transfer
     where network = $1 and tx_hash = any($2)`,
    [network, txHashes],
  );
}

/** The address that a payout goes to, as it was asked for. */
export async function readRecipient(em: EntityManager, payoutId: string): Promise<string> {
  const [row] = await query<{ address: string }>(em, 'select address from payout where id = $1', [payoutId]);
  if (!row) throw new Error(`There is no payout ${payoutId}`);
  return row.address;
}

/**
 * Every output that we may have in the chain's state: of deposits and funding in blocks that were read, and the change of
 * all our transactions. Left out is what a transaction spent for good; `doubtful` are the ids of those for which that
 * does not count.
 */
export async function findKnownOutputs(
  em: EntityManager,
  network: string,
  doubtful: readonly string[],
): Promise<string[]> {
  const rows = await query<{ outpoint: string }>(
    em,
    `select outpoint from (
       select tx_hash || ':' || ordinal as outpoint from deposit
       where network = $1 and status <> 'ORPHANED' and block_height is not null
       union select tx_hash || ':' || ordinal from funding where network = $1 and not reversed
       union select t.tx_hash || ':' || c.ordinal from change_output c join transfer t on t.id = c.transfer_id
       where t.network = $1
     ) own
     where not exists (select 1 from spent_output s join transfer t
       on (t.network, t.sender_key, t.nonce) = (s.network, s.sender_key, s.nonce)
       where s.network = $1 and s.outpoint = own.outpoint and t.status = 'CONFIRMED' and t.id <> all($2))
     order by outpoint`,
    [network, doubtful],
  );
  return rows.map(({ outpoint }) => outpoint);
}
