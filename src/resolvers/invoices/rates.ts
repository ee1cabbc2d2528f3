// GraphQL operations on rates: what coins cost in a currency, and the prices that a merchant moves in the sandbox.

import { Arg, Args, ArgsType, Ctx, Field, Mutation, Query, Resolver } from 'type-graphql';
import { readRate, readRates } from '../../domain/rates/read-rates.ts';
import { setSandboxRate } from '../../domain/rates/sandbox-prices.ts';
import { callerOf, Needs, type Context } from '../operation/context.ts';
import { priceCurrency } from '../operation/rate-checks.ts';
import { Checked } from '../operation/validation.ts';
import type { Services } from '../services.ts';
import { Rate, SandboxRateInput } from '../types/rate.ts';

@ArgsType()
class RatesArgs {
  @Field(() => String, { description: "The price's currency, in any case." })
  @Checked(priceCurrency)
  declare currency: string;
}

@Resolver()
export class RateResolver {
  constructor(private readonly services: Services) {}

  @Needs('READ_PAYMENTS')
  @Query(() => [Rate], { description: 'The rates of all coins here in a currency, as a quote would take them now.' })
  async rates(@Args(() => RatesArgs) { currency }: RatesArgs, @Ctx() context: Context): Promise<Rate[]> {
    return await readRates(this.services.deps, callerOf(context).merchantId, currency.toUpperCase());
  }
}

@Resolver()
export class SandboxRateResolver {
  constructor(private readonly services: Services) {}

  @Needs('CREATE_PAYMENTS')
  @Mutation(() => Rate, { description: 'Moves a price in the sandbox, for your merchant alone. Sandbox only.' })
  async setSandboxRate(
    @Arg('input', () => SandboxRateInput, { description: 'Which price, and to what.' }) { code, usd }: SandboxRateInput,
    @Ctx() context: Context,
  ): Promise<Rate> {
    const { merchantId } = callerOf(context);
    const { deps } = this.services;
    await setSandboxRate(deps, merchantId, { code: code.toUpperCase(), usd });
    return await readRate(deps, merchantId, code.toUpperCase(), 'USD');
  }
}
