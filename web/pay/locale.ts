// The payment page's texts in one language: messages with their placeholders filled, numbers, amounts and durations.

import { isFiat, priceDecimals } from '../../src/values/prices/currencies.ts';
import { html, type Html, type HtmlValue } from './html.ts';
import type { Language } from './languages.ts';
import type { Messages } from './languages/en.ts';

export type Key = keyof Messages;

/** Placeholder values; a text is isolated from the surrounding sentence, whatever its direction. */
export type Values = Readonly<Record<string, string | Html>>;

export interface Locale {
  readonly language: Language;
  /** A sentence as markup. */
  say(key: Key, values?: Values): Html;
  /** A sentence for an attribute, where there is no markup. */
  plainly(key: Key, values?: Readonly<Record<string, string>>): string;
  /** A count in the language's number format. */
  count(value: number): string;
  /**
   * An amount and its currency for display. No grouping: the only separator among the digits is the decimal one, in
   * every language. The text to copy is another one: the digits as wallets accept them.
   */
  money(amount: string, currency: string): string;
  /** The amount without its currency. */
  amount(amount: string): string;
  /** A price with its currency, with all the decimals of a state's currency. */
  price(amount: string, currency: string): string;
  /** A price without its currency. */
  priceAmount(amount: string, currency: string): string;
  /** What one unit of a coin costs, "1 BTC = 55,000 EUR", to about eight digits: it is never typed off. */
  rate(coin: string, rate: string, currency: string): string;
  /** A span of time, in minutes or, where it is long, hours. */
  span(minutes: number): string;
  /** A short span of time, in seconds rounded up to ten or, from a minute and a half, in minutes. */
  wait(seconds: number): string;
  /** A moment in UTC, which the page's script shows in the customer's own time. */
  moment(time: string): string;
}

const PRICE_DIGITS = { useGrouping: false, maximumFractionDigits: 100 } as const;
const RATE_DIGITS = {
  maximumFractionDigits: 2,
  maximumSignificantDigits: 8,
  roundingPriority: 'morePrecision',
} as const;

/** The texts and formats of a language. */
export function localeOf(language: Language): Locale {
  const { messages, numbers, dates, direction } = language;
  const counts = new Intl.NumberFormat(numbers);
  const amounts = new Intl.NumberFormat(numbers, { useGrouping: false, maximumFractionDigits: 100 });
  const amount = (text: string) => amounts.format(text as Intl.StringNumericLiteral);
  const rates = new Intl.NumberFormat(numbers, RATE_DIGITS);
  const priceAmount = (text: string, currency: string) => {
    const minimumFractionDigits = isFiat(currency) ? (priceDecimals(currency) ?? 0) : 0;
    const prices = new Intl.NumberFormat(numbers, { ...PRICE_DIGITS, minimumFractionDigits });
    return prices.format(text as Intl.StringNumericLiteral);
  };
  const moments = new Intl.DateTimeFormat(dates, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });
  const unit = (name: string) => new Intl.NumberFormat(numbers, { style: 'unit', unit: name, unitDisplay: 'short' });
  return {
    language,
    say: (key, values = {}) => html`${fill(messages[key], (name) => isolated(values[name]))}`,
    plainly: (key, values = {}) =>
      fill(messages[key], (name) => (direction === 'rtl' ? `\u2068${values[name]}\u2069` : values[name])).join(''),
    count: (value) => counts.format(value),
    amount,
    money: (text, currency) => `${amount(text)}\u00a0${currency}`,
    price: (text, currency) => `${priceAmount(text, currency)}\u00a0${currency}`,
    priceAmount,
    rate: (coin, text, currency) =>
      `${counts.format(1)}\u00a0${coin} = ${rates.format(text as Intl.StringNumericLiteral)}\u00a0${currency}`,
    span: (minutes) => (minutes < 120 ? unit('minute').format(minutes) : unit('hour').format(Math.floor(minutes / 60))),
    wait: (seconds) =>
      seconds < 90
        ? unit('second').format(Math.ceil(seconds / 10) * 10)
        : unit('minute').format(Math.ceil(seconds / 60)),
    moment: (time) => `${moments.format(new Date(time))}\u00a0UTC`,
  };
}

/** The pieces of a sentence in their order, each placeholder replaced. */
function fill<Value>(sentence: string, valueOf: (name: string) => Value): (string | Value)[] {
  return sentence.split(/(\{\w+\})/).map((piece) => {
    const name = /^\{(\w+)\}$/.exec(piece)?.[1];
    return name === undefined ? piece : valueOf(name);
  });
}

function isolated(value: string | Html | undefined): HtmlValue {
  return typeof value === 'string' ? html`<bdi>${value}</bdi>` : value;
}

/** Digits, codes and addresses, which run from left to right in every language. */
export function code(text: string): Html {
  return html`<bdi dir="ltr">${text}</bdi>`;
}
