// The invoice snapshot: the full invoice at one moment (contract-invoices, section 5), one shape for answers, events
// and webhooks.

import type { Deposit } from '../../entities/deposit.ts';
import type { InvoiceStatus, PaymentException, PaymentStatus } from '../../entities/enums.ts';
import type { AcceptedAsset, Invoice } from '../../entities/invoice.ts';
import type { Payment } from '../../entities/payment.ts';
import type { Quote } from '../../entities/quote.ts';
import { formatAmount } from '../../values/amount.ts';
import { assetOf, type Network } from '../../values/assets.ts';
import { priceDecimals } from '../../values/prices/currencies.ts';
import { priceAsValue, RATE_DECIMALS, shownDown, shownUp, valueAt } from '../../values/prices/price.ts';
import { isOwn, snapshotTransaction, type DepositRow, type TransactionSnapshot } from './payment.ts';

/** A transaction with the rate it counts at, and its value in the price's currency, rounded down. */
export interface InvoiceTransactionSnapshot extends TransactionSnapshot {
  readonly rate: string;
  readonly value: string;
}

/** A quote and its payment. Amounts are in the payment's currency, values in the price's. */
export interface InvoicePaymentSnapshot {
  readonly id: string;
  readonly currency: string;
  readonly network: Network;
  readonly address: string;
  readonly amount: string;
  readonly status: PaymentStatus;
  readonly exception: PaymentException | null;
  /** Of the price's currency for one unit. */
  readonly rate: string;
  /** Null for a fixed rate. */
  readonly marketRate: string | null;
  /** In basis points. */
  readonly spread: number;
  readonly sources: readonly string[];
  readonly quotedAt: Date;
  readonly quoteExpiresAt: Date;
  readonly amountReceived: string;
  readonly amountConfirmed: string;
  readonly amountRefunded: string;
  readonly valueReceived: string;
  readonly valueConfirmed: string;
  readonly transactions: readonly InvoiceTransactionSnapshot[];
}

/** The full invoice. Amounts are canonical decimal strings. Dates are texts if it was read back from an event. */
export interface InvoiceSnapshot {
  readonly id: string;
  readonly status: InvoiceStatus;
  readonly exception: PaymentException | null;
  readonly test: boolean | null;
  readonly amount: string;
  readonly currency: string;
  /** Null for all that the merchant takes. */
  readonly acceptedAssets: readonly AcceptedAsset[] | null;
  readonly description: string | null;
  readonly merchantInvoiceId: string | null;
  readonly linkId: string | null;
  readonly customerEmail: string | null;
  /** From a link's fields. */
  readonly customer: Record<string, string> | null;
  readonly returnUrl: string | null;
  readonly callbackUrl: string | null;
  readonly metadata: Record<string, string> | null;
  readonly invoiceUrl: string;
  readonly amountReceived: string;
  readonly amountConfirmed: string;
  readonly amountRefunded: string;
  readonly amountDue: string;
  /** Oldest first. */
  readonly payments: readonly InvoicePaymentSnapshot[];
  readonly expiresAt: Date;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** First. */
  readonly settledAt: Date | null;
}

/** The columns that a snapshot needs; entities and raw rows both have them. */
export type InvoiceRow = Pick<
  Invoice,
  | Exclude<
      keyof InvoiceSnapshot,
      'invoiceUrl' | 'amountReceived' | 'amountConfirmed' | 'amountRefunded' | 'amountDue' | 'payments'
    >
  | 'valueReceived'
  | 'valueConfirmed'
  | 'valueRefunded'
  | 'valueSetAside'
>;
export type QuoteRow = Pick<Quote, 'rate' | 'marketRate' | 'spread' | 'sources' | 'quotedAt' | 'endsAt'>;
export type QuotedPaymentRow = Pick<
  Payment,
  | 'id'
  | 'currency'
  | 'network'
  | 'address'
  | 'amount'
  | 'status'
  | 'exception'
  | 'amountReceived'
  | 'amountConfirmed'
  | 'amountRefunded'
>;
export type ValuedDepositRow = DepositRow & Pick<Deposit, 'valueRate' | 'credited'>;

/** A payment of an invoice with what belongs to it, and the height up to which its network was read. */
export interface QuotedPayment {
  readonly quote: QuoteRow;
  readonly payment: QuotedPaymentRow;
  readonly deposits: readonly ValuedDepositRow[];
  readonly height: number;
}

/** How many decimals a price in the currency of an invoice has. */
export function decimalsOf(currency: string): number {
  const decimals = priceDecimals(currency);
  if (decimals === null) throw new Error(`There are invoices in ${currency}, which has no decimals`);
  return decimals;
}

/** The value of a deposit in the payment's own asset, at its rate, in 10⁻³⁰ of the price's currency. */
export function valueOf(payment: Pick<Payment, 'currency' | 'network'>, rate: bigint, amount: bigint): bigint {
  return valueAt(rate, amount, assetOf(payment));
}

/** What is still due of a price, as a value: never negative. Money set aside for refunds does not count as received. */
export function dueOf(invoice: Pick<Invoice, 'amount' | 'currency' | 'valueReceived' | 'valueSetAside'>): bigint {
  const price = priceAsValue(invoice.amount, decimalsOf(invoice.currency));
  const due = price - invoice.valueReceived + invoice.valueSetAside;
  return due > 0n ? due : 0n;
}

/** Makes the snapshot from rows; payments oldest first. */
export function snapshotInvoice(
  invoice: InvoiceRow,
  payments: readonly QuotedPayment[],
  { payUrl }: { readonly payUrl: string },
): InvoiceSnapshot {
  const decimals = decimalsOf(invoice.currency);
  const down = (value: bigint) => formatAmount(shownDown(value, decimals), decimals);
  return {
    id: invoice.id,
    status: invoice.status,
    exception: invoice.exception ?? null,
    test: invoice.test ?? null,
    amount: formatAmount(invoice.amount, decimals),
    currency: invoice.currency,
    acceptedAssets: invoice.acceptedAssets ?? null,
    description: invoice.description ?? null,
    merchantInvoiceId: invoice.merchantInvoiceId ?? null,
    linkId: invoice.linkId ?? null,
    customerEmail: invoice.customerEmail ?? null,
    customer: invoice.customer ?? null,
    returnUrl: invoice.returnUrl ?? null,
    callbackUrl: invoice.callbackUrl ?? null,
    metadata: invoice.metadata ?? null,
    invoiceUrl: `${payUrl}/${invoice.id}`,
    amountReceived: down(invoice.valueReceived),
    amountConfirmed: down(invoice.valueConfirmed),
    amountRefunded: down(invoice.valueRefunded),
    amountDue: formatAmount(shownUp(dueOf(invoice), decimals), decimals),
    payments: payments.map((payment) => snapshotQuoted(payment, down)),
    expiresAt: invoice.expiresAt,
    createdAt: invoice.createdAt,
    updatedAt: invoice.updatedAt,
    settledAt: invoice.settledAt ?? null,
  };
}

function snapshotQuoted(
  { quote, payment, deposits, height }: QuotedPayment,
  down: (value: bigint) => string,
): InvoicePaymentSnapshot {
  const { decimals } = assetOf(payment);
  const own = deposits.filter((deposit) => isOwn(payment, deposit));
  const rateOf = ({ valueRate }: ValuedDepositRow) => valueRate ?? quote.rate;
  const worth = (counts: (deposit: ValuedDepositRow) => boolean) =>
    own.reduce((sum, each) => (counts(each) ? sum + valueOf(payment, rateOf(each), each.amount) : sum), 0n);
  return {
    id: payment.id,
    currency: payment.currency,
    network: payment.network,
    address: payment.address,
    amount: formatAmount(payment.amount, decimals),
    status: payment.status,
    exception: payment.exception ?? null,
    rate: formatAmount(quote.rate, RATE_DECIMALS),
    marketRate: quote.marketRate == null ? null : formatAmount(quote.marketRate, RATE_DECIMALS),
    spread: quote.spread,
    sources: quote.sources.names,
    quotedAt: quote.quotedAt,
    quoteExpiresAt: quote.endsAt,
    amountReceived: formatAmount(payment.amountReceived, decimals),
    amountConfirmed: formatAmount(payment.amountConfirmed, decimals),
    amountRefunded: formatAmount(payment.amountRefunded, decimals),
    valueReceived: down(worth(({ status }) => status !== 'ORPHANED')),
    valueConfirmed: down(worth(({ credited }) => credited)),
    transactions: own.map((deposit) => ({
      ...snapshotTransaction(deposit, decimals, height),
      rate: formatAmount(rateOf(deposit), RATE_DECIMALS),
      value: down(valueOf(payment, rateOf(deposit), deposit.amount)),
    })),
  };
}

/** The snapshot under its REST names, as events store it and webhooks carry it. */
export function invoicePayloadOf({ id, payments, ...rest }: InvoiceSnapshot): object {
  const renamed = payments.map(({ id: orderId, ...payment }) => ({ orderId, ...payment }));
  const { expiresAt, createdAt, updatedAt, settledAt, ...before } = rest;
  return { invoiceId: id, ...before, payments: renamed, expiresAt, createdAt, updatedAt, settledAt };
}

/** Reads a stored payload back. Dates stay ISO texts, which the date scalar passes through. */
export function invoiceFromPayload(payload: Record<string, unknown>): InvoiceSnapshot {
  const { invoiceId, payments, ...rest } = payload;
  const renamed = (payments as Record<string, unknown>[]).map(({ orderId, ...payment }) => ({
    id: orderId,
    ...payment,
  }));
  return { id: invoiceId, ...rest, payments: renamed } as unknown as InvoiceSnapshot;
}
