// An invoice as stored: a price that is paid in coins of the customer's choice. Callers see a snapshot of it instead
// (domain/snapshots/invoice.ts).

import { defineEntity, p } from '@mikro-orm/core';
import type { Network } from '../values/assets.ts';
import type { InvoiceStatus, LatePaymentPolicy, PaymentException } from './enums.ts';
import { UnitsType } from './units-type.ts';

/** An asset that an invoice takes. */
export interface AcceptedAsset {
  readonly currency: string;
  readonly network: Network;
}

const units = () => p.type(UnitsType).$type<bigint>();

const InvoiceSchema = defineEntity({
  name: 'Invoice',
  tableName: 'invoice',
  properties: {
    id: p.text().primary(),
    merchantId: p.text(),
    /** The payment link that it was made from. */
    linkId: p.text().nullable(),
    /** The price, in minor units of its currency. */
    amount: units(),
    currency: p.text(),
    status: p.string().$type<InvoiceStatus>(),
    exception: p.string().$type<PaymentException>().nullable(),
    /** Incremented with every recorded change, under the row's lock. */
    version: p.integer(),
    test: p.boolean().nullable(),
    description: p.text().nullable(),
    merchantInvoiceId: p.text().nullable(),
    customerEmail: p.text().nullable(),
    /** What the customer wrote into a link's fields. */
    customer: p.json<Record<string, string>>().nullable(),
    returnUrl: p.text().nullable(),
    callbackUrl: p.text().nullable(),
    metadata: p.json<Record<string, string>>().nullable(),
    /** Null for the merchant's. */
    acceptedAssets: p.json<readonly AcceptedAsset[]>().nullable(),
    toleranceBasisPoints: p.integer(),
    latePaymentPolicy: p.string().$type<LatePaymentPolicy>(),
    /** Basis points that quotes are below the market. */
    spread: p.integer(),
    quoteMinutes: p.integer(),
    /** Values are in 10⁻³⁰ of the currency. */
    valueReceived: units().default('0'),
    valueConfirmed: units().default('0'),
    valueRefunded: units().default('0'),
    /** Refunds asked for before it was first settled, unless they failed: that money does not count as received. */
    valueSetAside: units().default('0'),
    /** Until then the customer may choose. */
    expiresAt: p.datetime(),
    /** The later of `expiresAt` and the ends of its quotes. */
    deadline: p.datetime(),
    processingSince: p.datetime().nullable(),
    /** The state before late money arrived; the invoice returns to it if that money leaves its chain. */
    lateFromStatus: p.string().$type<InvoiceStatus>().nullable(),
    lateFromException: p.string().$type<PaymentException>().nullable(),
    /** The state before confirmed money was lost; restored if that money comes back. */
    lostFromStatus: p.string().$type<InvoiceStatus>().nullable(),
    lostFromException: p.string().$type<PaymentException>().nullable(),
    lostAt: p.datetime().nullable(),
    /** When the merchant accepted late money; cleared if that money leaves its chain. */
    acceptedAt: p.datetime().nullable(),
    /** When it was first settled. */
    settledAt: p.datetime().nullable(),
    /** The digest of the input under `merchantInvoiceId`, hexadecimal. */
    inputDigest: p.text().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

export class Invoice extends InvoiceSchema.class {}
InvoiceSchema.setClass(Invoice);
export { InvoiceSchema };
