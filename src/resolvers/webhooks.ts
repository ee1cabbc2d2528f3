// GraphQL operations on webhooks: configuration, endpoints, secrets, tests, resends and deliveries.

import { Arg, Args, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import { DEFAULT_HOURS, findEndpointStatistics } from '../domain/webhooks/endpoint-statistics.ts';
import { createEndpoint, deleteEndpoint, listEndpoints, updateEndpoint } from '../domain/webhooks/endpoints.ts';
import { resendEvent } from '../domain/webhooks/resend.ts';
import { rotateSecret } from '../domain/webhooks/rotate-secret.ts';
import { sendTestEvent } from '../domain/webhooks/test-event.ts';
import { configureWebhook, findAttempts, findDeliveries, findDeliveryRecord } from '../domain/webhooks/deliveries.ts';
import type { ListedDelivery } from '../domain/webhooks/deliveries.ts';
import { WebhookEndpoint } from '../entities/webhook-endpoint.ts';
import {
  actorOf,
  answer,
  callerOf,
  Needs,
  NeedsConfirmation,
  idempotencyOf,
  type Context,
} from './operation/context.ts';
import { openPage, toConnectionBefore } from './pagination.ts';
import type { Services } from './services.ts';
import * as checks from '../values/checks.ts';
import { PageArgs } from './types/page.ts';
import {
  CreatedWebhookEndpoint,
  CreateWebhookEndpointInput,
  ResentEvent,
  RotatedWebhookSecret,
  RotationArgs,
  StatisticsArgs,
  TestEvent,
  TestEventArgs,
  UpdateWebhookEndpointInput,
  WebhookEndpointStatistics,
} from './types/webhook-endpoint.ts';
import {
  ConfigureWebhookInput,
  WebhookConfiguration,
  WebhookDelivery,
  WebhookDeliveryConnection,
  WebhookDeliveryFilter,
  WebhookDeliveryRecord,
} from './types/webhook.ts';

@Resolver()
export class WebhookResolver {
  constructor(private readonly services: Services) {}

  @Needs('MANAGE_WEBHOOKS')
  @NeedsConfirmation()
  @Mutation(() => WebhookConfiguration, { description: "Sets up or changes the merchant's own endpoint." })
  async configureWebhook(
    @Arg('input', () => ConfigureWebhookInput, { description: 'What to change.' }) input: ConfigureWebhookInput,
    @Ctx() context: Context,
  ): Promise<WebhookConfiguration> {
    const actor = actorOf(context);
    return (await configureWebhook(this.services.deps, actor.merchantId, input, actor)) as WebhookConfiguration;
  }

  @Needs('MANAGE_WEBHOOKS')
  @Query(() => [WebhookEndpoint], { description: "Every endpoint, newest first, the merchant's own among them." })
  async webhookEndpoints(@Ctx() context: Context): Promise<WebhookEndpoint[]> {
    return (await listEndpoints(this.services.deps, callerOf(context).merchantId)) as WebhookEndpoint[];
  }

  @Needs('MANAGE_WEBHOOKS')
  @Query(() => [WebhookEndpointStatistics], {
    description:
      'What became of the attempts at each endpoint, newest endpoint first. Attempts are counted within a few seconds.',
  })
  async webhookEndpointStatistics(
    @Args(() => StatisticsArgs) { hours }: StatisticsArgs,
    @Ctx() context: Context,
  ): Promise<WebhookEndpointStatistics[]> {
    return findEndpointStatistics(this.services.deps, callerOf(context).merchantId, hours ?? DEFAULT_HOURS);
  }

  @Needs('MANAGE_WEBHOOKS')
  @NeedsConfirmation()
  @Mutation(() => CreatedWebhookEndpoint, { description: 'Sets up another endpoint.' })
  async createWebhookEndpoint(
    @Arg('input', () => CreateWebhookEndpointInput, { description: 'The endpoint.' }) input: CreateWebhookEndpointInput,
    @Ctx() context: Context,
  ): Promise<CreatedWebhookEndpoint> {
    const { merchantId } = callerOf(context);
    const idempotency = idempotencyOf(this.services, context, {
      scope: merchantId,
      operation: 'createWebhookEndpoint',
      input,
    });
    return answer(
      context,
      await createEndpoint(this.services.deps, actorOf(context), input, idempotency),
    ) as CreatedWebhookEndpoint;
  }

  @Needs('MANAGE_WEBHOOKS')
  @NeedsConfirmation()
  @Mutation(() => WebhookEndpoint, { description: "Changes an endpoint; the merchant's own may be changed here too." })
  async updateWebhookEndpoint(
    @Arg('id', () => ID, { description: 'The endpoint id.' }) id: string,
    @Arg('input', () => UpdateWebhookEndpointInput, { description: 'What to change.' })
    input: UpdateWebhookEndpointInput,
    @Ctx() context: Context,
  ): Promise<WebhookEndpoint> {
    return (await updateEndpoint(this.services.deps, actorOf(context), id, input)) as WebhookEndpoint;
  }

  @Needs('MANAGE_WEBHOOKS')
  @NeedsConfirmation()
  @Mutation(() => WebhookEndpoint, { description: 'Deletes an endpoint and gives up what waits for it.' })
  async deleteWebhookEndpoint(
    @Arg('id', () => ID, { description: 'The endpoint id.' }) id: string,
    @Ctx() context: Context,
  ): Promise<WebhookEndpoint> {
    return (await deleteEndpoint(this.services.deps, actorOf(context), id)) as WebhookEndpoint;
  }

  @Needs('MANAGE_WEBHOOKS')
  @NeedsConfirmation()
  @Mutation(() => RotatedWebhookSecret, {
    description: 'Makes a new webhook secret; the old one signs besides a while.',
  })
  async rotateWebhookSecret(
    @Args(() => RotationArgs) args: RotationArgs,
    @Ctx() context: Context,
  ): Promise<RotatedWebhookSecret> {
    const { merchantId } = callerOf(context);
    const idempotency = idempotencyOf(this.services, context, {
      scope: merchantId,
      operation: 'rotateWebhookSecret',
      input: args,
    });
    return answer(
      context,
      await rotateSecret(this.services.deps, actorOf(context), args.overlapHours ?? null, idempotency),
    );
  }

  @Needs('MANAGE_WEBHOOKS')
  @NeedsConfirmation()
  @Mutation(() => TestEvent, { description: 'Sends a test event.' })
  async sendTestEvent(@Args(() => TestEventArgs) args: TestEventArgs, @Ctx() context: Context): Promise<TestEvent> {
    const { merchantId } = callerOf(context);
    const idempotency = idempotencyOf(this.services, context, {
      scope: merchantId,
      operation: 'sendTestEvent',
      input: args,
    });
    return answer(context, await sendTestEvent(this.services.deps, merchantId, args.url ?? null, idempotency));
  }

  @Needs('MANAGE_WEBHOOKS')
  @Mutation(() => ResentEvent, { description: 'Sends an event again, to each place it goes to as things are now.' })
  async resendEvent(
    @Arg('eventId', () => ID, { description: 'The event id.' }) eventId: string,
    @Ctx() context: Context,
  ): Promise<ResentEvent> {
    const { merchantId } = callerOf(context);
    const idempotency = idempotencyOf(this.services, context, {
      scope: merchantId,
      operation: 'resendEvent',
      input: { eventId },
    });
    return answer(context, await resendEvent(this.services.deps, merchantId, eventId, idempotency));
  }

  @Needs('MANAGE_WEBHOOKS')
  @Query(() => WebhookDeliveryConnection, {
    description:
      'Deliveries, newest first. A page of one endpoint or type looks at about 2,000 deliveries: it may have fewer than it was asked for, or none, and yet a next page.',
  })
  async webhookDeliveries(
    @Args(() => PageArgs) args: PageArgs,
    @Arg('filter', () => WebhookDeliveryFilter, { nullable: true, description: 'Which deliveries.' })
    filter: WebhookDeliveryFilter | null,
    @Ctx() context: Context,
  ): Promise<WebhookDeliveryConnection> {
    const { merchantId } = callerOf(context);
    const page = openPage(this.services, `webhookDeliveries/${merchantId}`, args);
    const { since, until, ...narrowed } = filter ?? {};
    const range = {
      since: since == null ? null : checks.parseDate(since, 'start'),
      until: until == null ? null : checks.parseDate(until, 'end'),
    };
    const { rows, next } = await findDeliveries(this.services.deps, merchantId, { ...narrowed, ...range }, page);
    return toConnectionBefore(this.withAttempts(rows), next, page);
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

  /** Attempts are read only if selected, and then once for the whole page. */
  private withAttempts(deliveries: readonly ListedDelivery[]): (WebhookDelivery & { id: string })[] {
    const { deps } = this.services;
    let logs: ReturnType<typeof findAttempts> | undefined;
    // graphql-js calls a property that is a function as a method of its object, so one function serves all deliveries.
    const attemptLog = async function (this: ListedDelivery) {
      logs ??= findAttempts(deps, deliveries);
      return (await logs).get(this.deliveryId) ?? [];
    } as unknown as WebhookDelivery['attemptLog'];
    return deliveries.map((delivery) => Object.assign(delivery, { id: delivery.deliveryId, attemptLog }));
  }
}
