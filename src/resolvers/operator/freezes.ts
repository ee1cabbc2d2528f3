// GraphQL operations by which operators stop payouts and let them continue.

import { Arg, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import { freezePayouts, listFreezes, unfreezePayouts } from '../../domain/operator/freezes.ts';
import { AlwaysConfirmed, answer, NeedsOperator, type Context } from '../operation/context.ts';
import type { Services } from '../services.ts';
import { actingOperator, operatorsKey } from './operator.ts';
import { FreezeInput, PayoutFreeze } from './types.ts';

@Resolver()
export class OperatorFreezeResolver {
  constructor(private readonly services: Services) {}

  @NeedsOperator()
  @Query(() => [PayoutFreeze], { description: 'The freezes in force, oldest first.' })
  async payoutFreezes(@Ctx() context: Context): Promise<PayoutFreeze[]> {
    return await listFreezes(actingOperator(this.services, context));
  }

  @NeedsOperator()
  @AlwaysConfirmed()
  @Mutation(() => PayoutFreeze, {
    description:
      'Stops payouts: once this is answered nothing in scope is signed, and new ones are 503/4009. Those that were signed continue.',
  })
  async freezePayouts(
    @Arg('input', () => FreezeInput, { description: 'What to freeze.' }) input: FreezeInput,
    @Ctx() context: Context,
  ): Promise<PayoutFreeze> {
    const key = operatorsKey(this.services, context, 'freezePayouts', input);
    const { replayed, ...result } = await freezePayouts(actingOperator(this.services, context), input, key);
    return answer(context, { result, replayed });
  }

  @NeedsOperator()
  @AlwaysConfirmed()
  @Mutation(() => Boolean, { description: 'Lifts a freeze; payouts that only it held continue.' })
  async liftFreeze(
    @Arg('id', () => ID, { description: 'The id of the freeze.' }) id: string,
    @Ctx() context: Context,
  ): Promise<boolean> {
    await unfreezePayouts(actingOperator(this.services, context), id);
    return true;
  }
}
