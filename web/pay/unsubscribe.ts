// The page that ends a merchant's mails to a customer: a question with a button, or that it is done. It has no script.

import { document, header, messagePage, type AnyPage } from './document.ts';
import { html } from './html.ts';
import { localeOf } from './locale.ts';
import { plain } from './words.ts';

/** What the page needs. */
export interface UnsubscribePage extends AnyPage {
  readonly companyName: string;
  /** Whether it has happened. */
  readonly isDone: boolean;
}

/** The whole page as HTML. The form is sent to the page's own address; it needs `form-action 'self'`. */
export function renderUnsubscribePage(page: UnsubscribePage): string {
  const { companyName, isDone } = page;
  const locale = localeOf(page.language);
  const company = plain(companyName);
  const heading = isDone ? 'stoppedHeading' : 'stopHeading';
  const facts = { test: false, companyName, logoPath: null, kept: {} };
  return document(page, { title: `${locale.plainly(heading)} · ${company}`, head: '', accent: null }, [
    header(facts, locale),
    html`<main>
      <h1 class="heading">${locale.say(heading)}</h1>
      <p>${locale.say(isDone ? 'stoppedText' : 'stopText', { company })}</p>
      ${
        !isDone &&
        html`<form class="fill" method="post">
          <button class="button">${locale.say('stopButton')}</button>
        </form>`
      }
    </main>`,
  ]);
}

/** Says that a link names nobody: it was cut, or is not ours. */
export function renderUnknownUnsubscribePage(page: AnyPage): string {
  return messagePage(page, 'stopUnknownHeading', (locale) => [locale.say('stopUnknownText')]);
}
