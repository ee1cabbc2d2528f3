// Recovers a book that is older than what was signed, and lets its network sign again. Every step can be repeated: a
// recovery that was interrupted is simply run again.

import { query, type EntityManager } from '../../database/connection.ts';
import { readCursor } from '../../database/queries/chain/chain-cursor.ts';
import { lockForFreezing, lockForRecovery } from '../../database/queries/payouts/obstacles.ts';
import {
  hasTransactions,
  readHalts,
  readRestoreHeight,
  recordRecovery,
  releaseRequested,
  removeHalt,
  type Halt,
} from '../../database/queries/payouts/signing-state.ts';
import { readUnknown } from '../../database/queries/chain/unknown-transactions.ts';
import { recordCluster } from '../../domain/witness/cluster.ts';
import { inTransaction, type Chain, type Deps } from '../../domain/deps.ts';
import { recordOperation } from '../../domain/operator/log.ts';
import { rereadAt, rereadBlocks } from '../../domain/payments/reread-blocks.ts';
import type { Journal } from '../witness/journal.ts';
import type { Signer } from '../keys/signer.ts';
import { openWallets } from '../keys/wallets.ts';
import { explainUnknown, type Explained } from './explain-transaction.ts';
import { rebuildFromJournal } from './rebuild-from-journal.ts';
import { findGap, watchGap } from './watch-gap.ts';

export interface RecoverOptions {
  readonly chain: Chain;
  readonly signer: Signer;
  readonly journal: Journal;
  /** False: reports what would be done, and does nothing. */
  readonly apply: boolean;
  /** Whether to recover without the journal that belongs to the book. */
  readonly acceptMissingJournal: boolean;
  readonly gap: number;
  readonly attached: ReadonlyMap<string, string>;
  /** The operator who recovers, and their note. */
  readonly operator: string;
  readonly note: string | null;
  readonly say: (line: string) => void;
}

/** The result: `halted` if something is left for the operator to decide. */
export type Recovered = 'recovered' | 'halted' | 'planned';

/** Thrown inside the database transaction to roll it back. */
const PLANNED = new Error('only looked at');

/**
 * Recovers a network's book. Throws `ChainUnavailable` when its node does not answer, `JournalDamaged` for a damaged
 * line.
 */
export async function recover(deps: Deps, options: RecoverOptions): Promise<Recovered> {
  const { chain, journal, apply, say } = options;
  const { network } = chain.adapter;
  await recordCluster(deps);
  const halt = (await readHalts(deps.db.em)).find((one) => one.network === network) ?? null;
  reportHalt(network, halt, say);
  if (!(await journal.exists())) {
    if (!options.acceptMissingJournal && (await hasTransactions(deps.db.em, network))) {
      say(
        'There is no journal here. Put it back beside the keystore; if it is lost for good, pass --accept-missing-journal',
      );
      return 'halted';
    }
    if (apply) await journal.append([]);
  }
  const height = await readRestoreHeight(deps.db.em, network);
  const first = await restoreAndExplain(deps, options);
  if (first === 'planned' || !apply) {
    await reportPlan(deps, options, height);
    return 'planned';
  }
  if (height !== null) await watchGapAndReread(deps, options, height);
  // Addresses in the gap are ours too, so there may be more of our signatures than before.
  const second = await explain(deps, options);
  const heights = [...first.explained, ...second.explained].flatMap(({ block }) => (block ? [block.height] : []));
  await rereadAt(deps, chain, heights);
  return finish(deps, options, height);
}

function reportHalt(network: string, halt: Halt | null, say: (line: string) => void): void {
  if (!halt) return say(`${network} is not halted`);
  say(`${network} is halted since ${halt.haltedAt.toISOString()}:`);
  for (const { kind, ...rest } of halt.findings)
    say(`  ${kind} ${Object.values(rest).map(String).join(' ')}`.trimEnd());
}

/** Restores the journal's lines and explains the unknown transactions that it lacks, in one database transaction. */
async function restoreAndExplain(deps: Deps, options: RecoverOptions): Promise<Explained | 'planned'> {
  const { chain, signer, journal, apply, say } = options;
  const { network } = chain.adapter;
  const wallets = await openWallets(signer, chain);
  try {
    return await inTransaction(deps, async (em) => {
      await lockNetwork(em, network, apply);
      const rebuilding = { deps, em, network, wallets, say };
      const { adapter, requiredConfirmations } = chain;
      say(`The journal's transactions that the book lacks:`);
      const lines = await rebuildFromJournal(rebuilding, journal);
      if (lines === 0) say('  none');
      say('Transactions signed with our keys that neither has:');
      const { attached } = options;
      const explained = await explainUnknown({ ...rebuilding, adapter, requiredConfirmations, attached });
      if (explained.reported === 0) say('  none');
      if (!apply) throw PLANNED;
      return explained;
    });
  } catch (error) {
    if (error === PLANNED) return 'planned';
    throw error;
  }
}

async function explain(deps: Deps, { chain, signer, attached, say }: RecoverOptions): Promise<Explained> {
  const wallets = await openWallets(signer, chain);
  const { adapter, requiredConfirmations } = chain;
  const { network } = adapter;
  return inTransaction(deps, async (em) => {
    await lockNetwork(em, network, true);
    return explainUnknown({ deps, em, network, wallets, say, adapter, requiredConfirmations, attached });
  });
}

/**
 * Locks out the network's watcher and signers unless nothing will be kept: the cursor first, in their order. Nodes are
 * asked meanwhile, so the transaction may be idle for as long as they take.
 */
async function lockNetwork(em: EntityManager, network: string, stays: boolean): Promise<void> {
  await query(em, 'set local idle_in_transaction_session_timeout = 0');
  if (!stays) return;
  await readCursor(em, network, true);
  await lockForRecovery(em, network);
}

async function reportPlan(deps: Deps, options: RecoverOptions, height: number | null): Promise<void> {
  const { chain, say } = options;
  if (height !== null) {
    const { adapter } = chain;
    const ranges = await findGap(deps.db.em, { ...options, adapter, height });
    const shown = ranges.map(({ first, end }) => `${String(first)} to ${String(end - 1)}`).join(' and ');
    const cursor = await readCursor(deps.db.em, adapter.network);
    say(`Addresses that lost orders may have: the indexes ${shown} are watched`);
    say(`Blocks ${String(height + 1)} to ${String(cursor?.height ?? height)} are read again`);
  }
  say('Nothing was done: add --apply to do it.');
}

async function watchGapAndReread(deps: Deps, options: RecoverOptions, height: number): Promise<void> {
  const { chain, signer, gap, say } = options;
  const { adapter } = chain;
  const gapOptions = { adapter, signer, gap, height };
  const ranges = await findGap(deps.db.em, gapOptions);
  await watchGap(deps, gapOptions, ranges);
  const watched = ranges.reduce((sum, { first, end }) => sum + end - first, 0);
  say(`${String(watched)} addresses that lost orders may have are watched`);
  let saidAt = performance.now();
  const count = await rereadBlocks(deps, chain, {
    above: height,
    onProgress: (at, upTo) => {
      if (performance.now() - saidAt < 5_000) return;
      saidAt = performance.now();
      say(`  block ${String(at)} of ${String(upTo)}`);
    },
  });
  say(`${String(count)} blocks were read again, from ${String(height + 1)} on`);
}

/** Lets the network sign again, unless something is left to be decided. */
async function finish(deps: Deps, options: RecoverOptions, height: number | null): Promise<Recovered> {
  const { chain, operator, note, say } = options;
  const { network } = chain.adapter;
  const left = await inTransaction(deps, async (em) => {
    // Unknown transactions found at this moment are either seen here or halt the network again.
    await lockForFreezing(em);
    const open = await readUnknown(em, network);
    if (open.length > 0) return open.length;
    await recordRecovery(em, network);
    if (!(await removeHalt(em, network)) && height === null) return 0;
    await releaseRequested(em, network);
    const details = { note, attached: Object.fromEntries(options.attached) };
    await recordOperation(em, { deps, name: operator }, { action: 'RECOVERED', target: network, details });
    return 0;
  });
  if (left > 0) {
    say(`${network} stays halted: ${String(left)} transactions are left to be explained`);
    return 'halted';
  }
  say(`${network} is recovered: it signs again once the signer has compared the book`);
  deps.signals.payouts(network);
  return 'recovered';
}
