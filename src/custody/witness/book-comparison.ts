// Decides whether transactions of a network may be signed: only while the book has everything that was signed. Compares
// it with the journal after every start, and with our nonces in every round. For another copy of the database, or after
// its server restarts, it also waits for the watcher to reach the tip, and checks the mempool. If anything is missing,
// signing halts until the operator has recovered the book.

import type { ChainAdapter } from '../../chain/adapter.ts';
import { isStaleTip } from '../../chain/stale-tip.ts';
import type { EntityManager } from '../../database/connection.ts';
import { readCursor } from '../../database/queries/chain/chain-cursor.ts';
import { readSender } from '../../database/queries/payouts/nonces.ts';
import {
  compareHashes,
  countBlocksAbove,
  hasTransactions,
  holdRequested,
  mayBeOlder,
  readSigningState,
  recordComparison,
  releaseRequested,
  type Finding,
  type SigningState,
} from '../../database/queries/payouts/signing-state.ts';
import { recordCluster } from '../../domain/witness/cluster.ts';
import { inTransaction, type Deps } from '../../domain/deps.ts';
import { mayTransact } from '../../domain/payouts/signing-gate.ts';
import { halt, recoverCommand, witness } from '../../domain/witness/witness.ts';
import type { Network } from '../../values/assets.ts';
import { agreed } from '../transactions/finality.ts';
import { JournalDamaged, type Journal } from './journal.ts';

export interface Comparison {
  /** Compares again. If false, nothing may be signed or sent again in this round. */
  check(): Promise<boolean>;
  /** The result of the last check. */
  isClear(): boolean;
  /** Whether nothing waited to be signed, sent or finalised at the last check. */
  isAtRest(): boolean;
  /** Whether anything may be signed, within the database transaction that signs and until it ends. */
  maySign(em: EntityManager): Promise<boolean>;
}

export interface ComparisonOptions {
  readonly adapter: ChainAdapter;
  /** Null if none is kept; then only the chain is asked. */
  readonly journal: Journal | null;
  /** The keys of the addresses whose nonces are compared. */
  readonly nonceAddresses: readonly string[];
  /** Whether a book with payouts may lack a journal, as with test money. */
  readonly acceptsMissingJournal: boolean;
}

/** A comparison that is running. */
interface RunningComparison {
  readonly incarnation: string;
  /** The chain must be read up to this block. */
  readonly tip: { readonly height: number; readonly time: Date };
}

const LOG_AGAIN_AFTER_MS = 60_000;
/** How often the nodes are asked for our nonces while nothing waits. */
const NONCES_EVERY_MS = 1_000;

/** Creates the comparison of a network for one signer. */
export function createComparison(deps: Deps, options: ComparisonOptions): Comparison {
  const { adapter, journal } = options;
  const { network } = adapter;
  /** The incarnation of the database that this process found complete. */
  let completeUnder: string | null = null;
  let [isClear, isAtRest] = [false, false];
  let noncesReadAt = -Infinity;

  const halts = createHalts(deps, network);
  const bookCheck = createBookCheck(deps, options, halts);
  const tail = () => journal?.tail() ?? [];
  const isComplete = ({ incarnation, isHalted, known }: SigningState) =>
    incarnation !== null && incarnation === completeUnder && !isHalted && known === tail().length;

  async function readRecorded(): Promise<SigningState> {
    const state = await readSigningState(deps.db.em, network, tail());
    if (state.incarnation !== null) return state;
    await recordCluster(deps);
    return readSigningState(deps.db.em, network, tail());
  }

  async function check(): Promise<boolean> {
    const { em } = deps.db;
    const state = await readRecorded();
    const { incarnation } = state;
    ({ isAtRest } = state);
    if (state.isHalted) {
      completeUnder = null;
      bookCheck.reset();
      await holdRequested(em, network, deps.clock.now());
      halts.logHalt();
      return false;
    }
    // Another copy of the database has just taken over; the next check recognises it.
    if (incarnation === null) return false;
    if (!isComplete(state)) {
      completeUnder = null;
      if (!(await bookCheck.isBookComplete(incarnation, state.comparedUnder))) return false;
    }
    const areNoncesFresh = completeUnder !== null && isAtRest && performance.now() - noncesReadAt < NONCES_EVERY_MS;
    if (areNoncesFresh) return true;
    noncesReadAt = performance.now();
    const ahead = await findNoncesAhead(deps, options);
    if (ahead.length > 0) return halts.haltNetwork(ahead);
    if (completeUnder !== null) return true;
    await recordComparison(em, network, incarnation);
    await releaseRequested(em, network);
    deps.log.info({ network }, 'the book is complete: payouts are signed');
    completeUnder = incarnation;
    bookCheck.reset();
    return true;
  }

  return {
    check: async () => {
      isClear = false;
      isClear = await check();
      return isClear;
    },
    isClear: () => isClear,
    isAtRest: () => isAtRest,
    maySign: async (em) => (await mayTransact(em, network)) && isComplete(await readSigningState(em, network, tail())),
  };
}

type Halts = ReturnType<typeof createHalts>;

/** Halts the network, and logs why it does not sign. */
function createHalts(deps: Deps, network: Network) {
  let loggedAt = -Infinity;

  function warnStale(tipAt: Date): void {
    if (performance.now() - loggedAt < LOG_AGAIN_AFTER_MS) return;
    loggedAt = performance.now();
    deps.log.warn({ network, tipAt }, 'signing waits: the node is behind');
  }

  async function haltNetwork(findings: readonly Finding[]): Promise<false> {
    await inTransaction(deps, (em) => halt(em, network, findings, deps.clock.now()));
    logHalt(findings);
    return false;
  }

  function logHalt(findings?: readonly Finding[]): void {
    const now = performance.now();
    if (!findings && now - loggedAt < LOG_AGAIN_AFTER_MS) return;
    loggedAt = now;
    const fields = { network, ...(findings && { findings }), command: recoverCommand(network) };
    deps.log.error(fields, 'signing is halted: the book may be older than what was signed');
  }

  return { haltNetwork, logHalt, warnStale };
}

/** Compares the book with the journal, the chain and the mempool. */
function createBookCheck(deps: Deps, options: ComparisonOptions, halts: Halts) {
  const { adapter, journal } = options;
  const { network } = adapter;
  let running: RunningComparison | null = null;

  /** Whether the book was found complete; false if not, or if not yet known. */
  async function isBookComplete(incarnation: string, comparedUnder: string | null): Promise<boolean> {
    const isCompared = comparedUnder === incarnation;
    const isInDoubt = !isCompared && (await mayBeOlder(deps.db.em, network));
    if (running?.incarnation !== incarnation) {
      const tip = await adapter.tip();
      if (isInDoubt && isStale(tip)) return false;
      const findings = journal ? await compareJournal(deps, options, journal) : [];
      if (findings.length > 0) return halts.haltNetwork(findings);
      running = { incarnation, tip };
      if (!isCompared) deps.log.info({ network }, 'comparing the book with what was signed');
    }
    // This copy was found complete before, and what is signed since is always seen.
    if (isCompared) return true;
    const cursor = await readCursor(deps.db.em, network);
    if (!cursor || cursor.height < running.tip.height) return false;
    if (isInDoubt && !(await areEarlierExpired(deps.db.em, adapter, running.tip, cursor))) return false;
    return !(await hasUnknownInMempool());
  }

  /** Whether the node's tip is so old that it may lack what was signed since. */
  function isStale({ time }: RunningComparison['tip']): boolean {
    if (adapter.minesOnDemand) return false;
    const isOld = isStaleTip(network, time, deps.clock.now());
    if (isOld) halts.warnStale(time);
    return isOld;
  }

  /** Looks for unknown transactions in the mempool. The watcher may not have done so since this copy took over. */
  async function hasUnknownInMempool(): Promise<boolean> {
    const { transfers, signed } = await adapter.mempool();
    if (signed.length === 0) return false;
    const found = await inTransaction(deps, (em) => witness(deps, em, network, { signed, transfers, block: null }));
    return found.size > 0;
  }

  return {
    isBookComplete,
    reset: () => {
      running = null;
    },
  };
}

/**
 * Finds what the journal has and the book lacks. Tells the journal which are still open, since they may be sent again.
 */
async function compareJournal(
  { db: { em }, log }: Deps,
  { adapter: { network }, acceptsMissingJournal }: ComparisonOptions,
  journal: Journal,
): Promise<Finding[]> {
  if (!(await journal.exists())) {
    const isNew = !(await hasTransactions(em, network));
    if (!isNew && !acceptsMissingJournal) return [{ kind: 'JOURNAL_MISSING' }];
    if (!isNew) log.warn({ network }, "the signer's journal is missing: a new one is started");
    // From now on, a missing journal means that it was lost.
    await journal.append([]);
    return [];
  }
  let lines = 0;
  try {
    await journal.scan(async (some) => {
      const hashes = some.map(({ hash }) => hash);
      const { missing, open } = await compareHashes(em, network, hashes);
      lines += missing.length;
      journal.remember(open);
    });
  } catch (error) {
    if (error instanceof JournalDamaged) return [{ kind: 'JOURNAL_DAMAGED', reason: error.message }];
    throw error;
  }
  return lines > 0 ? [{ kind: 'JOURNAL_AHEAD', lines }] : [];
}

/**
 * Our wallets whose next nonce on the chain is beyond the book's. A single node is believed if it finds none; if it
 * finds any, a second node, where there is one, must confirm. Throws `ChainUnavailable` while they disagree.
 */
async function findNoncesAhead(deps: Deps, options: ComparisonOptions): Promise<Finding[]> {
  const found = await askNoncesAhead(deps, options, options.adapter);
  if (found.length === 0) return found;
  const addresses = await agreed(options.adapter, async (node) =>
    (await askNoncesAhead(deps, options, node)).map(({ address }) => address).sort(),
  );
  return found.filter(({ address }) => addresses.includes(address));
}

/** The book is read last, so that reading it cannot make it appear behind. */
async function askNoncesAhead(deps: Deps, { nonceAddresses }: ComparisonOptions, node: ChainAdapter) {
  if (node.model !== 'ACCOUNT' || !node.pendingNonces) return [];
  const nonces = await node.pendingNonces(nonceAddresses);
  const findings: Extract<Finding, { kind: 'NONCE_AHEAD' }>[] = [];
  for (const [address, chain] of nonces) {
    const book = await readSender(deps.db.em, node.network, address);
    if (book !== null && chain > book) findings.push({ kind: 'NONCE_AHEAD', address, book, chain });
  }
  return findings;
}

/** Whether transactions signed before the comparison began can no longer be mined, as far as the chain was read. */
async function areEarlierExpired(
  em: EntityManager,
  adapter: ChainAdapter,
  tip: RunningComparison['tip'],
  cursor: { readonly blockTime: Date },
): Promise<boolean> {
  const validity = adapter.model === 'ACCOUNT' ? adapter.validity : null;
  if (validity === null) return true;
  if ('ms' in validity) return cursor.blockTime.getTime() > tip.time.getTime() + validity.ms;
  return (await countBlocksAbove(em, adapter.network, tip.height)) > validity.blocks;
}
