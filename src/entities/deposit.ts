// Money seen on the way to one of our addresses: one transfer within one transaction, followed from the mempool to final.

import { defineEntity, p } from '@mikro-orm/core';
import type { Network } from '../values/assets.ts';
import type { DepositStatus } from './enums.ts';
import { UnitsType } from './units-type.ts';

const DepositSchema = defineEntity({
  name: 'Deposit',
  tableName: 'deposit',
  properties: {
    id: p.text().primary(),
    /** Where it arrived, which may be another network than the payment's: related networks share their addresses. */
    network: p.string().$type<Network>(),
    txHash: p.text(),
    ordinal: p.integer(),
    paymentId: p.text(),
    merchantId: p.text(),
    /** What arrived, which may differ from what the payment asked for. */
    currency: p.text(),
    amount: p.type(UnitsType).$type<bigint>(),
    status: p.string().$type<DepositStatus>(),
    blockHash: p.text().nullable(),
    blockHeight: p.bigint('number').nullable(),
    blockTime: p.datetime().nullable(),
    seenAt: p.datetime(),
    /** Whether it came after the payment's time, judged when it was first seen. */
    late: p.boolean(),
    /** What its transaction uses up (`Transfer.spends`); null where that is not known. */
    spends: p.text().nullable(),
    /** The height from which blocks count against it since it left the chain; with enough of them it is gone for good. */
    orphanedHeight: p.bigint('number').nullable(),
    /** Those of its network, where that is not the payment's; else null, and the payment's count. */
    requiredConfirmations: p.integer().nullable(),
    gone: p.boolean().default(false),
    /** How many times it was credited; numbers the ledger references of a deposit that went and came back. */
    credits: p.integer().default(0),
    credited: p.boolean().default(false),
  },
});

export class Deposit extends DepositSchema.class {}
DepositSchema.setClass(Deposit);
export { DepositSchema };
