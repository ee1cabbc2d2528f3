// GraphQL types of what a merchant controls payouts by: the book of addresses, the policy, and rules of settlement.

import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { PayoutAddressStatusEnum, SettlementScheduleEnum } from '../../entities/payout-enums.ts';
import * as checks from '../../values/checks.ts';
import type { PayoutAddressStatus } from '../../values/payouts/address-status.ts';
import type { SettlementSchedule } from '../../values/payouts/settlement.ts';
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

@ObjectType({ description: 'A rule by which a balance is paid out by itself.', simpleResolvers: true })
export class SettlementRule {
  @Field(() => ID, { description: 'The id of the rule, `stl_…`.' })
  declare id: string;

  @Field(() => String, { description: 'The currency code.' })
  declare currency: string;

  @Field(() => String, { description: 'The canonical network code.' })
  declare network: string;

  @Field(() => PayoutAddress, { description: 'Where it pays to; nothing leaves unless the address is ACTIVE.' })
  declare address: PayoutAddress;

  @Field(() => String, { description: 'What has to be available before it pays; a decimal string.' })
  declare threshold: string;

  @Field(() => String, { description: 'What stays; a decimal string.' })
  declare keep: string;

  @Field(() => SettlementScheduleEnum, { description: 'When it pays.' })
  declare schedule: SettlementSchedule;

  @Field(() => Int, { nullable: true, description: 'The hour in UTC, 0 to 23; null for ON_THRESHOLD.' })
  declare hour: number | null;

  @Field(() => Int, { nullable: true, description: 'WEEKLY: 1 (Monday) to 7; MONTHLY: 1 to 28; otherwise null.' })
  declare day: number | null;

  @Field(() => Boolean, { description: 'Whether it is in use.' })
  declare enabled: boolean;
}

@InputType({ description: 'The rule of an asset, in place of the one that it has.' })
export class SettlementInput {
  @Field(() => String, { description: 'A currency code, in any case.' })
  @Checked(checks.text(20))
  declare currency: string;

  @Field(() => String, { description: 'A network code or alias, in any case.' })
  @Checked(checks.text(20))
  declare network: string;

  @Field(() => ID, { description: 'An address of the book, on the same network.' })
  declare addressId: string;

  @Field(() => String, { description: 'What has to be available before it pays.' })
  @Checked(checks.amountOrZero)
  declare threshold: string;

  @Field(() => String, { nullable: true, description: 'What stays; nothing if left out.' })
  @Checked(checks.amountOrZero)
  declare keep?: string | null;

  @Field(() => SettlementScheduleEnum, { description: 'When it pays.' })
  declare schedule: SettlementSchedule;

  @Field(() => Int, { nullable: true, description: 'The hour in UTC, 0 to 23; not for ON_THRESHOLD.' })
  @Checked(checks.whole(0, 23))
  declare hour?: number | null;

  @Field(() => Int, { nullable: true, description: 'WEEKLY: 1 (Monday) to 7; MONTHLY: 1 to 28; not for others.' })
  @Checked(checks.whole(1, 28))
  declare day?: number | null;

  @Field(() => Boolean, { nullable: true, description: 'Whether it is in use; true if left out.' })
  declare enabled?: boolean | null;
}
