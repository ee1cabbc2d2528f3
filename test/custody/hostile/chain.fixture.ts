// The interface of a hostile test chain: its node lies, refuses and lags on command, its blocks are replaced, and
// recipients are of every kind an address allows.

import type { ChainAdapter, ParsedAddress } from '../../../src/chain/adapter.ts';

/** What a recipient does when money comes. On a chain without such a kind it is a plain one. */
export const RECIPIENTS = ['plain', 'plain', 'plain', 'reverts', 'halts', 'loops', 'eatsGas'] as const;
export type RecipientKind = (typeof RECIPIENTS)[number];

/**
 * What the node does. `refuse`: it accepts no transaction. `swallow`: it accepts transactions but says that it does
 * not. `silent`: it answers nothing. `behind`: it answers for the block before its newest, where a node can.
 */
export const TROUBLES = ['refuse', 'swallow', 'silent', 'behind'] as const;
export type TroubleKind = (typeof TROUBLES)[number];

/**
 * What one of two nodes lies about; the other one is honest. `forgets`: it has none of our transactions, and says that
 * what they spend is spent. `reverts`: they moved nothing. `expensive`: prices are a thousand times higher. `final`:
 * all blocks are final, and what is not mined never will be, because it expired or its money is spent. `counts`: nonces
 * are ahead.
 */
export const LIES = ['forgets', 'reverts', 'expensive', 'final', 'counts'] as const;
export type Lie = (typeof LIES)[number];

export interface HostileChain {
  readonly kind: 'evm' | 'utxo' | 'tron' | 'solana';
  /** An adapter through the node that meddles. */
  readonly adapter: ChainAdapter;
  /** An adapter on the same node without the meddling. */
  readonly honest: ChainAdapter;
  readonly confirmations: number;
  /** The currencies of orders. */
  readonly currencies: readonly string[];
  /** What an order is paid, in base units; payouts are fractions of it. */
  readonly unit: ReadonlyMap<string, bigint>;
  /** What the operator gives the gas wallet; null if there is no gas wallet. */
  readonly gas: { readonly currency: string; readonly amount: bigint } | null;
  /** How many blocks are mined at a time. */
  readonly pace: number;
  /** The most blocks that a reorganisation replaces: never final ones. */
  readonly deepest: number;
  /** The time of the newest block. */
  time(): Promise<Date>;
  addressOf(seed: Uint8Array, index: number): Promise<ParsedAddress>;
  /** Pays from a faucet; the transaction waits for a block. */
  pay(to: string, currency: string, amount: bigint): Promise<void>;
  mine(blocks: number): Promise<void>;
  /** Lets time pass on the chain, with hardly a block; absent where its clock stands still. */
  idle?(ms: number): void;
  /** Replaces the newest blocks; the faucet's payments in them do not come back. */
  reorganise(depth: number): Promise<void>;
  recipient(kind: RecipientKind): Promise<string>;
  /** What an address that only payouts pay to holds, asked past the proxy. */
  received(address: string, currency: string): Promise<bigint>;
  /** What the node does from now on; null for normal behaviour. */
  trouble(kind: TroubleKind | null): void;
  /**
   * The fee that the issuer takes on each transfer of the token, in basis points; no effect where there is no token.
   */
  setTokenFee(basisPoints: number): Promise<void>;
  stop(): Promise<void>;
}
