// Which environment a database belongs to.

import { query, type EntityManager } from '../connection.ts';

/** The database's environment; null if no gateway has run on it yet. */
export async function readEnvironment(em: EntityManager): Promise<'sandbox' | 'live' | null> {
  const [row] = await query<{ environment: 'sandbox' | 'live' }>(em, 'select environment from deployment');
  return row?.environment ?? null;
}

/** The cell that a database is, since when, and what tells it from other databases. */
export interface RecordedCell {
  readonly cell: number;
  /** Unix milliseconds. */
  readonly since: number;
  readonly mark: string;
}

/** The database's cell; null in a deployment without cells. */
export async function readCell(em: EntityManager): Promise<RecordedCell | null> {
  const text = 'select cell, (extract(epoch from since) * 1000)::float8 as since, mark from deployment_cell';
  const [row] = await query<RecordedCell>(em, text);
  return row ?? null;
}

/**
 * Makes the database a cell, if it was not one yet. One that has addresses of the first account already can only be
 * cell 0: false for any other.
 */
export async function recordCell(em: EntityManager, cell: number): Promise<boolean> {
  await query(
    em,
    `insert into deployment_cell (cell) select $1::smallint
     where $1::int = 0 or not exists (select from derivation_account) and not exists (select from address_pool)
     on conflict do nothing`,
    [cell],
  );
  return (await readCell(em)) !== null;
}
