// Types and context shared by the modules that sign and send transactions.

import type { AccountAdapter } from '../chain/adapter.ts';
import type { EntityManager } from '../database/connection.ts';
import type { Chain, Deps } from '../domain/deps.ts';
import type { TransactionRow } from '../database/queries/payouts/transactions.ts';
import { assetOf, NETWORKS, type Asset } from '../values/assets.ts';
import type { HeldReason } from '../values/held-reasons.ts';
import { createComparison, type Comparison } from './witness/book-comparison.ts';
import type { Journal } from './witness/journal.ts';
import type { Signer } from './keys/signer.ts';
import type { Wallets } from './keys/wallets.ts';

/** What the sender does with the sandbox's chain. */
export interface TestChain {
  /** Durable. Does nothing if the chain already has the transaction. */
  sendRaw(signed: string): Promise<unknown>;
  mine(count: number): Promise<unknown>;
  /** Pays from the faucet. */
  deposit(request: { address: string; currency: string; amount: bigint; confirmations: number }): Promise<unknown>;
}

export interface SenderOptions {
  readonly chain: Chain;
  readonly signer: Signer;
  /** The sandbox's own chain. Transactions go through its journal, and blocks are mined until they are confirmed. */
  readonly devChain?: TestChain | undefined;
  /** After this long by the database's clock, an unmined transaction is replaced by one that offers more. */
  readonly stuckAfterMs?: number | undefined;
  /** Outputs are consolidated in quiet times while a virtual byte costs at most this; 0 or absent: never. */
  readonly consolidateBelow?: bigint | undefined;
  /** Signed transactions are recorded here before they are sent. */
  readonly journal?: Journal | undefined;
  /** Whether a book with payouts may lack a journal. */
  readonly acceptsMissingJournal?: boolean | undefined;
}

export interface Context extends SenderOptions {
  readonly deps: Deps;
  readonly wallets: Wallets;
  readonly coin: Asset;
  /** Whether the book is known to contain everything that was signed. */
  readonly comparison: Comparison;
  /** Logs a warning, at most once a minute per `about`: the loop runs four times a second. */
  warn(about: string, fields: object, message: string): void;
}

/** Context for chains on which money belongs to accounts. */
export interface AccountContext extends Context {
  readonly chain: Chain & { readonly adapter: AccountAdapter };
}

/** The result of one round of following our transactions. */
export interface Followed {
  readonly progressed: boolean;
  /** In no block yet; only the newest of those that share a nonce. */
  readonly unmined: readonly TransactionRow[];
  /** Transactions that the node refuses because their sender lacks the money. */
  readonly underfunded: readonly TransactionRow[];
  /** Blocks to mine until everything that the node has is final. */
  readonly blocksWanted: number;
}

/**
 * State of the money for a payout: something was signed for it, it is on its way, or the reason why it is unavailable.
 */
export type Funding = 'signed' | 'coming' | Extract<HeldReason, 'MISSING_FUNDS' | 'MISSING_GAS' | 'TOO_EXPENSIVE'>;

/**
 * The result of processing one payout: it is signed or has ended (`over`), something was done for it (`acted`), money
 * for it is on its way (`coming`), or the reason why it is held.
 */
export type LookResult = 'over' | 'acted' | 'coming' | HeldReason;

/** How payouts are paid on one kind of chain. Following a transaction to its end is the same everywhere. */
export interface Payer {
  /** Registers our wallets, so that the watcher books what is sent to them. */
  open(): Promise<void>;
  /** Signs a transaction for each payout that can be paid, oldest first. True if anything was done. */
  payDue(unmined: Unmined): Promise<boolean>;
  /** Maintenance while nothing waits. True if anything was done. */
  tidyUp(): Promise<boolean>;
  /** Funds senders that lost their money to a reorganisation. True if anything was done. */
  fundSenders(followed: Followed): Promise<boolean>;
  /** Whether an unmined transaction can never be mined any more. False in case of doubt. */
  isDead(row: TransactionRow): Promise<boolean>;
  /** Signs a replacement for a transaction that no block or node takes. False if that is impossible, now or ever. */
  replace(row: TransactionRow): Promise<boolean>;
  /** Keeps a failed transaction whose block left the chain from being mined again and taking effect. */
  retire(em: EntityManager, row: TransactionRow): Promise<void>;
  /**
   * Updates what depends on a transaction when it is final. Runs in the database transaction that records this, and
   * takes its locks last.
   */
  onFinal(em: EntityManager, row: TransactionRow, result: FinalResult): Promise<void>;
  /** Reverts that: the block left the chain. */
  onReopened(em: EntityManager, row: TransactionRow, result: FinalResult): Promise<void>;
}

/** How a mined transaction ended, what the chain charged, and what left its sender if it moved anything. */
export interface FinalResult {
  readonly status: 'CONFIRMED' | 'FAILED' | 'UNCLEAR';
  readonly cost: bigint;
  /** In base units of its currency: its amount, plus any fee that the token took on top. */
  readonly left: bigint;
}

/** Transactions that are in no block yet, including those signed in this round. */
export type Unmined = readonly TransactionRow[];

const SAY_AGAIN_AFTER_MS = 60_000;
const STUCK_AFTER_MS = 10 * 60_000;

/** How long an unmined transaction waits before it is replaced. */
export const stuckAfterMsOf = ({ stuckAfterMs = STUCK_AFTER_MS }: SenderOptions): number => stuckAfterMs;

/**
 * Whether a transaction has been overdue for replacement for as long again, because its payout may cost no more.
 * Nothing waits for the money that it moves.
 */
export function isStalled(ctx: AccountContext, { refusedAt, broadcastAt }: TransactionRow): boolean {
  const since = refusedAt ?? broadcastAt;
  if (since === null || !ctx.chain.adapter.replaceable) return false;
  return ctx.deps.clock.now().getTime() - since.getTime() >= 2 * stuckAfterMsOf(ctx);
}

export function createContext(deps: Deps, options: SenderOptions, wallets: Wallets): Context {
  const { journal = null, acceptsMissingJournal = false } = options;
  const { adapter } = options.chain;
  const { network } = adapter;
  const nonceAddresses = [wallets.hot.key, wallets.gas.key];
  const said = new Map<string, number>();
  return {
    ...options,
    deps,
    wallets,
    coin: assetOf({ currency: NETWORKS[network].coin, network }),
    comparison: createComparison(deps, { adapter, journal, nonceAddresses, acceptsMissingJournal }),
    warn: (about, fields, message) => {
      const now = performance.now();
      for (const [key, at] of said) if (now - at > SAY_AGAIN_AFTER_MS) said.delete(key);
      if (said.has(about)) return;
      said.set(about, now);
      deps.log.warn({ network, ...fields }, message);
    },
  };
}
