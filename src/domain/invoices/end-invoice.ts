// What a merchant does to an invoice: cancels it, accepts what came late, and, in the sandbox, ends its time.

import { query, type EntityManager } from '../../database/connection.ts';
import { readQuotedPayments, type ReadQuotedPayment } from '../../database/queries/invoices/read-invoices.ts';
import { updateRows, type RowChange } from '../../database/rows.ts';
import { Invoice } from '../../entities/invoice.ts';
import { Payment } from '../../entities/payment.ts';
import { GatewayError } from '../../values/errors.ts';
import { isId } from '../../values/id.ts';
import type { Deps } from '../deps.ts';
import { eventRow, recordEvents } from '../events/record.ts';
import { recordActed } from '../merchants/audit-log.ts';
import type { InvoiceSnapshot } from '../snapshots/invoice.ts';
import { snapshotPayment } from '../snapshots/payment.ts';
import { isInvoicePaidLate } from '../payments/invoice-state.ts';
import { worthOfAll } from '../payments/invoice-values.ts';
import { underLock, underLocks, type LockedInvoice } from './lock-with-payments.ts';
import { getInvoice } from './read-invoices.ts';
import { settleInvoices } from '../payments/settle-invoices.ts';

/** Cancels an invoice for which nothing was seen, and its open payments. Errors: 2004; 3005 otherwise. */
export async function cancelInvoice(deps: Deps, merchantId: string, id: string): Promise<InvoiceSnapshot> {
  await underLocks(deps, merchantId, id, async (em, { invoice, payments }) => {
    const quoted = (await readQuotedPayments(em, [id])).get(id) ?? [];
    const isSeen = quoted.some(({ deposits }) => deposits.some(({ status }) => status !== 'ORPHANED'));
    if (invoice.status !== 'OPEN' || isSeen) throw wrongState('canceled');
    const now = deps.clock.now();
    await cancelPayments(deps, em, payments, quoted, now);
    await updateRows(em, Invoice, [{ before: invoice, after: { ...invoice, status: 'CANCELED' } }]);
    await settleInvoices(deps, em, [id], now, { isChanged: true });
    await recordActed(em, deps, { action: 'INVOICE_CANCELED', target: id }, now);
  });
  deps.signals.events();
  return getInvoice(deps, merchantId, id);
}

const wrongState = (what: string): GatewayError =>
  new GatewayError('WRONG_STATE', { message: `The invoice cannot be ${what} in its present state` });

/** Cancels the payments that are open; what was seen for them is gone. */
async function cancelPayments(
  deps: Deps,
  em: EntityManager,
  payments: readonly Payment[],
  quoted: readonly ReadQuotedPayment[],
  now: Date,
): Promise<void> {
  const changes = payments
    .filter(({ status }) => status === 'PENDING')
    .map((before): RowChange<Payment> => {
      const version = before.version + 1;
      return { before, after: { ...before, status: 'CANCELED', version, updatedAt: now } };
    });
  await updateRows(em, Payment, changes);
  const events = changes.map(({ after }) => {
    const { deposits = [], height = 0 } = quoted.find(({ payment }) => payment.id === after.id) ?? {};
    const payment = snapshotPayment(after, deposits, { payUrl: deps.payUrl, height });
    const { merchantId, version } = after;
    return eventRow(deps.environment, { type: 'payment.updated', merchantId, version, payment, at: now });
  });
  await recordEvents(em, events);
}

const ENDED = new Set(['EXPIRED', 'FAILED', 'CANCELED']);

/** Accepts an invoice whose full value arrived late. Errors: 2004; 3005 unless that is how it stands. */
export async function acceptInvoice(deps: Deps, merchantId: string, id: string): Promise<InvoiceSnapshot> {
  await underLock(deps, merchantId, id, async (em, invoice) => {
    const payments = (await readQuotedPayments(em, [id])).get(id) ?? [];
    const waits = ENDED.has(invoice.status) && invoice.latePaymentPolicy === 'MANUAL';
    if (!waits || !isInvoicePaidLate({ ...invoice, ...worthOfAll(payments) }, payments)) throw wrongState('accepted');
    const now = deps.clock.now();
    await updateRows(em, Invoice, [{ before: invoice, after: { ...invoice, acceptedAt: now } }]);
    await settleInvoices(deps, em, [id], now);
    await recordActed(em, deps, { action: 'INVOICE_ACCEPTED', target: id }, now);
  });
  deps.signals.events();
  return getInvoice(deps, merchantId, id);
}

const OPEN = new Set(['OPEN', 'PARTIALLY_PAID', 'PROCESSING', 'PENDING', 'CONFIRMING']);

/**
 * Moves an invoice's deadline, its quotes' ends and its payments' expiry to now, in the sandbox. The ordinary expiry
 * does the rest, and records the events. Errors: 2004; 3005 if the invoice has ended.
 */
export async function expireInvoice(deps: Deps, merchantId: string, id: string): Promise<InvoiceSnapshot> {
  const networks = await underLocks(deps, merchantId, id, async (em, locked) => {
    if (!OPEN.has(locked.invoice.status)) throw wrongState('expired');
    await endTime(em, locked, deps.clock.now());
    return locked.payments.map(({ network }) => network);
  });
  for (const network of new Set(networks)) deps.signals.chain(network);
  return getInvoice(deps, merchantId, id);
}

async function endTime(em: EntityManager, { invoice, payments }: LockedInvoice, now: Date): Promise<void> {
  const atMost = (time: Date): Date => (time > now ? now : time);
  const [expiresAt, deadline] = [atMost(invoice.expiresAt), atMost(invoice.deadline)];
  await updateRows(em, Invoice, [{ before: invoice, after: { ...invoice, expiresAt, deadline, updatedAt: now } }]);
  await query(em, 'update quote set ends_at = $2 where invoice_id = $1 and ends_at > $2', [invoice.id, now]);
  const open = payments.filter(({ status }) => OPEN.has(status));
  await updateRows(
    em,
    Payment,
    open.map((before) => ({ before, after: { ...before, expiresAt: atMost(before.expiresAt), updatedAt: now } })),
  );
}

/**
 * Ends the quote of an invoice's payment now, in the sandbox: what arrives from here on counts at the lower rate.
 * Errors: 2004; 3005 for a payment without an invoice.
 */
export async function expireQuote(deps: Deps, merchantId: string, paymentId: string): Promise<InvoiceSnapshot> {
  const payment = isId('ord', paymentId)
    ? await deps.db.em.fork().findOne(Payment, { id: paymentId, merchantId }, { fields: ['invoiceId'] })
    : null;
  if (!payment) throw new GatewayError('NOT_FOUND');
  const { invoiceId } = payment;
  if (invoiceId == null) throw new GatewayError('WRONG_STATE', { message: 'The payment belongs to no invoice' });
  await underLock(deps, merchantId, invoiceId, async (em) => {
    const now = deps.clock.now();
    await query(em, 'update quote set ends_at = $2 where payment_id = $1 and ends_at > $2', [paymentId, now]);
    await settleInvoices(deps, em, [invoiceId], now, { isChanged: true });
  });
  deps.signals.events();
  return getInvoice(deps, merchantId, invoiceId);
}
