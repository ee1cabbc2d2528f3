// The sentences of the payment page for each status, all chosen here from (checkout, clock).
import { amountLess } from '../../src/values/formats/decimals.ts';
import type { Checkout } from './checkout.ts';
import { html, type Html } from './html.ts';
import { code, type Key, type Locale } from './locale.ts';

/** The look of a state: waiting for the customer, waiting for the chain, done, or stopped with an explanation. */
export type Tone = 'wait' | 'work' | 'good' | 'stop';

export interface Wording {
  readonly tone: Tone;
  readonly heading: Key;
  /** The current state, in one or two sentences. */
  readonly text: readonly Html[];
  /** The label above the large amount. */
  readonly amountLabel: Key;
  /** What the customer can do now; empty if there is nothing. */
  readonly steps: readonly Html[];
}

/** Whether the customer may send money now: the address is shown only then. */
export function isPayable(checkout: Checkout, now: Date): boolean {
  return isOpen(checkout) && now.getTime() < Date.parse(checkout.expiresAt);
}

/** What the page says about this payment at this time. */
export function wordingOf(checkout: Checkout, now: Date, locale: Locale): Wording {
  const say = sayerOf(checkout, locale);
  if (isOpen(checkout) && !isPayable(checkout, now)) return lapsed(checkout, say);
  return wordingOfStatus(checkout.status, { ...checkout, hasAddress: true }, say);
}

/** What decides, beside the status, what is said. */
export interface Story extends Pick<Checkout, 'exception' | 'amountReceived'> {
  /** Whether the customer was ever given an address. */
  readonly hasAddress: boolean;
}

/** What is said in a status, whatever the clock says. */
export function wordingOfStatus(status: Checkout['status'], story: Story, say: Say): Wording {
  return STATES[status](story, say);
}

/** Whether any money has been seen. */
export function hasReceived({ amountReceived }: Pick<Checkout, 'amountReceived'>): boolean {
  return /[1-9]/.test(amountReceived);
}

/** What came beyond the amount, a decimal string; null if nothing did. */
export function surplusOf({ amount, amountReceived }: Pick<Checkout, 'amount' | 'amountReceived'>): string | null {
  const surplus = amountLess(amountReceived, amount);
  return surplus === '0' ? null : surplus;
}

/**
 * A merchant's text without bidirectional control characters (UAX #9): in one of our sentences they could reverse an
 * amount or a reference.
 */
export function plain(text: string): string {
  return text.replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '');
}

const isOpen = (checkout: Checkout) => checkout.status === 'PENDING' || checkout.status === 'PARTIALLY_PAID';

/** Says a sentence with the values of what it is about. */
export type Say = (key: Key) => Html;

/** Fills sentences with the values of one payment, which cover every placeholder of every sentence about a payment. */
function sayerOf(checkout: Checkout, locale: Locale): Say {
  const money = (amount: string) => code(locale.money(amount, checkout.currency));
  const values = {
    received: money(checkout.amountReceived),
    due: money(checkout.amountDue),
    amount: money(checkout.amount),
    network: checkout.networkName,
    company: plain(checkout.companyName),
    reference: html`<code dir="ltr">${checkout.id}</code>`,
  };
  return (key) => locale.say(key, values);
}

const STATES: Readonly<Record<Checkout['status'], (story: Story, say: Say) => Wording>> = {
  PENDING: (_story, say) => ({
    tone: 'wait',
    heading: 'pendingHeading',
    text: [say('pendingText')],
    amountLabel: 'labelSend',
    steps: [],
  }),
  PARTIALLY_PAID: (_story, say) => ({
    tone: 'wait',
    heading: 'partHeading',
    text: [say('partText')],
    amountLabel: 'labelDue',
    steps: [],
  }),
  CONFIRMING: (_story, say) => ({
    tone: 'work',
    heading: 'confirmingHeading',
    text: [say('confirmingText')],
    amountLabel: 'labelAmount',
    steps: [],
  }),
  SUCCEEDED: succeeded,
  FAILED: failed,
  EXPIRED: (story, say) => ended(story, say, 'expiredHeading', 'expiredText'),
  CANCELED: (story, say) => ended(story, say, 'canceledHeading', 'canceledText'),
  PARTIALLY_REFUNDED: (_story, say) => ({
    tone: 'good',
    heading: 'partlyRefundedHeading',
    text: [say('partlyRefundedText')],
    amountLabel: 'labelAmount',
    steps: [say('refundStep')],
  }),
  REFUNDED: (_story, say) => ({
    tone: 'good',
    heading: 'refundedHeading',
    text: [say('refundedText')],
    amountLabel: 'labelAmount',
    steps: [say('refundStep')],
  }),
};

/** Its time is over, and it has not ended yet. */
export function lapsed(checkout: Pick<Checkout, 'amountReceived'>, say: Say): Wording {
  return {
    tone: 'stop',
    heading: 'lapsedHeading',
    text: [say('lapsedText'), ...(hasReceived(checkout) ? [say('lapsedSeen')] : [])],
    amountLabel: 'labelAmount',
    steps: [],
  };
}

function succeeded(story: Story, say: Say): Wording {
  const paid = { tone: 'good', heading: 'succeededHeading', amountLabel: 'labelPaid', steps: [] } as const;
  if (story.exception === 'OVERPAID') return { ...paid, text: [say('overpaidText')], steps: [say('overpaidStep')] };
  if (story.exception === 'PAID_LATE') return { ...paid, text: [say('lateText')] };
  return { ...paid, text: [say('succeededText')] };
}

function failed(story: Story, say: Say): Wording {
  const base = { tone: 'stop', heading: 'failedHeading', amountLabel: 'labelAmount' } as const;
  if (story.exception === 'UNCONFIRMED')
    return { ...base, text: [say('unconfirmedText')], steps: [say('unconfirmedStep'), say('helpStep')] };
  if (story.exception === 'REORGED')
    return { ...base, text: [say('reorgedText')], steps: [say('reorgedStep'), say('helpStep')] };
  if (!hasReceived(story)) return { ...base, text: [say('doNotSend')], steps: [say('helpStep')] };
  return { ...base, text: [say('underpaidText')], steps: [say('doNotSend'), say('underpaidStep')] };
}

/** Expired or canceled: nothing arrived, or it arrived too late and the merchant has to decide. */
function ended(story: Story, say: Say, heading: Key, reason: Key): Wording {
  const base = { tone: 'stop', heading, amountLabel: 'labelAmount' } as const;
  if (hasReceived(story)) {
    const text = [say(reason), say('arrivedAfterwards')];
    return { ...base, text, steps: [say('doNotSend'), say('notLostStep')] };
  }
  if (!story.hasAddress) return { ...base, text: [say(reason)], steps: [say('startAgainStep'), say('helpStep')] };
  return { ...base, text: [say(reason), say('doNotSend')], steps: [say('startAgainStep'), say('alreadyPaidStep')] };
}
