// Our unspent transaction outputs: deposits, funding and change on UTXO networks, and which transactions spend them.

import { NETWORKS, type Network } from '../../../values/assets.ts';
import { query, type EntityManager } from '../../connection.ts';

/** An output of ours, named `<transaction>:<index>`. */
export interface OwnOutput {
  readonly outpoint: string;
  /** Base units. */
  readonly amount: bigint;
  readonly addressKey: string;
  /** The derivation index of a deposit address, to derive its key; null for the hot wallet. */
  readonly index: number | null;
  /** Whether it has the required confirmations; otherwise it is our own unconfirmed change. */
  readonly settled: boolean;
  /** For unconfirmed change: the size and fee of its transaction, which the next one may have to pay for (CPFP). */
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

/** SQL: a transaction that spends `s`, a row of spent_output, took effect or still may. */
const HAS_LIVE_SPENDER = `exists (select 1 from transfer l where (l.network, l.sender_key, l.nonce)
  = (s.network, s.sender_key, s.nonce) and l.status in ${LIVE})`;

/** The hot wallet's key, and how many confirmations its money needs. */
export interface OutputsOf {
  readonly hotKey: string;
  readonly confirmations: number;
}

// What no transaction spends that was mined or may be. Excludes the change of a transaction with a competitor, because
// either may be mined.
const SPENDABLE = `
  select outpoint, amount, key, index, settled, size, fee from (
    select d.tx_hash || ':' || d.ordinal as outpoint, d.amount, p.address_key as key, p.derivation_index as index,
      true as settled, 0 as size, 0 as fee
    from deposit d join payment p on p.id = d.payment_id
    where d.network = $1 and d.status = 'CONFIRMED' and d.credited and not d.spent
    union all
    select tx_hash || ':' || ordinal, amount, address_key, null, true, 0, 0 from funding
    where network = $1 and address_key = $2 and not reversed and not spent
      and block_height <= (select height from chain_cursor where network = $1) - $3 + 1
    union all
    select f.tx_hash || ':' || f.ordinal, f.amount, f.address_key, g.index, true, 0, 0
    from funding f join gap_address g on (g.account, g.address_key) = ($4, f.address_key)
    where f.network = $1 and f.purpose = 'suspense' and f.explained and not f.reversed and not f.spent
      and f.block_height <= (select height from chain_cursor where network = $1) - $3 + 1
    union all
    select t.tx_hash || ':' || c.ordinal, c.amount, t.sender_key, null, t.status = 'CONFIRMED', t.gas, t.max_cost
    from change_output c cross join lateral (select * from transfer where id = c.transfer_id offset 0) t
    where not c.spent and t.network = $1 and (t.status = 'CONFIRMED' or t.status = 'BROADCAST' and not exists (
      select 1 from transfer r where (r.network, r.sender_key, r.nonce) = (t.network, t.sender_key, t.nonce)
        and r.id <> t.id))
  ) own
  where not exists (
    select 1 from spent_output s where s.network = $1 and s.outpoint = own.outpoint and ${HAS_LIVE_SPENDER} offset 0)`;

/**
 * Spendable outputs: credited deposits, confirmed money of the hot wallet, our change, and explained arrivals at gap
 * addresses. Returns the largest, confirmed ones first; with `smallest`, the smallest confirmed ones.
 */
export async function findSpendable(
  em: EntityManager,
  network: Network,
  { hotKey, confirmations }: OutputsOf,
  { limit, smallest = false }: { limit: number; smallest?: boolean },
): Promise<OwnOutput[]> {
  const chosen = smallest ? 'where settled order by amount, outpoint' : 'order by amount desc, outpoint';
  const rows = await query<OutputRow>(
    em,
    `select outpoint, amount::text, key, index::text, settled, size::text, fee::text
     from (select * from (${SPENDABLE}) found ${chosen} limit $5) chosen
     order by settled desc, chosen.amount ${smallest ? '' : 'desc'}, outpoint`,
    [network, hotKey, confirmations, NETWORKS[network].account, limit],
  );
  return rows.map(({ outpoint, amount, key, index, settled, size, fee }) => ({
    ...{ outpoint, settled, addressKey: key },
    amount: BigInt(amount),
    index: index === null ? null : Number(index),
    parentSize: BigInt(settled ? 0 : size),
    parentFee: BigInt(settled ? 0 : fee),
  }));
}

/** The number and sum of spendable outputs worth at least `leastWorth`, and the sum of all, in base units. */
export async function sumSpendable(
  em: EntityManager,
  network: Network,
  { hotKey, confirmations }: OutputsOf,
  leastWorth: bigint,
): Promise<{ count: number; units: bigint; allUnits: bigint }> {
  const [row] = await query<{ count: number; units: string; all: string }>(
    em,
    `select count(*) filter (where amount >= $5)::int as count,
       coalesce(sum(amount) filter (where amount >= $5), 0)::text as units, coalesce(sum(amount), 0)::text as all
     from (${SPENDABLE}) found`,
    [network, hotKey, confirmations, NETWORKS[network].account, leastWorth.toString()],
  );
  return { count: row?.count ?? 0, units: BigInt(row?.units ?? 0), allUnits: BigInt(row?.all ?? 0) };
}

/**
 * Marks what a final transaction spent, so that it is no longer considered; with `spent` false, undoes that. Outputs
 * that only its competitors would have spent are free again.
 */
export async function markSpent(
  em: EntityManager,
  network: string,
  { senderKey, nonce }: Spender,
  outpoints: readonly string[],
  spent: boolean,
): Promise<void> {
  const places = [network, outpoints.map((outpoint) => outpoint.split(':')[0]), outpoints.map(indexOf), spent];
  const given = 'unnest($2::text[], $3::int[]) as o(hash, place)';
  await query(
    em,
    `update deposit d set spent = $4 from ${given} where (d.network, d.tx_hash, d.ordinal) = ($1, o.hash, o.place)`,
    places,
  );
  await query(
    em,
    `update funding f set spent = $4 from ${given} where (f.network, f.tx_hash, f.ordinal) = ($1, o.hash, o.place)`,
    places,
  );
  await query(
    em,
    `update change_output c set spent = $4 from ${given} join transfer t on (t.network, t.tx_hash) = ($1, o.hash)
     where c.transfer_id = t.id and c.ordinal = o.place`,
    places,
  );
  if (spent)
    await query(
      em,
      'delete from spent_output where (network, sender_key, nonce) = ($1, $2, $3) and outpoint <> all($4)',
      [network, senderKey, nonce, outpoints],
    );
}

const indexOf = (outpoint: string): number => Number(outpoint.split(':')[1]);

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

/** All outputs spent by the transactions with one number. */
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
 * Reserves outputs for the transactions with one number. False if another number has one of them: the caller must then
 * roll back.
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

/** Whether a transaction of ours spends the change of this one. */
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

/**
 * Which of some transactions are ours, whether each is mined, and whether it can never be: it expired, or another with
 * its number was mined in a block no higher than `upTo`.
 */
export async function findOwnParents(
  em: EntityManager,
  network: string,
  txHashes: readonly string[],
  upTo: number,
): Promise<{ txHash: string; isMined: boolean; isGivenUp: boolean }[]> {
  return query(
    em,
    `select tx_hash as "txHash", status = 'CONFIRMED' as "isMined", status = 'EXPIRED' or status = 'REPLACED' and exists (
       select 1 from transfer r where (r.network, r.sender_key, r.nonce) = (t.network, t.sender_key, t.nonce)
         and r.status = 'CONFIRMED' and r.block_height <= $3) as "isGivenUp"
     from transfer t where network = $1 and tx_hash = any($2)`,
    [network, txHashes, upTo],
  );
}

/** Of some transactions, those that brought deposits and are off the chain, with what they spend. */
export async function findLostParents(
  em: EntityManager,
  network: string,
  txHashes: readonly string[],
): Promise<{ txHash: string; spends: string }[]> {
  return query(
    em,
    `select distinct tx_hash as "txHash", spends from deposit
     where network = $1 and tx_hash = any($2) and block_height is null and spends is not null`,
    [network, txHashes],
  );
}

/** The address that a payout goes to, as the merchant gave it. */
export async function readRecipient(em: EntityManager, payoutId: string): Promise<string> {
  const [row] = await query<{ address: string }>(em, 'select address from payout where id = $1', [payoutId]);
  if (!row) throw new Error(`There is no payout ${payoutId}`);
  return row.address;
}
