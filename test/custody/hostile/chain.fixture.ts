// A chain of one kind as an adversary has it: its node lies, refuses and lags on command, its blocks are replaced, and
// recipients are whatever can be made of an address.

import type { ChainAdapter, ParsedAddress } from '../../../src/chain/adapter.ts';

/** What a recipient does when money comes. Kinds that a chain does not have are plain there. */
export const RECIPIENTS = ['plain', 'plain', 'plain', 'reverts', 'halts', 'loops', 'eatsGas'] as const;
export type RecipientKind = (typeof RECIPIENTS)[number];

/**
 * What the node does. `refuse`: it takes no transaction. `swallow`: it takes transactions and says that it does not.
 * `silent`: it answers nothing. `behind`: it answers for the block before its newest, where a node can.
 */
export const TROUBLES = ['refuse', 'swallow', 'silent', 'behind'] as const;
export type TroubleKind = (typeof TROUBLES)[number];

/**
 * What one of two nodes lies about; the other one is honest. `forgets`: it has none of our transactions, and says that
 * what they spend is spent. `reverts`: they moved nothing. `dear`: prices are a thousand times what they are. `final`:
 * all blocks are, and what is not mined never will be, because its time is over or its money spent. `counts`: nonces
 * are ahead.
 */
export const LIES = ['forgets', 'reverts', 'dear', 'final', 'counts'] as const;
export type Lie = (typeof LIES)[number];

export interface HostileChain {
  readonly kind: 'evm' | 'utxo' | 'tron' | 'solana';
  /** Over the node that meddles. */
  readonly adapter: ChainAdapter;
  /** Over the same node, and nothing meddles. */
  readonly honest: ChainAdapter;
  readonly confirmations: number;
  /** Orders are in these. */
  readonly currencies: readonly string[];
  /** An order is paid so much, in base units; payouts are parts of it. */
  readonly unit: ReadonlyMap<string, bigint>;
  /** What the operator gives the gas wallet; null where there is none. */
  readonly gas: { readonly currency: string; readonly amount: bigint } | null;
  /** So many blocks go by at a time. */
  readonly pace: number;
  /** The most blocks that a reorganisation replaces: never what is final. */
  readonly deepest: number;
  /** The time of the newest block. */
  time(): Promise<Date>;
  addressOf(seed: Uint8Array, index: number): Promise<ParsedAddress>;
  /** Pays from a faucet, by a transaction that waits for a block. */
  pay(to: string, currency: string, amount: bigint): Promise<void>;
  mine(blocks: number): Promise<void>;
  /** Time goes by on the chain, with hardly a block; absent where its clock stands still. */
  idle?(ms: number): void;
  /** Replaces the newest blocks; what the faucet paid in them does not come back. */
  reorganise(depth: number): Promise<void>;
  recipient(kind: RecipientKind): Promise<string>;
  /** What an address holds that only payouts pay to. The node is asked behind the proxy. */
  received(address: string, currency: string): Promise<bigint>;
  /** From now on; null: it is as it should be. */
  trouble(kind: TroubleKind | null): void;
  /**
   * The fee that the issuer takes on each transfer of the token, in basis points; without effect where there is none.
   */
  setTokenFee(basisPoints: number): Promise<void>;
  stop(): Promise<void>;
}
