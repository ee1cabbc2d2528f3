// GraphQL operations on a merchant's settings: defaults of new payments, and the look of the payment page.

import { Arg, Ctx, Field, Float, InputType, Int, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import { readSettings, updateSettings } from '../domain/merchants/settings.ts';
import { CUSTOMER_MAILS, CustomerMailEnum, LatePaymentPolicyEnum, type CustomerMail } from '../entities/enums.ts';
import type { LatePaymentPolicy } from '../entities/merchant.ts';
import * as checks from '../values/checks.ts';
import { actorOf, callerOf, Needs, type Context } from './operation/context.ts';
import type { Services } from './services.ts';
import { acceptedAssetCount, assetsNamedTwice, MOST_ACCEPTED_ASSETS } from './operation/price-checks.ts';
import { fiatCode, fixedRateCount, MOST_FIXED_RATES, pairsFixedTwice } from './operation/rate-checks.ts';
import { Checked, CheckedTogether, NeverNull } from './operation/validation.ts';
import { AcceptedAsset, AcceptedAssetInput } from './types/invoice.ts';
import { FixedRate, FixedRateInput } from './types/rate.ts';

@ObjectType({ description: "A merchant's settings. A payment keeps those it was created with.", simpleResolvers: true })
export class MerchantSettings {
  @Field(() => String, { description: 'The company name, shown to customers.' })
  declare companyName: string;

  @Field(() => Int, { description: 'How long a payment may take to arrive: 5 to 1440 minutes.' })
  declare expirationMinutes: number;

  @Field(() => Float, { description: 'The percentage of an amount that may be missing: 0 to 50.' })
  declare underpaymentTolerance: number;

  @Field(() => LatePaymentPolicyEnum, { description: 'What becomes of a full amount that arrives late.' })
  declare latePaymentPolicy: LatePaymentPolicy;

  @Field(() => String, {
    nullable: true,
    description: 'Where the payment page sends customers, if a payment says nothing.',
  })
  declare defaultReturnUrl: string | null;

  @Field(() => String, { nullable: true, description: 'A logo for the payment page.' })
  declare logoUrl: string | null;

  @Field(() => String, { nullable: true, description: "The payment page's accent colour, `#rrggbb`." })
  declare accentColor: string | null;

  @Field(() => String, { nullable: true, description: "The payment page's language, such as `de`." })
  declare locale: string | null;

  @Field(() => Int, { description: 'How long an invoice takes choices and money: 5 to 43,200 minutes.' })
  declare invoiceExpirationMinutes: number;

  @Field(() => Int, { description: "How long a quote's rate holds: 5 to 60 minutes." })
  declare quoteMinutes: number;

  @Field(() => [AcceptedAsset], {
    nullable: true,
    description: 'What invoices may be paid in, if they say nothing; null: all that is taken here.',
  })
  declare acceptedAssets: readonly AcceptedAsset[] | null;

  @Field(() => Int, { description: 'What quotes take off the market rate: −1,000 to 1,000 basis points.' })
  declare rateSpread: number;

  @Field(() => [FixedRate], { description: 'Rates that replace market and spread for their pairs.' })
  declare fixedRates: readonly FixedRate[];

  @Field(() => String, {
    nullable: true,
    description: 'What receipts are valued in: an ISO 4217 code; null: the currency of each invoice.',
  })
  declare accountingCurrency: string | null;

  @Field(() => [CustomerMailEnum], { description: 'The mails that customers get; none by default.' })
  declare customerMails: readonly CustomerMail[];

  @Field(() => String, {
    nullable: true,
    description: "Where customers reach you: answers to mails, and the payment page's button.",
  })
  declare supportEmail: string | null;

  @Field(() => Int, {
    nullable: true,
    description: 'After how many days what names customers is removed from orders: 30 to 3650; null: never.',
  })
  declare customerDataDays: number | null;
}

@InputType({ description: 'Settings to change; what is left out stays.' })
@CheckedTogether((fields) => [...assetsNamedTwice(fields), ...pairsFixedTwice(fields)])
export class SettingsInput {
  @Field(() => String, { nullable: true, description: 'The company name, shown to customers.' })
  @Checked(checks.text(200))
  @NeverNull()
  declare companyName?: string | null;

  @Field(() => Int, { nullable: true, description: '5 to 1440.' })
  @Checked(checks.whole(5, 1_440))
  @NeverNull()
  declare expirationMinutes?: number | null;

  @Field(() => Float, { nullable: true, description: '0 to 50, at most two decimals.' })
  @Checked(checks.percent(50))
  @NeverNull()
  declare underpaymentTolerance?: number | null;

  @Field(() => LatePaymentPolicyEnum, {
    nullable: true,
    description: 'ACCEPT, or MANUAL: it waits until you accept it.',
  })
  @NeverNull()
  declare latePaymentPolicy?: LatePaymentPolicy | null;

  @Field(() => String, { nullable: true, description: 'An absolute http or https URL; null for none.' })
  @Checked(checks.browserUrl)
  declare defaultReturnUrl?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'An absolute URL of a PNG, JPEG, WebP or GIF of at most 40 KiB; null for none. Shown if it is at https and public.',
  })
  @Checked(checks.browserUrl)
  declare logoUrl?: string | null;

  @Field(() => String, { nullable: true, description: '`#rrggbb`; null for none.' })
  @Checked(checks.colour)
  declare accentColor?: string | null;

  @Field(() => String, { nullable: true, description: 'A BCP 47 language tag; null for none.' })
  @Checked(checks.locale)
  declare locale?: string | null;

  @Field(() => Int, { nullable: true, description: '5 to 43,200.' })
  @Checked(checks.whole(5, 43_200))
  @NeverNull()
  declare invoiceExpirationMinutes?: number | null;

  @Field(() => Int, { nullable: true, description: '5 to 60.' })
  @Checked(checks.whole(5, 60))
  @NeverNull()
  declare quoteMinutes?: number | null;

  @Field(() => [AcceptedAssetInput], {
    nullable: true,
    description: `1 to ${MOST_ACCEPTED_ASSETS} coins, in any order; null for all that is taken here.`,
  })
  @Checked(acceptedAssetCount)
  declare acceptedAssets?: AcceptedAssetInput[] | null;

  @Field(() => Int, { nullable: true, description: '−1,000 to 1,000 basis points.' })
  @Checked(checks.whole(-1_000, 1_000))
  @NeverNull()
  declare rateSpread?: number | null;

  @Field(() => [FixedRateInput], {
    nullable: true,
    description: `At most ${MOST_FIXED_RATES}, each pair once; they replace all that were set before.`,
  })
  @Checked(fixedRateCount)
  @NeverNull()
  declare fixedRates?: FixedRateInput[] | null;

  @Field(() => String, { nullable: true, description: 'An ISO 4217 code, in any case; null for none.' })
  @Checked(fiatCode)
  declare accountingCurrency?: string | null;

  @Field(() => [CustomerMailEnum], {
    nullable: true,
    description: 'The mails that customers get; they replace those that were set before. They need a verified owner.',
  })
  @Checked(checks.listOf(0, CUSTOMER_MAILS.length))
  @NeverNull()
  declare customerMails?: CustomerMail[] | null;

  @Field(() => String, { nullable: true, description: 'Where customers reach you, by mail; null for nowhere.' })
  @Checked(checks.email)
  declare supportEmail?: string | null;

  @Field(() => Int, { nullable: true, description: '30 to 3650; null for never. What is removed does not come back.' })
  @Checked(checks.whole(30, 3_650))
  declare customerDataDays?: number | null;
}

@Resolver()
export class SettingsResolver {
  constructor(private readonly services: Services) {}

  @Needs('MANAGE_SETTINGS')
  @Query(() => MerchantSettings, { description: "The merchant's settings." })
  settings(@Ctx() context: Context): Promise<MerchantSettings> {
    return readSettings(this.services.deps, callerOf(context).merchantId);
  }

  @Needs('MANAGE_SETTINGS')
  @Mutation(() => MerchantSettings, { description: 'Changes settings; payments that exist keep theirs.' })
  async updateSettings(
    @Arg('input', () => SettingsInput, { description: 'What to change.' }) input: SettingsInput,
    @Ctx() context: Context,
  ): Promise<MerchantSettings> {
    const actor = actorOf(context);
    const settings = await updateSettings(this.services.deps, actor, input);
    this.services.defaults.forget(actor.merchantId);
    return settings;
  }
}
