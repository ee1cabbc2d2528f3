// GraphQL operations by which operators move money, and approve what others want to move.

import { Arg, Args, ArgsType, Ctx, Field, ID, Mutation, Query, Resolver } from 'type-graphql';
import { refusePayment } from '../../domain/operator/action-plans.ts';
import * as actions from '../../domain/operator/actions.ts';
import { readGatewayFunds } from '../../domain/operator/fees.ts';
import { formatAmount } from '../../values/amount.ts';
import { assetOf, type Network } from '../../values/assets.ts';
import * as checks from '../../values/checks.ts';
import { GatewayError } from '../../values/errors.ts';
import { AlwaysConfirmed, answer, NeedsOperator, type Context } from '../operation/context.ts';
import { Checked } from '../operation/validation.ts';
import { openPage, toConnection } from '../pagination.ts';
import type { Services } from '../services.ts';
import { PageArgs } from '../types/page.ts';
import { GatewayFunds, OperatorAction, OperatorActionConnection, SuspenseInput } from './action-types.ts';
import { actingOperator, operatorsKey } from './operator.ts';
import { reasonCheck } from './types.ts';

@ArgsType()
export class DecidedArgs {
  @Field(() => ID, { description: 'The id of the payout, or of the action.' })
  declare id: string;

  @Field(() => String, { description: 'Why: 1 to 255 characters.' })
  @Checked(reasonCheck)
  declare reason: string;
}

@ArgsType()
export class WithdrawFeesArgs {
  @Field(() => String, { description: 'A network code or alias, in any case.' })
  @Checked(checks.text(20))
  declare network: string;

  @Field(() => String, { description: 'A currency code, in any case.' })
  @Checked(checks.text(20))
  declare currency: string;

  @Field(() => String, { description: 'A decimal string, or `max`.' })
  @Checked(checks.text(100))
  declare amount: string;
}

@Resolver()
export class OperatorActionResolver {
  constructor(private readonly services: Services) {}

  @NeedsOperator()
  @Query(() => [GatewayFunds], { description: "The gateway's own money, by asset." })
  async gatewayFunds(@Ctx() context: Context): Promise<GatewayFunds[]> {
    const funds = await readGatewayFunds(actingOperator(this.services, context));
    return funds.map(({ currency, network, fees, withdrawable, suspense }) => {
      const { decimals } = assetOf({ currency, network });
      const text = (units: bigint) => formatAmount(units, decimals);
      return { currency, network, fees: text(fees), withdrawable: text(withdrawable), suspense: text(suspense) };
    });
  }

  @NeedsOperator()
  @Query(() => OperatorActionConnection, { description: 'What operators did with money, or want to, newest first.' })
  async operatorActions(
    @Args(() => PageArgs) args: PageArgs,
    @Ctx() context: Context,
  ): Promise<OperatorActionConnection> {
    const page = openPage(this.services, 'operatorActions', args);
    const { limit, before } = page;
    const found = await actions.findActions(actingOperator(this.services, context), { limit, before });
    return toConnection(found.nodes.map(show), found.hasMore, page);
  }

  @NeedsOperator()
  @AlwaysConfirmed()
  @Mutation(() => OperatorAction, {
    description:
      'Ends a payout as FAILED and releases its money; 4008 while a transaction of it may still take effect.',
  })
  async failPayout(@Args(() => DecidedArgs) { id, reason }: DecidedArgs, @Ctx() context: Context) {
    return await this.request(context, 'failPayout', { kind: 'FAIL_PAYOUT', id, reason });
  }

  @NeedsOperator()
  @AlwaysConfirmed()
  @Mutation(() => OperatorAction, { description: "Credits a payment's merchant from suspense, less the fee." })
  async creditSuspense(
    @Arg('input', () => SuspenseInput, { description: 'The credit.' }) { paymentId = null, ...input }: SuspenseInput,
    @Ctx() context: Context,
  ): Promise<OperatorAction> {
    refusePayment(true, paymentId);
    const request = { ...input, kind: 'CREDIT_SUSPENSE', paymentId: paymentId ?? '' } as const;
    return await this.request(context, 'creditSuspense', request);
  }

  @NeedsOperator()
  @AlwaysConfirmed()
  @Mutation(() => OperatorAction, {
    description: "Books suspense as the gateway's gain or, with a leading minus, its loss.",
  })
  async writeOffSuspense(
    @Arg('input', () => SuspenseInput, { description: 'What to write off.' })
    { paymentId = null, ...input }: SuspenseInput,
    @Ctx() context: Context,
  ): Promise<OperatorAction> {
    refusePayment(false, paymentId);
    return await this.request(context, 'writeOffSuspense', { ...input, kind: 'WRITE_OFF_SUSPENSE' });
  }

  @NeedsOperator()
  @AlwaysConfirmed()
  @Mutation(() => OperatorAction, {
    description: "Pays the gateway's fees out, to the network's cold address alone, and no more than is withdrawable.",
  })
  async withdrawFees(
    @Args(() => WithdrawFeesArgs) { network, currency, amount }: WithdrawFeesArgs,
    @Ctx() context: Context,
  ): Promise<OperatorAction> {
    return await this.request(context, 'withdrawFees', { kind: 'WITHDRAW_FEES', network, currency, amount });
  }

  @NeedsOperator()
  @AlwaysConfirmed()
  @Mutation(() => OperatorAction, {
    description: 'Approves what another operator wants to do, and does it (4010 for your own).',
  })
  async approveAction(
    @Arg('id', () => ID, { description: 'The id of the action.' }) id: string,
    @Ctx() context: Context,
  ): Promise<OperatorAction> {
    return show(await actions.approveAction(actingOperator(this.services, context), this.rules(), id));
  }

  @NeedsOperator()
  @AlwaysConfirmed()
  @Mutation(() => OperatorAction, { description: 'Rejects what an operator wants to do; one can take back one’s own.' })
  async rejectAction(
    @Args(() => DecidedArgs) { id, reason }: DecidedArgs,
    @Ctx() context: Context,
  ): Promise<OperatorAction> {
    return show(await actions.rejectAction(actingOperator(this.services, context), id, reason));
  }

  private async request(context: Context, operation: string, request: actions.ActionRequest): Promise<OperatorAction> {
    const key = operatorsKey(this.services, context, operation, request);
    const operator = actingOperator(this.services, context);
    return show(answer(context, await actions.requestAction(operator, this.rules(), request, key)));
  }

  private rules(): actions.ActionRules {
    const { deps, operators } = this.services;
    const coldPlaceOf = (network: Network) => {
      const [coldAddress, chain] = [operators.coldAddresses.get(network), deps.chains.get(network)];
      if (coldAddress === undefined || !chain)
        throw new GatewayError('BAD_ADDRESS', {
          message: `${network}_COLD_ADDRESS is not set: fees can only be paid out to that address`,
        });
      return { adapter: chain.adapter, coldAddress };
    };
    return { approvalAbove: operators.approvalAbove, coldPlaceOf };
  }
}

const show = ({ amount, ...action }: actions.OperatorAction): OperatorAction => ({
  ...action,
  amount: formatAmount(amount, assetOf(action).decimals),
});
