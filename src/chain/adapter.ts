// What the gateway needs to know of any chain: public knowledge only, no secret, no network by name.

import type { Network } from '../values/assets.ts';

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
  /** Position within the transaction, the same wherever the transaction is mined: 0 is the coin itself, 1 + n its n-th log. */
  readonly ordinal: number;
  /** The receiving address in its canonical form (`ParsedAddress.key`). */
  readonly addressKey: string;
  readonly currency: string;
  /** Base units, greater than zero. */
  readonly amount: bigint;
}

/** A block with every transfer of supported assets in it, failed transactions left out. */
export interface ChainBlock extends BlockHead {
  readonly transfers: readonly Transfer[];
}

/** What follows a cursor: the next block, nothing yet (`tip` is the cursor itself), or the news that the cursor left the chain. */
export type Next =
  | { readonly kind: 'block'; readonly block: ChainBlock; readonly tipHeight: number }
  | { readonly kind: 'tip'; readonly tip: BlockHead }
  | { readonly kind: 'reorganised' };

/** An address as customers see it (`address`, e.g. EIP-55) and as rows are found by it (`key`, e.g. lower case). */
export interface ParsedAddress {
  readonly address: string;
  readonly key: string;
}

/** Where a transaction stands: unknown to the node, waiting, or in a block (with whether it succeeded). */
export type TxState =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'mempool' }
  | { readonly kind: 'mined'; readonly block: BlockRef; readonly succeeded: boolean };

/** The one interface behind which every network stands. Any method that asks the node may throw `ChainUnavailable`. */
export interface ChainAdapter {
  readonly network: Network;
  /** Currencies this deployment can take on the network, each with its contract (null for the coin). */
  readonly contracts: ReadonlyMap<string, string | null>;
  /** True on a development chain that mines on demand: its tip's block time stands still while nothing happens. */
  readonly minesOnDemand: boolean;

  /** The receiving address at `index` below an account-level extended public key (BIP-44 external chain, `0/index`). */
  derive(xpub: string, index: number): ParsedAddress;
  /** Reads an address as a person writes it; null when it is not one, a bad checksum included. */
  parseAddress(text: string): ParsedAddress | null;
  /** A payment URI for wallets, e.g. EIP-681. `amount` in base units. */
  paymentUri(request: { address: string; currency: string; amount: bigint }): string;

  /** Checks that the node is reachable and on the right chain; throws with the reason. */
  verify(): Promise<void>;
  tip(): Promise<BlockHead>;
  /** The head at a height on the canonical chain, null above the tip. */
  headAt(height: number): Promise<BlockHead | null>;
  /** The block after the cursor, by parent hash. */
  next(cursor: BlockRef): Promise<Next>;
  isCanonical(ref: BlockRef): Promise<boolean>;
  /** Transfers in transactions that are not mined yet, as far as the node shows them. */
  mempool(): Promise<readonly Transfer[]>;
  txState(txHash: string): Promise<TxState>;
}

/** The node did not answer, or answered with an error: the state of things is unknown, to be asked again. */
export class ChainUnavailable extends Error {
  constructor(
    readonly network: Network,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(`${network}: ${message}`, options);
    this.name = 'ChainUnavailable';
  }
}
