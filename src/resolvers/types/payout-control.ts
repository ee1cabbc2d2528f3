// GraphQL types of what a merchant controls payouts by: the book of addresses, and the policy.

import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { PayoutAddressStatusEnum } from '../../entities/enums.ts';
import * as checks from '../../values/checks.ts';
import type { PayoutAddressStatus } from '../../values/payouts/address-status.ts';
import { Checked } from '../operation/validation.ts';

@ObjectType({ description: 'An address of the book that payouts may go to.', simpleResolvers: true })
export class PayoutAddress {
  @Field(() => ID, { description: 'The id in the book, `adr_…`.' })
  declare id: string;

  @Field(() => String, { description: 'The canonical network code.' })
  declare network: string;

  @Field(() => String, { description: 'The address.' })
  declare address: string;

  @Field(() => String, { description: 'Your own name for it.' })
  declare label: string;

  @Field(() => PayoutAddressStatusEnum, { description: 'Where it stands.' })
  declare status: PayoutAddressStatus;

  @Field(() => Date, { description: 'From when payouts may go there.' })
  declare usableAt: Date;

  @Field(() => Date, { description: 'When it was added.' })
  declare createdAt: Date;
}

@ObjectType({ description: 'The limits of an asset. Amounts are decimal strings.', simpleResolvers: true })
export class PayoutLimit {
  @Field(() => String, { description: 'The currency code.' })
  declare currency: string;

  @Field(() => String, { description: 'The canonical network code.' })
  declare network: string;

  @Field(() => String, { nullable: true, description: 'The most of one payout; null for no limit.' })
  declare perPayout: string | null;

  @Field(() => String, { nullable: true, description: 'The most of all payouts of 24 hours; null for no limit.' })
  declare perDay: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'What may leave in 24 hours before payouts wait for an approval; null if none has to.',
  })
  declare approvalAbove: string | null;

  @Field(() => String, { nullable: true, description: 'What is left of `perDay` now; null without it.' })
  declare room: string | null;
}

@ObjectType({ description: 'What payouts have to keep to.', simpleResolvers: true })
export class PayoutRules {
  @Field(() => Boolean, { description: 'Whether withdrawals go to active addresses of the book only (4006).' })
  declare bookOnly: boolean;

  @Field(() => Boolean, { description: 'Whether assets without limits of their own do not leave at all (4007).' })
  declare listedOnly: boolean;

  @Field(() => Boolean, { description: 'Whether every refund waits for an approval.' })
  declare refundsNeedApproval: boolean;

  @Field(() => Boolean, { description: 'Whether members without a second factor neither request nor decide (1014).' })
  declare requireSecondFactor: boolean;

  @Field(() => [PayoutLimit], { description: 'The limits, at most one for each asset.' })
  declare limits: PayoutLimit[];
}

@ObjectType({ description: "The policy of a merchant's payouts.", simpleResolvers: true })
export class PayoutPolicy {
  @Field(() => Int, { description: 'Counts its changes; 0 if there never was one.' })
  declare version: number;

  @Field(() => PayoutRules, { description: 'What holds now.' })
  declare inForce: PayoutRules;

  @Field(() => PayoutRules, {
    nullable: true,
    description: 'What will hold from `pendingFrom` on; null for no change.',
  })
  declare pending: PayoutRules | null;

  @Field(() => Date, { nullable: true, description: 'When `pending` takes the place of `inForce`.' })
  declare pendingFrom: Date | null;
}

@InputType({ description: 'The limits of an asset; null, or left out, is no limit.' })
export class PayoutLimitInput {
  @Field(() => String, { description: 'A currency code, in any case.' })
  @Checked(checks.text(20))
  declare currency: string;

  @Field(() => String, { description: 'A network code or alias, in any case.' })
  @Checked(checks.text(20))
  declare network: string;

  @Field(() => String, { nullable: true, description: 'The most of one payout.' })
  @Checked(checks.amount)
  declare perPayout?: string | null;

  @Field(() => String, { nullable: true, description: 'The most of all payouts of 24 hours.' })
  @Checked(checks.amount)
  declare perDay?: string | null;

  @Field(() => String, { nullable: true, description: 'What may leave in 24 hours without an approval.' })
  @Checked(checks.amount)
  declare approvalAbove?: string | null;
}

@InputType({ description: 'A change of the policy; what is left out stays as it is.' })
export class PayoutPolicyInput {
  @Field(() => Int, { description: 'The version of the policy that this changes (4008 if it is another by now).' })
  declare version: number;

  @Field(() => Boolean, { nullable: true, description: 'Whether withdrawals go to the book only.' })
  declare bookOnly?: boolean | null;

  @Field(() => Boolean, { nullable: true, description: 'Whether assets without limits do not leave at all.' })
  declare listedOnly?: boolean | null;

  @Field(() => Boolean, { nullable: true, description: 'Whether every refund waits for an approval.' })
  declare refundsNeedApproval?: boolean | null;

  @Field(() => Boolean, { nullable: true, description: 'Whether members need a second factor.' })
  declare requireSecondFactor?: boolean | null;

  @Field(() => [PayoutLimitInput], { nullable: true, description: 'All limits, in place of those that there are.' })
  @Checked(checks.listOf(0, 100))
  declare limits?: PayoutLimitInput[] | null;
}
