// GraphQL types of rates: what a coin costs in a currency, as a quote would take it now.

import { Field, InputType, ObjectType } from 'type-graphql';
import { RateStateEnum, type RateState } from '../../entities/enums.ts';
import * as rateChecks from '../operation/rate-checks.ts';
import { Checked } from '../operation/validation.ts';

@ObjectType({ description: 'The rate of a coin in a currency, as a quote would take it now.', simpleResolvers: true })
export class Rate {
  @Field(() => String, { description: "The coin's code, without its network." })
  declare asset: string;

  @Field(() => String, { description: 'The currency that it is measured in.' })
  declare currency: string;

  @Field(() => String, { nullable: true, description: 'The market rate, or the fixed one; null where there is none.' })
  declare rate: string | null;

  @Field(() => String, { nullable: true, description: "The same less the merchant's spread: what a quote takes." })
  declare quotedRate: string | null;

  @Field(() => Date, { nullable: true, description: 'When it was so; null without a rate, and for a fixed one.' })
  declare at: Date | null;

  @Field(() => [String], { description: 'Where it comes from: names of feeds, `sandbox`, or `fixed`.' })
  declare sources: readonly string[];

  @Field(() => RateStateEnum, { description: 'Whether it is fresh, held from before, fixed, or missing.' })
  declare state: RateState;
}

@ObjectType({ description: 'A rate that replaces market and spread for its pair.', simpleResolvers: true })
export class FixedRate {
  @Field(() => String, { description: "The coin's code, without its network." })
  declare asset: string;

  @Field(() => String, { description: "The price's currency." })
  declare currency: string;

  @Field(() => String, { description: 'What one unit of the coin costs, a decimal string.' })
  declare rate: string;
}

@InputType({ description: 'A rate that replaces market and spread for its pair.' })
export class FixedRateInput {
  @Field(() => String, { description: "The coin's code, in any case, without its network." })
  @Checked(rateChecks.coinCode)
  declare asset: string;

  @Field(() => String, { description: "The price's currency, in any case." })
  @Checked(rateChecks.priceCurrency)
  declare currency: string;

  @Field(() => String, { description: 'What one unit of the coin costs: above zero, at most 12 decimals.' })
  @Checked(rateChecks.rate)
  declare rate: string;
}

@InputType({ description: 'A price that the sandbox takes for you alone.' })
export class SandboxRateInput {
  @Field(() => String, { description: 'The code of a coin or currency, in any case; not USD.' })
  @Checked(rateChecks.movableCode)
  declare code: string;

  @Field(() => String, {
    nullable: true,
    description: "US dollars for one unit, a decimal string; null: no rate; left out: the sandbox's own.",
  })
  @Checked(rateChecks.usdPrice)
  declare usd?: string | null;
}
