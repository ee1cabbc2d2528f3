// The sentences of an invoice's page for each step, all chosen here from (invoice, step).

import type { Html } from '../html.ts';
import { html } from '../html.ts';
import { code, type Key, type Locale } from '../locale.ts';
import { hasReceived, lapsed, plain, type Say, type Wording, wordingOfStatus } from '../words.ts';
import type { InvoiceCheckout, InvoicePayment } from './checkout.ts';
import type { Stage } from './stage.ts';

/** What the page says of an invoice at this step. */
export function invoiceWording(invoice: InvoiceCheckout, stage: Stage, locale: Locale): Wording {
  const say = sayerOf(invoice, stage, locale);
  switch (stage.step) {
    case 'coin':
      return choosing(invoice, say);
    case 'network':
      return waiting('networkHeading', [say('networkText')], invoice);
    case 'pay':
      return hasReceived(invoice)
        ? waiting('partHeading', [say('restText')], invoice)
        : waiting('pendingHeading', [say('pendingText')], invoice);
    case 'renew':
      return { ...waiting('newRateHeading', newRate(invoice, stage.payment, say), invoice), tone: 'stop' };
    case 'lapsed':
      return lapsed(invoice, say);
    case 'rest':
      return resting(invoice, say);
  }
}

/** A new rate is offered only where there is one; where not, the page's choice says why. */
function newRate(invoice: InvoiceCheckout, { checkout }: InvoicePayment, say: Say): readonly Html[] {
  const { currency, network } = checkout;
  const option = invoice.options.find((each) => each.currency === currency && each.network === network);
  if (option?.state !== 'OPEN') return [say('alreadySent')];
  return [say(hasReceived(invoice) ? 'newRestText' : 'newRateText'), say('alreadySent')];
}

const labelOf = (invoice: InvoiceCheckout): Key => (hasReceived(invoice) ? 'labelDue' : 'labelAmount');

function waiting(heading: Key, text: readonly Html[], invoice: InvoiceCheckout): Wording {
  return { tone: 'wait', heading, text, amountLabel: labelOf(invoice), steps: [] };
}

function choosing(invoice: InvoiceCheckout, say: Say): Wording {
  if (!invoice.options.some(({ state }) => state === 'OPEN'))
    return { ...waiting('noCoinHeading', [say('noCoinText')], invoice), tone: 'stop', steps: [say('helpStep')] };
  return waiting('chooseHeading', [say(hasReceived(invoice) ? 'chooseRestText' : 'chooseText')], invoice);
}

/** The payment's status that says the same as the invoice's. */
const SAME_AS = {
  SETTLED: 'SUCCEEDED',
  FAILED: 'FAILED',
  EXPIRED: 'EXPIRED',
  CANCELED: 'CANCELED',
  PARTIALLY_REFUNDED: 'PARTIALLY_REFUNDED',
  REFUNDED: 'REFUNDED',
} as const;

function resting(invoice: InvoiceCheckout, say: Say): Wording {
  const { status } = invoice;
  if (status === 'OPEN' || status === 'PARTIALLY_PAID' || status === 'PROCESSING') {
    const text = [say('processingText')];
    return { tone: 'work', heading: 'confirmingHeading', text, amountLabel: 'labelAmount', steps: [] };
  }
  return wordingOfStatus(SAME_AS[status], { ...invoice, hasAddress: invoice.payments.length > 0 }, say);
}

/** Fills sentences with the values of one invoice, which cover every placeholder of every sentence about one. */
function sayerOf(invoice: InvoiceCheckout, stage: Stage, locale: Locale): Say {
  const price = (amount: string) => code(locale.price(amount, invoice.currency));
  const payment = 'payment' in stage ? stage.payment : troubledOf(invoice);
  const values = {
    received: price(invoice.amountReceived),
    due: price(invoice.amountDue),
    amount: price(invoice.amount),
    coins: code(payment ? locale.money(payment.checkout.amountDue, payment.checkout.currency) : ''),
    coin: code(stage.step === 'network' ? stage.coin : ''),
    network: payment?.checkout.networkName ?? '',
    company: plain(invoice.companyName),
    reference: html`<code dir="ltr">${invoice.id}</code>`,
  };
  return (key) => locale.say(key, values);
}

/** The payment by which the invoice ended as it did; else the newest that money was seen for, else the newest. */
function troubledOf({ exception, payments }: InvoiceCheckout): InvoicePayment | undefined {
  return (
    payments.findLast(({ checkout }) => exception !== null && checkout.exception === exception) ??
    payments.findLast(({ checkout }) => hasReceived(checkout)) ??
    payments.at(-1)
  );
}
