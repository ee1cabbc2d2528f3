// GraphQL operations on batches of withdrawals.

import { Arg, Args, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import { createBatch, findBatches, getBatch } from '../../domain/payouts/batches.ts';
import { AlwaysConfirmed, answer, callerOf, idempotencyOf, Needs, type Context } from '../operation/context.ts';
import { openPage, toConnection } from '../pagination.ts';
import { actingDeps, type Services } from '../services.ts';
import { PageArgs } from '../types/page.ts';
import { PayoutBatch, PayoutBatchConnection, PayoutBatchInput } from '../types/payout-batch.ts';

@Resolver()
export class PayoutBatchResolver {
  constructor(private readonly services: Services) {}

  @Needs('WITHDRAW')
  @AlwaysConfirmed()
  @Mutation(() => PayoutBatch, { description: 'Starts up to 1,000 withdrawals at once, all of them or none.' })
  async createPayoutBatch(
    @Arg('input', () => PayoutBatchInput, { description: 'What to send, and where.' }) input: PayoutBatchInput,
    @Ctx() context: Context,
  ): Promise<PayoutBatch> {
    const { merchantId: scope } = callerOf(context);
    const once = idempotencyOf(this.services, context, { scope, operation: 'createPayoutBatch', input });
    const { label = null, allowDuplicates, rows } = input;
    const request = { label, allowDuplicates: allowDuplicates === true, rows };
    return answer(context, await createBatch(actingDeps(this.services, context), scope, request, once));
  }

  @Needs('WITHDRAW')
  @Query(() => PayoutBatch, { nullable: true, description: 'One batch; null with a 2004 error where there is none.' })
  async payoutBatch(
    @Arg('id', () => ID, { description: 'The batch id.' }) id: string,
    @Ctx() context: Context,
  ): Promise<PayoutBatch> {
    return await getBatch(this.services.deps, callerOf(context).merchantId, id);
  }

  @Needs('WITHDRAW')
  @Query(() => PayoutBatchConnection, { description: 'Batches of withdrawals, newest first.' })
  async payoutBatches(@Args(() => PageArgs) args: PageArgs, @Ctx() context: Context): Promise<PayoutBatchConnection> {
    const { merchantId } = callerOf(context);
    const page = openPage(this.services, `payout-batches/${merchantId}`, args);
    const { nodes, hasMore } = await findBatches(this.services.deps, merchantId, page);
    return toConnection(nodes, hasMore, page);
  }
}
