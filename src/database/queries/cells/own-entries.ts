// What this cell enters into the directory of cells: the e-mail addresses of its people, and how many merchants it has.

import { query, type EntityManager } from '../../connection.ts';

/** A thousand addresses, in the order of people's ids, after one; '' for the first. */
export const listAddresses = (em: EntityManager, after: string): Promise<{ id: string; email: string }[]> =>
  query(em, 'select id, email from person where id > $1 order by id limit 1000', [after]);

/** How many merchants there are. */
export async function countMerchants(em: EntityManager): Promise<number> {
  const [row] = await query<{ merchants: number }>(em, 'select count(*)::int as merchants from merchant');
  return row?.merchants ?? 0;
}
