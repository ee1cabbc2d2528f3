// What a chain shows: blocks, what moved in them, and what became of a transaction.

/** A point on a chain. The hash is what identifies it; the height only says where to look. */
export interface BlockRef {
  readonly hash: string;
  readonly height: number;
}

/** A block's head: `time` is what its producer wrote. */
export interface BlockHead extends BlockRef {
  readonly parentHash: string;
  readonly time: Date;
}

/** One movement of a supported asset to an address, found in a block or in the mempool. */
export interface Transfer {
  readonly txHash: string;
  /**
   * Position within the transaction, the same wherever the transaction is mined. On EVM networks 0 is the coin itself,
   * 1 + n its n-th log, 1,000,000 + n the n-th payment of the coin that contracts made while it ran; where money lies in
   * outputs, the output's index.
   */
  readonly ordinal: number;
  /** The receiving address in its canonical form (`ParsedAddress.key`). */
  readonly addressKey: string;
  readonly currency: string;
  /** Base units, greater than zero. */
  readonly amount: bigint;
  /**
   * What the transaction uses up, so that no other transaction that uses it can be mined beside it: on EVM networks
   * `<sender>:<nonce>`, lower case; where money lies in outputs, those outputs, comma-separated. Absent where the chain has no such thing, or the node does not say.
   */
  readonly spends?: string;
}

/** From this ordinal on, payments of the coin are those that contracts made while a transaction ran. */
export const CONTRACTS_FROM = 1_000_000;

/** Whose keys a transaction was signed with, whatever became of it. */
export interface Signed {
  readonly txHash: string;
  /** The addresses that signed, in canonical form; nobody where money lies in outputs. */
  readonly by: readonly string[];
  /** The outputs that are spent, where money lies in them. */
  readonly spent?: readonly string[];
  /** The nonce that it uses up of its first signer, where the chain counts them. */
  readonly nonce?: number;
}

/** A block with every transfer of supported assets in it, failed transactions left out. */
export interface ChainBlock extends BlockHead {
  readonly transfers: readonly Transfer[];
  /** Who signed its transactions, failed ones too; what the chain makes itself is left out. */
  readonly signed?: readonly Signed[];
}

/** What follows a cursor: the next block, nothing yet (`tip` is the cursor itself), or the news that the cursor left the chain. */
export type Next =
  | { readonly kind: 'block'; readonly block: ChainBlock; readonly tipHeight: number }
  | { readonly kind: 'tip'; readonly tip: BlockHead }
  | { readonly kind: 'reorganised' };

/** Where a transaction stands: unknown to the node, waiting, or in a block (with whether it succeeded). */
export type TxState =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'mempool' }
  | { readonly kind: 'mined'; readonly block: BlockRef; readonly succeeded: boolean };

/** What waits to be mined, as far as the node shows it. */
export interface Mempool {
  readonly transfers: readonly Transfer[];
  /** Who signed the transactions that the transfers are of; empty where nothing is told of them. */
  readonly signed: readonly Signed[];
}

/** What a log says that a token moved from one address to another; keys in canonical form, amount in base units. */
export interface Move {
  readonly currency: string;
  readonly from: string;
  readonly to: string;
  readonly amount: bigint;
}

/** What became of a mined transaction. */
export interface Receipt {
  readonly block: BlockRef;
  readonly succeeded: boolean;
  /** What the chain took, in base units of the coin. */
  readonly cost: bigint;
  /** The token transfers that it made, by its logs; the coin that it moved itself is not among them. */
  readonly paid: readonly Transfer[];
  /** The same with who paid them, where logs say so. Absent where balances say what arrived. */
  readonly moves?: readonly Move[];
}
