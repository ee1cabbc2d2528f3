// The GraphQL operation by which operators take an asset out of service, and put it back.

import { Args, ArgsType, Ctx, Field, Mutation, Resolver } from 'type-graphql';
import { setAssetAccepted } from '../../domain/operator/assets.ts';
import { listCurrencies } from '../../domain/payments/currencies.ts';
import * as checks from '../../values/checks.ts';
import { GatewayError } from '../../values/errors.ts';
import { Currency } from '../currencies.ts';
import { AlwaysConfirmed, NeedsOperator, type Context } from '../operation/context.ts';
import { Checked } from '../operation/validation.ts';
import type { Services } from '../services.ts';
import { actingOperator } from './operator.ts';
import { reasonCheck } from './types.ts';

@ArgsType()
export class AssetAcceptedArgs {
  @Field(() => String, { description: 'A network code or alias, in any case.' })
  @Checked(checks.text(20))
  declare network: string;

  @Field(() => String, { description: 'A currency code, in any case.' })
  @Checked(checks.text(20))
  declare currency: string;

  @Field(() => Boolean, { description: 'Whether new orders of it are taken.' })
  declare accepted: boolean;

  @Field(() => String, { description: 'Why: 1 to 255 characters.' })
  @Checked(reasonCheck)
  declare reason: string;
}

@Resolver()
export class OperatorAssetResolver {
  constructor(private readonly services: Services) {}

  @NeedsOperator()
  @AlwaysConfirmed()
  @Mutation(() => Currency, {
    description:
      'Takes an asset out of service, or puts it back. Out of service, new orders of it are 503/3007 within a second; open orders and payouts go on.',
  })
  async setAssetAccepted(
    @Args(() => AssetAcceptedArgs) args: AssetAcceptedArgs,
    @Ctx() context: Context,
  ): Promise<Currency> {
    const { network, currency, accepted, reason } = args;
    const operator = actingOperator(this.services, context);
    const { asset } = await setAssetAccepted(operator, { network, currency, accepted, reason });
    const found = listCurrencies(this.services.deps).find(
      (one) => one.network === asset.network && one.currency === asset.currency,
    );
    if (!found) throw new GatewayError('UNSUPPORTED_ASSET');
    // What this process knows of assets out of service follows within a second.
    return { ...found, available: accepted && found.available };
  }
}
