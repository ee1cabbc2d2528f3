// Whose a database is.

import { query, type EntityManager } from '../connection.ts';

/** The environment that a database belongs to; null while no gateway has run on it. */
export async function readEnvironment(em: EntityManager): Promise<'sandbox' | 'live' | null> {
  const [row] = await query<{ environment: 'sandbox' | 'live' }>(em, 'select environment from deployment');
  return row?.environment ?? null;
}
