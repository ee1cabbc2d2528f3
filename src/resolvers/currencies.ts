// GraphQL query of the supported currencies; public, for building a choice of currencies.

import { Field, Int, ObjectType, Query, Resolver } from 'type-graphql';
import { listCurrencies } from '../domain/payments/currencies.ts';
import type { Services } from './services.ts';

@ObjectType({ description: 'A currency on a network.', simpleResolvers: true })
export class Currency {
  @Field(() => String, { description: 'The currency code.' })
  declare currency: string;

  @Field(() => String, { description: 'The canonical network code.' })
  declare network: string;

  @Field(() => String, { description: "The network's name." })
  declare name: string;

  @Field(() => Int, { description: 'Decimals that amounts of it have on this network.' })
  declare decimals: number;

  @Field(() => String, {
    nullable: true,
    description: "The token's contract; null for coins, and where it is not taken.",
  })
  declare contract: string | null;

  @Field(() => String, { description: 'The least amount of a payment or withdrawal.' })
  declare minAmount: string;

  @Field(() => String, { description: 'The greatest amount of a payment or withdrawal.' })
  declare maxAmount: string;

  @Field(() => String, { description: 'What a withdrawal is charged on top of its amount, in that currency.' })
  declare networkFee: string;

  @Field(() => Int, { description: 'Blocks that make a payment final, the including one counted.' })
  declare confirmations: number;

  @Field(() => Boolean, { description: 'Whether payments in it are taken at this moment.' })
  declare available: boolean;
}

@Resolver()
export class CurrencyResolver {
  constructor(private readonly services: Services) {}

  @Query(() => [Currency], { description: 'Every currency on every network, and which are taken here. No token.' })
  currencies(): Currency[] {
    return listCurrencies(this.services.deps);
  }
}
