// GraphQL subscriptions: payments, webhook deliveries and the event log for their merchant, and a checkout for anyone
// who has its link.

import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, ID, Query, Resolver, Root, Subscription } from 'type-graphql';
import { toCheckout, type Checkout as CheckoutView } from '../domain/payments/checkout.ts';
import type { LogEntry } from '../domain/events/event-log.ts';
import { findCheckout } from '../domain/payments/read-and-cancel.ts';
import type { PaymentSnapshot } from '../domain/snapshots/payment.ts';
import type { Delivery } from '../domain/webhooks/deliveries.ts';
import { GatewayError } from '../values/errors.ts';
import { createCatchUp } from './operation/catch-up.ts';
import { callerOf, Needs, type Context } from './operation/context.ts';
import type { Services } from './services.ts';
import { Checkout } from './types/checkout.ts';
import { Event, EventAddedArgs } from './types/event.ts';
import { Payment } from './types/payment.ts';
import { WebhookDelivery } from './types/webhook.ts';

/** The source passed to open a subscription's stream; any other source is an item of the stream, to be shown. */
const OPENING = Object.freeze({});

interface Opening {
  readonly args: Record<string, unknown>;
  readonly context: Context;
  readonly info: GraphQLResolveInfo;
}

/**
 * type-graphql calls `subscribe` without the resolver's instance. The field's own resolver has it, and all checks of an
 * operation as well, so the stream is opened through that.
 */
async function open({ args, context, info }: Opening): Promise<AsyncIterable<unknown>> {
  const field = info.parentType.getFields()[info.fieldName];
  return (await field?.resolve?.(OPENING, args, context, info)) as AsyncIterable<unknown>;
}

@Resolver()
export class SubscriptionResolver {
  constructor(private readonly services: Services) {}

  @Query(() => Checkout, {
    nullable: true,
    description: 'What the payment page shows, without a token; null with a 2004 error where there is none.',
  })
  async checkout(@Arg('id', () => ID, { description: 'The order id.' }) id: string): Promise<Checkout> {
    return await this.getCheckout(id);
  }

  @Needs('READ_PAYMENTS')
  @Subscription(() => Payment, {
    description:
      'With an id: the current state first, then every change in order, and confirmations as blocks arrive. ' +
      "Without: changes only, of all the merchant's payments.",
    subscribe: open,
  })
  async paymentUpdated(
    @Root() source: object | undefined,
    @Arg('id', () => ID, { nullable: true, description: 'The order id; left out: all payments.' }) id: string | null,
    @Ctx() context: Context,
  ): Promise<Payment | AsyncIterable<PaymentSnapshot>> {
    if (source !== OPENING) return itemOf<Payment>(source);
    const { merchantId } = callerOf(context);
    const { updates } = this.services;
    return id == null ? updates.followMerchant(merchantId) : found(await updates.followPayment(id, merchantId));
  }

  @Needs('READ_PAYMENTS')
  @Subscription(() => Event, {
    description:
      'The event log after a sequence number, in order and without gaps: first what is there, then what is added.',
    subscribe: open,
  })
  async eventAdded(
    @Root() source: object | undefined,
    @Args(() => EventAddedArgs) { after }: EventAddedArgs,
    @Ctx() context: Context,
  ): Promise<Event | AsyncIterable<LogEntry>> {
    if (source !== OPENING) return itemOf<Event>(source);
    return await this.services.updates.followEvents(
      callerOf(context).merchantId,
      after ?? null,
      createCatchUp(context),
    );
  }

  @Needs('MANAGE_WEBHOOKS')
  @Subscription(() => WebhookDelivery, {
    description:
      "What happens to the merchant's deliveries: each one made, each attempt, each one switched off; in order for each.",
    subscribe: open,
  })
  async webhookDeliveryUpdated(
    @Root() source: object | undefined,
    @Ctx() context: Context,
  ): Promise<WebhookDelivery | AsyncIterable<Delivery>> {
    if (source !== OPENING) return itemOf<WebhookDelivery>(source);
    return await this.services.updates.followDeliveries(callerOf(context).merchantId);
  }

  @Subscription(() => Checkout, {
    description: 'The current state first, then every change in order, and confirmations as blocks arrive. No token.',
    subscribe: open,
  })
  async checkoutUpdated(
    @Root() source: object | undefined,
    @Arg('id', () => ID, { description: 'The order id.' }) id: string,
  ): Promise<Checkout | AsyncIterable<CheckoutView>> {
    if (source !== OPENING) return itemOf<Checkout>(source);
    const { companyName, logoUrl, accentColor, locale } = await this.getCheckout(id);
    const branding = { companyName, logoUrl, accentColor, locale };
    const payments = found(await this.services.updates.followPayment(id, null));
    return mapped(payments, (payment) => toCheckout(this.services.deps, payment, branding));
  }

  private async getCheckout(id: string): Promise<CheckoutView> {
    return found(await findCheckout(this.services.deps, id));
  }
}

function found<Value>(value: Value | null): Value {
  if (value === null) throw new GatewayError('NOT_FOUND');
  return value;
}

/** An item of a stream. A subscription executed like a query, as over HTTP, has no source. */
function itemOf<Item>(source: object | undefined): Item {
  if (source === undefined)
    throw new GatewayError('VALIDATION', { message: 'Subscriptions need a web socket, or /graphql/stream' });
  return source as Item;
}

/** Maps an iterator. Not a generator, whose `return` would wait behind a pending `next`. */
function mapped<From, To>(items: AsyncIterableIterator<From>, map: (item: From) => To): AsyncIterableIterator<To> {
  const mapResult = (result: IteratorResult<From>): IteratorResult<To> =>
    result.done ? { done: true, value: undefined } : { done: false, value: map(result.value) };
  const iterator: AsyncIterableIterator<To> = {
    next: () => items.next().then(mapResult),
    async return() {
      await items.return?.();
      return { done: true, value: undefined };
    },
    async throw(error) {
      await items.return?.();
      throw error;
    },
    [Symbol.asyncIterator]: () => iterator,
  };
  return iterator;
}
