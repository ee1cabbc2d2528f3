// Reads and lists payments, cancels a payment, and ends a payment's time in the sandbox.

import { listPayments } from '../../database/queries/payments/list-payments.ts';
import { readPayment, type ReadPayment } from '../../database/queries/payments/read-payments.ts';
import { movedPricesOf } from '../../database/queries/rates/sandbox-rates.ts';
import { readCursor } from '../../database/queries/chain/chain-cursor.ts';
import { query, type EntityManager } from '../../database/connection.ts';
import { readAnywhere } from '../../database/read-source.ts';
import { Deposit } from '../../entities/deposit.ts';
import { LockMode } from '@mikro-orm/core';
import { Payment } from '../../entities/payment.ts';
import type { PaymentStatus } from '../../entities/enums.ts';
import { isSupported, parseNetwork } from '../../values/assets.ts';
import { GatewayError } from '../../values/errors.ts';
import { isId } from '../../values/id.ts';
import { recordActed } from '../merchants/audit-log.ts';
import type { RateMerchant } from '../rates/rates.ts';
import { toCheckout, type Branding, type Checkout } from './checkout.ts';
import type { Deps } from '../deps.ts';
import { inTransaction } from '../deps.ts';
import { eventRow, recordEvents } from '../events/record.ts';
import { snapshotPayment, type PaymentSnapshot } from '../snapshots/payment.ts';

type ReadDeps = Pick<Deps, 'db' | 'payUrl'>;

/** A payment as callers see it. */
export function toPaymentSnapshot(
  deps: Pick<Deps, 'payUrl'>,
  { payment, deposits, height }: ReadPayment,
): PaymentSnapshot {
  return snapshotPayment(payment, deposits, { payUrl: deps.payUrl, height });
}

/** A merchant's payment; null if they have none with this id. */
export async function findPayment(deps: ReadDeps, merchantId: string, id: string): Promise<PaymentSnapshot | null> {
  const read = isId('ord', id) ? await readPayment(deps.db.em, id, merchantId) : null;
  return read && toPaymentSnapshot(deps, read);
}

/** Like `findPayment`, but throws 2004 if there is none. */
export async function getPayment(deps: ReadDeps, merchantId: string, id: string): Promise<PaymentSnapshot> {
  const payment = await findPayment(deps, merchantId, id);
  if (!payment) throw new GatewayError('NOT_FOUND');
  return payment;
}

/** What a payment is shown to be worth in, where its merchant keeps no books in another currency. */
const VALUE_CURRENCY = 'USD';

const PAGE = `select id, rate_spread as spread, coalesce(fixed_rates, '[]') as "fixedRates", accounting_currency as "accounting",
  ${movedPricesOf('merchant.id')} as "movedPrices", company_name as "companyName", logo_url as "logoUrl", accent_color as "accentColor", locale,
  support_email as "supportEmail", suspended_at is not null as "isSuspended" from merchant where id = $1`;

type PageRow = Branding & RateMerchant & { readonly accounting: string | null; readonly isSuspended: boolean };

/** Shows a payment as it was at a moment. */
export type ShowCheckout = (payment: PaymentSnapshot) => Checkout;

/** The payment page's view of any merchant's payment; null if there is none with this id. Errors: 1012. */
export async function findCheckout(deps: CheckoutDeps, id: string): Promise<Checkout | null> {
  const opened = await openCheckout(deps, id);
  return opened && opened.show(opened.payment);
}

type CheckoutDeps = ReadDeps & Pick<Deps, 'chains' | 'rates'>;

/** The payment, and the function that shows it and what becomes of it in its merchant's look. */
export async function openCheckout(
  deps: CheckoutDeps,
  id: string,
): Promise<{ readonly payment: PaymentSnapshot; readonly show: ShowCheckout } | null> {
  const read = isId('ord', id) ? await readPayment(deps.db.em, id, null) : null;
  if (!read) return null;
  const [page] = await query<PageRow>(deps.db.em, PAGE, [read.payment.merchantId]);
  if (!page) return null;
  if (page.isSuspended) throw new GatewayError('MERCHANT_SUSPENDED');
  const { companyName, logoUrl, accentColor, locale, supportEmail, accounting, ...merchant } = page;
  const branding = { companyName, logoUrl, accentColor, locale, supportEmail };
  const valuation = { merchant, currency: accounting ?? VALUE_CURRENCY };
  const show: ShowCheckout = (payment) =>
    toCheckout(deps, payment, branding, payment.invoiceId === null ? valuation : null);
  return { payment: toPaymentSnapshot(deps, read), show };
}

export interface PaymentFilter {
  readonly status?: readonly PaymentStatus[] | null;
  readonly currency?: string | null;
  readonly network?: string | null;
  readonly merchantOrderId?: string | null;
  readonly invoiceId?: string | null;
  readonly needsAttention?: boolean | null;
  readonly from?: Date | null;
  readonly until?: Date | null;
}

export interface PaymentPage {
  readonly nodes: readonly PaymentSnapshot[];
  readonly hasMore: boolean;
}

/**
 * A page of a merchant's payments, newest first, below the id `before`. Errors: 3001 for an unknown network or
 * currency.
 */
export async function findPayments(
  deps: ReadDeps,
  merchantId: string,
  filter: PaymentFilter,
  { limit, before }: { limit: number; before: string | null },
): Promise<PaymentPage> {
  const network = filter.network == null ? null : parseNetwork(filter.network);
  if (filter.network != null && network === null) throw new GatewayError('UNSUPPORTED_ASSET');
  if (filter.currency != null && !isSupported(filter.currency, network)) throw new GatewayError('UNSUPPORTED_ASSET');
  const sought = {
    merchantId,
    statuses: filter.status ?? null,
    currency: filter.currency?.toUpperCase() ?? null,
    network,
    merchantOrderId: filter.merchantOrderId ?? null,
    invoiceId: filter.invoiceId ?? null,
    needsAttention: filter.needsAttention ?? null,
    from: filter.from ?? null,
    until: filter.until ?? null,
    before,
  };
  const rows = await readAnywhere(deps.db, ({ pool }) => listPayments(pool, sought, limit + 1));
  const nodes = rows.slice(0, limit).map((row) => toPaymentSnapshot(deps, row));
  return { nodes, hasMore: rows.length > limit };
}

/** Cancels a payment for which nothing was seen. Errors: 2004; 3005 otherwise, and for a payment of an invoice. */
export async function cancelPayment(deps: Deps, merchantId: string, id: string): Promise<PaymentSnapshot> {
  const snapshot = await changePayment(deps, merchantId, id, async (em, payment) => {
    const seen = await em.count(Deposit, { paymentId: id, status: { $ne: 'ORPHANED' } });
    if (payment.status !== 'PENDING' || seen > 0 || payment.invoiceId != null) throw new GatewayError('WRONG_STATE');
    payment.status = 'CANCELED';
    await recordActed(em, deps, { action: 'PAYMENT_CANCELED', target: id }, deps.clock.now());
  });
  deps.signals.events();
  return snapshot;
}

/**
 * Sets the expiry of a payment to now. The regular expiry then does the rest and records the event, since this itself
 * changes no state or amount. Errors: 2004; 3005 if the payment has ended, or belongs to an invoice.
 */
export async function expireNow(deps: Deps, merchantId: string, id: string): Promise<PaymentSnapshot> {
  const snapshot = await underLock(deps, merchantId, id, (em, payment) => {
    if (payment.invoiceId != null)
      throw new GatewayError('WRONG_STATE', { message: 'The payment belongs to an invoice, which can expire instead' });
    if (payment.status !== 'PENDING' && payment.status !== 'PARTIALLY_PAID' && payment.status !== 'CONFIRMING')
      throw new GatewayError('WRONG_STATE', { message: 'Only a payment that is still open can expire' });
    const now = deps.clock.now();
    if (payment.expiresAt > now) Object.assign(payment, { expiresAt: now, updatedAt: now });
    return snapshotOf(deps, em, payment);
  });
  deps.signals.chain(snapshot.network);
  return snapshot;
}

/** Changes a payment under its lock and records payment.updated, in one transaction. */
function changePayment(
  deps: Deps,
  merchantId: string,
  id: string,
  change: (em: EntityManager, payment: Payment) => Promise<void>,
): Promise<PaymentSnapshot> {
  return underLock(deps, merchantId, id, async (em, payment) => {
    await change(em, payment);
    payment.version += 1;
    payment.updatedAt = deps.clock.now();
    const snapshot = await snapshotOf(deps, em, payment);
    const { version, updatedAt: at } = payment;
    await recordEvents(em, [
      eventRow(deps.environment, { type: 'payment.updated', merchantId, version, payment: snapshot, at }),
    ]);
    return snapshot;
  });
}

/** Works on a payment under its lock, in one transaction, and saves its changes. Errors: 2004. */
async function underLock<Result>(
  deps: Deps,
  merchantId: string,
  id: string,
  work: (em: EntityManager, payment: Payment) => Promise<Result>,
): Promise<Result> {
  if (!isId('ord', id)) throw new GatewayError('NOT_FOUND');
  return inTransaction(deps, async (em) => {
    const payment = await em.findOne(Payment, { id, merchantId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!payment) throw new GatewayError('NOT_FOUND');
    const result = await work(em, payment);
    await em.flush();
    return result;
  });
}

async function snapshotOf(deps: Deps, em: EntityManager, payment: Payment): Promise<PaymentSnapshot> {
  const deposits = await em.find(Deposit, { paymentId: payment.id }, { orderBy: { id: 'asc' } });
  const cursor = await readCursor(em, payment.network);
  return snapshotPayment(payment, deposits, { payUrl: deps.payUrl, height: cursor?.height ?? 0 });
}
