// Whether commits wait for a synchronous standby that is missing. PostgreSQL holds them back without a limit.

import { query, type Database } from './connection.ts';
import { COMMITS_WAIT } from './dead-connections.ts';

/** Whether commits wait at this moment, whichever process of our role made them. */
export async function commitsWait({ em, watch }: Pick<Database, 'em' | 'watch'>): Promise<boolean> {
  // Then there may be no connection left to ask on.
  if (watch.commitsWait()) return true;
  const [row] = await query<{ wait: boolean }>(em, `select ${COMMITS_WAIT} as wait`);
  return row?.wait === true;
}
