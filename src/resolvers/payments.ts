// Payments: create, read, list, cancel.

import { Arg, Args, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import { cancelPayment, findPayments, getPayment } from '../domain/payments.ts';
import * as checks from '../values/checks.ts';
import { openCursor, sealCursor } from '../values/cursor.ts';
import { invalid } from '../values/errors.ts';
import { answer, callerOf, Needs, onceKey, type Context } from './context.ts';
import type { Services } from './services.ts';
import { DEFAULT_PAGE, PageArgs, PaymentConnection } from './types/page.ts';
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
    const once = onceKey(context, merchantId, 'createPayment', input);
    return answer(context, await createPayment(merchantId, input, once));
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
    @Args(() => PageArgs) { first, after }: PageArgs,
    @Arg('filter', () => PaymentFilter, { nullable: true, description: 'Which payments.' })
    filter: PaymentFilter | null,
    @Ctx() context: Context,
  ): Promise<PaymentConnection> {
    const { merchantId } = callerOf(context);
    const limit = first ?? DEFAULT_PAGE;
    const cursors = cursorsOf(this.services, `payments/${merchantId}`);
    const before = after == null ? null : cursors.open(after);
    if (after != null && before === null) throw invalid([{ path: 'after', message: 'is not a cursor of this list' }]);
    const { startDate, endDate, ...rest } = filter ?? {};
    const range = {
      from: startDate == null ? null : checks.parseDate(startDate, 'start'),
      until: endDate == null ? null : checks.parseDate(endDate, 'end'),
    };
    const page = await findPayments(this.services.deps, merchantId, { ...rest, ...range }, { limit, before });
    return toConnection(page.nodes as Payment[], page.hasMore, before !== null, cursors.seal);
  }

  @Needs('CANCEL_PAYMENTS')
  @Mutation(() => Payment, { description: 'Cancels a pending payment that nothing was seen for.' })
  async cancelPayment(
    @Arg('id', () => ID, { description: 'The order id.' }) id: string,
    @Ctx() context: Context,
  ): Promise<Payment> {
    return await cancelPayment(this.services.deps, callerOf(context).merchantId, id);
  }
}

function cursorsOf({ deps }: Services, scope: string) {
  const key = deps.secrets.digestKey;
  return {
    open: (cursor: string) => openCursor(key, scope, cursor),
    seal: (value: string) => sealCursor(key, scope, value),
  };
}

function toConnection(
  nodes: Payment[],
  hasMore: boolean,
  hasPreviousPage: boolean,
  seal: (id: string) => string,
): PaymentConnection {
  const [first] = nodes;
  const last = nodes.at(-1);
  const endCursor = last ? seal(last.id) : null;
  return {
    nodes,
    get edges() {
      return nodes.map((node) => ({ cursor: seal(node.id), node }));
    },
    pageInfo: {
      startCursor: first ? seal(first.id) : null,
      endCursor,
      hasNextPage: hasMore,
      hasPreviousPage,
      nextCursor: hasMore ? endCursor : null,
    },
  };
}
