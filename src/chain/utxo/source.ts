// Where the adapter reads from: what a node of one's own (Bitcoin Core's RPC) and an Esplora server have in common.
// Blocks and transactions come as bytes; the adapter parses them and computes their hashes itself.

import type { BlockHead, BlockRef, TxState } from '../blocks.ts';

/** A block as the source sees it now. */
export interface BlockStatus {
  readonly head: BlockHead;
  readonly isCanonical: boolean;
  /** The canonical block after it; null at the tip, and off the canonical chain. */
  readonly nextHash: string | null;
  /** The tip's height at that moment. */
  readonly tipHeight: number;
}

/** An output that no transaction in a block has spent. */
export interface ChainOutput {
  /** Base units. */
  readonly amount: bigint;
  /** How many blocks are on it, its own counted. */
  readonly confirmations: number;
  /** Whether it was made for a miner, and has to ripen. */
  readonly isCoinbase: boolean;
}

/** Every method throws `ChainUnavailable` when the source does not answer, or answers what cannot be. */
export interface Source {
  /** Checks what is needed of the source besides the right chain; throws with the reason. */
  verify(): Promise<void>;
  /** Whether it is still far from the tip, so that what it says of the chain's state is old. */
  isLoading(): Promise<boolean>;
  tip(): Promise<BlockHead>;
  /** The canonical block's hash at a height; null above the tip. */
  hashAt(height: number): Promise<string | null>;
  /** Null for a block that the source does not have. */
  blockStatus(hash: string): Promise<BlockStatus | null>;
  /** A block's bytes. */
  block(hash: string): Promise<Buffer>;
  /** The ids of all transactions that wait to be mined. */
  mempool(): Promise<readonly string[]>;
  /** The bytes of transactions, waiting or mined; those that the source does not have are left out. */
  transactions(txHashes: readonly string[]): Promise<ReadonlyMap<string, Buffer>>;
  txState(txHash: string): Promise<TxState>;
  /**
   * Those of some outputs (`<transaction>:<index>`) that are in the chain's state, what waits to be mined left out of
   * account; with `at`, null when the tip is another block, or changed meanwhile.
   */
  unspent(outpoints: readonly string[], at?: BlockRef): Promise<ReadonlyMap<string, ChainOutput> | null>;
  /**
   * What to offer to be mined within a few blocks, and the least that is taken, per virtual byte; null where it is not
   * known.
   */
  feeRates(): Promise<{ readonly estimate: bigint | null; readonly least: bigint | null }>;
  /** `known` when it had it. Throws `TransactionRefused`. */
  broadcast(raw: string): Promise<'sent' | 'known'>;
}

/** Reads an amount of whole coins, written with at most eight decimals, into base units; null when it is not one. */
export function unitsOf(text: string): bigint | null {
  const [, whole, fraction = ''] = /^(\d{1,10})(?:\.(\d{1,8}))?$/.exec(text) ?? [];
  return whole === undefined ? null : BigInt(whole) * 100_000_000n + BigInt(fraction.padEnd(8, '0'));
}

/** Splits `<transaction>:<index>`. */
export function readOutpoint(text: string): { txHash: string; index: number } {
  const [, txHash, digits] = /^([0-9a-f]{64}):(\d{1,10})$/.exec(text) ?? [];
  if (txHash === undefined) throw new Error(`${text} is no output of a transaction`);
  return { txHash, index: Number(digits) };
}

/** Nodes differ in wording, and the codes say less. What none of these matches stays an unknown answer. */
const REJECTIONS: readonly (readonly [RegExp, 'NONCE' | 'FUNDS' | 'FEES' | 'REVERTED'])[] = [
  [/missing-?inputs|missingorspent|txn-mempool-conflict|replacement-adds-unconfirmed/i, 'FUNDS'],
  [/premature-spend/i, 'FUNDS'],
  [/insufficient fee|min relay fee not met|mempool min fee not met|insufficient priority/i, 'FEES'],
  [/\bdust\b|scriptpubkey|non-mandatory-script|mandatory-script-verify/i, 'REVERTED'],
];

/** Why a transaction was refused, by the node's words; null when they do not say. */
export const rejectionIn = (message: string) => REJECTIONS.find(([wording]) => wording.test(message))?.[1] ?? null;

/** Whether the node's words say that it has the transaction already, waiting or mined. */
export const isAlreadyKnown = (message: string): boolean =>
  /already in (block ?chain|utxo set|mempool)|txn-already-(known|in-mempool)/i.test(message);
