// Makes a book whole that is older than what was signed, and lets its network sign again. Each step can be taken once more:
// what is done is found done, so that a recovery that was ended half-way is simply run again.

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
} from '../../database/queries/payouts/signing.ts';
import { readUnknown } from '../../database/queries/chain/unknown-transactions.ts';
import { recordCluster } from '../../domain/witness/cluster.ts';
import { inTransaction, type Chain, type Deps } from '../../domain/deps.ts';
import { recordOperation } from '../../domain/operator/log.ts';
import { rereadAt, rereadBlocks } from '../../domain/payments/reread.ts';
import type { Journal } from '../witness/journal.ts';
import type { Signer } from '../keys/signer.ts';
import { openWallets } from '../keys/wallets.ts';
import { explainUnknown, type Explained } from './explain-unknown.ts';
import { rebuildLines } from './rebuild-lines.ts';
import { findGap, watchGap } from './watch-gap.ts';

export interface RecoverOptions {
  readonly chain: Chain;
  readonly signer: Signer;
  readonly journal: Journal;
  /** False: says what would be done, and does nothing. */
  readonly apply: boolean;
  /** Whether the book may be recovered without the journal that belongs to it. */
  readonly acceptMissingJournal: boolean;
  readonly gap: number;
  readonly attached: ReadonlyMap<string, string>;
  /** Who recovers, and what they have to say about it. */
  readonly operator: string;
  readonly note: string | null;
  readonly say: (line: string) => void;
}

/** What came of it: `halted` while something is left for the operator to decide. */
export type Recovered = 'recovered' | 'halted' | 'planned';

/** Thrown inside the transaction so that nothing of it stays. */
const PLANNED = new Error('only looked at');

/** Recovers a network's book. Throws `ChainUnavailable` when its node does not answer, `JournalDamaged` for a damaged line. */
export async function recover(deps: Deps, options: RecoverOptions): Promise<Recovered> {
  const { chain, journal, apply, say } = options;
  const { network } = chain.adapter;
  await recordCluster(deps);
  const halt = (await readHalts(deps.db.em)).find((one) => one.network === network) ?? null;
  tellHalt(network, halt, say);
  if (!(await journal.exists())) {
    if (!options.acceptMissingJournal && (await hasTransactions(deps.db.em, network))) {
      say(
        'There is no journal here. Bring it back from beside the keystore; if it is lost for good, say so: --accept-missing-journal',
      );
      return 'halted';
    }
    if (apply) await journal.append([]);
  }
  const height = await readRestoreHeight(deps.db.em, network);
  const first = await bringBack(deps, options);
  if (first === 'planned' || !apply) {
    await tellRest(deps, options, height);
    return 'planned';
  }
  if (height !== null) await readAgain(deps, options, height);
  // Addresses in the gap are ours too, and so there may be more signatures than before.
  const second = await explain(deps, options);
  const heights = [...first.explained, ...second.explained].flatMap(({ block }) => (block ? [block.height] : []));
  await rereadAt(deps, chain, heights);
  return finish(deps, options, height);
}

function tellHalt(network: string, halt: Halt | null, say: (line: string) => void): void {
  if (!halt) return say(`${network} is not halted`);
  say(`${network} is halted since ${halt.haltedAt.toISOString()}:`);
  for (const { kind, ...rest } of halt.findings)
    say(`  ${kind} ${Object.values(rest).map(String).join(' ')}`.trimEnd());
}

/** The journal's lines, and what it does not have of unknown transactions, in one transaction. */
async function bringBack(deps: Deps, options: RecoverOptions): Promise<Explained | 'planned'> {
  const { chain, signer, journal, apply, say } = options;
  const { network } = chain.adapter;
  const wallets = await openWallets(signer, chain);
  try {
    return await inTransaction(deps, async (em) => {
      await takeTurns(em, network, apply);
      const rebuilding = { deps, em, network, wallets, say };
      const { adapter, requiredConfirmations } = chain;
      say(`The journal's transactions that the book lacks:`);
      const lines = await rebuildLines(rebuilding, journal);
      if (lines === 0) say('  none');
      say('Transactions signed with our keys that neither has:');
      const { attached } = options;
      const explained = await explainUnknown({ ...rebuilding, adapter, requiredConfirmations, attached });
      if (explained.told === 0) say('  none');
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
    await takeTurns(em, network, true);
    return explainUnknown({ deps, em, network, wallets, say, adapter, requiredConfirmations, attached });
  });
}

/**
 * The network's watcher and signers wait, unless nothing stays of it: the cursor first, as they take it. Nodes are asked
 * meanwhile, for as long as they take.
 */
async function takeTurns(em: EntityManager, network: string, stays: boolean): Promise<void> {
  await query(em, 'set local idle_in_transaction_session_timeout = 0');
  if (!stays) return;
  await readCursor(em, network, true);
  await lockForRecovery(em, network);
}

async function tellRest(deps: Deps, options: RecoverOptions, height: number | null): Promise<void> {
  const { chain, say } = options;
  if (height !== null) {
    const { adapter } = chain;
    const stretches = await findGap(deps.db.em, { ...options, adapter, height });
    const shown = stretches.map(({ first, end }) => `${String(first)} to ${String(end - 1)}`).join(' and ');
    const cursor = await readCursor(deps.db.em, adapter.network);
    say(`Addresses that lost orders may have: the indexes ${shown} are watched`);
    say(`Blocks ${String(height + 1)} to ${String(cursor?.height ?? height)} are read again`);
  }
  say('Nothing was done: add --apply to do it.');
}

async function readAgain(deps: Deps, options: RecoverOptions, height: number): Promise<void> {
  const { chain, signer, gap, say } = options;
  const { adapter } = chain;
  const gapOptions = { adapter, signer, gap, height };
  const stretches = await findGap(deps.db.em, gapOptions);
  await watchGap(deps, gapOptions, stretches);
  const watched = stretches.reduce((sum, { first, end }) => sum + end - first, 0);
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
    // What is found at the moment is seen, or halts the network anew.
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
