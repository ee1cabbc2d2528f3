// Money on its way out: a withdrawal, the refund of a payment, or the gateway's own fees. Reserved first, then sent, then
// booked.

import { defineEntity, p } from '@mikro-orm/core';
import type { Network } from '../values/assets.ts';
import type { HeldReason } from '../values/held-reasons.ts';
import type { PayoutStatus } from './enums.ts';
import { UnitsType } from './units-type.ts';

export const PAYOUT_KINDS = ['WITHDRAWAL', 'REFUND', 'FEES'] as const;
export type PayoutKind = (typeof PAYOUT_KINDS)[number];

const units = () => p.type(UnitsType).$type<bigint>();

const PayoutSchema = defineEntity({
  name: 'Payout',
  tableName: 'payout',
  properties: {
    id: p.text().primary(),
    kind: p.string().$type<PayoutKind>(),
    /** Null where the gateway pays out its own fees. */
    merchantId: p.text().nullable(),
    /** The payment that a refund belongs to. */
    paymentId: p.text().nullable(),
    currency: p.text(),
    network: p.string().$type<Network>(),
    /** What the recipient gets. */
    amount: units(),
    /** What the merchant pays on top. */
    networkFee: units(),
    address: p.text(),
    status: p.string().$type<PayoutStatus>(),
    /** Why it failed, in words. */
    failure: p.text().nullable(),
    /** Why it waits; null while nothing holds it. */
    heldReason: p.string().$type<HeldReason>().nullable(),
    heldSince: p.datetime().nullable(),
    /** The signer passes over it until then. */
    lookAt: p.datetime().nullable(),
    txHash: p.text().nullable(),
    merchantWithdrawalId: p.text().nullable(),
    /** The idempotency key that it was asked for under, within the merchant's. */
    onceOperation: p.text().nullable(),
    onceKey: p.text().nullable(),
    /** Its fee covers an account that is opened for the recipient. */
    opensAccount: p.boolean().default(false),
    /** A refund asked for before its payment succeeded: that money no longer counts as received. */
    early: p.boolean().default(false),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
    completedAt: p.datetime().nullable(),
  },
});

export class Payout extends PayoutSchema.class {}
PayoutSchema.setClass(Payout);
export { PayoutSchema };
