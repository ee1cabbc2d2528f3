// The view of a payment link that its page shows, without anything that only concerns the merchant.

import { readLinkPage } from '../../database/queries/links/link-page.ts';
import { GatewayError } from '../../values/errors.ts';
import type { Deps } from '../deps.ts';
import type { Branding } from '../payments/checkout.ts';
import { readLink, viewLink, type LinkView } from './read-links.ts';

/** The view. Amounts are canonical decimal strings. */
export interface LinkCheckout
  extends
    Pick<LinkView, 'id' | 'description' | 'amount' | 'currency' | 'minAmount' | 'maxAmount'>,
    Pick<LinkView, 'requiredFields' | 'optionalFields'>,
    Omit<Branding, 'supportEmail'> {
  /** Whether it takes a submission now. */
  readonly isOpen: boolean;
}

/** The view of any merchant's link as it is now; null if there is none with this id. Errors: 1012. */
export async function findLinkCheckout(
  deps: Pick<Deps, 'db' | 'clock' | 'payUrl'>,
  id: string,
): Promise<LinkCheckout | null> {
  const link = await readLink(deps.db.em, id);
  const page = link && (await readLinkPage(deps.db.em, id, deps.clock.now()));
  if (!page) return null;
  const { isSuspended, ...shown } = page;
  if (isSuspended) throw new GatewayError('MERCHANT_SUSPENDED');
  const { description, amount, currency, minAmount, maxAmount, requiredFields, optionalFields } = viewLink(deps, link);
  return { id, description, amount, currency, minAmount, maxAmount, requiredFields, optionalFields, ...shown };
}
