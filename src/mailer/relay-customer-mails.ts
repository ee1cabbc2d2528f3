// Turns events into mails to the customers of merchants who have them sent: receipts, what is still due, and refunds.

import type { EntityManager } from '../database/connection.ts';
import { holdEvents, readOrderOf } from '../database/queries/mail/customer-mails.ts';
import type { EventToMail } from '../database/queries/mail/event-cursor.ts';
import { tellCustomer, type CustomerMailing, type CustomerNotice } from '../domain/mail/customer-mails.ts';
import { invoiceFromPayload } from '../domain/snapshots/invoice.ts';
import { fromPayload } from '../domain/snapshots/payment.ts';
import { payoutFromPayload } from '../domain/snapshots/payout.ts';

/** How long the rest may take that somebody sends by themselves. */
export const UNDERPAID_AFTER_MS = 120_000;

/** A notice, and the mail that a merchant must have chosen for it. */
interface Chosen {
  readonly mail: 'RECEIPT' | 'UNDERPAID' | 'REFUND';
  readonly notice: Omit<CustomerNotice, 'merchantId'>;
}

type Find = (em: EntityManager, payload: Readonly<Record<string, unknown>>, now: Date) => Promise<Chosen | null>;

/** What belongs to an invoice is told of the invoice. */
const ofPayment: Find = (_em, payload, now) => {
  const payment = fromPayload(payload);
  const { id: orderId, amountConfirmed, currency, network } = payment;
  if (payment.invoiceId !== null) return Promise.resolve(null);
  return Promise.resolve(chosenOf(payment, orderId, `${amountConfirmed} ${currency} (${network})`, now));
};

const ofInvoice: Find = (_em, payload, now) => {
  const invoice = invoiceFromPayload(payload);
  return Promise.resolve(chosenOf(invoice, invoice.id, `${invoice.amountConfirmed} ${invoice.currency}`, now));
};

interface State {
  readonly status: string;
  readonly exception: string | null;
}

/** A first success is told once, whatever the chain does afterwards; so is a first amount that is too little. */
function chosenOf({ status, exception }: State, orderId: string, amount: string, now: Date): Chosen | null {
  if (status === 'SUCCEEDED' || status === 'SETTLED')
    return {
      mail: 'RECEIPT',
      notice: { orderId, template: 'RECEIPT', amount, dedupe: `receipt/${orderId}`, dueAt: now },
    };
  if (status !== 'PARTIALLY_PAID' && (status !== 'FAILED' || exception !== 'UNDERPAID')) return null;
  const dueAt = new Date(now.getTime() + UNDERPAID_AFTER_MS);
  return {
    mail: 'UNDERPAID',
    notice: { orderId, template: 'UNDERPAID', amount: '', dedupe: `underpaid/${orderId}`, dueAt },
  };
}

const ofRefund: Find = async (em, payload, now) => {
  const { id, paymentId, amount, currency, network, address } = payoutFromPayload(payload);
  if (paymentId === null) return null;
  const orderId = await readOrderOf(em, paymentId);
  const money = { amount: `${amount} ${currency} (${network})`, address };
  return {
    mail: 'REFUND',
    notice: { orderId, template: 'REFUND_SENT', ...money, dedupe: `refund_sent/${id}`, dueAt: now },
  };
};

const FOUND: Readonly<Record<string, Find>> = {
  ...{ 'payment.succeeded': ofPayment, 'payment.updated': ofPayment, 'payment.failed': ofPayment },
  ...{ 'invoice.settled': ofInvoice, 'invoice.updated': ofInvoice, 'invoice.failed': ofInvoice },
  'refund.completed': ofRefund,
};

/** The types of events that customers may be told of. */
export const CUSTOMER_EVENT_TYPES: readonly string[] = Object.keys(FOUND);

/** Writes the mails that these events are a reason for, in the current transaction. */
export async function tellCustomers(
  em: EntityManager,
  mailing: CustomerMailing,
  events: readonly EventToMail[],
  now: Date,
): Promise<void> {
  const found: { readonly event: EventToMail; readonly chosen: Chosen }[] = [];
  for (const event of events) {
    if (event.payload === null || event.customerMails.length === 0) continue;
    const chosen = await FOUND[event.type]?.(em, event.payload, now);
    if (chosen && event.customerMails.includes(chosen.mail)) found.push({ event, chosen });
  }
  if (found.length === 0) return;
  await holdEvents(
    em,
    found.map(({ event }) => event.id),
  );
  for (const { event, chosen } of found)
    await tellCustomer(em, mailing, { merchantId: event.merchantId, ...chosen.notice }, now);
}
