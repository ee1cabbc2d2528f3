// Unknown transactions: signed with our keys, but missing from the book.

import { query, type EntityManager } from '../../connection.ts';

/** A payment within a transaction. Amount in base units. */
export interface MovedUnits {
  readonly ordinal: number;
  readonly addressKey: string;
  readonly currency: string;
  readonly amount: bigint;
}

/** A transaction signed by someone who has our keys. */
export interface UnknownTransaction {
  readonly txHash: string;
  /** Address keys, or the outputs that it spends. */
  readonly signers: readonly string[];
  readonly nonce: number | null;
  readonly transfers: readonly MovedUnits[];
  /** Null until it is mined. */
  readonly block: { readonly hash: string; readonly height: number } | null;
}

/** Of some keys, those of our wallets and of addresses that we gave out or may have given out. */
export async function findOwnKeys(
  em: EntityManager,
  { network, account }: { readonly network: string; readonly account: string },
  keys: readonly string[],
): Promise<Set<string>> {
  if (keys.length === 0) return new Set();
  const rows = await query<{ key: string }>(
    em,
    `select address_key as key from sender where network = $1 and address_key = any($3)
     union all select address_key from payment where derivation_account = $2 and address_key = any($3)
     union all select address_key from gap_address where account = $2 and address_key = any($3)`,
    [network, account, keys],
  );
  return new Set(rows.map(({ key }) => key));
}

/**
 * Of some outputs, those that are ours: deposits, funding of our wallets, our change, and what unknown transactions
 * paid to our wallets. Looked up by their transactions.
 */
export async function findOwnOutputs(
  em: EntityManager,
  network: string,
  outpoints: readonly string[],
): Promise<Set<string>> {
  if (outpoints.length === 0) return new Set();
  const parents = [...new Set(outpoints.map((outpoint) => outpoint.slice(0, outpoint.indexOf(':'))))];
  const rows = await query<{ outpoint: string }>(
    em,
    `select tx_hash || ':' || ordinal as outpoint from deposit where network = $1 and tx_hash = any($2)
     union all select tx_hash || ':' || ordinal from funding where network = $1 and tx_hash = any($2)
     union all select t.tx_hash || ':' || c.ordinal from transfer t join change_output c on c.transfer_id = t.id
       where t.network = $1 and t.tx_hash = any($2)
     union all select u.tx_hash || ':' || (o->>'ordinal') from unknown_transaction u, jsonb_array_elements(u.transfers) o
       where u.network = $1 and u.tx_hash = any($2)
         and exists (select 1 from sender s where s.network = $1 and s.address_key = o->>'addressKey')
     union all select outpoint from spent_output where network = $1 and outpoint = any($3)`,
    [network, parents, outpoints],
  );
  return new Set(rows.map(({ outpoint }) => outpoint));
}

/** The keys of our wallets on a network. */
export async function readWalletKeys(em: EntityManager, network: string): Promise<Set<string>> {
  const rows = await query<{ key: string }>(
    em,
    `select address_key as key from sender where network = $1 and role <> 'DEPOSIT'`,
    [network],
  );
  return new Set(rows.map(({ key }) => key));
}

/** Of some transactions, those that the book has. */
export async function findKnownTransactions(
  em: EntityManager,
  network: string,
  txHashes: readonly string[],
): Promise<Set<string>> {
  const rows = await query<{ hash: string }>(
    em,
    'select tx_hash as hash from transfer where network = $1 and tx_hash = any($2)',
    [network, txHashes],
  );
  return new Set(rows.map(({ hash }) => hash));
}

/** Records unknown transactions once each. One seen again, mined or in another block, is reopened. */
export async function insertUnknown(
  em: EntityManager,
  network: string,
  found: readonly UnknownTransaction[],
  now: Date,
): Promise<void> {
  for (const { txHash, signers, nonce, transfers, block } of found)
    await query(
      em,
      `insert into unknown_transaction as u
         (network, tx_hash, signers, nonce, transfers, block_height, block_hash, seen_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8)
       on conflict (network, tx_hash) do update set resolved_at = null, resolution = null,
         transfers = excluded.transfers, block_height = coalesce(excluded.block_height, u.block_height),
         block_hash = coalesce(excluded.block_hash, u.block_hash)`,
      [
        ...[network, txHash, signers, nonce],
        JSON.stringify(transfers.map((one) => ({ ...one, amount: one.amount.toString() }))),
        ...[block?.height ?? null, block?.hash ?? null, now],
      ],
    );
}

type UnknownRow = Omit<UnknownTransaction, 'transfers' | 'block' | 'nonce'> & {
  readonly nonce: string | null;
  readonly transfers: readonly (Omit<MovedUnits, 'amount'> & { readonly amount: string })[];
  readonly height: string | null;
  readonly hash: string | null;
};

/** Unknown transactions that are not explained yet, in block order. */
export async function readUnknown(em: EntityManager, network: string): Promise<UnknownTransaction[]> {
  const rows = await query<UnknownRow>(
    em,
    `select tx_hash as "txHash", signers, nonce::text, transfers, block_height::text as height, block_hash as hash
     from unknown_transaction where network = $1 and resolved_at is null
     order by block_height nulls last, nonce, tx_hash`,
    [network],
  );
  return rows.map(({ txHash, signers, nonce, transfers, height, hash }) => ({
    ...{ txHash, signers, nonce: nonce === null ? null : Number(nonce) },
    transfers: transfers.map((one) => ({ ...one, amount: BigInt(one.amount) })),
    block: height === null || hash === null ? null : { hash, height: Number(height) },
  }));
}

/** Records how an unknown transaction was resolved. */
export async function resolveUnknown(
  em: EntityManager,
  network: string,
  txHash: string,
  resolution: string,
  now: Date,
): Promise<void> {
  await query(
    em,
    `update unknown_transaction set resolved_at = $4, resolution = $3
     where (network, tx_hash) = ($1, $2) and resolved_at is null`,
    [network, txHash, resolution, now],
  );
}
