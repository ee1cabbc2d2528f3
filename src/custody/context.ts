// What the parts of the transfer sender share.

import type { AccountAdapter } from '../chain/adapter.ts';
import type { EntityManager } from '../database/connection.ts';
import type { Chain, Deps } from '../domain/deps.ts';
import type { TransferRow } from '../database/queries/payouts/transactions.ts';
import { assetOf, NETWORKS, type Asset } from '../values/assets.ts';
import type { HeldReason } from '../values/held-reasons.ts';
import { createComparison, type Comparison } from './witness/compare.ts';
import type { Journal } from './witness/journal.ts';
import type { Signer } from './keys/signer.ts';
import type { Wallets } from './keys/wallets.ts';

/** The sandbox's chain as far as the sender acts on it. */
export interface TestChain {
  /** Durable; one that the chain has already is left alone. */
  sendRaw(signed: string): Promise<unknown>;
  mine(count: number): Promise<unknown>;
  /** Pays from the faucet. */
  deposit(request: { address: string; currency: string; amount: bigint; confirmations: number }): Promise<unknown>;
}

export interface SenderOptions {
  readonly chain: Chain;
  readonly signer: Signer;
  /** The sandbox's own chain: transactions are sent through its journal, and it is mined until they are confirmed. */
  readonly devChain?: TestChain | undefined;
  /** By the database's clock; after that a transaction that no block took is replaced by one that offers more. */
  readonly stuckAfterMs?: number | undefined;
  /** Up to this price of a virtual byte outputs are brought together in quiet times; 0 or absent: never. */
  readonly consolidateBelow?: bigint | undefined;
  /** Where what is signed is written down before it is sent. */
  readonly journal?: Journal | undefined;
  /** Whether a book with payouts may come without a journal. */
  readonly acceptsMissingJournal?: boolean | undefined;
}

export interface Context extends SenderOptions {
  readonly deps: Deps;
  readonly wallets: Wallets;
  readonly coin: Asset;
  /** Whether the book is known to be as new as what was signed. */
  readonly comparison: Comparison;
  /** Logs a warning, the same one once a minute at most: the loop comes by four times a second. */
  warn(about: string, fields: object, message: string): void;
}

/** The context of a sender whose money belongs to accounts. */
export interface AccountContext extends Context {
  readonly chain: Chain & { readonly adapter: AccountAdapter };
}

/** What one round of following our transactions found. */
export interface Followed {
  readonly progressed: boolean;
  /** No block has them; of those with one nonce only the newest. */
  readonly unmined: readonly TransferRow[];
  /** Senders whose transactions the node refuses because the money is not there. */
  readonly short: readonly TransferRow[];
  /** How many blocks would make final what the node has. */
  readonly blocksWanted: number;
}

/** How far the money for a payout is: something was signed for it, or it is on its way, or why it is not to be had. */
export type Funding = 'signed' | 'coming' | Extract<HeldReason, 'MISSING_FUNDS' | 'MISSING_GAS' | 'TOO_EXPENSIVE'>;

/**
 * What one look at a payout came to: it is signed or has ended (`over`), something was done for it (`acted`) or is on its
 * way (`coming`), or it is held.
 */
export type Look = 'over' | 'acted' | 'coming' | HeldReason;

/** What differs between chains in how they are paid on; following a transaction to its end is the same everywhere. */
export interface Payer {
  /** Makes our wallets known, so that the watcher books what is sent to them. */
  open(): Promise<void>;
  /** Signs a transaction for each payout that can be paid, oldest first; says whether anything was done. */
  payDue(unmined: Unmined): Promise<boolean>;
  /** What is done while nothing waits; says whether anything was. */
  tidyUp(): Promise<boolean>;
  /** Helps out senders whose money left them by a reorganisation; says whether anything was done. */
  helpShort(followed: Followed): Promise<boolean>;
  /** Whether a transaction that no block has can be in none any more; never true in doubt. */
  isDead(row: TransferRow): Promise<boolean>;
  /** Signs another in the place of a transaction that no block or node takes; false where that cannot be, or not now. */
  replace(row: TransferRow): Promise<boolean>;
  /** Sees to it that a transaction which moved nothing and lost its block is not carried out after all. */
  retire(em: EntityManager, row: TransferRow): Promise<void>;
  /** Keeps what depends on a transaction's end; the last that is locked in the transaction that settles it. */
  settled(em: EntityManager, row: TransferRow, end: Settlement): Promise<void>;
  /** Takes that back: its block left the chain. */
  unsettled(em: EntityManager, row: TransferRow, end: Settlement): Promise<void>;
}

/** How a mined transaction ended, what the chain took for it, and what left its sender where it moved anything. */
export interface Settlement {
  readonly status: 'CONFIRMED' | 'FAILED' | 'UNCLEAR';
  readonly cost: bigint;
  /** Base units of its currency: its amount, unless the token took a fee on top. */
  readonly left: bigint;
}

/** Transactions that no block has yet, as of this round; those signed in it are added. */
export type Unmined = readonly TransferRow[];

const SAY_AGAIN_AFTER_MS = 60_000;
const STUCK_AFTER_MS = 10 * 60_000;

/** After so long a transaction that no block took is replaced. */
export const stuckAfterMsOf = ({ stuckAfterMs = STUCK_AFTER_MS }: SenderOptions): number => stuckAfterMs;

/**
 * Whether a transaction was due to be replaced for as long again and was not, because its payout may cost no more. Nobody
 * waits for what it moves.
 */
export function isStalled(ctx: AccountContext, { refusedAt, broadcastAt }: TransferRow): boolean {
  const since = refusedAt ?? broadcastAt;
  if (since === null || !ctx.chain.adapter.replaceable) return false;
  return ctx.deps.clock.now().getTime() - since.getTime() >= 2 * stuckAfterMsOf(ctx);
}

export function createContext(deps: Deps, options: SenderOptions, wallets: Wallets): Context {
  const { journal = null, acceptsMissingJournal = false } = options;
  const { adapter } = options.chain;
  const { network } = adapter;
  const counted = [wallets.hot.key, wallets.gas.key];
  const said = new Map<string, number>();
  return {
    ...options,
    deps,
    wallets,
    coin: assetOf({ currency: NETWORKS[network].coin, network }),
    comparison: createComparison(deps, { adapter, journal, counted, acceptsMissingJournal }),
    warn: (about, fields, message) => {
      const now = performance.now();
      for (const [key, at] of said) if (now - at > SAY_AGAIN_AFTER_MS) said.delete(key);
      if (said.has(about)) return;
      said.set(about, now);
      deps.log.warn({ network, ...fields }, message);
    },
  };
}
