// GraphQL types of what operators see and do.

import { Field, ID, InputType, ObjectType } from 'type-graphql';
import * as checks from '../../values/checks.ts';
import { Checked } from '../operation/validation.ts';

/** Why an operator does something. */
export const reasonCheck = checks.text(255);

@ObjectType({
  description: 'A freeze in force: payouts that match all it names are not signed.',
  simpleResolvers: true,
})
export class PayoutFreeze {
  @Field(() => ID, { description: 'Its id, `frz_…`.' })
  declare id: string;

  @Field(() => ID, { nullable: true, description: 'The one payout that it holds; null for any.' })
  declare payoutId: string | null;

  @Field(() => ID, { nullable: true, description: 'The merchant whose payouts it holds; null for any.' })
  declare merchantId: string | null;

  @Field(() => String, { nullable: true, description: 'The network whose payouts it holds; null for any.' })
  declare network: string | null;

  @Field(() => String, { nullable: true, description: 'The currency whose payouts it holds; null for any.' })
  declare currency: string | null;

  @Field(() => String, { description: 'Why.' })
  declare reason: string;

  @Field(() => String, { description: "Who froze: a person's id, or the name given on the command line." })
  declare createdBy: string;

  @Field(() => Date, { description: 'Since when.' })
  declare createdAt: Date;
}

@InputType({ description: 'What to freeze: payouts that match all that is named; nothing named is all payouts.' })
export class FreezeInput {
  @Field(() => ID, { nullable: true, description: 'One payout.' })
  declare payoutId?: string | null;

  @Field(() => ID, { nullable: true, description: 'The payouts of a merchant.' })
  declare merchantId?: string | null;

  @Field(() => String, { nullable: true, description: 'The payouts of a network: a code or alias, in any case.' })
  @Checked(checks.text(20))
  declare network?: string | null;

  @Field(() => String, { nullable: true, description: 'The payouts of a currency, in any case.' })
  @Checked(checks.text(20))
  declare currency?: string | null;

  @Field(() => String, { description: 'Why: 1 to 255 characters.' })
  @Checked(reasonCheck)
  declare reason: string;
}
