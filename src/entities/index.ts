// The list of all entities, for the database connection.

import { ApiKeySchema } from './api-key.ts';
import { DepositSchema } from './deposit.ts';
import { InvoiceSchema } from './invoice.ts';
import { MerchantSchema } from './merchant.ts';
import { PaymentLinkSchema } from './payment-link.ts';
import { PaymentSchema } from './payment.ts';
import { PayoutSchema } from './payout.ts';
import { QuoteSchema } from './quote.ts';
import { WebhookEndpointSchema } from './webhook-endpoint.ts';

export const ENTITIES = [
  MerchantSchema,
  ApiKeySchema,
  PaymentSchema,
  DepositSchema,
  PayoutSchema,
  InvoiceSchema,
  QuoteSchema,
  PaymentLinkSchema,
  WebhookEndpointSchema,
] as const;
