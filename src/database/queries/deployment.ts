// Which environment a database belongs to.

import { query, type EntityManager } from '../connection.ts';

/** The database's environment; null if no gateway has run on it yet. */
export async function readEnvironment(em: EntityManager): Promise<'sandbox' | 'live' | null> {
  const [row] = await query<{ environment: 'sandbox' | 'live' }>(em, 'select environment from deployment');
  return row?.environment ?? null;
}
