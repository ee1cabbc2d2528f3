// Reads from replicas (DATABASE_READ_URLS). A read asks the primary for its position first, and a replica answers if it
// has replayed that: so a caller sees what they, or anybody, did before, in whatever process, as on the primary.

import type { Logger } from 'pino';
import type { Database } from '../connection.ts';
import type { ReadReplicas, ReadSource } from '../read-source.ts';
import { hasSqlState } from '../sql-state.ts';
import { applicationNameOf } from '../program.ts';
import { createPositions, readPosition } from './wal-position.ts';
import type { Lag } from './place.ts';
import { openReplica, REFUSALS, type Refusal, type Replica } from './replica.ts';

export interface ReplicaFigures {
  /** Reads that a replica answered. */
  readonly read: number;
  /** Reads that the primary answered instead, by the reason. */
  readonly refused: ReadonlyMap<Refusal, number>;
  /** In the order of their URLs; null: it is not read from. */
  readonly lags: readonly (Lag | null)[];
}

export interface Replicas extends ReadReplicas {
  /** Looks at all replicas; a loop runs it. */
  readonly worker: { readonly name: string; processNext(): Promise<boolean> };
  figures(): ReplicaFigures;
  close(): Promise<void>;
}

interface ReplicasOptions {
  readonly urls: readonly string[];
  readonly poolMax: number;
  readonly pooled: boolean;
  readonly preparedStatements: boolean;
  readonly log: Logger;
}

/** The server is a standby itself: it has no position. */
const IN_RECOVERY = '55000';

/** Opens the replicas, and looks at each once. Those that are not there are used once they come. */
export async function openReplicas(db: Database, { urls, log, ...options }: ReplicasOptions): Promise<Replicas> {
  const applicationName = applicationNameOf(db.steps.length);
  const all = urls.map((url) => openReplica({ ...options, url, applicationName, primary: db }));
  const nextPosition = createPositions(() => readPosition(db.pool));
  const refused = new Map<Refusal, number>(REFUSALS.map((refusal) => [refusal, 0]));
  const known = new Map<Replica, string | null>();
  let answered = 0;
  let turn = 0;

  async function read<Result>(work: (source: ReadSource) => Promise<Result>): Promise<Result> {
    let refusal: Refusal = 'away';
    const ready = inOrder().filter((replica) => {
      const why = replica.refusal();
      if (why === 'behind') refusal = why;
      return why === null;
    });
    const position = ready.length === 0 ? null : await positionOf(nextPosition);
    for (const replica of position === null ? [] : ready) {
      const tried = await replica.attempt(position as NonNullable<typeof position>, work);
      if ('result' in tried) {
        answered += 1;
        return tried.result;
      }
      ({ refusal } = tried);
      if (refusal === 'conflict') break;
    }
    refused.set(refusal, (refused.get(refusal) ?? 0) + 1);
    return work(db);
  }

  /** The least busy first, and in turn if they are equally busy. */
  function inOrder(): Replica[] {
    turn = (turn + 1) % all.length;
    return [...all.slice(turn), ...all.slice(0, turn)].sort((one, other) => one.load() - other.load());
  }

  async function look(): Promise<void> {
    const position = await positionOf(nextPosition);
    if (position === null) return;
    for (const [replica, why] of await Promise.all(
      all.map(async (replica) => [replica, await replica.look(position)] as const),
    )) {
      if (known.get(replica) === why) continue;
      if (why !== null) log.warn({ replica: replica.name, reason: why }, 'a replica is not read from');
      else log.info({ replica: replica.name }, 'a replica is read from');
      known.set(replica, why);
    }
  }

  // A primary that is away at this moment is the start's matter, and not that of the replicas.
  await look().catch(() => undefined);
  return {
    read,
    worker: { name: 'look-at-replicas', processNext: () => look().then(() => false) },
    figures: () => ({ read: answered, refused, lags: all.map((one) => one.lag()) }),
    close: async () => void (await Promise.all(all.map((replica) => replica.close()))),
  };
}

/** The position; null if the server that counts as the primary is a standby, on which everything is read then. */
async function positionOf(next: ReturnType<typeof createPositions>) {
  try {
    return await next();
  } catch (error) {
    if (hasSqlState(error, IN_RECOVERY)) return null;
    throw error;
  }
}
