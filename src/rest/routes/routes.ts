// THE TABLE: every documented path is a row, and a row is one GraphQL document. The selection set is the response's
// shape (aliases rename; a root field called `result` is the data itself); path, query and body fields are the
// document's variables by name, and the whole body is `$input` where the document has one.

import { INVOICE_ROUTES } from './invoices.ts';
import { MERCHANT_ROUTES } from './merchants.ts';
import { PAYMENT_LINK_ROUTES } from './payment-links.ts';
import { PAYMENT_ROUTES } from './payments.ts';
import { REPORT_ROUTES } from './reports.ts';
import { SANDBOX_ROUTES } from './sandbox.ts';
import { WALLET_ROUTES } from './wallet.ts';
import { WEBHOOK_ROUTES } from './webhooks.ts';
import type { Route } from './route.ts';

/** Every row, in the order of the API's description. */
export const ROUTES: readonly Route[] = [
  ...MERCHANT_ROUTES,
  ...PAYMENT_ROUTES,
  ...INVOICE_ROUTES,
  ...PAYMENT_LINK_ROUTES,
  ...WALLET_ROUTES,
  ...REPORT_ROUTES,
  ...WEBHOOK_ROUTES,
  ...SANDBOX_ROUTES,
];
