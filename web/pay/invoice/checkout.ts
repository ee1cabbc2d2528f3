// The data of an invoice's page, by the operations in web/pay/operations: only what its customer may see.

import {
  AskInvoiceDocument,
  ChooseAssetDocument,
  InvoiceCheckoutDocument,
  WatchInvoiceDocument,
  type InvoiceCheckoutQuery,
} from '../generated/operations.ts';

/**
 * Amounts are canonical decimal strings, in `currency` or, for a payment, in its coin; times ISO 8601 UTC. The
 * merchant's texts are untrusted.
 */
export type InvoiceCheckout = Readonly<NonNullable<InvoiceCheckoutQuery['invoiceCheckout']>>;

/** A choice that was made, and its payment. */
export type InvoicePayment = Readonly<InvoiceCheckout['payments'][number]>;

/** A coin on a network that may be chosen, or why it may not. */
export type Option = Readonly<InvoiceCheckout['options'][number]>;

/** How the page loads an invoice and chooses, and how its script polls and subscribes to changes. */
export const INVOICE_OPERATIONS = {
  ...{ read: InvoiceCheckoutDocument, choose: ChooseAssetDocument },
  ...{ ask: AskInvoiceDocument, watch: WatchInvoiceDocument },
} as const;
