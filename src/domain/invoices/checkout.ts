// The view of an invoice that its page shows: what may be chosen and what was, without anything that only concerns the
// merchant (contract-invoices, section 11).

import {
  readInvoicePage,
  readPagePayments,
  type InvoicePageRow,
  type PagePaymentRow,
} from '../../database/queries/invoices/invoice-page.ts';
import { readInvoice } from '../../database/queries/invoices/read-invoices.ts';
import { lessTolerance } from '../../values/amount.ts';
import { assetOf } from '../../values/assets.ts';
import { GatewayError } from '../../values/errors.ts';
import { isId } from '../../values/id.ts';
import { priceAsValue } from '../../values/prices/price.ts';
import type { Deps } from '../deps.ts';
import { toCheckout, unitsOf, type Branding, type Checkout } from '../payments/checkout.ts';
import { readRateMerchant } from '../rates/rates.ts';
import { findNamedAsset } from '../requested-amount.ts';
import {
  decimalsOf,
  snapshotInvoice,
  type InvoicePaymentSnapshot,
  type InvoiceSnapshot,
} from '../snapshots/invoice.ts';
import { confirmationsNeeded } from '../snapshots/payment.ts';
import { isLinkClosed } from './choose-asset.ts';
import { optionsOf, type CheckoutOption } from './options.ts';
import type { NamedAsset } from './requests.ts';

/** A choice and its payment, as the customer sees them. */
export interface InvoiceCheckoutPayment {
  readonly checkout: Checkout;
  readonly rate: string;
  readonly quotedAt: Date;
  readonly quoteExpiresAt: Date;
  /** Whether it is the one to pay, or to wait for, now. */
  readonly isCurrent: boolean;
}

/** The view. Amounts are canonical decimal strings; dates are as in the snapshot it was made from. */
export interface InvoiceCheckout
  extends
    Pick<
      InvoiceSnapshot,
      | ('id' | 'status' | 'exception' | 'amount' | 'currency' | 'amountReceived' | 'amountDue')
      | ('description' | 'merchantInvoiceId' | 'returnUrl' | 'createdAt' | 'expiresAt' | 'settledAt')
    >,
    Branding {
  readonly test: boolean;
  /** Empty when nothing may be chosen any more. */
  readonly options: readonly CheckoutOption[];
  /** Oldest first. */
  readonly payments: readonly InvoiceCheckoutPayment[];
}

/** Shows an invoice as it was at a moment. The asset just chosen, if any, is the current one. */
export type ShowInvoice = (invoice: InvoiceSnapshot, chosen?: NamedAsset) => Promise<InvoiceCheckout>;

type ViewDeps = Pick<Deps, 'db' | 'chains' | 'assetsOff' | 'rates' | 'clock'>;

/** The view of any merchant's invoice as it is now; null if there is none with this id. Errors: 1012. */
export async function findInvoiceCheckout(
  deps: ViewDeps & Pick<Deps, 'payUrl'>,
  id: string,
): Promise<InvoiceCheckout | null> {
  const read = isId('inv', id) ? await readInvoice(deps.db.em, id, null) : null;
  const show = read && (await openInvoiceView(deps, id));
  return show && (await show(snapshotInvoice(read.invoice, read.payments, deps)));
}

/**
 * Makes the function that shows an invoice; null if there is none with this id. Each time it reads the merchant's look
 * and coins as they are then. Errors: 1012, then too.
 */
export async function openInvoiceView(deps: ViewDeps, id: string): Promise<ShowInvoice | null> {
  const first = isId('inv', id) ? await readInvoicePage(deps.db.em, id) : null;
  if (first?.isSuspended === true) throw new GatewayError('MERCHANT_SUSPENDED');
  return first && ((invoice, chosen) => showInvoice(deps, invoice, chosen));
}

/** Shows an invoice that exists, as it was at a moment. */
export async function showInvoice(
  deps: ViewDeps,
  invoice: InvoiceSnapshot,
  chosen?: NamedAsset,
): Promise<InvoiceCheckout> {
  const { em } = deps.db;
  const ids = invoice.payments.map((payment) => payment.id);
  const [page, facts] = await Promise.all([readInvoicePage(em, invoice.id), readPagePayments(em, ids)]);
  if (!page) throw new Error('An invoice has gone, which none does');
  if (page.isSuspended) throw new GatewayError('MERCHANT_SUSPENDED');
  const options = await readOptions(deps, invoice, page);
  return toInvoiceCheckout(deps, invoice, { page, options, facts, chosen });
}

const TAKES_CHOICES: ReadonlySet<string> = new Set(['OPEN', 'PARTIALLY_PAID']);

/** Whether the invoice takes a choice now (contract-invoices, section 3). */
function mayChoose({ clock }: Pick<Deps, 'clock'>, { status, expiresAt }: InvoiceSnapshot): boolean {
  return TAKES_CHOICES.has(status) && clock.now() < new Date(expiresAt);
}

async function readOptions(deps: ViewDeps, invoice: InvoiceSnapshot, page: InvoicePageRow): Promise<CheckoutOption[]> {
  const { currency, amountDue, acceptedAssets } = invoice;
  const decimals = decimalsOf(currency);
  const due = priceAsValue(unitsOf(amountDue, decimals), decimals);
  if (due === 0n || !mayChoose(deps, invoice)) return [];
  if (await isLinkClosed(deps.db.em, invoice, deps.clock.now())) return [];
  const own = await readRateMerchant(deps.db.em, page.merchantId);
  const merchant = { ...own, spread: page.spread };
  return optionsOf(deps, { accepted: acceptedAssets ?? page.merchantAssets, currency, due, merchant });
}

interface ViewParts {
  readonly page: InvoicePageRow;
  readonly options: readonly CheckoutOption[];
  readonly facts: readonly PagePaymentRow[];
  readonly chosen: NamedAsset | undefined;
}

function toInvoiceCheckout(
  deps: ViewDeps,
  invoice: InvoiceSnapshot,
  { page, options, facts, chosen }: ViewParts,
): InvoiceCheckout {
  const { id, status, exception, amount, currency, amountReceived, amountDue } = invoice;
  const { description, merchantInvoiceId, returnUrl, createdAt, expiresAt, settledAt } = invoice;
  const { companyName, logoUrl, accentColor, locale, supportEmail } = page;
  const branding = { companyName, logoUrl, accentColor, locale, supportEmail };
  const current = currentOf(invoice, chosen);
  const factsOf = new Map(facts.map((each) => [each.id, each]));
  return {
    ...{ id, status, exception, amount, currency, amountReceived, amountDue },
    ...{ description, merchantInvoiceId },
    ...branding,
    ...{ returnUrl, test: invoice.test ?? false, createdAt, expiresAt, settledAt, options },
    payments: invoice.payments.flatMap((payment) => {
      const known = factsOf.get(payment.id);
      if (!known) return [];
      const checkout = toCheckout(deps, toSource(invoice, payment, known), branding, null);
      const { rate, quotedAt, quoteExpiresAt } = payment;
      return [{ checkout, rate, quotedAt, quoteExpiresAt, isCurrent: payment === current }];
    }),
  };
}

/** A payment as the invoice's snapshot has it, with what does not change about it. */
function toSource(invoice: InvoiceSnapshot, payment: InvoicePaymentSnapshot, facts: PagePaymentRow) {
  const { decimals } = assetOf(payment);
  const needed = lessTolerance(unitsOf(payment.amount, decimals), facts.toleranceBasisPoints);
  const counted = payment.transactions
    .filter(({ status }) => status !== 'ORPHANED')
    .map(({ amount, confirmations }) => ({ amount: unitsOf(amount, decimals), confirmations }));
  return {
    ...payment,
    confirmations: confirmationsNeeded(counted, needed),
    requiredConfirmations: facts.requiredConfirmations,
    expiresAt: facts.expiresAt,
    createdAt: facts.createdAt,
    completedAt: facts.completedAt,
    productName: invoice.description,
    merchantOrderId: invoice.merchantInvoiceId,
    returnUrl: invoice.returnUrl,
    test: invoice.test,
  };
}

const ASKS_FOR_MONEY: ReadonlySet<string> = new Set(['PENDING', 'PARTIALLY_PAID']);

/**
 * The payment to show: while the invoice is open, the newest of the asset just chosen, else the newest that asks for
 * money; while it is processing, the newest that money waits in; after that, none.
 */
function currentOf({ status, payments }: InvoiceSnapshot, chosen?: NamedAsset): InvoicePaymentSnapshot | undefined {
  if (TAKES_CHOICES.has(status)) {
    const asset = chosen && findNamedAsset(chosen.currency, chosen.network);
    const isChosen = ({ currency, network }: InvoicePaymentSnapshot) =>
      currency === asset?.currency && network === asset.network;
    return payments.findLast(isChosen) ?? payments.findLast((payment) => ASKS_FOR_MONEY.has(payment.status));
  }
  return status === 'PROCESSING'
    ? payments.findLast(({ transactions }) => transactions.some((transaction) => transaction.status === 'PENDING'))
    : undefined;
}
