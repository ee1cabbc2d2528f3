// The hosted payment page as the server sends it: complete without a script, one set of words for first view and
// update.
import { print, stripIgnoredCharacters } from 'graphql';
import { accentStyle } from './accent.ts';
import { type Checkout, isSettled, OPERATIONS, stateOf, WATCHED_FIELDS } from './checkout.ts';
import { html, type Html, render, trusted } from './html.ts';
import { LANGUAGES, type Language } from './languages.ts';
import { partsOf } from './parts.ts';
import { localeOf, type Key, type Locale } from './locale.ts';
import { STYLE } from './style.ts';
import { plain, wordingOf } from './words.ts';

/** What every page needs: the response's CSP nonce, and the customer's language. */
interface AnyPage {
  readonly nonce: string;
  readonly language: Language;
}

/** What the page needs besides the payment: the paths of GraphQL, the script and the logo, and the current time. */
export interface PaymentPage extends AnyPage {
  readonly checkout: Checkout;
  /** A path on the page's own origin; the same for POST and web socket. */
  readonly graphqlPath: string;
  readonly scriptPath: string;
  /** Where the gateway itself serves the merchant's logo; null where they have none. */
  readonly logoPath: string | null;
  readonly now: Date;
}

const textOf = (document: Parameters<typeof print>[0]) => stripIgnoredCharacters(print(document));
const ASK = textOf(OPERATIONS.ask);
const WATCH = textOf(OPERATIONS.watch);

/**
 * The whole page as HTML. It needs no more than `default-src 'none'; script-src 'nonce-…'; style-src 'nonce-…';
 * connect-src 'self'; img-src 'self' data:`. On a change the script fetches the page again and applies the differences
 * in `main`, so everything it shows is written here.
 */
export function renderPaymentPage(page: PaymentPage): string {
  const { checkout, now } = page;
  const locale = localeOf(page.language);
  const words = wordingOf(checkout, now, locale);
  const title = `${locale.plainly(words.heading)} · ${plain(checkout.companyName)}`;
  const head = html`<noscript>${refresh(checkout)}</noscript>
    <script type="module" src="${page.scriptPath}" nonce="${page.nonce}"></script>`;
  return document(page, { title, head, accent: checkout.accentColor }, [
    header(page, locale),
    html`<main
      id="payment"
      tabindex="-1"
      data-id="${checkout.id}"
      data-graphql="${page.graphqlPath}"
      data-ask="${ASK}"
      data-subscribe="${WATCH}"
      data-watch="${WATCHED_FIELDS.join(' ')}"
      data-state="${stateOf(checkout)}"
      data-now="${now.toISOString()}"
      data-title="${title}"
      data-settled="${isSettled(checkout.status) ? 'yes' : 'no'}"
    >
      ${partsOf({ checkout, words, now, locale })}
    </main>`,
    html`<p id="offline" class="note" role="status" hidden>${locale.say('offline')}</p>
      <p id="announcer" class="unseen" role="status"></p>`,
  ]);
}

/** The page for an order id that does not exist: 404. */
export function renderNotFoundPage(page: AnyPage): string {
  return messagePage(page, 'notFoundHeading', (locale) => [locale.say('notFoundText')]);
}

/** The page for an internal error or too many requests; `requestId` identifies the request in the log. */
export function renderErrorPage(page: AnyPage & { readonly requestId?: string }): string {
  const { requestId } = page;
  return messagePage(page, 'errorHeading', (locale) => [
    locale.say('errorText'),
    ...(requestId === undefined ? [] : [locale.say('errorReference', { reference: requestId })]),
  ]);
}

function messagePage(page: AnyPage, heading: Key, linesOf: (locale: Locale) => readonly Html[]): string {
  const locale = localeOf(page.language);
  const body = html`<main class="message">
    <h1 class="heading">${locale.say(heading)}</h1>
    ${linesOf(locale).map((line) => html`<p>${line}</p>`)}
  </main>`;
  return document(page, { title: locale.plainly(heading), head: '', accent: null }, [body]);
}

interface Head {
  readonly title: string;
  readonly head: Html | string;
  readonly accent: string | null;
}

function document({ nonce, language }: AnyPage, { title, head, accent }: Head, body: readonly Html[]): string {
  return render(
    html`<!doctype html>
      <html lang="${language.code}" dir="${language.direction}">
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
            ${trusted(STYLE)}${trusted(accentStyle(accent))}
          </style>
          ${head}
        </head>
        <body>
          ${body}
        </body>
      </html> `,
  );
}

/**
 * Without a script the page reloads itself: often while a change is expected, rarely while late money may still arrive.
 */
function refresh(checkout: Checkout): Html | false {
  if (isSettled(checkout.status)) return false;
  const stopped = checkout.status === 'EXPIRED' || checkout.status === 'FAILED' || checkout.status === 'CANCELED';
  return html`<meta http-equiv="refresh" content="${stopped ? 60 : 10}" />`;
}

function header({ checkout, logoPath }: PaymentPage, locale: Locale): Html {
  const order = checkout.merchantOrderId;
  const values = { order: plain(order ?? '') };
  return html`<header>
    ${checkout.test && html`<p class="test">${locale.say('testPayment')}</p>`}
    <div class="merchant">
      ${logoPath !== null && html`<img class="logo" src="${logoPath}" alt="" width="48" height="48" decoding="async" />`}
      <div>
        <p class="company"><bdi>${plain(checkout.companyName)}</bdi></p>
        ${checkout.productName !== null && html`<p class="product"><bdi>${plain(checkout.productName)}</bdi></p>`}
        ${order !== null && html`<p class="order">${locale.say('order', values)}</p>`}
      </div>
    </div>
    ${menu(locale)}
  </header>`;
}

/** Links, not a form: they work without a script, and the URL keeps the language wherever it is opened again. */
function menu({ language, plainly }: Locale): Html {
  const link = ({ code, name }: Language) => {
    const current = code === language.code && trusted(' aria-current="true"');
    return html`<li><a href="?lang=${code}" lang="${code}" hreflang="${code}" ${current}>${name}</a></li>`;
  };
  return html`<details class="languages">
    <summary aria-label="${plainly('language')}: ${language.name}">${language.name}</summary>
    <ul>
      ${LANGUAGES.map(link)}
    </ul>
  </details>`;
}
