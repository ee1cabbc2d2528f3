// `Source`: the interface of what a UTXO adapter reads from, a node's RPC or an Esplora server. Blocks and transactions
// are raw bytes, so that the adapter computes all hashes itself.

import type { BlockHead, BlockRef, TxState } from '../blocks.ts';

/** A block as the source sees it now. */
export interface BlockStatus {
  readonly head: BlockHead;
  readonly isCanonical: boolean;
  /** The canonical block after it; null at the tip, and for a block that is not canonical. */
  readonly nextHash: string | null;
  readonly tipHeight: number;
}

/** An output that no mined transaction has spent. */
export interface ChainOutput {
  /** Base units. */
  readonly amount: bigint;
  /** Including its own block. */
  readonly confirmations: number;
  /** Whether it pays a miner, and so has to mature before it can be spent. */
  readonly isCoinbase: boolean;
}

/** Every method throws `ChainUnavailable` if the source does not answer or its answer is implausible. */
export interface Source {
  /** Checks the source's requirements other than the chain; throws with the reason. */
  verify(): Promise<void>;
  /** Whether it is still syncing, so that its view of the chain is old. */
  isLoading(): Promise<boolean>;
  tip(): Promise<BlockHead>;
  /** The hash of the canonical block at a height; null above the tip. */
  hashAt(height: number): Promise<string | null>;
  /** Null for an unknown block. */
  blockStatus(hash: string): Promise<BlockStatus | null>;
  /** The block's raw bytes. */
  block(hash: string): Promise<Buffer>;
  /** The ids of all waiting transactions. */
  mempool(): Promise<readonly string[]>;
  /** The raw bytes of transactions, waiting or mined; unknown ones are left out. */
  transactions(txHashes: readonly string[]): Promise<ReadonlyMap<string, Buffer>>;
  txState(txHash: string): Promise<TxState>;
  /**
   * Those of the given outputs (`<transaction>:<index>`) that are unspent at the tip, ignoring the mempool; with `at`,
   * null if the tip is another block or changes meanwhile.
   */
  unspent(outpoints: readonly string[], at?: BlockRef): Promise<ReadonlyMap<string, ChainOutput> | null>;
  /** Fee rates per virtual byte: the estimate for a few blocks, and the least that is accepted. Null if not known. */
  feeRates(): Promise<{ readonly estimate: bigint | null; readonly least: bigint | null }>;
  /** `known` if the source already had it. Throws `TransactionRefused`. */
  broadcast(raw: string): Promise<'sent' | 'known'>;
}

/** Converts whole coins with at most eight decimals into base units; null if the text is not such an amount. */
export function unitsOf(text: string): bigint | null {
  const [, whole, fraction = ''] = /^(\d{1,10})(?:\.(\d{1,8}))?$/.exec(text) ?? [];
  return whole === undefined ? null : BigInt(whole) * 100_000_000n + BigInt(fraction.padEnd(8, '0'));
}

/** Splits `<transaction>:<index>`. */
export function readOutpoint(text: string): { txHash: string; index: number } {
  const [, txHash, digits] = /^([0-9a-f]{64}):(\d{1,10})$/.exec(text) ?? [];
  if (txHash === undefined) throw new Error(`${text} is not the name of an output`);
  return { txHash, index: Number(digits) };
}

/** Nodes word rejections differently, and their codes say less. A message that matches none stays unrecognised. */
const REJECTIONS: readonly (readonly [RegExp, 'NONCE' | 'FUNDS' | 'FEES' | 'REVERTED'])[] = [
  [/missing-?inputs|missingorspent|txn-mempool-conflict|replacement-adds-unconfirmed/i, 'FUNDS'],
  [/premature-spend/i, 'FUNDS'],
  [/insufficient fee|min relay fee not met|mempool min fee not met|insufficient priority/i, 'FEES'],
  [/\bdust\b|scriptpubkey|non-mandatory-script|mandatory-script-verify/i, 'REVERTED'],
];

/** Why a transaction was rejected, from the node's message; null if it is not recognised. */
export const rejectionIn = (message: string) => REJECTIONS.find(([wording]) => wording.test(message))?.[1] ?? null;

/** Whether the node's message says that it already has the transaction, waiting or mined. */
export const isAlreadyKnown = (message: string): boolean =>
  /already in (block ?chain|utxo set|mempool)|txn-already-(known|in-mempool)/i.test(message);
