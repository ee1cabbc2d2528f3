// The hosted payment page as the server sends it: complete without a script, one set of words for first view and
// update.
import { type Checkout, isSettled, OPERATIONS } from './checkout.ts';
import { type AnyPage, following, type FollowingPage, followingPage, messagePage } from './document.ts';
import { localeOf } from './locale.ts';
import { partsOf } from './parts.ts';
import { wordingOf } from './words.ts';

/** What the page needs. */
export interface PaymentPage extends FollowingPage {
  readonly checkout: Checkout;
}

const FOLLOWING = following(OPERATIONS);

/**
 * The whole page as HTML. It needs no more than `default-src 'none'; script-src 'nonce-…'; style-src 'nonce-…';
 * connect-src 'self'; img-src 'self' data:`. On a change the script fetches the page again and applies the differences
 * in `main`, so everything it shows is written here.
 */
export function renderPaymentPage(page: PaymentPage): string {
  const { checkout, now } = page;
  const locale = localeOf(page.language);
  const words = wordingOf(checkout, now, locale);
  const followed = {
    ...{ following: FOLLOWING, shown: checkout, heading: words.heading, test: checkout.test, kept: {} },
    ...{ isSettled: isSettled(checkout.status), reloadSeconds: reloadSeconds(checkout) },
  };
  return followingPage(page, followed, partsOf({ checkout, words, now, locale }));
}

/** The page for an order id that does not exist: 404. */
export function renderNotFoundPage(page: AnyPage): string {
  return messagePage(page, 'notFoundHeading', (locale) => [locale.say('notFoundText')]);
}

/** The page of a merchant whom the operator has suspended, whatever was to be paid: 403. */
export function renderSuspendedPage(page: AnyPage): string {
  return messagePage(page, 'suspendedHeading', (locale) => [locale.say('suspendedText')]);
}

/** The page for an internal error or too many requests; `requestId` identifies the request in the log. */
export function renderErrorPage(page: AnyPage & { readonly requestId?: string }): string {
  const { requestId } = page;
  return messagePage(page, 'errorHeading', (locale) => [
    locale.say('errorText'),
    ...(requestId === undefined ? [] : [locale.say('errorReference', { reference: requestId })]),
  ]);
}

/**
 * Without a script the page reloads itself: often while a change is expected, rarely while late money may still arrive.
 */
function reloadSeconds(checkout: Checkout): number | null {
  if (isSettled(checkout.status)) return null;
  const stopped = checkout.status === 'EXPIRED' || checkout.status === 'FAILED' || checkout.status === 'CANCELED';
  return stopped ? 60 : 10;
}
