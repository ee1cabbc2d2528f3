// The data of a payment link's page, by the operations in web/pay/operations: only what its customer may see.

import {
  LinkCheckoutDocument,
  SubmitLinkDocument,
  type LinkCheckoutQuery,
  type SubmitLinkMutationVariables,
} from '../generated/operations.ts';

/** Amounts are canonical decimal strings in `currency`; the merchant's texts are untrusted. */
export type LinkCheckout = Readonly<NonNullable<LinkCheckoutQuery['linkCheckout']>>;

/** What a submission takes. */
export type LinkSubmission = SubmitLinkMutationVariables['input'];

/** How the page loads a link, and submits its form. */
export const LINK_OPERATIONS = { read: LinkCheckoutDocument, submit: SubmitLinkDocument } as const;
