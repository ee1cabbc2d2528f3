// Mails to customers: written from what happened to their order, and judged once more when they are sent, since money
// may have come meanwhile, or the customer wants no more of them (contract-people-payouts, section C).

import type { EntityManager } from '../../database/connection.ts';
import * as mails from '../../database/queries/mail/customer-mails.ts';
import { readRows } from '../../database/rows.ts';
import { Invoice } from '../../entities/invoice.ts';
import { Payment } from '../../entities/payment.ts';
import { isToCustomer, type CustomerTemplate, type MailParams, type StoredMail } from '../../mail/mails.ts';
import { formatAmount } from '../../values/amount.ts';
import { assetOf } from '../../values/assets.ts';
import { firstIdOf, isId, newId } from '../../values/id.ts';
import { shownDown, shownUp } from '../../values/prices/price.ts';
import { unsubscriptionOf, type UnsubscribeKeys } from '../../values/secrets/unsubscribe-tokens.ts';
import { decimalsOf, dueOf } from '../snapshots/invoice.ts';

const DAY_MS = 86_400_000;

/** What mails to customers need of the gateway. */
export interface CustomerMailing {
  readonly keys: Pick<UnsubscribeKeys, 'customerKey'>;
  /** How many mails a merchant's customers get in 24 hours, together; the rest is SKIPPED. */
  readonly perDay: number;
}

/** What a customer is told of an order. */
export interface CustomerNotice {
  readonly merchantId: string;
  /** A payment or an invoice. */
  readonly orderId: string;
  readonly template: Exclude<CustomerTemplate, 'UNDERPAID_ENDED'>;
  /** With its currency; empty if it is read when the mail is sent. */
  readonly amount: string;
  /** Where a refund went. */
  readonly address?: string;
  /** What there is one mail for. */
  readonly dedupe: string;
  readonly dueAt: Date;
}

/** Tells the customer of an order, in the current transaction; nobody if the order names nobody, or was erased. */
export async function tellCustomer(
  em: EntityManager,
  { keys, perDay }: CustomerMailing,
  { merchantId, orderId, template, amount, address, dedupe, dueAt }: CustomerNotice,
  now: Date,
): Promise<void> {
  const order = await mails.readOrderToMail(em, orderId);
  if (order?.email == null) return;
  const { about, company, support, locale } = order;
  const recipient = order.email.toLowerCase();
  const params = { company, order: orderId, about, amount, support: support ?? '', ...(address && { address }) };
  await mails.insertCustomerMail(em, {
    ...{ id: newId('eml', now.getTime()), merchantId, orderId, template, recipient, locale: locale ?? 'en', params },
    ...{ now, dueAt, dedupe, digest: unsubscriptionOf(keys, merchantId, recipient).digest },
    ...{ most: perDay, since: firstIdOf('eml', now.getTime() - DAY_MS) },
  });
}

/** A mail as it may be sent now, whose words may differ from those that it was written with; null if it may not be. */
export async function judgeMail<Mail extends StoredMail>(
  em: EntityManager,
  keys: Pick<UnsubscribeKeys, 'customerKey'>,
  mail: Mail,
): Promise<Mail | null> {
  const { template, merchantId, recipient } = mail;
  if (!isToCustomer(template) || merchantId == null) return mail;
  const { digest } = unsubscriptionOf(keys, merchantId, recipient);
  if (await mails.isUnsubscribed(em, merchantId, digest)) return null;
  if (template !== 'UNDERPAID') return mail;
  const params = mail.params as MailParams['UNDERPAID'];
  const standing = await readStanding(em, params.order);
  if (standing === null) return null;
  const { isOpen, amount, rest } = standing;
  return isOpen
    ? { ...mail, params: { ...params, amount, rest } }
    : { ...mail, template: 'UNDERPAID_ENDED', params: { ...params, amount } };
}

/** What has come for an underpaid order, and what is still due, with their currency. */
interface Standing {
  /** Whether the rest may still be sent. */
  readonly isOpen: boolean;
  readonly amount: string;
  readonly rest: string;
}

/** Null for an order that is not underpaid, or not any more. */
async function readStanding(em: EntityManager, orderId: string): Promise<Standing | null> {
  const order = isId('inv', orderId) ? await readInvoice(em, orderId) : await readPayment(em, orderId);
  if (order === null) return null;
  const { status, exception, amount, rest } = order;
  if (status === 'FAILED' && exception === 'UNDERPAID') return { isOpen: false, amount, rest };
  return status === 'PARTIALLY_PAID' && order.isDue ? { isOpen: true, amount, rest } : null;
}

async function readPayment(em: EntityManager, id: string) {
  const [payment] = await readRows(em, Payment, 'where id = $1', [id]);
  if (!payment) return null;
  const { status, exception, currency, network } = payment;
  const shown = (units: bigint) => `${formatAmount(units, assetOf(payment).decimals)} ${currency} (${network})`;
  const rest = payment.amount - payment.amountReceived;
  return { status, exception, amount: shown(payment.amountReceived), rest: shown(rest), isDue: rest > 0n };
}

async function readInvoice(em: EntityManager, id: string) {
  const [invoice] = await readRows(em, Invoice, 'where id = $1', [id]);
  if (!invoice) return null;
  const { status, exception, currency, valueReceived } = invoice;
  const [decimals, due] = [decimalsOf(currency), dueOf(invoice)];
  const shown = (price: bigint) => `${formatAmount(price, decimals)} ${currency}`;
  const amount = shown(shownDown(valueReceived, decimals));
  return { status, exception, amount, rest: shown(shownUp(due, decimals)), isDue: due > 0n };
}
