// Moves the uses of payment links with the states of their invoices, in the transaction that changes those.

import { query, type EntityManager } from '../../connection.ts';

/** Adds to the uses of links, by id, locked in id order: after invoices. Without any, costs no statement. */
export async function moveUses(em: EntityManager, moves: ReadonlyMap<string, number>): Promise<void> {
  const moved = [...moves].filter(([, by]) => by !== 0);
  if (moved.length === 0) return;
  await query(
    em,
    `with locked as materialized (select id from payment_link where id = any($1) order by id for update)
     update payment_link l set uses = l.uses + m.by
     from unnest($1::text[], $2::int[]) as m(id, by) where l.id = m.id and l.id = any(array(select id from locked))`,
    [moved.map(([id]) => id), moved.map(([, by]) => by)],
  );
}
