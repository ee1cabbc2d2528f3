// Records when keys were last used: in memory first, written in the background so that no call waits for it.

import { query, type EntityManager } from '../database/connection.ts';
import type { Clock } from '../database/clock.ts';

/** Creates the recorder of this process; a loop writes it. A crash loses at most what the last run had not written. */
export function createKeyUses({ em, clock }: { em: EntityManager; clock: Clock }) {
  let uses = new Map<string, Date>();
  let writing: Promise<void> = Promise.resolve();

  async function write(): Promise<void> {
    if (uses.size === 0) return;
    const written = uses;
    uses = new Map();
    try {
      await query(
        em,
        `with used as (
           select * from unnest($1::text[], $2::timestamptz[]) as u(key_id, at) order by key_id
         ), held as (
           select k.key_id, used.at from api_key k join used using (key_id) order by k.key_id for update of k
         )
         update api_key k set last_used_at = greatest(k.last_used_at, held.at) from held where k.key_id = held.key_id`,
        [[...written.keys()], [...written.values()]],
      );
    } catch (error) {
      uses = new Map([...written, ...uses]);
      throw error;
    }
  }

  /** Writes everything recorded so far; a call made during a write waits for that write and then writes again. */
  const flush = (): Promise<void> => (writing = writing.then(write, write));
  return {
    name: 'key-uses',
    note: (keyId: string): void => void uses.set(keyId, clock.now()),
    flush,
    async processNext(): Promise<boolean> {
      await flush();
      return false;
    },
  };
}
