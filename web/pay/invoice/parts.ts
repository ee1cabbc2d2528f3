// The parts of an invoice's page that change with it, in their order on the page.

import { query } from '../document.ts';
import { html, type Html } from '../html.ts';
import { code, type Locale } from '../locale.ts';
import { choiceOf, networkOf } from '../network-names.ts';
import { clock, fact, helpPart, part, payPart, progress, returnPart, statusPart, stepsPart } from '../parts.ts';
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
    statusPart(view),
    part('facts', factsPart(view)),
    part('steps', stepsPart(view)),
    part('choose', choicePart(view)),
    part('pay', stage.step === 'pay' && payPart({ checkout: stage.payment.checkout, locale })),
    part('other', otherPart(view)),
    part('return', returnPart(invoice.returnUrl, view)),
    part('help', helpPart(invoice, locale)),
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
  return html`${amountHeading(locale.say(words.amountLabel), locale.priceAmount(shown, invoice.currency), invoice.currency, false)}
  ${waits && clock('timeLeft', invoice.expiresAt, now, locale)}`;
}

function coinsPart({ checkout, rate, quoteExpiresAt }: InvoicePayment, { invoice, now, locale }: InvoiceView): Html {
  const { currency } = invoice;
  const label = locale.say(hasReceived(checkout) ? 'labelDue' : 'labelSend');
  const worth = locale.say('forPrice', { price: code(locale.price(invoice.amountDue, currency)) });
  const more = html`<span class="network">${locale.say('onNetwork', { network: networkOf(checkout) })}</span>
    <span class="worth">${worth}</span>
    <span class="label">${code(locale.rate(checkout.currency, rate, currency))}</span>`;
  return html`${amountHeading(label, locale.amount(checkout.amountDue), checkout.currency, more)}
  ${clock('rateHolds', quoteExpiresAt, now, locale)}`;
}

/** The heading of a page: an amount under its label, and what is said of it. */
export function amountHeading(label: Html, shown: string, currency: string, more: Html | false): Html {
  return html`<h1>
    <span class="label">${label}</span>
    <span class="amount${shown.length > 12 && ' long'}"
      ><bdi dir="ltr">${shown} <span class="currency">${currency}</span></bdi></span
    >
    ${more}
  </h1>`;
}

/** The progress of the payment that is waited for, and what came, coin by coin. */
function factsPart({ invoice, locale }: InvoiceView): Html {
  const { status, amount, amountReceived, amountDue, currency } = invoice;
  const current = invoice.payments.find(({ isCurrent }) => isCurrent);
  const price = (text: string) => locale.price(text, currency);
  const came = invoice.payments.filter(({ checkout }) => hasReceived(checkout));
  const sums = html`<dl>
    ${fact(locale.say('labelAmount'), price(amount))} ${came.map((payment) => coinsThatCame(payment, locale))}
    ${fact(locale.say('labelReceived'), price(amountReceived))}
    ${status === 'PARTIALLY_PAID' && fact(locale.say('labelDue'), price(amountDue))}
  </dl>`;
  return html`${status === 'PROCESSING' && current && progress(current.checkout, locale)}${came.length > 0 && sums}`;
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
