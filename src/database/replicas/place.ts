// Where a replica is, and whose it is: what it has replayed, of which run of which primary.

import { setTimeout as rest } from 'node:timers/promises';
import type { Readable } from '../read-source.ts';
import type { WalPosition } from './wal-position.ts';

/** A replica that takes longer to say where it is, or to connect, is away. */
export const ANSWER_WITHIN_MS = 1_000;

/** How long a read waits for a replica that is a little behind. */
const BEHIND_AT_MOST_MS = 50;
const LOOK_AGAIN_MS = 2;

/** One statement, so that the server that says where it is says whose replica it is, too. */
const PLACE = `pg_is_in_recovery() as "isStandby",
    (coalesce(pg_last_wal_replay_lsn(), '0/0') - '0/0')::text as lsn`;
const OF_CONNECTION = {
  name: 'replica-place',
  text: `select ${PLACE}, (select server_run from cluster_identity) as run`,
};

/**
 * A timeline later than the primary's is of a server that was once promoted, whatever it says of itself now. The row of
 * the identity was written on the primary, so it has the primary's timeline.
 */
const LOOK = `select ${PLACE}, i.server_run as run, i.system_identifier = s.system_identifier::text as "isSameSystem",
    greatest(c.timeline_id, r.min_recovery_end_timeline) > i.timeline as "wasPromoted",
    coalesce(extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp()), 0)::float8 as seconds
  from cluster_identity i, pg_control_system() s, pg_control_checkpoint() c, pg_control_recovery() r`;

interface Place {
  readonly isStandby: boolean;
  readonly lsn: string;
  /** The run of the primary by which the identity was recorded that the replica knows. */
  readonly run: string | null;
}

interface Looked extends Place {
  readonly isSameSystem: boolean;
  readonly wasPromoted: boolean;
  readonly seconds: number;
}

export interface Lag {
  readonly bytes: number;
  readonly seconds: number;
}

/** How a connection stands to a position: it has replayed it, it has not, or it leads to no replica of that primary. */
export async function readPlace(
  client: Readable,
  { lsn, run }: WalPosition,
): Promise<'there' | 'behind' | 'not-a-replica'> {
  const [place] = (await client.query<Place>({ ...OF_CONNECTION, ...{ query_timeout: ANSWER_WITHIN_MS } })).rows;
  if (!place?.isStandby || place.run !== run) return 'not-a-replica';
  return BigInt(place.lsn) >= lsn ? 'there' : 'behind';
}

/** The same, after waiting for one that is a little behind. */
export async function awaitPlace(client: Readable, position: WalPosition) {
  const until = performance.now() + BEHIND_AT_MOST_MS;
  for (;;) {
    const place = await readPlace(client, position);
    if (place !== 'behind' || performance.now() >= until) return place;
    await rest(LOOK_AGAIN_MS);
  }
}

/** How far a replica is behind, or in words why it may not be read from. */
export async function lookAt(looks: Readable, position: WalPosition): Promise<Lag | string> {
  try {
    const [looked] = (await looks.query<Looked>({ text: LOOK, ...{ query_timeout: ANSWER_WITHIN_MS } })).rows;
    if (!looked) return 'it has no identity';
    const why = faultOf(looked, position);
    if (why !== null) return why;
    const bytes = Number(position.lsn - BigInt(looked.lsn));
    return bytes > 0 ? { bytes, seconds: looked.seconds } : { bytes: 0, seconds: 0 };
  } catch (error) {
    return `it does not answer: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function faultOf({ isStandby, isSameSystem, run, wasPromoted }: Looked, position: WalPosition): string | null {
  if (!isStandby) return 'it is no standby: it was promoted, or is another database';
  if (!isSameSystem) return "it is a copy of another server's";
  if (wasPromoted) return 'it was promoted once, or follows a server that was';
  return run === position.run ? null : 'it has not seen the present run of the primary yet, or never will';
}
