// Stores a quote and the payment that it makes, under the invoice's lock.

import type { EntityManager } from '../../database/connection.ts';
import type { NewQuoteRow } from '../../database/queries/invoices/insert-quotes.ts';
import type { ReadQuotedPayment } from '../../database/queries/invoices/read-invoices.ts';
import { insertRows, updateRows } from '../../database/rows.ts';
import { Invoice } from '../../entities/invoice.ts';
import { Payment } from '../../entities/payment.ts';
import { Quote } from '../../entities/quote.ts';
import type { Asset } from '../../values/assets.ts';
import { newId } from '../../values/id.ts';
import type { FreshAddress } from '../addresses/derive.ts';
import type { Chain, Deps } from '../deps.ts';
import { eventRow, recordEvents, toRecord, type EventRow } from '../events/record.ts';
import type { QuotedRate } from '../rates/rates.ts';
import { snapshotInvoice, type InvoiceSnapshot } from '../snapshots/invoice.ts';
import { snapshotPayment } from '../snapshots/payment.ts';
import { settleInvoice, settleInvoices } from '../payments/settle-invoices.ts';

/** What a quote is made on. */
export interface Terms {
  readonly chain: Chain;
  readonly rate: QuotedRate;
  /** What is asked for, in base units. */
  readonly units: bigint;
}

export interface NewQuote extends Terms {
  readonly asset: Asset;
  readonly address: FreshAddress;
  /** What was due, as a value. */
  readonly due: bigint;
  readonly withoutToken: boolean;
}

/** What a quote makes: its payment with the event of that, and a deadline for the invoice. */
interface MadeQuote {
  readonly payment: Payment;
  readonly quote: Quote;
  readonly created: EventRow;
  readonly deadline: Date;
}

function makeQuote(deps: Deps, invoice: Invoice, fresh: NewQuote, now: Date): MadeQuote {
  const endsAt = new Date(now.getTime() + invoice.quoteMinutes * 60_000);
  const payment = newPayment(invoice, fresh, now, endsAt);
  const snapshot = snapshotPayment(payment, [], { payUrl: deps.payUrl, height: 0 });
  const { merchantId, version } = payment;
  return {
    payment,
    quote: newQuote(invoice, payment, fresh, endsAt),
    created: eventRow(deps.environment, { type: 'payment.created', merchantId, version, payment: snapshot, at: now }),
    deadline: payment.expiresAt > invoice.deadline ? payment.expiresAt : invoice.deadline,
  };
}

/** Stores the payment, its quote and the invoice's new deadline, and records the events of both. */
export async function storeQuote(deps: Deps, em: EntityManager, invoice: Invoice, fresh: NewQuote): Promise<void> {
  const now = deps.clock.now();
  const { payment, quote, created, deadline } = makeQuote(deps, invoice, fresh, now);
  await insertRows(em, Payment, [payment]);
  await insertRows(em, Quote, [quote]);
  await recordEvents(em, [created]);
  await updateRows(em, Invoice, [{ before: invoice, after: { ...invoice, deadline } }]);
  await settleInvoices(deps, em, [invoice.id], now, { isChanged: true });
  deps.signals.events();
}

/** A quote as one statement stores it, and the invoice as it is then. */
export interface PlainQuote {
  readonly row: NewQuoteRow;
  readonly snapshot: InvoiceSnapshot;
}

/**
 * Makes a quote of an invoice to which no money has come: it changes the deadline and nothing else, so that nothing but
 * the version of the invoice need be looked at again under its lock. Null for any other.
 */
export function makePlainQuote(
  deps: Deps,
  invoice: Invoice,
  payments: readonly ReadQuotedPayment[],
  fresh: NewQuote,
): PlainQuote | null {
  if (invoice.linkId != null || payments.some(({ deposits }) => deposits.length > 0)) return null;
  const now = deps.clock.now();
  const { payment, quote, created, deadline } = makeQuote(deps, invoice, fresh, now);
  const quoted = { quote, payment, deposits: [], setAside: 0n, height: 0 };
  const all = [...payments, quoted].sort((one, other) => (one.payment.id < other.payment.id ? -1 : 1));
  const { after, events } = settleInvoice(deps, { ...invoice, deadline }, all, now, { isChanged: true });
  const isPlain = Object.entries(after).every(
    ([name, value]) => CHANGED_BY_QUOTES.has(name) || value === invoice[name as keyof Invoice],
  );
  if (!isPlain) return null;
  return {
    row: {
      ...{ invoiceId: invoice.id, judged: invoice.version, expiresAt: invoice.expiresAt, version: after.version },
      ...{
        updatedAt: after.updatedAt,
        deadline,
        payment,
        quote,
        events: [created, ...events].map(toRecord),
        given: fresh.address.given,
      },
    },
    snapshot: snapshotInvoice(after, all, deps),
  };
}

const CHANGED_BY_QUOTES: ReadonlySet<string> = new Set([
  'version',
  'deadline',
  'updatedAt',
] satisfies (keyof Invoice)[]);

/** An ordinary payment, which is watched and open until the later of the invoice's and the quote's end. */
function newPayment(invoice: Invoice, { asset, chain, units, address }: NewQuote, now: Date, endsAt: Date): Payment {
  return {
    ...NEW,
    id: newId('ord', now.getTime()),
    merchantId: invoice.merchantId,
    invoiceId: invoice.id,
    currency: asset.currency,
    network: asset.network,
    amount: units,
    address: address.address,
    addressKey: address.key,
    derivationAccount: address.account,
    derivationIndex: String(address.index),
    test: invoice.test ?? null,
    merchantOrderId: invoice.merchantInvoiceId ?? null,
    productName: invoice.description ?? null,
    customerEmail: invoice.customerEmail ?? null,
    callbackUrl: null,
    returnUrl: invoice.returnUrl ?? null,
    metadata: null,
    toleranceBasisPoints: invoice.toleranceBasisPoints,
    latePaymentPolicy: invoice.latePaymentPolicy,
    requiredConfirmations: chain.requiredConfirmations,
    expiresAt: endsAt > invoice.expiresAt ? endsAt : invoice.expiresAt,
    createdAt: now,
    updatedAt: now,
  };
}

/** How every payment begins. */
const NEW = {
  ...({ status: 'PENDING', exception: null, version: 1 } as const),
  ...{ amountReceived: 0n, amountConfirmed: 0n, amountRefunded: 0n, feeAmount: 0n },
  ...{ confirmingSince: null, lateFromStatus: null, lateFromException: null, acceptedAt: null, completedAt: null },
  ...{ lostFromStatus: null, lostFromException: null, lostAt: null },
};

function newQuote(invoice: Invoice, payment: Payment, { rate, due, withoutToken }: NewQuote, endsAt: Date): Quote {
  return {
    paymentId: payment.id,
    invoiceId: invoice.id,
    currency: invoice.currency,
    due,
    rate: rate.rate,
    marketRate: rate.market,
    // A fixed rate has none.
    spread: rate.market === null ? 0 : invoice.spread,
    sources: { names: rate.sources, evidence: rate.evidence },
    quotedAt: payment.createdAt,
    endsAt,
    withoutToken,
  };
}
