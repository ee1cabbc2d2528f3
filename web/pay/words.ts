// What the payment page says in each state: every sentence about a payment is here, chosen by (checkout, clock).
import type { Checkout } from './checkout.ts';

/** How a state looks: waiting for the customer, for the chain, done, or stopped and in need of an explanation. */
export type Tone = 'wait' | 'work' | 'good' | 'stop';

export interface Wording {
  readonly tone: Tone;
  readonly heading: string;
  /** What is going on, one or two sentences. */
  readonly text: string;
  /** What the label over the large amount says. */
  readonly amountLabel: string;
  /** What the customer can do now; empty where there is nothing to do. */
  readonly steps: readonly string[];
}

/** Whether the customer may send money now: the address is shown only then. */
export function isPayable(checkout: Checkout, now: Date): boolean {
  return isOpen(checkout) && now.getTime() < Date.parse(checkout.expiresAt);
}

/** What the page says about this payment at this time. */
export function wordingOf(checkout: Checkout, now: Date): Wording {
  if (isOpen(checkout) && !isPayable(checkout, now)) return lapsed(checkout);
  return STATES[checkout.status](checkout);
}

/** Whether any money has been seen. */
export function hasReceived(checkout: Checkout): boolean {
  return /[1-9]/.test(checkout.amountReceived);
}

/**
 * A merchant's text without the characters that turn the direction of what follows them (UAX #9): in a sentence of ours they
 * could turn an amount or a reference round.
 */
export function plain(text: string): string {
  return text.replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '');
}

const isOpen = (checkout: Checkout) => checkout.status === 'PENDING' || checkout.status === 'PARTIALLY_PAID';
const money = (amount: string, checkout: Checkout) => `${amount} ${checkout.currency}`;
const received = (checkout: Checkout) => money(checkout.amountReceived, checkout);
const nameOf = (checkout: Checkout) => plain(checkout.companyName);
const quote = (checkout: Checkout) => `contact ${nameOf(checkout)} and quote ${checkout.id}.`;
const askMerchant = (checkout: Checkout) => `For help, ${quote(checkout)}`;
const DO_NOT_SEND = 'Please do not send anything to this address any more.';

const STATES: Readonly<Record<Checkout['status'], (checkout: Checkout) => Wording>> = {
  PENDING: () => ({
    tone: 'wait',
    heading: 'Waiting for your payment',
    text: 'Scan the code with your wallet, or copy address and amount. This page updates by itself.',
    amountLabel: 'Send exactly',
    steps: [],
  }),
  PARTIALLY_PAID: (checkout) => ({
    tone: 'wait',
    heading: 'Part of the amount has arrived',
    text: `We have seen ${received(checkout)}. Please send the remaining ${money(checkout.amountDue, checkout)} to the same address.`,
    amountLabel: 'Still due',
    steps: [],
  }),
  CONFIRMING: (checkout) => ({
    tone: 'work',
    heading: 'Payment seen',
    text: `${received(checkout)} is on its way and ${checkout.networkName} is confirming it. There is nothing more for you to do; you may close this page.`,
    amountLabel: 'Amount',
    steps: [],
  }),
  SUCCEEDED: succeeded,
  FAILED: failed,
  EXPIRED: (checkout) => ended(checkout, 'This payment has expired', 'The time to pay has run out.'),
  CANCELED: (checkout) =>
    ended(checkout, 'This payment was canceled', `${nameOf(checkout)} has canceled this payment.`),
  PARTIALLY_REFUNDED: (checkout) => ({
    tone: 'good',
    heading: 'Partly refunded',
    text: `The payment was completed, and ${nameOf(checkout)} has sent part of it back.`,
    amountLabel: 'Amount',
    steps: [`With questions about the refund, ${quote(checkout)}`],
  }),
  REFUNDED: (checkout) => ({
    tone: 'good',
    heading: 'Refunded',
    text: `The payment was completed, and ${nameOf(checkout)} has sent the money back.`,
    amountLabel: 'Amount',
    steps: [`With questions about the refund, ${quote(checkout)}`],
  }),
};

function lapsed(checkout: Checkout): Wording {
  const seen = hasReceived(checkout) ? ` We have seen ${received(checkout)} so far.` : '';
  return {
    tone: 'stop',
    heading: 'The time is up',
    text: `Please do not send anything now.${seen} If you have already paid, leave this page open: we are still checking.`,
    amountLabel: 'Amount',
    steps: [],
  };
}

function succeeded(checkout: Checkout): Wording {
  const paid: Wording = {
    tone: 'good',
    heading: 'Payment complete',
    text: `Thank you. ${nameOf(checkout)} has received your payment.`,
    amountLabel: 'Paid',
    steps: [],
  };
  if (checkout.exception === 'OVERPAID') {
    return {
      ...paid,
      text: `Thank you. You sent ${received(checkout)}, which is more than the ${money(checkout.amount, checkout)} that was due.`,
      steps: [`To get the difference back, ${quote(checkout)}`],
    };
  }
  if (checkout.exception === 'PAID_LATE') {
    return { ...paid, text: `Thank you. Your payment arrived late, and ${nameOf(checkout)} has accepted it.` };
  }
  return paid;
}

function failed(checkout: Checkout): Wording {
  const base = { tone: 'stop', heading: 'The payment was not completed', amountLabel: 'Amount' } as const;
  if (checkout.exception === 'UNCONFIRMED') {
    return {
      ...base,
      text: `Your transfer was seen, but ${checkout.networkName} has not confirmed it in time. It may still be confirmed; this page will then say so.`,
      steps: ['Look at the transfer in your wallet. Do not send it a second time.', askMerchant(checkout)],
    };
  }
  if (checkout.exception === 'REORGED') {
    return {
      ...base,
      text: `${checkout.networkName} has removed your transfer after it had been confirmed. This is rare and not your fault.`,
      steps: ['Look at the transfer in your wallet before you pay again.', askMerchant(checkout)],
    };
  }
  if (!hasReceived(checkout)) return { ...base, text: DO_NOT_SEND, steps: [askMerchant(checkout)] };
  return {
    ...base,
    text: `We received ${received(checkout)} of ${money(checkout.amount, checkout)} before the time ran out.`,
    steps: [DO_NOT_SEND, `To complete the payment or get your money back, ${quote(checkout)}`],
  };
}

/** Expired or canceled: nothing arrived, or it arrived too late and the merchant has to decide. */
function ended(checkout: Checkout, heading: string, reason: string): Wording {
  const base = { tone: 'stop', heading, amountLabel: 'Amount' } as const;
  if (hasReceived(checkout)) {
    return {
      ...base,
      text: `${reason} We received ${received(checkout)} afterwards.`,
      steps: [DO_NOT_SEND, `Your money is not lost: ${quote(checkout)}`],
    };
  }
  return {
    ...base,
    text: `${reason} ${DO_NOT_SEND}`,
    steps: [
      `To pay, go back to ${nameOf(checkout)} and start again: you will get a new address.`,
      `If you have already paid, ${quote(checkout)}`,
    ],
  };
}
