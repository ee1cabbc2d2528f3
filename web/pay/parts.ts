// The parts of the payment page that change with the payment, in their order on the page.
import type { Checkout } from './checkout.ts';
import { html, type Html, trusted } from './html.ts';
import { NETWORKS, parseNetwork } from '../../src/values/assets.ts';
import { percentOf } from '../../src/values/formats/decimals.ts';
import { contactLinkOf, returnLinkOf } from './links.ts';
import { code, type Key, type Locale } from './locale.ts';
import { networkOf } from './network-names.ts';
import { payPart } from './pay-part.ts';
import { purpose } from './document.ts';
import { dateOf, receiptPart } from './receipt.ts';
import { hasReceived, isPayable, plain, surplusOf, type Tone, type Wording } from './words.ts';

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
  const { checkout, now, locale } = view;
  return [
    part('amount', amountPart(view)),
    part('track', trackPart(view)),
    statusPart(view),
    part('facts', factsPart(view)),
    part('steps', stepsPart(view)),
    part('pay', isPayable(checkout, now) && payPart({ checkout, locale })),
    part('receipt', ownReceipt(view)),
    part('actions', actionsPart(checkout, view)),
    part('help', helpPart(checkout, view)),
  ];
}

/** A part by its name, by which the script finds it again. */
export const part = (name: string, content: Html | false): Html => html`<div data-part="${name}">${content}</div>`;

function amountPart({ checkout, words, now, locale }: View): Html {
  const payable = isPayable(checkout, now);
  const shown = locale.amount(payable ? checkout.amountDue : paidOrAsked(checkout, words));
  const { createdAt: from, expiresAt: until } = checkout;
  return html`<div>
      ${words.tone !== 'good' && purpose(checkout, locale)}
      <h1>
        <span class="label">${locale.say(words.amountLabel)}</span>
        <span class="amount ${sizeOf(shown)}"
          ><bdi dir="ltr">${shown} <span class="currency">${checkout.currency}</span></bdi></span
        >
        <span class="network">${locale.say('onNetwork', { network: networkOf(checkout) })}</span>
      </h1>
      ${payable && worth(checkout, locale)}
    </div>
    ${payable && clock('timeLeft', { from, until }, now, locale)}`;
}

/** About what the coins are worth: where the price is in coins, it is the only thing that most people can judge by. */
function worth({ value, valueCurrency, currency }: Checkout, locale: Locale): Html | false {
  if (value === null || valueCurrency === null || valueCurrency === currency) return false;
  return html`<p class="label">${locale.say('about', { amount: code(locale.price(value, valueCurrency)) })}</p>`;
}

/** How an amount is set, so that it stays on one line of a phone as long as it can. */
export function sizeOf(shown: string): string {
  if (shown.length <= 8) return '';
  return shown.length <= 13 ? 'long' : 'longest';
}

/** What came, where that is called paid; else what was asked for. */
function paidOrAsked(checkout: Checkout, { amountLabel }: Wording): string {
  return amountLabel === 'labelPaid' && hasReceived(checkout) ? checkout.amountReceived : checkout.amount;
}

/** A span that runs out, ISO 8601. */
interface Span {
  readonly from: string;
  readonly until: string;
}

/**
 * The time left in coarse units, in a ring of what is left of it; the script then counts it down by the second. Static
 * text must not look like a running clock.
 */
export function clock(label: Key, { from, until }: Span, now: Date, locale: Locale): Html {
  const leftMs = Date.parse(until) - now.getTime();
  const minutes = Math.floor(leftMs / 60_000);
  const text = minutes < 1 ? html`&lt;&nbsp;${locale.span(1)}` : locale.span(minutes);
  const share = Math.round((100 * leftMs) / Math.max(1, Date.parse(until) - Date.parse(from)));
  const left = Math.min(100, Math.max(0, share));
  return html`<div class="clock">
    <span class="label">${locale.say(label)}</span>
    <svg class="ring" aria-hidden="true" viewBox="0 0 64 64">
      <circle cx="32" cy="32" r="29" />
      <circle class="left" cx="32" cy="32" r="29" pathLength="100" stroke-dasharray="${left} 100" />
    </svg>
    <time role="timer" data-from="${from}" data-until="${until}" datetime="${until}">${text}</time>
  </div>`;
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
    <div class="status ${words.tone} ${words.heading === 'pendingHeading' && 'calm'}">
      <svg aria-hidden="true" viewBox="0 0 24 24">${trusted(ICONS[words.tone])}</svg>
      ${isTop ? html`<h1 class="heading">${heading}</h1>` : html`<h2 class="heading">${heading}</h2>`}
      <p>${words.text.map((sentence, index) => html`${index > 0 && ' '}${sentence}`)}</p>
    </div>
  </div>`;
}

/** What came of what was asked for: while more is due, as a bar too. In a receipt it is said there. */
function factsPart({ checkout, locale }: View): Html | false {
  if (checkout.status !== 'PARTIALLY_PAID') return false;
  const { currency, amount, amountReceived, amountDue } = checkout;
  return html`${share(amountReceived, amount, locale.say('labelReceived'))}
    <dl>
      ${fact(locale.say('labelAmount'), locale.money(amount, currency))}
      ${fact(locale.say('labelReceived'), locale.money(amountReceived, currency))}
      ${fact(locale.say('labelDue'), locale.money(amountDue, currency))}
    </dl>`;
}

/** How much of an amount has come, as a bar. The sums beside it are exact; this is a picture. */
export function share(received: string, amount: string, label: Html): Html {
  const percent = Math.min(99, Math.max(1, percentOf(received, amount)));
  return html`<progress class="share" max="100" value="${percent}" aria-labelledby="received"></progress>
    <span id="received" class="unseen">${label}</span>`;
}

/** The receipt, once there is nothing to pay and money has come. */
function ownReceipt(view: View): Html | false {
  const { checkout, words, locale, now } = view;
  const { amount, amountReceived, currency, productName, merchantOrderId } = checkout;
  const isOver = words.tone === 'good' || (words.tone === 'stop' && hasReceived(checkout));
  if (!isOver || isPayable(checkout, now)) return false;
  const row = (key: Key, sum: string) => fact(locale.say(key), locale.money(sum, currency));
  const surplus = surplusOf(checkout);
  const sums = [
    ...(amountReceived === amount ? [] : [row('labelAmount', amount), row('labelReceived', amountReceived)]),
    ...(surplus === null ? [] : [row('labelSurplus', surplus)]),
    ...(amountReceived === amount ? [row('labelPaid', amount)] : []),
  ];
  const facts = { productName, merchantOrderId, sums, network: networkOf(checkout), date: dateOf(checkout) };
  return receiptPart({ ...facts, transactions: checkout.transactions }, locale);
}

/** A row of a list of facts: a name, and digits. */
export function fact(name: Html, digits: string): Html {
  return html`<div>
    <dt>${name}</dt>
    <dd>${code(digits)}</dd>
  </div>`;
}

/** What is known of a payment that is on its way. */
type Underway = Pick<Checkout, 'confirmations' | 'requiredConfirmations' | 'network' | 'isMainNetwork'>;

/** The steps of a payment: sent by its customer, seen, and confirmed. Null while it has nowhere to go, or has ended. */
function trackPart({ checkout, now, locale }: View): Html | false {
  if (isPayable(checkout, now)) return track(null, locale);
  return checkout.status === 'CONFIRMING' && track(checkout, locale);
}

/** The steps, at the first one where nothing is on its way, else at the last. */
export function track(underway: Underway | null, locale: Locale): Html {
  const { confirmations = 0, requiredConfirmations: required = 1 } = underway ?? {};
  const current = trusted('aria-current="step"');
  const bar = html`<progress
    max="${required}"
    value="${Math.min(confirmations, required)}"
    aria-labelledby="confirmations"
  ></progress>`;
  return html`<ol class="track" aria-label="${locale.plainly('stepsLabel')}">
      <li ${underway ? trusted('class="done"') : current}>${locale.say('stepSend')}</li>
      <li ${underway && trusted('class="done"')}>${locale.say('stepSeen')}</li>
      <li ${underway && current}>${underway && bar}${locale.say('stepConfirmed')}</li>
    </ol>
    ${underway && confirmationsOf(underway, locale)}`;
}

/** How many confirmations there are of those that are needed, and on a main network how long the rest takes. */
function confirmationsOf({ confirmations, requiredConfirmations: required, ...place }: Underway, locale: Locale): Html {
  const text = locale.say('confirmations', { count: locale.count(confirmations), required: locale.count(required) });
  const network = parseNetwork(place.network);
  const left = Math.max(0, required - confirmations);
  const wait =
    place.isMainNetwork && network !== null && left > 0 && locale.wait((left * NETWORKS[network].blockTimeMs) / 1_000);
  return html`<p class="confirmations">
    <span id="confirmations">${text}</span>
    ${wait !== false && html`<span>${locale.say('about', { amount: wait })}</span>`}
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

/** Where a page leads. */
interface Ways {
  readonly id: string;
  readonly companyName: string;
  readonly returnUrl: string | null;
  readonly supportEmail: string | null;
  readonly amountReceived: string;
}

type Said = Pick<View, 'words' | 'locale'>;

/**
 * What to do now, the first of it as the page's own: back to the shop once the payment is complete or can be started
 * again, to the merchant where money has come and something is wrong. While there is something to wait for, the way
 * back is unobtrusive.
 */
export function actionsPart(ways: Ways, { words, locale }: Said): Html | false {
  const back = returnLinkOf(ways.returnUrl);
  const { tone } = words;
  const isDone = tone === 'good';
  const asks = words.steps.length > 0;
  const contact = tone === 'good' || tone === 'stop' ? contactOf(ways, locale) : null;
  const contactFirst = tone === 'stop' && hasReceived(ways) && contact !== null;
  const look = (isFirst: boolean) => (isFirst ? 'button' : 'button outlined');
  const returning = back && {
    href: back.href,
    text: locale.say('returnTo', { host: code(back.host) }),
    look: tone === 'wait' || tone === 'work' ? 'quiet' : look(!contactFirst && (isDone || asks)),
  };
  if (!returning && !contact && !isDone) return false;
  return html`<div class="actions">
    ${contactFirst && contact(look(true))} ${returning && returnLink(returning, isDone, locale)}
    ${isDone && html`<button type="button" class="button outlined" data-print>${locale.say('saveReceipt')}</button>`}
    ${!contactFirst && asks && contact?.(look(false))}
  </div>`;
}

/** The script leads back by itself once it has seen the payment complete, unless the customer stays. */
function returnLink(link: { href: string; text: Html; look: string }, isDone: boolean, locale: Locale): Html {
  return html`<p class="return">
      <a class="${link.look}" href="${link.href}" rel="noopener noreferrer" ${isDone && trusted('data-return')}
        >${link.text}</a
      >
    </p>
    ${isDone && html`<button type="button" class="stay" hidden>${locale.say('stay')}</button>`}`;
}

/** A mail to the merchant, with the payment's id; null where they gave no address. */
function contactOf({ supportEmail, id, companyName }: Ways, locale: Locale): ((look: string) => Html) | null {
  const href = contactLinkOf(supportEmail, id);
  if (href === null) return null;
  const text = locale.say('contact', { company: plain(companyName) });
  return (look) => html`<a id="contact" class="${look}" href="${href}">${text}</a>`;
}

/** What to know when something is wrong. It stays open where the customer has opened it. */
export function helpPart(checkout: Pick<Checkout, 'id' | 'companyName'>, { words, locale }: Said): Html {
  const company = plain(checkout.companyName);
  return html`<details id="help">
      <summary>${locale.say(words.tone === 'good' ? 'questionsSummary' : 'helpSummary')}</summary>
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
