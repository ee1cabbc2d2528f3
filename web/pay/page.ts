// The hosted payment page as the server sends it: complete without a script, one set of words for first view and update.
import { type Checkout, isSettled, stateOf, WATCHED_FIELDS } from './checkout.ts';
import { html, type Html, render, trusted } from './html.ts';
import { partsOf } from './parts.ts';
import { STYLE } from './style.ts';
import { plain, wordingOf } from './words.ts';

/** What the page needs beside the payment: the response's CSP nonce, where GraphQL and the script are, the clock. */
export interface PaymentPage {
  readonly checkout: Checkout;
  readonly nonce: string;
  /** A path on the page's own origin; the same for POST and web socket. */
  readonly graphqlPath: string;
  readonly scriptPath: string;
  readonly now: Date;
}

/**
 * The whole page as HTML. It needs no more than `default-src 'none'; script-src 'nonce-…'; style-src 'nonce-…';
 * connect-src 'self'; img-src 'self' data:`. The script fetches the page anew on a change and takes over what differs
 * in `main`, so all that it shows is written here.
 */
export function renderPaymentPage(page: PaymentPage): string {
  const { checkout, nonce, now } = page;
  const words = wordingOf(checkout, now);
  const title = `${words.heading} · ${plain(checkout.companyName)}`;
  const head = html`<noscript>${refresh(checkout)}</noscript>
    <script type="module" src="${page.scriptPath}" nonce="${nonce}"></script>`;
  return document(nonce, title, head, [
    header(checkout),
    html`<main
      id="payment"
      tabindex="-1"
      data-id="${checkout.id}"
      data-graphql="${page.graphqlPath}"
      data-watch="${WATCHED_FIELDS.join(' ')}"
      data-state="${stateOf(checkout)}"
      data-now="${now.toISOString()}"
      data-title="${title}"
      data-settled="${isSettled(checkout.status) ? 'yes' : 'no'}"
    >
      ${partsOf(checkout, words, now)}
    </main>`,
    html`<p id="offline" class="note" role="status" hidden>
        The connection is lost. What you see may be out of date; it is brought up to date as soon as the connection is
        back.
      </p>
      <p id="announcer" class="unseen" role="status"></p>`,
  ]);
}

/** The page for an order id that does not exist: 404. */
export function renderNotFoundPage({ nonce }: { readonly nonce: string }): string {
  return messagePage(nonce, 'There is no such payment', [
    'The address of this page may be incomplete. Open the link you were given once more, or go back to the shop.',
  ]);
}

/** The page for a fault of ours, or too many requests: `requestId` finds it in the log. */
export function renderErrorPage({ nonce, requestId }: { readonly nonce: string; readonly requestId?: string }): string {
  return messagePage(nonce, 'This page cannot be shown just now', [
    'A payment you have made is not lost. Please load the page again in a minute.',
    requestId !== undefined && `If it goes on, tell the shop this reference: ${requestId}`,
  ]);
}

function messagePage(nonce: string, heading: string, lines: readonly (string | false)[]): string {
  const body = html`<main class="message">
    <h1 class="heading">${heading}</h1>
    ${lines.map((line) => line !== false && html`<p>${line}</p>`)}
  </main>`;
  return document(nonce, heading, '', [body]);
}

function document(nonce: string, title: string, head: Html | string, body: readonly Html[]): string {
  return render(
    html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <meta name="robots" content="noindex" />
          <meta name="referrer" content="no-referrer" />
          <meta name="format-detection" content="telephone=no" />
          <link rel="icon" href="data:," />
          <title>${title}</title>
          <style nonce="${nonce}">
            ${trusted(STYLE)}
          </style>
          ${head}
        </head>
        <body>
          ${body}
        </body>
      </html> `,
  );
}

/** Without a script the page is loaded anew: often while something is expected, seldom while late money may still come. */
function refresh(checkout: Checkout): Html | false {
  if (isSettled(checkout.status)) return false;
  const stopped = checkout.status === 'EXPIRED' || checkout.status === 'FAILED' || checkout.status === 'CANCELED';
  return html`<meta http-equiv="refresh" content="${stopped ? 60 : 10}" />`;
}

function header(checkout: Checkout): Html {
  const order = checkout.merchantOrderId;
  return html`<header>
    ${checkout.test && html`<p class="test">Test payment: no real money</p>`}
    <p class="company"><bdi>${plain(checkout.companyName)}</bdi></p>
    ${checkout.productName !== null && html`<p class="product"><bdi>${plain(checkout.productName)}</bdi></p>`}
    ${order !== null && html`<p class="order">Order <bdi>${plain(order)}</bdi></p>`}
  </header>`;
}
