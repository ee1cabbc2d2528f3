// A payment link as stored: a page that makes an invoice for everybody who submits its form. Callers see a view of it
// instead (domain/links/read-links.ts).

import { defineEntity, p } from '@mikro-orm/core';
import type { LinkField } from './enums.ts';
import type { AcceptedAsset } from './invoice.ts';
import { UnitsType } from './units-type.ts';

const units = () => p.type(UnitsType).$type<bigint>();

const PaymentLinkSchema = defineEntity({
  name: 'PaymentLink',
  tableName: 'payment_link',
  properties: {
    id: p.text().primary(),
    merchantId: p.text(),
    /** For the merchant alone. */
    name: p.text(),
    /** What is paid for, shown to customers. */
    description: p.text().nullable(),
    /** The price, in minor units of its currency; null where the customer says how much. */
    amount: units().nullable(),
    currency: p.text(),
    /** Bounds of what a customer may say. */
    minAmount: units().nullable(),
    maxAmount: units().nullable(),
    /** Null for the merchant's. */
    acceptedAssets: p.json<readonly AcceptedAsset[]>().nullable(),
    requiredFields: p.json<readonly LinkField[]>(),
    optionalFields: p.json<readonly LinkField[]>(),
    /** Null for as many as come. */
    maxUses: p.integer().nullable(),
    /** How many of its invoices are processing, settled or refunded; it moves with their states. */
    uses: p.integer().default(0),
    endsAt: p.datetime().nullable(),
    enabled: p.boolean(),
    returnUrl: p.text().nullable(),
    callbackUrl: p.text().nullable(),
    metadata: p.json<Record<string, string>>().nullable(),
    /** How long its invoices take choices and money; null for the merchant's. */
    expirationMinutes: p.integer().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

export class PaymentLink extends PaymentLinkSchema.class {}
PaymentLinkSchema.setClass(PaymentLink);
export { PaymentLinkSchema };
