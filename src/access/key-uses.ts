// When keys were last used: noted in memory, and written behind the calls so that none waits for it.

import { query, type EntityManager } from '../database/connection.ts';
import type { Clock } from '../database/clock.ts';

/** Makes the notes of this process; a loop writes them. A crash loses at most what the last look had not written. */
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

  /** Writes what was noted until now; who asks while others write comes after them. */
  const settle = (): Promise<void> => (writing = writing.then(write, write));
  return {
    name: 'key-uses',
    note: (keyId: string): void => void uses.set(keyId, clock.now()),
    settle,
    async processNext(): Promise<boolean> {
      await settle();
      return false;
    },
  };
}
