// GraphQL subscriptions: payments, webhook deliveries and the event log for their merchant, and a checkout for anyone
// who has its link.

import { Arg, Args, Ctx, ID, Query, Resolver, Root, Subscription } from 'type-graphql';
import type { Checkout as CheckoutView } from '../domain/payments/checkout.ts';
import { withoutPayouts, type LogEntry } from '../domain/events/event-log.ts';
import { findCheckout, openCheckout } from '../domain/payments/read-and-cancel.ts';
import type { PaymentSnapshot } from '../domain/snapshots/payment.ts';
import type { Delivery } from '../domain/webhooks/deliveries.ts';
import { createCatchUp } from './operation/catch-up.ts';
import { callerOf, Needs, type Context } from './operation/context.ts';
import { found, isOpening, itemOf, mapped, open } from './operation/streams.ts';
import type { Services } from './services.ts';
import { Checkout } from './types/checkout.ts';
import { Event, EventAddedArgs } from './types/event.ts';
import { Payment } from './types/payment.ts';
import { WebhookDelivery } from './types/webhook.ts';

@Resolver()
export class SubscriptionResolver {
  constructor(private readonly services: Services) {}

  @Query(() => Checkout, {
    nullable: true,
    description: 'What the payment page shows, without a token; null with a 2004 error where there is none.',
  })
  async checkout(@Arg('id', () => ID, { description: 'The order id.' }) id: string): Promise<Checkout> {
    return found(await findCheckout(this.services.deps, id));
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
    if (!isOpening(source)) return itemOf<Payment>(source);
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
    if (!isOpening(source)) return itemOf<Event>(source);
    const { merchantId, permissions } = callerOf(context);
    const entries = await this.services.updates.followEvents(merchantId, after ?? null, createCatchUp(context));
    return permissions.has('WITHDRAW') ? entries : mapped(entries, withoutPayouts);
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
    if (!isOpening(source)) return itemOf<WebhookDelivery>(source);
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
    if (!isOpening(source)) return itemOf<Checkout>(source);
    const { show } = found(await openCheckout(this.services.deps, id));
    return mapped(found(await this.services.updates.followPayment(id, null)), show);
  }
}
