// Reads and lists invoices.

import type { EntityManager } from '../../database/connection.ts';
import { listInvoices } from '../../database/queries/invoices/list-invoices.ts';
import { readInvoice, type ReadInvoice } from '../../database/queries/invoices/read-invoices.ts';
import { readAnywhere } from '../../database/read-source.ts';
import { GatewayError } from '../../values/errors.ts';
import { isId } from '../../values/id.ts';
import type { Deps } from '../deps.ts';
import { snapshotInvoice, type InvoiceSnapshot } from '../snapshots/invoice.ts';
import type { InvoiceFilter, InvoicePage } from './requests.ts';

type ReadDeps = Pick<Deps, 'db' | 'payUrl'>;

/** An invoice as callers see it. */
export const toInvoiceSnapshot = (deps: Pick<Deps, 'payUrl'>, { invoice, payments }: ReadInvoice): InvoiceSnapshot =>
  snapshotInvoice(invoice, payments, deps);

/** An invoice of a merchant, or of any (null), in this entity manager's transaction; null if there is none. */
export async function snapshotStored(
  deps: Pick<Deps, 'payUrl'>,
  em: EntityManager,
  id: string,
  merchantId: string | null,
): Promise<InvoiceSnapshot | null> {
  const read = isId('inv', id) ? await readInvoice(em, id, merchantId) : null;
  return read && toInvoiceSnapshot(deps, read);
}

/** A merchant's invoice; null if they have none with this id. */
export function findInvoice(deps: ReadDeps, merchantId: string, id: string): Promise<InvoiceSnapshot | null> {
  return snapshotStored(deps, deps.db.em, id, merchantId);
}

/** Like `findInvoice`, but throws 2004 if there is none. */
export async function getInvoice(deps: ReadDeps, merchantId: string, id: string): Promise<InvoiceSnapshot> {
  const invoice = await findInvoice(deps, merchantId, id);
  if (!invoice) throw new GatewayError('NOT_FOUND');
  return invoice;
}

/** A page of a merchant's invoices, newest first, below the id `before`. */
export async function findInvoices(
  deps: ReadDeps,
  merchantId: string,
  filter: InvoiceFilter,
  { limit, before }: { limit: number; before: string | null },
): Promise<InvoicePage> {
  const sought = {
    merchantId,
    statuses: filter.status ?? null,
    currency: filter.currency?.toUpperCase() ?? null,
    merchantInvoiceId: filter.merchantInvoiceId ?? null,
    linkId: filter.linkId ?? null,
    needsAttention: filter.needsAttention ?? false,
    from: filter.from ?? null,
    until: filter.until ?? null,
    before,
  };
  const rows = await readAnywhere(deps.db, ({ pool }) => listInvoices(pool, sought, limit + 1));
  return { nodes: rows.slice(0, limit).map((row) => toInvoiceSnapshot(deps, row)), hasMore: rows.length > limit };
}
