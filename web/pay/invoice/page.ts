// An invoice's page as the server sends it, and the pages that say why a choice was refused.

import { type AnyPage, following, type FollowingPage, followingPage, messagePage, query } from '../document.ts';
import { html } from '../html.ts';
import { localeOf, type Key } from '../locale.ts';
import { INVOICE_OPERATIONS, type InvoiceCheckout } from './checkout.ts';
import { invoiceParts } from './parts.ts';
import { invoiceWording } from './words.ts';
import { type Stage, stageOf, type Wish } from './stage.ts';

/** What the page needs. */
export interface InvoicePage extends FollowingPage {
  readonly invoice: InvoiceCheckout;
  readonly wish: Wish;
  /** Whether the page's address names the language, which its links then keep. */
  readonly keepsLanguage: boolean;
}

const FOLLOWING = following(INVOICE_OPERATIONS);

/**
 * The whole page as HTML, complete without a script. It needs what the page of a payment needs, and `form-action
 * 'self'`, as a choice is a form.
 */
export function renderInvoicePage(page: InvoicePage): string {
  const { invoice, wish, now, language } = page;
  const locale = localeOf(language);
  const stage = stageOf(invoice, wish, now);
  const words = invoiceWording(invoice, stage, locale);
  const kept = page.keepsLanguage ? { lang: language.code } : {};
  const followed = {
    ...{ following: FOLLOWING, shown: invoice, heading: words.heading },
    ...{ test: invoice.test, kept: { ...wish } },
    ...{ isSettled: isSettled(invoice), reloadSeconds: reloadSeconds(invoice, stage) },
  };
  return followingPage(page, followed, invoiceParts({ invoice, stage, words, now, locale, kept }));
}

/** Whether the customer has nothing more to wait for. */
function isSettled({ status }: InvoiceCheckout): boolean {
  return status === 'SETTLED' || status === 'PARTIALLY_REFUNDED' || status === 'REFUNDED';
}

/** Without a script: often while money is waited for, rarely while the customer reads a list or nothing is expected. */
function reloadSeconds(invoice: InvoiceCheckout, { step }: Stage): number | null {
  if (isSettled(invoice)) return null;
  const isWaiting = step === 'pay' || step === 'lapsed' || invoice.status === 'PROCESSING';
  return isWaiting ? 10 : 60;
}

/** Why a choice was refused, by the error's name; any other refusal has the page of an error. */
export const REFUSALS: Readonly<Record<string, Key>> = {
  ...{ UNSUPPORTED_ASSET: 'notAccepted', VALIDATION: 'notAccepted', MEDIA_TYPE: 'notAccepted' },
  ...{ MALFORMED_JSON: 'notAccepted', BODY_TOO_LARGE: 'notAccepted' },
  ...{ BELOW_MINIMUM: 'belowMinimum', ABOVE_MAXIMUM: 'aboveMaximum', NETWORK_UNAVAILABLE: 'noNode', NO_RATE: 'noRate' },
  ...{ TAKES_NO_MORE: 'takesNoMore', TOO_MANY_CHOICES: 'tooManyChoices', RATE_LIMITED: 'tooManyCalls' },
};

/** The page for a choice that was refused, with the way back to the invoice. */
export function renderRefusalPage(
  page: AnyPage & { readonly invoiceId: string; readonly reason: Key; readonly keepsLanguage: boolean },
): string {
  const { invoiceId, language, keepsLanguage } = page;
  const back = `/pay/${encodeURIComponent(invoiceId)}${query({ ...(keepsLanguage && { lang: language.code }), coin: '' })}`;
  return messagePage(page, 'refusedHeading', (locale) => [
    locale.say(page.reason),
    html`<a id="back" href="${back}">${localeOf(language).say('backToPayment')}</a>`,
  ]);
}
