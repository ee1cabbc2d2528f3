// The parts of an invoice's page that change with it, in their order on the page.

import { purpose, query } from '../document.ts';
import { html, type Html } from '../html.ts';
import { code, type Locale } from '../locale.ts';
import { choiceOf, networkOf } from '../network-names.ts';
import { actionsPart, clock, fact, helpPart, part, share, sizeOf, statusPart, stepsPart, track } from '../parts.ts';
import { payPart } from '../pay-part.ts';
import { receiptPart } from '../receipt.ts';
import { hasReceived, type Wording } from '../words.ts';
import { choicePart, type ChoiceView } from './choices.ts';
import type { InvoiceCheckout, InvoicePayment } from './checkout.ts';

/** The data that the parts are rendered from. */
export interface InvoiceView extends ChoiceView {
  readonly words: Wording;
  readonly now: Date;
}

/** All parts; every part exists at every step, even if empty, as on the page of a payment. */
export function invoiceParts(view: InvoiceView): readonly Html[] {
  const { invoice, stage, locale } = view;
  return [
    part('amount', amountPart(view)),
    part('track', trackPart(view)),
    statusPart(view),
    part('facts', factsPart(view)),
    part('steps', stepsPart(view)),
    part('choose', choicePart(view)),
    part('pay', stage.step === 'pay' && payPart({ checkout: stage.payment.checkout, locale })),
    part('other', otherPart(view)),
    part('receipt', ownReceipt(view)),
    part('actions', actionsPart(invoice, view)),
    part('help', helpPart(invoice, view)),
  ];
}

/** The price, or the coins to send and what they are worth: the price is in sight at every step. */
function amountPart(view: InvoiceView): Html {
  const { invoice, stage, words, now, locale } = view;
  const due = hasReceived(invoice) ? invoice.amountDue : invoice.amount;
  const waits = ['coin', 'network', 'pay', 'renew'].includes(stage.step);
  const ended = words.amountLabel === 'labelPaid' ? invoice.amountReceived : invoice.amount;
  const shown = waits ? due : ended;
  if (stage.step === 'pay') return coinsPart(stage.payment, view);
  const { createdAt: from, expiresAt: until, currency } = invoice;
  return html`<div>
      ${words.tone !== 'good' && purposeOf(invoice, locale)}
      ${amountHeading(locale.say(words.amountLabel), locale.priceAmount(shown, currency), currency, false)}
    </div>
    ${waits && clock('timeLeft', { from, until }, now, locale)}`;
}

const purposeOf = ({ description: productName, merchantInvoiceId: merchantOrderId }: InvoiceCheckout, locale: Locale) =>
  purpose({ productName, merchantOrderId }, locale);

function coinsPart(payment: InvoicePayment, { invoice, now, locale }: InvoiceView): Html {
  const { checkout, rate, quotedAt: from, quoteExpiresAt: until } = payment;
  const { currency } = invoice;
  const label = locale.say(hasReceived(checkout) ? 'labelDue' : 'labelSend');
  const worth = locale.say('forPrice', { price: code(locale.price(invoice.amountDue, currency)) });
  const more = html`<span class="network">${locale.say('onNetwork', { network: networkOf(checkout) })}</span>
    <span class="worth">${worth}</span>
    <span class="label">${code(locale.rate(checkout.currency, rate, currency))}</span>`;
  return html`<div>
      ${purposeOf(invoice, locale)} ${amountHeading(label, locale.amount(checkout.amountDue), checkout.currency, more)}
    </div>
    ${clock('rateHolds', { from, until }, now, locale)}`;
}

/** The heading of a page: an amount under its label, and what is said of it. */
export function amountHeading(label: Html, shown: string, currency: string, more: Html | false): Html {
  return html`<h1>
    <span class="label">${label}</span>
    <span class="amount ${sizeOf(shown)}"
      ><bdi dir="ltr">${shown} <span class="currency">${currency}</span></bdi></span
    >
    ${more}
  </h1>`;
}

/** The steps of the payment that is waited for: to be sent, or on its way. */
function trackPart({ invoice, stage, locale }: InvoiceView): Html | false {
  if (stage.step === 'pay') return track(null, locale);
  const current = invoice.payments.find(({ isCurrent }) => isCurrent);
  return invoice.status === 'PROCESSING' && current !== undefined && track(current.checkout, locale);
}

/** Whether nothing is waited for any more and money has come, which the receipt then lists. */
function hasReceipt({ invoice, stage, words }: InvoiceView): boolean {
  return stage.step === 'rest' && (words.tone === 'good' || (words.tone === 'stop' && hasReceived(invoice)));
}

/** What came, coin by coin, as long as it is in no receipt. */
function factsPart(view: InvoiceView): Html | false {
  const { invoice, locale } = view;
  const { status, amount, amountReceived, amountDue, currency } = invoice;
  if (!hasReceived(invoice) || hasReceipt(view)) return false;
  const isPart = status === 'PARTIALLY_PAID';
  return html`${isPart && share(amountReceived, amount, locale.say('labelReceived'))}
    <dl>${sumsOf(invoice, locale)} ${isPart && fact(locale.say('labelDue'), locale.price(amountDue, currency))}</dl>`;
}

function sumsOf({ amount, amountReceived, currency, payments }: InvoiceCheckout, locale: Locale): Html[] {
  const came = payments.filter(({ checkout }) => hasReceived(checkout));
  return [
    fact(locale.say('labelAmount'), locale.price(amount, currency)),
    ...came.map((payment) => coinsThatCame(payment, locale)),
    fact(locale.say('labelReceived'), locale.price(amountReceived, currency)),
  ];
}

function ownReceipt(view: InvoiceView): Html | false {
  if (!hasReceipt(view)) return false;
  const { invoice, locale } = view;
  const transactions = invoice.payments.flatMap(({ checkout }) => checkout.transactions);
  const { description: productName, merchantInvoiceId: merchantOrderId, settledAt } = invoice;
  const date = settledAt ?? transactions[0]?.seenAt ?? null;
  const facts = { productName, merchantOrderId, sums: sumsOf(invoice, locale), network: null, date };
  return receiptPart({ ...facts, transactions }, locale);
}

function coinsThatCame({ checkout }: InvoicePayment, locale: Locale): Html {
  const where = choiceOf(checkout) ?? networkOf(checkout);
  return fact(html`<bdi>${where}</bdi>`, locale.money(checkout.amountReceived, checkout.currency));
}

/** The way to another coin, and the way back from there. */
function otherPart({ invoice, stage, locale, kept }: InvoiceView): Html | false {
  const link = (id: string, text: Html, parameters: Readonly<Record<string, string>>) =>
    html`<p class="return"><a id="${id}" href="${query({ ...kept, ...parameters })}">${text}</a></p>`;
  if (stage.step === 'pay' || stage.step === 'renew')
    return hasOthers(invoice, stage.payment) && link('other', locale.say('anotherCoin'), { coin: '' });
  if (stage.step === 'network') return link('other', locale.say('anotherCoin'), { coin: '' });
  const current = stage.step === 'coin' ? invoice.payments.find(({ isCurrent }) => isCurrent) : undefined;
  if (!current) return false;
  const { currency, network } = current.checkout;
  return link('back', locale.say('backToCoin', { coin: code(currency) }), { coin: currency, network });
}

function hasOthers({ options }: InvoiceCheckout, { checkout }: InvoicePayment): boolean {
  return options.some(({ currency, network }) => currency !== checkout.currency || network !== checkout.network);
}
