// Holds the book against what was signed before anything more is signed: after every start of a signer, and whenever the
// database is another copy than before or its server was restarted. It goes on by itself once the book is found whole; what
// is found otherwise halts the network until its operator has recovered the book.

import type { ChainAdapter } from '../../chain/adapter.ts';
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
} from '../../database/queries/payouts/signing.ts';
import { recordCluster } from '../../domain/witness/cluster.ts';
import { inTransaction, type Deps } from '../../domain/deps.ts';
import { mayTransact } from '../../domain/payouts/signing-gate.ts';
import { halt, recoverCommand, witness } from '../../domain/witness/witness.ts';
import { NETWORKS } from '../../values/assets.ts';
import { agreed } from '../transactions/finality.ts';
import { JournalDamaged, type Journal } from './journal.ts';

export interface Comparison {
  /** Looks anew. False: in this round nothing may be signed, and nothing that was signed be sent again. */
  look(): Promise<boolean>;
  /** What the last look said. */
  isClear(): boolean;
  /** Whether at the last look nothing waited to be signed, sent or settled. */
  isAtRest(): boolean;
  /** Whether anything may be signed, in the transaction that signs, and until it ends. */
  maySign(em: EntityManager): Promise<boolean>;
}

export interface ComparisonOptions {
  readonly adapter: ChainAdapter;
  /** Null where none is kept: then the chain alone is asked. */
  readonly journal: Journal | null;
  /** The addresses whose nonces the book counts, by key. */
  readonly counted: readonly string[];
  /** Whether a book with payouts may come without a journal: where both are somebody's test money. */
  readonly acceptsMissingJournal: boolean;
}

/** A comparison under way. */
interface Begun {
  readonly incarnation: string;
  /** The chain must be read to here. */
  readonly tip: { readonly height: number; readonly time: Date };
}

const SAY_AGAIN_AFTER_MS = 60_000;
/** While nothing waits, the nodes are asked for our nonces so often and no oftener. */
const NONCES_EVERY_MS = 1_000;
/** A tip that is older than so many blocks take, but no younger than this, is not the chain's. */
const BEHIND = { blocks: 12, leastMs: 5 * 60_000 };

/** Makes the comparison of a network for one signer. */
export function createComparison(deps: Deps, options: ComparisonOptions): Comparison {
  const { adapter, journal } = options;
  const { network } = adapter;
  /** The name under which the book was found whole, by this process. */
  let clearUnder: string | null = null;
  let begun: Begun | null = null;
  let [isClear, isAtRest] = [false, false];
  let nonceAt = -Infinity;
  let saidAt = -Infinity;

  const tail = () => journal?.tail() ?? [];
  const isWhole = ({ incarnation, isHalted, known }: SigningState) =>
    incarnation !== null && incarnation === clearUnder && !isHalted && known === tail().length;

  async function readRecorded(): Promise<SigningState> {
    const state = await readSigningState(deps.db.em, network, tail());
    if (state.incarnation !== null) return state;
    await recordCluster(deps);
    return readSigningState(deps.db.em, network, tail());
  }

  async function look(): Promise<boolean> {
    const { em } = deps.db;
    const state = await readRecorded();
    const { incarnation } = state;
    ({ isAtRest } = state);
    if (state.isHalted) {
      [clearUnder, begun] = [null, null];
      await holdRequested(em, network, deps.clock.now());
      alarm();
      return false;
    }
    // Another copy took over that moment: it is known for one at the next look.
    if (incarnation === null) return false;
    if (!isWhole(state)) {
      clearUnder = null;
      if (!(await compare(incarnation, state.comparedUnder))) return false;
    }
    const isLookedAt = clearUnder !== null && isAtRest && performance.now() - nonceAt < NONCES_EVERY_MS;
    if (isLookedAt) return true;
    nonceAt = performance.now();
    const ahead = await findAhead(deps, options);
    if (ahead.length > 0) return stop(ahead);
    if (clearUnder !== null) return true;
    await recordComparison(em, network, incarnation);
    await releaseRequested(em, network);
    deps.log.info({ network }, 'the book is whole: payouts are signed');
    [clearUnder, begun] = [incarnation, null];
    return true;
  }

  /** Whether the book was found whole; false while that cannot be said yet, or when it is not. */
  async function compare(incarnation: string, comparedUnder: string | null): Promise<boolean> {
    const isCompared = comparedUnder === incarnation;
    const isInDoubt = !isCompared && (await mayBeOlder(deps.db.em, network));
    if (begun?.incarnation !== incarnation) {
      const tip = await adapter.tip();
      if (isInDoubt && isBehind(tip)) return false;
      const findings = journal ? await compareJournal(deps, options, journal) : [];
      if (findings.length > 0) return stop(findings);
      begun = { incarnation, tip };
      if (!isCompared) deps.log.info({ network }, 'the book is compared with what was signed');
    }
    // It was found whole as it is, and what is signed since is seen at all times.
    if (isCompared) return true;
    const cursor = await readCursor(deps.db.em, network);
    if (!cursor || cursor.height < begun.tip.height) return false;
    if (isInDoubt && !(await isPast(deps.db.em, adapter, begun.tip, cursor))) return false;
    return !(await isUnknownWaiting());
  }

  /** Whether the node is so far behind that it does not have what was signed since, perhaps. */
  function isBehind({ time }: Begun['tip']): boolean {
    if (adapter.minesOnDemand) return false;
    const ms = deps.clock.now().getTime() - time.getTime();
    const behind = ms > Math.max(BEHIND.leastMs, BEHIND.blocks * NETWORKS[network].blockTimeMs);
    if (behind && performance.now() - saidAt >= SAY_AGAIN_AFTER_MS) {
      saidAt = performance.now();
      deps.log.warn({ network, tipAt: time }, 'signing waits for a node that is not behind');
    }
    return behind;
  }

  /** The watcher looks at what waits to be mined too, but may not have looked since the book became what it is. */
  async function isUnknownWaiting(): Promise<boolean> {
    const { transfers, signed } = await adapter.mempool();
    if (signed.length === 0) return false;
    const found = await inTransaction(deps, (em) => witness(deps, em, network, { signed, transfers, block: null }));
    return found.size > 0;
  }

  async function stop(findings: readonly Finding[]): Promise<false> {
    await inTransaction(deps, (em) => halt(em, network, findings, deps.clock.now()));
    alarm(findings);
    return false;
  }

  function alarm(findings?: readonly Finding[]): void {
    const now = performance.now();
    if (!findings && now - saidAt < SAY_AGAIN_AFTER_MS) return;
    saidAt = now;
    const fields = { network, ...(findings && { findings }), command: recoverCommand(network) };
    deps.log.error(fields, 'signing is halted: the book may be older than what was signed');
  }

  return {
    look: async () => {
      isClear = false;
      isClear = await look();
      return isClear;
    },
    isClear: () => isClear,
    isAtRest: () => isAtRest,
    maySign: async (em) => (await mayTransact(em, network)) && isWhole(await readSigningState(em, network, tail())),
  };
}

/** What the journal has and the book lacks. What may still be sent again is noted as written down. */
async function compareJournal(
  { db: { em }, log }: Deps,
  { adapter: { network }, acceptsMissingJournal }: ComparisonOptions,
  journal: Journal,
): Promise<Finding[]> {
  if (!(await journal.exists())) {
    const isNew = !(await hasTransactions(em, network));
    if (!isNew && !acceptsMissingJournal) return [{ kind: 'JOURNAL_MISSING' }];
    if (!isNew) log.warn({ network }, "there is no signer's journal, and a new one is begun");
    // From now on one that is not there was lost.
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
 * Wallets of ours whose next nonce is beyond the book's: by one node's word none is, by that of two, where there are two,
 * some are. Throws `ChainUnavailable` while the nodes do not say the same.
 */
async function findAhead(deps: Deps, options: ComparisonOptions): Promise<Finding[]> {
  const found = await askAhead(deps, options, options.adapter);
  if (found.length === 0) return found;
  const addresses = await agreed(options.adapter, async (node) =>
    (await askAhead(deps, options, node)).map(({ address }) => address).sort(),
  );
  return found.filter(({ address }) => addresses.includes(address));
}

/** The book is read last: it is never behind by itself. */
async function askAhead(deps: Deps, { counted }: ComparisonOptions, node: ChainAdapter) {
  if (node.model !== 'ACCOUNT' || !node.pendingNonces) return [];
  const nonces = await node.pendingNonces(counted);
  const findings: Extract<Finding, { kind: 'NONCE_AHEAD' }>[] = [];
  for (const [address, chain] of nonces) {
    const book = await readSender(deps.db.em, node.network, address);
    if (book !== null && chain > book) findings.push({ kind: 'NONCE_AHEAD', address, book, chain });
  }
  return findings;
}

/** Whether no block can take any more what was signed before the comparison began, as far as the chain was read. */
async function isPast(
  em: EntityManager,
  adapter: ChainAdapter,
  tip: Begun['tip'],
  cursor: { readonly blockTime: Date },
): Promise<boolean> {
  const validity = adapter.model === 'ACCOUNT' ? adapter.validity : null;
  if (validity === null) return true;
  if ('ms' in validity) return cursor.blockTime.getTime() > tip.time.getTime() + validity.ms;
  return (await countBlocksAbove(em, adapter.network, tip.height)) > validity.blocks;
}
