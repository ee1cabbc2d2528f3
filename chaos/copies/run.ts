// Replaces the database by an older copy of itself, from its files or by promoting a replica that lagged. The gateway
// is killed after it has signed more, started on the copy, and recovered by `npm run recover`, as an operator would.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import { copyFiles, cutOffReplica, makeReplica, promoteReplica, restoreFiles } from '../../scripts/postgres-copies.ts';
import { createClient } from '../load/client.ts';
import { gatherCopyEvidence, type CopyEvidence } from './evidence.ts';
import { startLoad } from '../load/run.ts';
import type { LoadParts } from '../load/scenario.ts';
import { withdraw } from '../load/payouts.ts';
import { createNotes, type Notes, type Shop } from '../load/client-log.ts';
import type { Random } from '../load/random.ts';
import { waitUntil } from '../processes/wait.ts';
import { ALL_BUT_DISPATCHER, type System } from '../processes/environment.ts';

/** A way to replace the database by an older copy. */
interface Way {
  readonly words: string;
  /** Called while only the server runs, before the last payouts in the copy are requested. */
  readonly prepare: (system: System) => Promise<CopyMaker>;
}

interface CopyMaker {
  /** Makes the copy, with the gateway stopped. Everything committed afterwards is lost. */
  take(): Promise<void>;
  /** Kills the server in use with -9, and puts the copy in its place. */
  putInPlace(): Promise<void>;
}

const BY_FILES: Way = {
  words: 'the database is an older copy',
  prepare: async ({ database }) => {
    let copy = '';
    return {
      async take() {
        await database.pause();
        copy = await copyFiles(database.dataDir);
        await database.resume();
      },
      async putInPlace() {
        await database.crash();
        await restoreFiles(database.dataDir, copy);
        await database.resume();
      },
    };
  },
};

const REPLICA_WITHIN_MS = 30_000;
const SIGNED_WITHIN_MS = 30_000;

const BY_REPLICA: Way = {
  words: 'a replica that lagged is promoted',
  prepare: async (system) => {
    const primary = system.database;
    const dataDir = join(system.folder, 'replica');
    await mkdir(dataDir, { mode: 0o711 }); // PostgreSQL runs as another user if we are root.
    await primary.pause();
    const copy = await copyFiles(primary.dataDir);
    await primary.resume();
    await makeReplica(dataDir, copy, primary.url);
    const replica = await system.startServer(dataDir);
    const wait = (look: () => Promise<boolean>) =>
      waitUntil('the replica follows its primary', REPLICA_WITHIN_MS, async () => (await look()) || null);
    return {
      take: () => cutOffReplica(replica.rows, primary.rows, wait),
      async putInPlace() {
        await primary.crash();
        await promoteReplica(replica.rows);
        system.pointTo(replica);
      },
    };
  },
};

export const WAYS: readonly Way[] = [BY_FILES, BY_REPLICA];

export interface CopyParts {
  /** The payouts of the rounds and of earlier copies; those requested with this copy are added. */
  readonly payouts: Notes['payouts'];
  readonly shops: readonly Shop[];
  readonly random: Random;
  /** How long the load goes on after the copy is made. */
  readonly seconds: number;
}

/** Amounts of payouts requested apart from the load; each merchant has more from the rounds, or is refused. */
const WAITING = '0.3';
const LATE = '0.2';
const CURRENCIES = ['USDT', 'USDC', 'ETH'] as const;

/** Tries one way on a system at rest, and leaves it at rest. Throws `Violation` for anything already wrong. */
export async function playCopy(system: System, way: Way, known: CopyParts): Promise<CopyEvidence> {
  const leaving = new AbortController();
  const notes = createNotes();
  notes.shops.push(...known.shops.map((shop) => ({ ...shop, eventsRead: new Map(), publicEvents: [] })));
  const client = createClient(system.url, notes.calls, { leaving: leaving.signal });
  const parts = { client, notes, random: known.random, receiver: system.receiver.origin };

  await killAll(system);
  const copy = await way.prepare(system);
  await withoutSigner(system, () => withdrawFromEach(parts, WAITING));
  await copy.take();
  const signedBefore = await system.signatures();
  await startAll(system);
  const load = startLoad('money', parts);
  await rest(1_000 * known.seconds);
  // A copy that lacks nothing would prove nothing.
  await waitUntil(
    'something is signed after the copy',
    SIGNED_WITHIN_MS,
    async () => (await system.signatures()) > signedBefore || null,
  );
  await withdrawFromEach(parts, LATE);
  leaving.abort(new Error('the merchants are gone'));
  await killAll(system);
  await load.stop().catch((error: unknown) => {
    if (error !== leaving.signal.reason) throw error;
  });
  known.payouts.push(...notes.payouts);
  await copy.putInPlace();
  return gatherCopyEvidence(system, {
    payouts: known.payouts,
    lately: notes,
    signed: (await system.signatures()) - signedBefore,
    start: () => startAll(system),
  });
}

async function withoutSigner(system: System, work: () => Promise<void>): Promise<void> {
  system.giveCore('api,observer');
  await system.core.start();
  await work();
  await system.core.kill();
  system.giveCore(ALL_BUT_DISPATCHER);
}

/** Withdraws every currency from each merchant at once. */
async function withdrawFromEach(parts: LoadParts, amount: string): Promise<void> {
  const wishes = parts.notes.shops.flatMap((shop) => CURRENCIES.map((currency) => ({ shop, currency })));
  await Promise.all(wishes.map((wish) => withdraw(parts, { ...wish, amount, orderId: null })));
}

const startAll = async ({ core, dispatchers }: System) =>
  void (await Promise.all([core, ...dispatchers].map((program) => program.start())));

const killAll = async ({ core, dispatchers }: System) =>
  void (await Promise.all([core, ...dispatchers].map((program) => program.kill())));
