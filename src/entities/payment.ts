// A payment order as stored. Callers see a snapshot of it instead (domain/snapshots/payment.ts), with decimal amounts,
// its transactions and confirmations. Answers, events and webhooks share that one shape, so it is not this class.

import { defineEntity, p } from '@mikro-orm/core';
import type { Network } from '../values/assets.ts';
import type { PaymentException, PaymentStatus } from './enums.ts';
import type { LatePaymentPolicy } from './merchant.ts';
import { UnitsType } from './units-type.ts';

const units = () => p.type(UnitsType).$type<bigint>();

const PaymentSchema = defineEntity({
  name: 'Payment',
  tableName: 'payment',
  properties: {
    id: p.text().primary(),
    merchantId: p.text(),
    currency: p.text(),
    network: p.string().$type<Network>(),
    amount: units(),
    address: p.text(),
    addressKey: p.text(),
    derivationAccount: p.text(),
    derivationIndex: p.bigint('string'),
    status: p.string().$type<PaymentStatus>(),
    exception: p.string().$type<PaymentException>().nullable(),
    /** Incremented with every recorded change, under the row's lock. */
    version: p.integer(),
    test: p.boolean().nullable(),
    merchantOrderId: p.text().nullable(),
    productName: p.text().nullable(),
    customerEmail: p.text().nullable(),
    callbackUrl: p.text().nullable(),
    returnUrl: p.text().nullable(),
    metadata: p.json<Record<string, string>>().nullable(),
    /** The invoice that it belongs to; null for one of its own. */
    invoiceId: p.text().nullable(),
    toleranceBasisPoints: p.integer(),
    latePaymentPolicy: p.string().$type<LatePaymentPolicy>(),
    requiredConfirmations: p.integer(),
    amountReceived: units().default('0'),
    amountConfirmed: units().default('0'),
    amountRefunded: units().default('0'),
    feeAmount: units().default('0'),
    expiresAt: p.datetime(),
    confirmingSince: p.datetime().nullable(),
    /** The state before late money arrived; the payment returns to it if that money leaves the chain. */
    lateFromStatus: p.string().$type<PaymentStatus>().nullable(),
    lateFromException: p.string().$type<PaymentException>().nullable(),
    /** The state before confirmed money was lost; restored if that money comes back. */
    lostFromStatus: p.string().$type<PaymentStatus>().nullable(),
    lostFromException: p.string().$type<PaymentException>().nullable(),
    lostAt: p.datetime().nullable(),
    /** When the merchant accepted late money; cleared if that money leaves the chain. */
    acceptedAt: p.datetime().nullable(),
    completedAt: p.datetime().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

export class Payment extends PaymentSchema.class {}
PaymentSchema.setClass(Payment);
export { PaymentSchema };
