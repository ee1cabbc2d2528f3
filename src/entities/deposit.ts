// A deposit: one incoming transfer to one of our addresses, followed from the mempool until it is final.

import { defineEntity, p } from '@mikro-orm/core';
import type { Network } from '../values/assets.ts';
import type { DepositStatus } from './enums.ts';
import { RateType } from './rate-type.ts';
import { UnitsType } from './units-type.ts';

const DepositSchema = defineEntity({
  name: 'Deposit',
  tableName: 'deposit',
  properties: {
    id: p.text().primary(),
    /** Where it arrived. May differ from the payment's network, because related networks share addresses. */
    network: p.string().$type<Network>(),
    txHash: p.text(),
    ordinal: p.integer(),
    paymentId: p.text(),
    merchantId: p.text(),
    /** The currency that arrived. May differ from what the payment asked for. */
    currency: p.text(),
    amount: p.type(UnitsType).$type<bigint>(),
    status: p.string().$type<DepositStatus>(),
    blockHash: p.text().nullable(),
    blockHeight: p.bigint('number').nullable(),
    blockTime: p.datetime().nullable(),
    seenAt: p.datetime(),
    /** Whether it arrived after the payment's expiry, decided when it was first seen. */
    late: p.boolean(),
    /** What its transaction spends (`Transfer.spends`); null if unknown. */
    spends: p.text().nullable(),
    /** Set when it leaves the chain: once enough blocks follow this height, the deposit is gone for good. */
    orphanedHeight: p.bigint('number').nullable(),
    /** The required confirmations of its network, if that is not the payment's network; otherwise null. */
    requiredConfirmations: p.integer().nullable(),
    gone: p.boolean().default(false),
    /** How often it was credited. Numbers the ledger references of a deposit that left the chain and came back. */
    credits: p.integer().default(0),
    credited: p.boolean().default(false),
    /** The rate at which it counts for its payment's invoice; null without one, and in another asset. */
    valueRate: p.type(RateType).$type<bigint>().nullable(),
  },
});

export class Deposit extends DepositSchema.class {}
DepositSchema.setClass(Deposit);
export { DepositSchema };
