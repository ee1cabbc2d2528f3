// Locks invoices: after the payments of the transaction, and before payouts and balances.

import { query, type EntityManager } from '../../connection.ts';

/** Locks invoices by id until the transaction ends; without ids, costs no statement. */
export async function lockInvoices(em: EntityManager, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await query(em, 'select id from invoice where id = any($1) order by id for update', [[...new Set(ids)]]);
}

/** Locks an invoice; returns whether it was never settled so far. */
export async function lockUnsettled(em: EntityManager, id: string): Promise<boolean> {
  const [row] = await query<{ unsettled: boolean }>(
    em,
    'select settled_at is null as unsettled from invoice where id = $1 for update',
    [id],
  );
  return row?.unsettled ?? false;
}
