// The page of a payment link as the server sends it. It has no script: nothing on it changes by itself.

import { type AnyPage, document, header, purpose, query } from '../document.ts';
import { html, type Html } from '../html.ts';
import { amountHeading } from '../invoice/parts.ts';
import { localeOf, type Key, type Locale } from '../locale.ts';
import { statusPart } from '../parts.ts';
import { plain, type Wording } from '../words.ts';
import { type FieldName, type Filled, linkForm } from './form.ts';
import type { LinkCheckout } from './link-checkout.ts';

/** What the page needs. */
export interface LinkPage extends AnyPage {
  readonly link: LinkCheckout;
  /** What the customer wrote, or a shop's own button. */
  readonly filled: Filled;
  readonly faults: readonly FieldName[];
  /** What went wrong besides; null for nothing. */
  readonly trouble: Key | null;
  /** The form's own idempotency key. */
  readonly key: string;
  readonly logoPath: string | null;
  readonly isSandbox: boolean;
  /** Whether the page's address names the language. */
  readonly keepsLanguage: boolean;
}

/** What is said of a refusal that is not about a field, by the error's name. A closed link's page says so itself. */
export const TROUBLES: Readonly<Record<string, Key>> = {
  ...{ RATE_LIMITED: 'tooManyCalls', TAKES_NO_MORE: 'sendAgain' },
  ...{ IDEMPOTENCY_IN_FLIGHT: 'sendAgain', IDEMPOTENCY_MISMATCH: 'sendAgain' },
};

/** The whole page as HTML: the form, or that the link takes no more. It needs `form-action 'self'`. */
export function renderLinkPage(page: LinkPage): string {
  const { link, language, logoPath, filled } = page;
  const locale = localeOf(language);
  const words = wordingOf(page, locale);
  const title = `${locale.plainly(words.heading)} · ${plain(link.companyName)}`;
  const kept = filled.amount === undefined ? {} : { amount: filled.amount };
  const { companyName, description: productName } = link;
  return document(page, { title, head: '', accent: link.accentColor }, [
    header({ test: page.isSandbox, companyName, logoPath, kept }, locale),
    html`<main class="link">
      <div data-part="amount">
        <div>
          ${purpose({ productName, merchantOrderId: null }, locale)}
          ${link.amount !== null && price(link.amount, link.currency, locale)}
        </div>
      </div>
      ${statusPart({ words, locale }, link.amount === null)}
      ${link.isOpen && linkForm({ ...page, locale, query: page.keepsLanguage ? query({ lang: language.code }) : '' })}
    </main>`,
  ]);
}

function price(amount: string, currency: string, locale: Locale): Html {
  const shown = locale.priceAmount(amount, currency);
  return amountHeading(locale.say('labelAmount'), shown, currency, false);
}

function wordingOf({ link, faults, trouble }: LinkPage, locale: Locale): Wording {
  const base = { amountLabel: 'labelAmount', steps: [] } as const;
  const company = plain(link.companyName);
  if (!link.isOpen)
    return { ...base, tone: 'stop', heading: 'closedHeading', text: [locale.say('closedText', { company })] };
  if (trouble !== null) return { ...base, tone: 'stop', heading: 'againHeading', text: [locale.say(trouble)] };
  if (faults.length > 0) return { ...base, tone: 'stop', heading: 'againHeading', text: [locale.say('faultsText')] };
  return { ...base, tone: 'wait', heading: 'payHeading', text: [locale.say('payText', { company })] };
}
