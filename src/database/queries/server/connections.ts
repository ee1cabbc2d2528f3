// How many connections the database's server has, and how many of them are ours.

import { query, type EntityManager } from '../../connection.ts';

export interface ConnectionCounts {
  /** Those of Turnpike's programs, on any database of the server. */
  readonly ours: number;
  readonly others: number;
}

/** Every role may see whose name a connection has. */
const COUNTS = `select count(*) filter (where application_name like 'turnpike%')::int as ours,
    count(*) filter (where application_name not like 'turnpike%')::int as others
  from pg_stat_activity where datid is not null`;

export async function countConnections(em: EntityManager): Promise<ConnectionCounts> {
  const [row] = await query<ConnectionCounts>(em, COUNTS);
  return row ?? { ours: 0, others: 0 };
}
