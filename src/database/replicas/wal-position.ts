// The primary's position in its write-ahead log, which a replica must have replayed before it answers a read.

import { setImmediate as endOfTurn } from 'node:timers/promises';
import type { Readable } from '../read-source.ts';

/** A position, and the run of the server that it is of. */
export interface WalPosition {
  /** In bytes since the log began. */
  readonly lsn: bigint;
  /** When that server was started, as the cluster's identity has it (queries/cluster-identity.ts). */
  readonly run: string;
}

/**
 * Every commit that was confirmed, or that anybody saw, is below the position that was written to disk. The run tells
 * this primary from the one before a failover, whose positions mean nothing here.
 */
const POSITION = {
  name: 'primary-position',
  text: `select (pg_current_wal_flush_lsn() - '0/0')::text as lsn,
    extract(epoch from pg_postmaster_start_time())::text as run`,
};

/** Reads the position now. Throws SQLSTATE 55000 if the server is itself a standby. */
export async function readPosition(primary: Readable): Promise<WalPosition> {
  const [row] = (await primary.query<{ lsn: string; run: string }>(POSITION)).rows;
  if (!row) throw new Error('The primary has no position');
  return { lsn: BigInt(row.lsn), run: row.run };
}

/**
 * Makes a function that reads the position at some time after it is called. One statement serves all calls that wait,
 * so that the primary is asked as often as it answers, however many read.
 */
export function createPositions(read: () => Promise<WalPosition>): () => Promise<WalPosition> {
  let current: Promise<unknown> = Promise.resolve();
  let next: Promise<WalPosition> | null = null;

  async function readNext(): Promise<WalPosition> {
    await current;
    await endOfTurn();
    next = null;
    const reading = read();
    current = reading.catch(() => undefined);
    return reading;
  }
  return () => (next ??= readNext());
}
