// Records when keys and sessions were last used: in memory first, written in the background so that no call waits.

import { query, type EntityManager } from '../database/connection.ts';
import type { Clock } from '../database/clock.ts';

interface UseDeps {
  readonly em: EntityManager;
  readonly clock: Clock;
}

/** Locks rows in order, so that two processes that write the same ones never deadlock. */
const KEYS = `with used as (
    select * from unnest($1::text[], $2::timestamptz[]) as u(key_id, at) order by key_id
  ), held as (
    select k.key_id, used.at from api_key k join used using (key_id) order by k.key_id for update of k
  )
  update api_key k set last_used_at = greatest(k.last_used_at, held.at) from held where k.key_id = held.key_id`;
const SESSIONS = `with used as (
    select * from unnest($1::text[], $2::timestamptz[]) as u(id, at) order by id
  ), held as (
    select s.id, used.at from owner_session s join used using (id) order by s.id for update of s
  )
  update owner_session s set last_seen_at = greatest(s.last_seen_at, held.at) from held where s.id = held.id`;

/** The uses of API keys. */
export const createKeyUses = (deps: UseDeps) => createUses(deps, 'key-uses', KEYS);
/** The uses of sessions. */
export const createSessionUses = (deps: UseDeps) => createUses(deps, 'session-uses', SESSIONS);

/** Creates a recorder of this process; a loop writes it. A crash loses at most what the last run had not written. */
function createUses({ em, clock }: UseDeps, name: string, statement: string) {
  let uses = new Map<string, Date>();
  let writing: Promise<void> = Promise.resolve();

  async function write(): Promise<void> {
    if (uses.size === 0) return;
    const written = uses;
    uses = new Map();
    try {
      await query(em, statement, [[...written.keys()], [...written.values()]]);
    } catch (error) {
      uses = new Map([...written, ...uses]);
      throw error;
    }
  }

  /** Writes everything recorded so far; a call made during a write waits for that write and then writes again. */
  const flush = (): Promise<void> => (writing = writing.then(write, write));
  return {
    name,
    note: (id: string): void => void uses.set(id, clock.now()),
    flush,
    async processNext(): Promise<boolean> {
      await flush();
      return false;
    },
  };
}
