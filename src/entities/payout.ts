// A payout: a withdrawal, the refund of a payment, or the gateway's own fees. First reserved, then sent, then booked.

import { defineEntity, p } from '@mikro-orm/core';
import type { Network } from '../values/assets.ts';
import type { HeldReason } from '../values/held-reasons.ts';
import type { PayoutStatus } from '../values/payouts/state.ts';
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
    /** Null for a payout of the gateway's own fees. */
    merchantId: p.text().nullable(),
    /** The payment that a refund belongs to; null for other kinds. */
    paymentId: p.text().nullable(),
    currency: p.text(),
    network: p.string().$type<Network>(),
    /** What the recipient receives. */
    amount: units(),
    /** What the merchant pays on top. */
    networkFee: units(),
    address: p.text(),
    /** The entry of the book that it goes to, if that was active at the request. */
    addressId: p.text().nullable(),
    /** The batch that it is a row of. */
    batchId: p.text().nullable(),
    /** What asked for it once, unique for the merchant: `batch/<id>/<row>`. */
    reference: p.text().nullable(),
    status: p.string().$type<PayoutStatus>(),
    /** Counts its states from 1 on, each of which is an event; 0 for one of before there were such events. */
    version: p.integer().default(0),
    /** The key or person that asked for it; null if unknown, and for the gateway's fees. */
    requestedBy: p.text().nullable(),
    /** Who approved or rejected it; `system` if its time ran out. */
    decidedBy: p.text().nullable(),
    approvedAt: p.datetime().nullable(),
    /** Until when it could be approved; null if it never waited for that. */
    awaitsUntil: p.datetime().nullable(),
    /** Why it failed, in words. */
    failure: p.text().nullable(),
    /** Why it is held; null if it is not. */
    heldReason: p.string().$type<HeldReason>().nullable(),
    heldSince: p.datetime().nullable(),
    /** The signer skips it until this time. */
    lookAt: p.datetime().nullable(),
    txHash: p.text().nullable(),
    merchantWithdrawalId: p.text().nullable(),
    /** The operation and idempotency key of the request, within the merchant's. */
    onceOperation: p.text().nullable(),
    onceKey: p.text().nullable(),
    /** Whether its network fee pays for opening an account for the recipient. */
    opensAccount: p.boolean().default(false),
    /** A refund requested before its payment succeeded: the refunded money no longer counts as received. */
    early: p.boolean().default(false),
    /** A refund requested before the invoice of its payment was first settled: the same for the invoice. */
    beforeSettlement: p.boolean().default(false),
    /** The span of its request (`traceparent`); null without tracing. */
    trace: p.text().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
    completedAt: p.datetime().nullable(),
  },
});

export class Payout extends PayoutSchema.class {}
PayoutSchema.setClass(Payout);
export { PayoutSchema };
