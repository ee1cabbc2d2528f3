// A merchant account: the owner of keys, payments, balances and webhooks, with the default settings of its payments.

import 'reflect-metadata';
import { defineEntity, p } from '@mikro-orm/core';
import { Field, ID, ObjectType } from 'type-graphql';
import type { CustomerMail, LatePaymentPolicy } from './enums.ts';
import type { AcceptedAsset } from './invoice.ts';

export type { LatePaymentPolicy };

/** A rate that a merchant fixed for a pair: upper-case codes, a decimal string of at most 12 decimals. */
export interface FixedRate {
  readonly asset: string;
  readonly currency: string;
  readonly rate: string;
}

const MerchantSchema = defineEntity({
  name: 'Merchant',
  tableName: 'merchant',
  properties: {
    id: p.text().primary(),
    email: p.text(),
    companyName: p.text(),
    passwordHash: p.text().nullable(),
    webhookSecret: p.text(),
    /** The secret before the current one; signs alongside it until it expires. */
    previousWebhookSecret: p.text().nullable(),
    previousSecretExpiresAt: p.datetime().nullable(),
    expirationMinutes: p.integer().default(30),
    toleranceBasisPoints: p.integer().default(0),
    latePaymentPolicy: p.string().$type<LatePaymentPolicy>().default('ACCEPT'),
    invoiceExpirationMinutes: p.integer().default(60),
    /** How long a quote's rate holds. */
    quoteMinutes: p.integer().default(15),
    /** What invoices take unless they say otherwise; null for all that is available. */
    acceptedAssets: p.json<readonly AcceptedAsset[]>().nullable(),
    /** What quotes take off the market rate, in basis points. */
    rateSpread: p.integer().default(0),
    /** They replace market and spread for their pairs; null for none. */
    fixedRates: p.json<readonly FixedRate[]>().nullable(),
    /** What receipts are valued in; null for the currency of each invoice. */
    accountingCurrency: p.text().nullable(),
    defaultReturnUrl: p.text().nullable(),
    logoUrl: p.text().nullable(),
    accentColor: p.text().nullable(),
    locale: p.text().nullable(),
    /** The mails that customers get. */
    customerMails: p.array().$type<CustomerMail[]>().default([]),
    /** Where customers' answers to mails go. */
    supportEmail: p.text().nullable(),
    /** After how many days what names customers is removed; null for never. */
    customerDataDays: p.integer().nullable(),
    createdAt: p.datetime(),
    /** Written by a program that knows of people; false only for those made by programs of before. */
    hasPeople: p.boolean().default(false),
  },
});

@ObjectType({ description: 'A merchant account.', simpleResolvers: true })
export class Merchant extends MerchantSchema.class {
  @Field(() => ID, { description: 'The merchant identifier, `mer_…`.' })
  declare id: string;

  @Field(() => String, { description: 'The account e-mail address.' })
  declare email: string;

  @Field(() => String, { description: 'The company name, shown to customers on the payment page.' })
  declare companyName: string;

  @Field(() => Date, { description: 'When the account was made.' })
  declare createdAt: Date;
}

MerchantSchema.setClass(Merchant);
export { MerchantSchema };
