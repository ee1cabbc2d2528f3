// The parts of the payment page that change with the payment, in their order on the page.
import type { Checkout } from './checkout.ts';
import { html, type Html, trusted } from './html.ts';
import { returnLinkOf, walletLinkOf } from './links.ts';
import { choiceOf, networkOf } from './network-names.ts';
import { qrCodes } from './qr-code.ts';
import { code, type Key, type Locale } from './locale.ts';
import { hasReceived, isPayable, plain, type Tone, type Wording } from './words.ts';

/** The data that the parts are rendered from. */
export interface View {
  readonly checkout: Checkout;
  readonly words: Wording;
  readonly now: Date;
  readonly locale: Locale;
}

/**
 * All parts. The script replaces only those that differ on a newer page, so that focus and selection stay in the
 * others. For that, every part exists in every state, even if empty.
 */
export function partsOf(view: View): readonly Html[] {
  return [
    part('amount', amountPart(view)),
    statusPart(view),
    part('facts', factsPart(view)),
    part('steps', stepsPart(view)),
    part('pay', isPayable(view.checkout, view.now) && payPart(view)),
    part('return', returnPart(view.checkout.returnUrl, view)),
    part('help', helpPart(view.checkout, view.locale)),
  ];
}

/** A part by its name, by which the script finds it again. */
export const part = (name: string, content: Html | false): Html => html`<div data-part="${name}">${content}</div>`;

function amountPart({ checkout, words, now, locale }: View): Html {
  const payable = isPayable(checkout, now);
  const shown = locale.amount(payable ? checkout.amountDue : paidOrAsked(checkout, words));
  return html`<h1>
      <span class="label">${locale.say(words.amountLabel)}</span>
      <span class="amount${shown.length > 12 && ' long'}"
        ><bdi dir="ltr">${shown} <span class="currency">${checkout.currency}</span></bdi></span
      >
      <span class="network">${locale.say('onNetwork', { network: networkOf(checkout) })}</span>
    </h1>
    ${payable && clock('timeLeft', checkout.expiresAt, now, locale)}`;
}

/** What came, where that is called paid; else what was asked for. */
function paidOrAsked(checkout: Checkout, { amountLabel }: Wording): string {
  return amountLabel === 'labelPaid' && hasReceived(checkout) ? checkout.amountReceived : checkout.amount;
}

/**
 * The time left in coarse units; the script then counts it down by the second. Static text must not look like a running
 * clock.
 */
export function clock(label: Key, until: string, now: Date, locale: Locale): Html {
  const minutes = Math.floor((Date.parse(until) - now.getTime()) / 60_000);
  const text = minutes < 1 ? locale.say('underAMinute') : locale.span(minutes);
  return html`<p class="clock">
    ${locale.say(label)}
    <time role="timer" data-until="${until}" datetime="${until}">${text}</time>
  </p>`;
}

const ICONS: Readonly<Record<Tone, string>> = {
  wait: '<circle cx="12" cy="12" r="5" class="pulse"/>',
  work: '<path d="M12 4a8 8 0 1 1-8 8" class="line spin"/>',
  good: '<path d="m5 12.5 4.5 4.5L19 7.5" class="line"/>',
  stop: '<path d="M12 5v9" class="line"/><circle cx="12" cy="19" r="1.6"/>',
};

/**
 * A live region: it stays in the document and only its content is replaced, so a change is announced exactly once. Its
 * heading is the page's own where no amount is.
 */
export function statusPart({ words, locale }: Pick<View, 'words' | 'locale'>, isTop = false): Html {
  const heading = locale.say(words.heading);
  return html`<div data-part="status" id="status" role="status" aria-live="polite" aria-atomic="true">
    <div class="status ${words.tone}">
      <svg aria-hidden="true" viewBox="0 0 24 24">${trusted(ICONS[words.tone])}</svg>
      ${isTop ? html`<h1 class="heading">${heading}</h1>` : html`<h2 class="heading">${heading}</h2>`}
      <p>${words.text.map((sentence, index) => html`${index > 0 && ' '}${sentence}`)}</p>
    </div>
  </div>`;
}

/** Confirmations as progress, and the amount received if it is not the requested one. */
function factsPart({ checkout, locale }: View): Html {
  const { currency, status } = checkout;
  const row = (name: Html, amount: string) => fact(name, locale.money(amount, currency));
  const sums = html`<dl>
    ${row(locale.say('labelAmount'), checkout.amount)} ${row(locale.say('labelReceived'), checkout.amountReceived)}
    ${status === 'PARTIALLY_PAID' && row(locale.say('labelDue'), checkout.amountDue)}
  </dl>`;
  return html`${status === 'CONFIRMING' && progress(checkout, locale)}${hasReceived(checkout) && checkout.amountReceived !== checkout.amount && sums}`;
}

/** A row of a list of facts: a name, and digits. */
export function fact(name: Html, digits: string): Html {
  return html`<div>
    <dt>${name}</dt>
    <dd>${code(digits)}</dd>
  </div>`;
}

/** How many confirmations there are of those that are needed. */
export function progress(
  { confirmations, requiredConfirmations: required }: Pick<Checkout, 'confirmations' | 'requiredConfirmations'>,
  locale: Locale,
): Html {
  const text = locale.say('confirmations', { count: locale.count(confirmations), required: locale.count(required) });
  return html`<p class="progress">
    <progress max="${required}" value="${Math.min(confirmations, required)}" aria-labelledby="confirmations"></progress>
    <span id="confirmations">${text}</span>
  </p>`;
}

/** What the customer can do. */
export function stepsPart({ words, locale }: Pick<View, 'words' | 'locale'>): Html | false {
  if (words.steps.length === 0) return false;
  return html`<h2>${locale.say('whatYouCanDo')}</h2>
    <ul>
      ${words.steps.map((step) => html`<li>${step}</li>`)}
    </ul>`;
}

/** What is needed to pay: the address, and how much of what on which network. */
export type Payable = Pick<Checkout, 'amountDue' | 'currency' | 'paymentUri' | 'address' | 'network' | 'networkName'>;

/** The code, the address and the amount, with a warning. */
export function payPart({ checkout, locale }: { readonly checkout: Payable; readonly locale: Locale }): Html {
  const { amountDue, currency, paymentUri, address } = checkout;
  const wallet = walletLinkOf(paymentUri);
  return html`<h2 class="unseen">${locale.say('howToPay')}</h2>
    <div class="pay">
      <div class="scan">
        ${codesOf(checkout, locale)}
        ${wallet !== null && html`<a class="button" href="${wallet}">${locale.say('openInWallet')}</a>`}
      </div>
      <div class="fields">
        ${copyable({
          id: 'address',
          label: locale.say('addressLabel', { network: networkOf(checkout) }),
          action: locale.plainly('copyAddress'),
          value: html`<code id="address" dir="ltr">${address}</code>`,
          locale,
        })}
        ${copyable({
          id: 'sum',
          label: locale.say('exactAmount'),
          action: locale.plainly('copyAmount'),
          value: html`<bdi dir="ltr"><code id="sum">${amountDue}</code> <span>${currency}</span></bdi>`,
          locale,
        })}
        ${warning(checkout, locale)}
      </div>
    </div>`;
}

/**
 * A token's URI of EIP-681 names the contract first: wallets that do not know the form ignore the amount, or send to
 * the contract. So its code is seen only by those who ask for it.
 */
function codesOf({ amountDue, currency, paymentUri, address, networkName }: Payable, locale: Locale): Html {
  const values = { amount: locale.money(amountDue, currency), network: networkName };
  return qrCodes({
    title: locale.say('codeTitle'),
    address: { text: address, name: locale.say('codeOfAddress'), label: locale.plainly('addressQrLabel', values) },
    amount: { text: paymentUri, name: locale.say('codeWithAmount'), label: locale.plainly('qrLabel', values) },
    first: /^ethereum:[^?]*\/transfer\b/i.test(paymentUri) ? 'address' : 'amount',
  });
}

/**
 * Warns to send only this currency on this network, and names the network as wallets do if there are several: most
 * mistakes are the right coin on the wrong network.
 */
function warning(checkout: Payable, locale: Locale): Html {
  const strong = (text: Html) => html`<strong>${text}</strong>`;
  const currency = code(checkout.currency);
  const network = html`<bdi>${networkOf(checkout)}</bdi>`;
  const choice = choiceOf(checkout);
  const others =
    choice !== null && locale.say('severalNetworks', { currency, network: strong(html`<bdi>${choice}</bdi>`) });
  return html`<p class="warning">
    ${locale.say('warning', { currency: strong(currency), network: strong(network) })}
    ${others && html`<span class="choice">${others}</span>`}
  </p>`;
}

interface Copyable {
  /** The id of the element in `value` whose text is copied. */
  readonly id: string;
  readonly label: Html;
  readonly action: string;
  readonly value: Html;
  readonly locale: Locale;
}

function copyable({ id, label, action, value, locale }: Copyable): Html {
  return html`<div class="field">
    <p class="label">${label}</p>
    <p class="value">${value}</p>
    <button
      type="button"
      id="copy-${id}"
      data-copy="${id}"
      data-done="${locale.plainly('copied')}"
      data-manual="${locale.plainly('selected')}"
      aria-label="${action}"
    >
      ${locale.say('copy')}
    </button>
  </div>`;
}

/**
 * The link back to the shop: the next step once the payment is complete, a way out if nothing more can be done here,
 * otherwise unobtrusive.
 */
export function returnPart(returnUrl: string | null, { words, locale }: Pick<View, 'words' | 'locale'>): Html | false {
  const link = returnLinkOf(returnUrl);
  if (link === null) return false;
  const look = words.tone === 'good' ? 'button' : words.tone === 'stop' ? 'button outlined' : 'quiet';
  return html`<p class="return">
    <a class="${look}" href="${link.href}" rel="noopener noreferrer"
      >${locale.say('returnTo', { host: code(link.host) })}</a
    >
  </p>`;
}

/** The same in every state, so that it stays open if the customer has opened it. */
export function helpPart(checkout: Pick<Checkout, 'id' | 'companyName'>, locale: Locale): Html {
  const company = plain(checkout.companyName);
  return html`<details>
      <summary>${locale.say('helpSummary')}</summary>
      <dl class="help">
        <dt>${locale.say('tooLittle')}</dt>
        <dd>${locale.say('tooLittleText')}</dd>
        <dt>${locale.say('tooLate')}</dt>
        <dd>${locale.say('tooLateText', { company })}</dd>
        <dt>${locale.say('wrongNetwork')}</dt>
        <dd>${locale.say('wrongNetworkText', { company })}</dd>
      </dl>
      <p>${locale.say('helpReference', { company })}</p>
    </details>
    <p class="reference">${locale.say('reference')} <code dir="ltr">${checkout.id}</code></p>`;
}
