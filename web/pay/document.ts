// The frame of every page that customers see: the document, its head, its menu of languages, and pages of one message.
import { print, stripIgnoredCharacters, type DocumentNode } from 'graphql';
import { MARK } from '../../src/values/look/mark.ts';
import { accentStyle } from './accent.ts';
import { fieldsOf, stateOf } from './checkout.ts';
import { html, type Html, render, trusted } from './html.ts';
import { LANGUAGES, type Language } from './languages.ts';
import { localeOf, type Key, type Locale } from './locale.ts';
import { STYLE } from './style.ts';
import { plain } from './words.ts';

/** What every page needs: the response's CSP nonce, and the customer's language. */
export interface AnyPage {
  readonly nonce: string;
  readonly language: Language;
}

/** The query of an address of ours; "?" without any. */
export function query(parameters: Readonly<Record<string, string>>): string {
  return `?${new URLSearchParams(parameters).toString()}`;
}

/** A page with a heading and some lines, and nothing that changes. */
export function messagePage(page: AnyPage, heading: Key, linesOf: (locale: Locale) => readonly Html[]): string {
  const locale = localeOf(page.language);
  const body = html`<main class="message">
    <h1 class="heading">${locale.say(heading)}</h1>
    ${linesOf(locale).map((line) => html`<p>${line}</p>`)}
  </main>`;
  return document(page, { title: locale.plainly(heading), head: '', accent: null }, [body]);
}

/** What is different in each document. */
interface Head {
  readonly title: string;
  readonly head: Html | string;
  readonly accent: string | null;
}

/**
 * A whole document in the customer's language and the merchant's colour. Other sites are told nothing of where the
 * customer comes from; we are, as a form without its origin is refused like one of a stranger's page.
 */
export function document({ nonce, language }: AnyPage, { title, head, accent }: Head, body: readonly Html[]): string {
  return render(
    html`<!doctype html>
      <html lang="${language.code}" dir="${language.direction}">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <meta name="robots" content="noindex" />
          <meta name="referrer" content="same-origin" />
          <meta name="format-detection" content="telephone=no" />
          <link rel="icon" href="${trusted(MARK)}" />
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

/** How the script asks for what a page shows, and how it is told of changes; both by the same fields. */
export interface Following {
  readonly ask: DocumentNode;
  readonly texts: { readonly ask: string; readonly watch: string; readonly fields: string };
}

/** Prepares the two operations, once for all pages. */
export function following({ ask, watch }: { readonly ask: DocumentNode; readonly watch: DocumentNode }): Following {
  const textOf = (operation: DocumentNode) => stripIgnoredCharacters(print(operation));
  return { ask, texts: { ask: textOf(ask), watch: textOf(watch), fields: fieldsOf(ask).join(' ') } };
}

/** What a page that follows changes needs besides what it shows, and the current time. */
export interface FollowingPage extends AnyPage {
  /** A path on the page's own origin; the same for POST and web socket. */
  readonly graphqlPath: string;
  readonly scriptPath: string;
  /** Where the gateway itself serves the merchant's logo; null where they have none. */
  readonly logoPath: string | null;
  readonly now: Date;
  /** Whether nothing here is real money, whatever the order says. */
  readonly isSandbox: boolean;
}

/** What is followed, and what the page says of it. */
interface Followed {
  readonly following: Following;
  readonly shown: { readonly id: string; readonly companyName: string; readonly accentColor: string | null };
  readonly heading: Key;
  readonly test: boolean;
  /** What the page's address says beside the language, which its menu keeps. */
  readonly kept: Readonly<Record<string, string>>;
  /** Whether there is nothing more to wait for. */
  readonly isSettled: boolean;
  /** How often the page reloads itself without a script; null: it does not. */
  readonly reloadSeconds: number | null;
}

/** A page whose parts the script replaces on a change; without a script it reloads itself. */
export function followingPage(page: FollowingPage, followed: Followed, parts: readonly Html[]): string {
  const { nonce, now, logoPath, scriptPath } = page;
  const { following, shown, isSettled, reloadSeconds: seconds } = followed;
  const { ask, watch, fields } = following.texts;
  const test = page.isSandbox || followed.test;
  const locale = localeOf(page.language);
  const title = `${locale.plainly(followed.heading)} · ${plain(shown.companyName)}`;
  const head = html`<noscript>${seconds !== null && html`<meta http-equiv="refresh" content="${seconds}" />`}</noscript>
    <script type="module" src="${scriptPath}" nonce="${nonce}"></script>`;
  return document(page, { title, head, accent: shown.accentColor }, [
    header({ test, companyName: shown.companyName, logoPath, kept: followed.kept }, locale),
    html`<main
      id="payment"
      tabindex="-1"
      data-id="${shown.id}"
      data-graphql="${page.graphqlPath}"
      data-ask="${ask}"
      data-subscribe="${watch}"
      data-watch="${fields}"
      data-state="${stateOf(following.ask, shown)}"
      data-now="${now.toISOString()}"
      data-title="${title}"
      data-settled="${isSettled ? 'yes' : 'no'}"
    >
      ${parts}
    </main>`,
    html`<p id="offline" class="note" role="status" hidden>${locale.say('offline')}</p>
      <p id="announcer" class="unseen" role="status"></p>`,
  ]);
}

/** What the head of a page says. */
interface HeaderFacts {
  /** Whether it says that no real money is paid. */
  readonly test: boolean;
  readonly companyName: string;
  readonly logoPath: string | null;
  readonly kept: Readonly<Record<string, string>>;
}

/** The head of a page: whether it is a test, who is paid, and the menu of languages. */
export function header({ test, companyName, logoPath, kept }: HeaderFacts, locale: Locale): Html {
  return html`<header>
    ${test && html`<p class="test">${locale.say('testPayment')}</p>`}
    <div class="head">
      <div class="merchant">
        ${logoPath !== null && html`<img class="logo" src="${logoPath}" alt="" height="32" decoding="async" />`}
        <p class="company"><bdi>${plain(companyName)}</bdi></p>
      </div>
      ${menu(locale, kept)}
    </div>
  </header>`;
}

/** What is paid for, above what is to be paid. A long text is one line until it is unfolded. */
export function purpose(
  { productName, merchantOrderId }: { readonly productName: string | null; readonly merchantOrderId: string | null },
  locale: Locale,
): Html {
  if (productName === null && merchantOrderId === null) return html``;
  const order = merchantOrderId !== null && locale.say('order', { order: plain(merchantOrderId) });
  const product = productName !== null && html`<bdi>${plain(productName)}</bdi>`;
  const isLong = (productName?.length ?? 0) > LONG_PRODUCT;
  return html`<div class="purpose">
    ${isLong && html`<details class="product" id="product"><summary>${product}</summary></details>`}
    ${!isLong && product && html`<p class="product">${product}</p>`} ${order && html`<p class="order">${order}</p>`}
  </div>`;
}

/** What fits into two lines of a phone. */
const LONG_PRODUCT = 80;

/** Links, not a form: they work without a script, and the URL keeps the language wherever it is opened again. */
function menu({ language, plainly }: Locale, kept: HeaderFacts['kept']): Html {
  const link = ({ code, name }: Language) => {
    const current = code === language.code && trusted(' aria-current="true"');
    return html`<li>
      <a href="${query({ lang: code, ...kept })}" lang="${code}" hreflang="${code}" ${current}>${name}</a>
    </li>`;
  };
  return html`<details class="languages">
    <summary aria-label="${plainly('language')}: ${language.name}">${language.name}</summary>
    <ul>
      ${LANGUAGES.map(link)}
    </ul>
  </details>`;
}
