// GraphQL operations on payments: create, read, list, cancel.

import { Arg, Args, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import { cancelPayment, findPayments, getPayment } from '../domain/payments/read-and-cancel.ts';
import * as checks from '../values/checks.ts';
import { invalid } from '../values/errors.ts';
import { answer, callerOf, Needs, idempotencyOf, type Context } from './operation/context.ts';
import { openPage, toConnection } from './pagination.ts';
import { actingDeps, type Services } from './services.ts';
import { PageArgs, PaymentConnection } from './types/page.ts';
import { CreatePaymentInput, Payment, PaymentFilter } from './types/payment.ts';

@Resolver()
export class PaymentResolver {
  constructor(private readonly services: Services) {}

  @Needs('CREATE_PAYMENTS')
  @Mutation(() => Payment, { description: 'Creates a payment order with a fresh deposit address.' })
  async createPayment(
    @Arg('input', () => CreatePaymentInput, { description: 'The order to create.' }) input: CreatePaymentInput,
    @Ctx() context: Context,
  ): Promise<Payment> {
    const { merchantId } = callerOf(context);
    const { createPayment, deps } = this.services;
    if (input.test != null && deps.environment === 'live')
      throw invalid([{ path: 'input.test', message: 'is not a known field' }]);
    const idempotency = idempotencyOf(this.services, context, { scope: merchantId, operation: 'createPayment', input });
    return answer(context, await createPayment(merchantId, input, idempotency));
  }

  @Needs('READ_PAYMENTS')
  @Query(() => Payment, { nullable: true, description: 'One payment; null with a 2004 error where there is none.' })
  async payment(
    @Arg('id', () => ID, { description: 'The order id.' }) id: string,
    @Ctx() context: Context,
  ): Promise<Payment> {
    return await getPayment(this.services.deps, callerOf(context).merchantId, id);
  }

  @Needs('READ_PAYMENTS')
  @Query(() => PaymentConnection, { description: 'Payments, newest first.' })
  async payments(
    @Args(() => PageArgs) args: PageArgs,
    @Arg('filter', () => PaymentFilter, { nullable: true, description: 'Which payments.' })
    filter: PaymentFilter | null,
    @Ctx() context: Context,
  ): Promise<PaymentConnection> {
    const { merchantId } = callerOf(context);
    const page = openPage(this.services, `payments/${merchantId}`, args);
    const { startDate, endDate, ...rest } = filter ?? {};
    const range = {
      from: startDate == null ? null : checks.parseDate(startDate, 'start'),
      until: endDate == null ? null : checks.parseDate(endDate, 'end'),
    };
    const { nodes, hasMore } = await findPayments(this.services.deps, merchantId, { ...rest, ...range }, page);
    return toConnection(nodes as Payment[], hasMore, page);
  }

  @Needs('CANCEL_PAYMENTS')
  @Mutation(() => Payment, { description: 'Cancels a pending payment that nothing was seen for.' })
  async cancelPayment(
    @Arg('id', () => ID, { description: 'The order id.' }) id: string,
    @Ctx() context: Context,
  ): Promise<Payment> {
    return await cancelPayment(actingDeps(this.services, context), callerOf(context).merchantId, id);
  }
}
