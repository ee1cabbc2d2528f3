// The e-mail addresses of all people of this cell, for the directory of cells.

import { query, type EntityManager } from '../../connection.ts';

/** A thousand of them, in the order of ids, after one; '' for the first. */
export const listAddresses = (em: EntityManager, after: string): Promise<{ id: string; email: string }[]> =>
  query(em, 'select id, email from person where id > $1 order by id limit 1000', [after]);
