// The parts of the payment page that change with the payment, in the order in which they stand.
import type { Checkout } from './checkout.ts';
import { html, type Html, trusted } from './html.ts';
import { returnLinkOf, walletLinkOf } from './links.ts';
import { qrCode } from './qr-code.ts';
import { hasReceived, isPayable, plain, type Tone, type Wording } from './words.ts';

/**
 * All parts. The script replaces one by one those that differ on a newer page, so that focus and selection stay in the others:
 * every part is there in every state, empty or not.
 */
export function partsOf(checkout: Checkout, words: Wording, now: Date): readonly Html[] {
  return [
    part('amount', amountPart(checkout, words, now)),
    statusPart(words),
    part('facts', factsPart(checkout)),
    part('steps', stepsPart(words)),
    part('pay', isPayable(checkout, now) && payPart(checkout)),
    part('return', returnPart(checkout, words)),
    part('help', helpPart(checkout)),
  ];
}

const part = (name: string, content: Html | false): Html => html`<div data-part="${name}">${content}</div>`;

function amountPart(checkout: Checkout, words: Wording, now: Date): Html {
  const payable = isPayable(checkout, now);
  const shown = payable ? checkout.amountDue : checkout.amount;
  return html`<h1>
      <span class="label">${words.amountLabel}</span>
      <span class="amount${shown.length > 12 && ' long'}"
        >${shown} <span class="currency">${checkout.currency}</span></span
      >
      <span class="network">on ${networkOf(checkout)}</span>
    </h1>
    ${payable && clock(checkout, now)}`;
}

/** Says coarsely what the script then counts down by the second: a standing text must not look like a running clock. */
function clock(checkout: Checkout, now: Date): Html {
  const minutes = Math.floor((Date.parse(checkout.expiresAt) - now.getTime()) / 60_000);
  const text = minutes < 1 ? 'less than a minute' : minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h`;
  return html`<p class="clock">
    Time left <time role="timer" data-until="${checkout.expiresAt}" datetime="${checkout.expiresAt}">${text}</time>
  </p>`;
}

const ICONS: Readonly<Record<Tone, string>> = {
  wait: '<circle cx="12" cy="12" r="5" class="pulse"/>',
  work: '<path d="M12 4a8 8 0 1 1-8 8" class="line spin"/>',
  good: '<path d="m5 12.5 4.5 4.5L19 7.5" class="line"/>',
  stop: '<path d="M12 5v9" class="line"/><circle cx="12" cy="19" r="1.6"/>',
};

/** A live region: it stays in the document and only its content is replaced, so a change is announced, and once. */
function statusPart(words: Wording): Html {
  return html`<div data-part="status" id="status" role="status" aria-live="polite" aria-atomic="true">
    <div class="status ${words.tone}">
      <svg aria-hidden="true" viewBox="0 0 24 24">${trusted(ICONS[words.tone])}</svg>
      <h2 class="heading">${words.heading}</h2>
      <p>${words.text}</p>
    </div>
  </div>`;
}

/** Confirmations as progress, and what has arrived where that is not the amount. */
function factsPart(checkout: Checkout): Html {
  const { confirmations, requiredConfirmations: required, currency, status } = checkout;
  const text = `${confirmations} of ${required} confirmation${required === 1 ? '' : 's'}`;
  const progress = html`<p class="progress">
    <progress max="${required}" value="${Math.min(confirmations, required)}" aria-labelledby="confirmations"></progress>
    <span id="confirmations">${text}</span>
  </p>`;
  const row = (name: string, amount: string) =>
    html`<div>
      <dt>${name}</dt>
      <dd>${amount} ${currency}</dd>
    </div>`;
  const sums = html`<dl>
    ${row('Amount', checkout.amount)} ${row('Received', checkout.amountReceived)}
    ${status === 'PARTIALLY_PAID' && row('Still due', checkout.amountDue)}
  </dl>`;
  return html`${status === 'CONFIRMING' && progress}${hasReceived(checkout) && checkout.amountReceived !== checkout.amount && sums}`;
}

function stepsPart(words: Wording): Html | false {
  if (words.steps.length === 0) return false;
  return html`<h2>What you can do</h2>
    <ul>
      ${words.steps.map((step) => html`<li>${step}</li>`)}
    </ul>`;
}

function payPart(checkout: Checkout): Html {
  const { amountDue, currency, paymentUri, address } = checkout;
  const wallet = walletLinkOf(paymentUri);
  return html`<h2 class="unseen">How to pay</h2>
    <div class="pay">
      <div class="scan">
        ${qrCode(paymentUri || address, `QR code to pay ${amountDue} ${currency} on ${checkout.networkName}`)}
        ${wallet !== null && html`<a class="button" href="${wallet}">Open in wallet</a>`}
      </div>
      <div class="fields">
        ${copyable('address', `Address on ${networkOf(checkout)}`, address, '')}
        ${copyable('sum', 'Exact amount', amountDue, currency)}
        <p class="warning">
          Send only <strong>${currency}</strong>, and only on <strong>${networkOf(checkout)}</strong>. Anything else
          sent to this address may be lost. Network fees come on top of the amount.
        </p>
      </div>
    </div>`;
}

function copyable(id: string, label: string, value: string, unit: string): Html {
  const what = id === 'address' ? 'address' : 'amount';
  return html`<div class="field">
    <p class="label">${label}</p>
    <p class="value"><code id="${id}">${value}</code>${unit && html` <span>${unit}</span>`}</p>
    <button
      type="button"
      id="copy-${id}"
      data-copy="${id}"
      data-done="Copied"
      data-manual="Selected"
      aria-label="Copy ${what}"
    >
      Copy
    </button>
  </div>`;
}

function returnPart(checkout: Checkout, words: Wording): Html | false {
  const link = returnLinkOf(checkout.returnUrl);
  if (link === null) return false;
  const look = words.tone === 'good' ? 'button' : 'quiet';
  return html`<p class="return">
    <a class="${look}" href="${link.href}" rel="noopener noreferrer">Return to <bdi>${link.host}</bdi></a>
  </p>`;
}

/** The same in every state, so that what the customer has unfolded stays unfolded. */
function helpPart(checkout: Checkout): Html {
  const company = plain(checkout.companyName);
  return html`<details>
      <summary>Something went wrong?</summary>
      <dl class="help">
        <dt>I sent too little</dt>
        <dd>While there is time left, send what is still due to the same address; two transfers are as good as one.</dd>
        <dt>I sent too late, or too much</dt>
        <dd>
          The money has arrived at ${company} and is not lost. Ask them to complete the payment or to send it back.
        </dd>
        <dt>I used another network or another coin</dt>
        <dd>Do not send again. Only ${company} can say whether it can be recovered.</dd>
      </dl>
      <p>In each case give ${company} the reference below and the transaction's id from your wallet.</p>
    </details>
    <p class="reference">Payment reference <code>${checkout.id}</code></p>`;
}

/** "Ethereum (ETH)"; the code once only where it is the name. */
function networkOf(checkout: Checkout): string {
  const { network, networkName } = checkout;
  return networkName.toUpperCase() === network ? networkName : `${networkName} (${network})`;
}
