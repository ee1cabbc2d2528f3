// GraphQL operations on withdrawals and refunds, and accepting late payments.

import { Arg, Args, Ctx, ID, Mutation, Query, Resolver, Root, Subscription } from 'type-graphql';
import { acceptPayment } from '../../domain/payments/accept-payment.ts';
import {
  findRefunds,
  findRefundsOf,
  findWithdrawals,
  getPayout,
  type PayoutFilter,
} from '../../domain/payouts/read-payouts.ts';
import type { PayoutSnapshot } from '../../domain/snapshots/payout.ts';
import { requestRefund, requestWithdrawal } from '../../domain/payouts/request.ts';
import { answer, callerOf, Needs, NeedsConfirmation, idempotencyOf, type Context } from '../operation/context.ts';
import { isOpening, itemOf, open } from '../operation/streams.ts';
import { openPage, toConnection } from '../pagination.ts';
import { actingDeps, type Services } from '../services.ts';
import { PageArgs } from '../types/page.ts';
import { Payment } from '../types/payment.ts';
import {
  PayoutUnion,
  Refund,
  RefundConnection,
  RefundFilter,
  RefundPaymentInput,
  Withdrawal,
  WithdrawalConnection,
  WithdrawalFilter,
  WithdrawInput,
} from '../types/payout.ts';

const narrow = (filter: WithdrawalFilter | RefundFilter | null): PayoutFilter => ({
  statuses: filter?.status ?? null,
});

@Resolver()
export class PayoutResolver {
  constructor(private readonly services: Services) {}

  @Needs('WITHDRAW')
  @NeedsConfirmation()
  @Mutation(() => Withdrawal, { description: 'Starts a withdrawal: reserves the money, and sends it.' })
  async withdraw(
    @Arg('input', () => WithdrawInput, { description: 'What to send, and where.' }) input: WithdrawInput,
    @Ctx() context: Context,
  ): Promise<Withdrawal> {
    const { merchantId } = callerOf(context);
    const idempotency = idempotencyOf(this.services, context, { scope: merchantId, operation: 'withdraw', input });
    return answer(context, await requestWithdrawal(actingDeps(this.services, context), merchantId, input, idempotency));
  }

  @Needs('WITHDRAW')
  @Query(() => Withdrawal, {
    nullable: true,
    description: 'One withdrawal; null with a 2004 error where there is none.',
  })
  async withdrawal(
    @Arg('id', () => ID, { description: 'The withdrawal id.' }) id: string,
    @Ctx() context: Context,
  ): Promise<Withdrawal> {
    return getPayout(this.services.deps, callerOf(context).merchantId, 'WITHDRAWAL', id);
  }

  @Needs('WITHDRAW')
  @Query(() => WithdrawalConnection, { description: 'Withdrawals, newest first.' })
  async withdrawals(
    @Args(() => PageArgs) args: PageArgs,
    @Arg('filter', () => WithdrawalFilter, { nullable: true, description: 'Which withdrawals.' })
    filter: WithdrawalFilter | null,
    @Ctx() context: Context,
  ): Promise<WithdrawalConnection> {
    const { merchantId } = callerOf(context);
    const page = openPage(this.services, `withdrawals/${merchantId}`, args);
    const which = { ...narrow(filter), batchId: filter?.batchId ?? null };
    const { nodes, hasMore } = await findWithdrawals(this.services.deps, merchantId, which, page);
    return toConnection(nodes, hasMore, page);
  }

  @Needs('WITHDRAW')
  @NeedsConfirmation()
  @Mutation(() => Refund, { description: "Refunds a payment's confirmed money, whole or in part, from the balance." })
  async refundPayment(
    @Arg('input', () => RefundPaymentInput, { description: 'What to give back, and where.' }) input: RefundPaymentInput,
    @Ctx() context: Context,
  ): Promise<Refund> {
    const { merchantId } = callerOf(context);
    const idempotency = idempotencyOf(this.services, context, { scope: merchantId, operation: 'refundPayment', input });
    return answer(
      context,
      await requestRefund(actingDeps(this.services, context), merchantId, input, idempotency),
    ) as Refund;
  }

  @Needs('WITHDRAW')
  @Query(() => Refund, { nullable: true, description: 'One refund; null with a 2004 error where there is none.' })
  async refund(
    @Arg('id', () => ID, { description: 'The refund id.' }) id: string,
    @Ctx() context: Context,
  ): Promise<Refund> {
    return (await getPayout(this.services.deps, callerOf(context).merchantId, 'REFUND', id)) as Refund;
  }

  @Needs('WITHDRAW')
  @Query(() => RefundConnection, { description: 'Refunds, newest first.' })
  async refunds(
    @Args(() => PageArgs) args: PageArgs,
    @Arg('filter', () => RefundFilter, { nullable: true, description: 'Which refunds.' }) filter: RefundFilter | null,
    @Ctx() context: Context,
  ): Promise<RefundConnection> {
    const { merchantId } = callerOf(context);
    const page = openPage(this.services, `refunds/${merchantId}`, args);
    const which = { ...narrow(filter), paymentId: filter?.paymentId ?? null };
    const { nodes, hasMore } = await findRefunds(this.services.deps, merchantId, which, page);
    return toConnection(nodes as Refund[], hasMore, page);
  }

  @Needs('WITHDRAW')
  @Query(() => RefundConnection, { description: 'The refunds of one payment, newest first.' })
  async paymentRefunds(
    @Arg('id', () => ID, { description: 'The order id; 2004 where there is none.' }) id: string,
    @Args(() => PageArgs) args: PageArgs,
    @Ctx() context: Context,
  ): Promise<RefundConnection> {
    const { merchantId } = callerOf(context);
    const page = openPage(this.services, `refunds/${merchantId}`, args);
    const { nodes, hasMore } = await findRefundsOf(this.services.deps, merchantId, id, page);
    return toConnection(nodes as Refund[], hasMore, page);
  }

  @Needs('WITHDRAW')
  @Subscription(() => PayoutUnion, {
    description: "Changes of all the merchant's withdrawals and refunds, in order for each.",
    subscribe: open,
  })
  payoutUpdated(
    @Root() source: object | undefined,
    @Ctx() context: Context,
  ): typeof PayoutUnion | AsyncIterable<PayoutSnapshot> {
    if (!isOpening(source)) return itemOf<typeof PayoutUnion>(source);
    return this.services.updates.followMerchantPayouts(callerOf(context).merchantId);
  }

  @Needs('CREATE_PAYMENTS')
  @Mutation(() => Payment, {
    description: 'Accepts a payment whose full amount arrived late, under the MANUAL policy.',
  })
  async acceptPayment(
    @Arg('id', () => ID, { description: 'The order id.' }) id: string,
    @Ctx() context: Context,
  ): Promise<Payment> {
    return await acceptPayment(actingDeps(this.services, context), callerOf(context).merchantId, id);
  }
}
