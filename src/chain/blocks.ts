// What is read from a chain, in the same form for all kinds: blocks, transfers, the mempool and transaction receipts.

/** A block's identity is its hash; the height only says where to look for it. */
export interface BlockRef {
  readonly hash: string;
  readonly height: number;
}

/** A block header. `time` is the producer's claim. */
export interface BlockHead extends BlockRef {
  readonly parentHash: string;
  readonly time: Date;
}

/** One payment of a supported asset to an address, in a block or in the mempool. */
export interface Transfer {
  readonly txHash: string;
  /**
   * The transfer's position in its transaction, the same in every block that includes it. On EVM networks: 0 is the
   * coin, 1 + n the n-th log, 1,000,000 + n the n-th coin payment made by contracts. On UTXO chains: the output's
   * index.
   */
  readonly ordinal: number;
  /** The receiving address in canonical form (`ParsedAddress.key`). */
  readonly addressKey: string;
  readonly currency: string;
  /** Base units, greater than zero. */
  readonly amount: bigint;
  /**
   * What only one mined transaction can use: `<sender>:<nonce>` in lower case on EVM networks, the comma-separated
   * spent outputs on UTXO chains. Two transactions with the same value conflict. Absent where the chain has no such
   * rule or the node does not say.
   */
  readonly spends?: string;
}

/** The first ordinal of coin payments made by contracts. */
export const CONTRACTS_FROM = 1_000_000;

/** Who signed a transaction, whether or not it succeeded. */
export interface Signed {
  readonly txHash: string;
  /** The signing addresses in canonical form; empty on UTXO chains. */
  readonly by: readonly string[];
  /** The spent outputs, on UTXO chains. */
  readonly spent?: readonly string[];
  /** The first signer's nonce, on chains with nonces. */
  readonly nonce?: number;
}

/** A block with all its transfers of supported assets. Failed transactions transfer nothing. */
export interface ChainBlock extends BlockHead {
  readonly transfers: readonly Transfer[];
  /** The signers of its transactions, including failed ones, but not of those that the chain itself makes. */
  readonly signed?: readonly Signed[];
}

/**
 * What follows a cursor: the next block, nothing yet (the cursor is the tip), or a reorganisation that removed the
 * cursor.
 */
export type Next =
  | { readonly kind: 'block'; readonly block: ChainBlock; readonly tipHeight: number }
  | { readonly kind: 'tip'; readonly tip: BlockHead }
  | { readonly kind: 'reorganised' };

/** A transaction's state: unknown to the node, waiting, or mined. */
export type TxState =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'mempool' }
  | { readonly kind: 'mined'; readonly block: BlockRef; readonly succeeded: boolean };

/** Waiting transactions, as far as the node shows them. */
export interface Mempool {
  readonly transfers: readonly Transfer[];
  /** The signers of the transactions with these transfers; empty if the node does not say. */
  readonly signed: readonly Signed[];
}

/** A token movement reported by a log; keys in canonical form, amount in base units. */
export interface Move {
  readonly currency: string;
  readonly from: string;
  readonly to: string;
  readonly amount: bigint;
}

/** The result of a mined transaction. */
export interface Receipt {
  readonly block: BlockRef;
  readonly succeeded: boolean;
  /** The network fee, in base units of the coin. */
  readonly cost: bigint;
  /** The token transfers it made, from its logs. A transfer of the coin is not included. */
  readonly paid: readonly Transfer[];
  /** The same with their senders. Absent where transfers are read from balances instead of logs. */
  readonly moves?: readonly Move[];
}
