// GraphQL query of the webhooks that the sandbox's own receiver got for a merchant.

import { Ctx, Query, Resolver } from 'type-graphql';
import { callerOf, Needs, type Context } from './operation/context.ts';
import type { Services } from './services.ts';
import { WebhookReceiver } from './types/webhook-receiver.ts';

@Resolver()
export class ReceiverResolver {
  constructor(private readonly services: Services) {}

  @Needs('MANAGE_WEBHOOKS')
  @Query(() => WebhookReceiver, { description: 'What the built-in receiver of webhooks got. Sandbox only.' })
  webhookReceiver(@Ctx() context: Context): WebhookReceiver {
    const { merchantId } = callerOf(context);
    const { receiver } = this.services;
    if (!receiver) throw new Error('Only the sandbox has a receiver');
    return { url: receiver.urlOf(merchantId), received: receiver.receivedBy(merchantId) };
  }
}
