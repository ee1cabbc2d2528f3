// Webhooks: where they go, and what became of them.

import { Arg, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import { configureWebhook, findDeliveryRecord } from '../domain/webhooks.ts';
import { callerOf, Needs, type Context } from './context.ts';
import type { Services } from './services.ts';
import { ConfigureWebhookInput, WebhookConfiguration, WebhookDeliveryRecord } from './types/webhook.ts';

@Resolver()
export class WebhookResolver {
  constructor(private readonly services: Services) {}

  @Needs('MANAGE_WEBHOOKS')
  @Mutation(() => WebhookConfiguration, { description: "Sets up or changes the merchant's own endpoint." })
  async configureWebhook(
    @Arg('input', () => ConfigureWebhookInput, { description: 'What to change.' }) input: ConfigureWebhookInput,
    @Ctx() context: Context,
  ): Promise<WebhookConfiguration> {
    const { merchantId } = callerOf(context);
    return (await configureWebhook(this.services.deps, merchantId, input)) as WebhookConfiguration;
  }

  @Needs('MANAGE_WEBHOOKS')
  @Query(() => WebhookDeliveryRecord, {
    nullable: true,
    description: 'What became of an event; null with a 2004 error where it has no deliveries.',
  })
  async webhookDelivery(
    @Arg('eventId', () => ID, { description: 'The event id.' }) eventId: string,
    @Ctx() context: Context,
  ): Promise<WebhookDeliveryRecord> {
    const { merchantId } = callerOf(context);
    return await findDeliveryRecord(this.services.deps, merchantId, eventId);
  }
}
