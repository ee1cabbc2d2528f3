// Work on an invoice together with its payments, which are locked before it.

import { query, type EntityManager } from '../../database/connection.ts';
import { readRows } from '../../database/rows.ts';
import { Invoice } from '../../entities/invoice.ts';
import { Payment } from '../../entities/payment.ts';
import { GatewayError } from '../../values/errors.ts';
import { isId } from '../../values/id.ts';
import { inTransaction, type Deps } from '../deps.ts';

/** An invoice and all of its payments, locked. */
export interface LockedInvoice {
  readonly invoice: Invoice;
  /** Oldest first. */
  readonly payments: readonly Payment[];
}

/**
 * Works on a merchant's invoice under its lock and those of its payments, in one transaction. A choice that was made
 * before the invoice was locked has a payment that is not locked: then it begins anew. Errors: 2004.
 */
export async function underLocks<Result>(
  deps: Deps,
  merchantId: string,
  id: string,
  work: (em: EntityManager, locked: LockedInvoice) => Promise<Result>,
): Promise<Result> {
  if (!isId('inv', id)) throw new GatewayError('NOT_FOUND');
  for (;;) {
    const done = await inTransaction(deps, async (em) => {
      const ids = await readPaymentIds(em, id);
      const payments = await readRows(em, Payment, 'where id = any($1) order by id for update', [ids]);
      const invoice = await lockOwn(em, merchantId, id);
      if ((await readPaymentIds(em, id)).length > ids.length) return null;
      return { result: await work(em, { invoice, payments }) };
    });
    if (done) return done.result;
  }
}

/** Works on a merchant's invoice under its lock alone, in one transaction. Errors: 2004. */
export async function underLock<Result>(
  deps: Deps,
  merchantId: string,
  id: string,
  work: (em: EntityManager, invoice: Invoice) => Promise<Result>,
): Promise<Result> {
  if (!isId('inv', id)) throw new GatewayError('NOT_FOUND');
  return inTransaction(deps, async (em) => work(em, await lockOwn(em, merchantId, id)));
}

async function lockOwn(em: EntityManager, merchantId: string, id: string): Promise<Invoice> {
  const [invoice] = await readRows(em, Invoice, 'where id = $1 and merchant_id = $2 for update', [id, merchantId]);
  if (!invoice) throw new GatewayError('NOT_FOUND');
  return invoice;
}

async function readPaymentIds(em: EntityManager, invoiceId: string): Promise<string[]> {
  const rows = await query<{ id: string }>(em, 'select payment_id as id from quote where invoice_id = $1', [invoiceId]);
  return rows.map(({ id }) => id);
}
