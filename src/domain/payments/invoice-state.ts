// The state of an invoice: a pure function of the invoice, its payments and the clock. It is that of a payment, run on
// values and told in other words (contract-invoices, section 4).

import type { InvoiceStatus, PaymentException, PaymentStatus } from '../../entities/enums.ts';
import type { Invoice } from '../../entities/invoice.ts';
import { priceAsValue } from '../../values/prices/price.ts';
import type { EventType } from '../events/record.ts';
import { isPaidLate, nextState, type PaymentFacts, type Step } from './state-machine.ts';
import { decimalsOf } from '../snapshots/invoice.ts';
import { overpaidFrom, receiptsOf, type PaymentWorth } from './invoice-values.ts';

/** The fields of an invoice that its state depends on. */
export type InvoiceFacts = Pick<
  Invoice,
  | 'status'
  | 'exception'
  | 'amount'
  | 'currency'
  | 'toleranceBasisPoints'
  | 'latePaymentPolicy'
  | 'deadline'
  | 'processingSince'
  | 'lateFromStatus'
  | 'lateFromException'
  | 'lostFromStatus'
  | 'lostFromException'
  | 'lostAt'
  | 'acceptedAt'
  | 'valueSetAside'
>;

/** A payment of an invoice: what it is worth, and whether it may still bring money in time. */
export interface PaymentOfInvoice extends PaymentWorth {
  readonly payment: PaymentWorth['payment'] & { readonly status: PaymentStatus };
}

/** One step: the fields it changes, and its event. */
export interface InvoiceStep {
  readonly changes: Partial<InvoiceFacts> & Pick<InvoiceFacts, 'status'> & { exception: PaymentException | null };
  readonly event: EventType;
}

/** The words of an invoice for the states of a payment. The others are the same. */
const WORDS: Readonly<Partial<Record<PaymentStatus, InvoiceStatus>>> = {
  PENDING: 'OPEN',
  CONFIRMING: 'PROCESSING',
  SUCCEEDED: 'SETTLED',
};
const PAYMENT_WORDS = new Map(Object.entries(WORDS).map(([payment, invoice]) => [invoice, payment as PaymentStatus]));

const toInvoiceWord = (status: PaymentStatus): InvoiceStatus => WORDS[status] ?? (status as InvoiceStatus);
const toPaymentWord = (status: InvoiceStatus): PaymentStatus => PAYMENT_WORDS.get(status) ?? (status as PaymentStatus);

/** The states of payments for which an invoice waits before it ends, by its own state. */
const AWAITED: Readonly<Partial<Record<InvoiceStatus, readonly PaymentStatus[]>>> = {
  OPEN: ['PENDING', 'PARTIALLY_PAID'],
  PARTIALLY_PAID: ['PENDING', 'PARTIALLY_PAID'],
  PROCESSING: ['PENDING', 'PARTIALLY_PAID', 'CONFIRMING'],
};

/**
 * The next step of an invoice; null if none is due. Call it until it returns null. The payments' own time-outs wait for
 * what their watchers have seen, so that the clock decides as soon as none of them is awaited.
 */
export function nextInvoiceState(
  invoice: InvoiceFacts,
  payments: readonly PaymentOfInvoice[],
  now: Date,
): InvoiceStep | null {
  const awaited = AWAITED[invoice.status] ?? [];
  const waits = payments.some(({ payment }) => awaited.includes(payment.status));
  const clock = { now, seenUntil: waits ? null : now };
  const step = nextState(toFacts(invoice, payments), receiptsOf(invoice.deadline, payments), clock);
  return step && translated(step);
}

/** Whether an ended invoice has received its full value after all. */
export function isInvoicePaidLate(invoice: InvoiceFacts, payments: readonly PaymentOfInvoice[]): boolean {
  return isPaidLate(toFacts(invoice, payments), receiptsOf(invoice.deadline, payments));
}

/** The invoice as the state machine of payments reads it: values in the place of amounts. */
function toFacts(invoice: InvoiceFacts, payments: readonly PaymentOfInvoice[]): PaymentFacts {
  const former = (status: InvoiceStatus | null | undefined) => (status == null ? null : toPaymentWord(status));
  return {
    status: toPaymentWord(invoice.status),
    exception: invoice.exception ?? null,
    amount: priceAsValue(invoice.amount, decimalsOf(invoice.currency)),
    overpaidFrom: overpaidFrom(invoice, payments),
    toleranceBasisPoints: invoice.toleranceBasisPoints,
    latePaymentPolicy: invoice.latePaymentPolicy,
    expiresAt: invoice.deadline,
    confirmingSince: invoice.processingSince ?? null,
    lateFromStatus: former(invoice.lateFromStatus),
    lateFromException: invoice.lateFromException ?? null,
    lostFromStatus: former(invoice.lostFromStatus),
    lostFromException: invoice.lostFromException ?? null,
    lostAt: invoice.lostAt ?? null,
    acceptedAt: invoice.acceptedAt ?? null,
    setAside: invoice.valueSetAside,
  };
}

/**
 * How the fields of a payment that steps change are called in an invoice; those that are not here are called the same.
 */
const NAMES: Readonly<Record<string, keyof InvoiceFacts>> = { confirmingSince: 'processingSince' };
const STATES = new Set(['status', 'lateFromStatus', 'lostFromStatus']);

function translated({ changes, event }: Step): InvoiceStep {
  const told = Object.entries(changes).map(([name, value]) => [
    NAMES[name] ?? name,
    STATES.has(name) && value !== null ? toInvoiceWord(value as PaymentStatus) : value,
  ]);
  return { changes: Object.fromEntries(told) as InvoiceStep['changes'], event: eventOf(changes.status, event) };
}

const EVENTS: Readonly<Record<Step['event'], EventType>> = {
  'payment.succeeded': 'invoice.settled',
  'payment.failed': 'invoice.failed',
  'payment.expired': 'invoice.expired',
  'payment.updated': 'invoice.updated',
};

/** Shops may deliver to some customers once enough was seen, so that this is an event of its own. */
const eventOf = (status: PaymentStatus, event: Step['event']): EventType =>
  status === 'CONFIRMING' ? 'invoice.processing' : EVENTS[event];
