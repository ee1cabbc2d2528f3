// GraphQL types of webhook endpoints and their statistics, test events, resends and secret rotation.

import { ArgsType, Field, Float, ID, InputType, Int, ObjectType } from 'type-graphql';
import { PUBLIC_EVENT_TYPES, USUAL_EVENT_TYPES } from '../../values/internet/webhook-events.ts';
import { DEFAULT_HOURS, MOST_HOURS } from '../../domain/webhooks/endpoint-statistics.ts';
import { DEFAULT_OVERLAP_HOURS, MOST_OVERLAP_HOURS } from '../../domain/webhooks/rotate-secret.ts';
import { DeliveryStatusEnum, WebhookFormEnum, type DeliveryStatus } from '../../entities/enums.ts';
import { WebhookEndpoint } from '../../entities/webhook-endpoint.ts';
import * as checks from '../../values/checks.ts';
import type { WebhookForm } from '../../values/formats/greenfield.ts';
import { Checked, CheckedItems, NeverNull } from '../operation/validation.ts';

const TYPES = PUBLIC_EVENT_TYPES.join(', ');
const KNOWN = new Set<unknown>(PUBLIC_EVENT_TYPES);

/** A public event type. Values that are not strings are left to the type's own check. */
const eventType: checks.Check = checks.bounded({ enum: PUBLIC_EVENT_TYPES }, (value) =>
  typeof value === 'string' && !KNOWN.has(value) ? `must be one of ${TYPES}` : null,
);

/** The subscribed types: at least one, each once. */
const eventTypes: checks.Check = checks.bounded({ minItems: 1, uniqueItems: true }, (value) => {
  if (!Array.isArray(value)) return null;
  if (value.length === 0) return 'must not be empty';
  return new Set(value).size === value.length ? null : 'must not name an event type twice';
});

@InputType({ description: 'A webhook endpoint to set up.' })
export class CreateWebhookEndpointInput {
  @Field(() => String, { description: 'Where events are posted.' })
  @Checked(checks.webhookUrl)
  declare url: string;

  @Field(() => Boolean, { nullable: true, description: 'Whether events are sent to it; true, if left out.' })
  declare enabled?: boolean | null;

  @Field(() => [String], {
    nullable: true,
    description: `The event types to subscribe to, of ${TYPES}. If left out: ${USUAL_EVENT_TYPES.join(', ')}.`,
  })
  @Checked(eventTypes)
  @CheckedItems(eventType)
  declare events?: string[] | null;

  @Field(() => String, { nullable: true, description: 'Your own note.' })
  @Checked(checks.text(255))
  declare description?: string | null;

  @Field(() => WebhookFormEnum, { nullable: true, description: 'How its webhooks are written; ours, if left out.' })
  declare form?: WebhookForm | null;
}

@InputType({ description: 'What to change of a webhook endpoint; what is left out stays as it is.' })
export class UpdateWebhookEndpointInput {
  @Field(() => String, { nullable: true, description: 'Where events are posted, those that wait for a retry too.' })
  @Checked(checks.webhookUrl)
  @NeverNull()
  declare url?: string | null;

  @Field(() => Boolean, { nullable: true, description: 'Whether events are sent to it; false gives up what waits.' })
  @NeverNull()
  declare enabled?: boolean | null;

  @Field(() => [String], { nullable: true, description: 'The event types to subscribe to.' })
  @Checked(eventTypes)
  @CheckedItems(eventType)
  @NeverNull()
  declare events?: string[] | null;

  @Field(() => String, { nullable: true, description: 'Your own note; null empties it.' })
  @Checked(checks.text(255))
  declare description?: string | null;
}

@ObjectType({ description: 'A webhook endpoint just set up.', simpleResolvers: true })
export class CreatedWebhookEndpoint extends WebhookEndpoint {
  @Field(() => String, {
    nullable: true,
    description: "The merchant's webhook secret, `whsec_…`; the same for all their endpoints. Null in a repeat.",
  })
  declare secret: string | null;
}

/** Options of a secret rotation. */
@ArgsType()
export class RotationArgs {
  @Field(() => Int, {
    nullable: true,
    description: `For how many hours the old secret signs besides: 0 to ${MOST_OVERLAP_HOURS}, else ${DEFAULT_OVERLAP_HOURS}.`,
  })
  @Checked(checks.whole(0, MOST_OVERLAP_HOURS))
  declare overlapHours?: number | null;
}

@ObjectType({ description: 'A new webhook secret.', simpleResolvers: true })
export class RotatedWebhookSecret {
  @Field(() => String, { nullable: true, description: 'The new secret, `whsec_…`; null in a repeat.' })
  declare secret: string | null;

  @Field(() => Date, { description: 'Until when the secret before signs besides.' })
  declare previousExpiresAt: Date;
}

/** Where a test event goes. */
@ArgsType()
export class TestEventArgs {
  @Field(() => String, { nullable: true, description: "Where to; the merchant's own endpoint, if left out." })
  @Checked(checks.webhookUrl)
  declare url?: string | null;
}

@ObjectType({ description: 'A test event on its way.', simpleResolvers: true })
export class TestEvent {
  @Field(() => ID, { description: 'The event id, `evt_…`.' })
  declare eventId: string;
}

@ObjectType({ description: 'An event that is sent again.', simpleResolvers: true })
export class ResentEvent {
  @Field(() => ID, { description: 'The event id, `evt_…`; the same as before.' })
  declare eventId: string;

  @Field(() => DeliveryStatusEnum, { description: 'Where its new deliveries stand.' })
  declare status: DeliveryStatus;
}

@ObjectType({ description: 'The last attempt at an endpoint that failed.', simpleResolvers: true })
export class WebhookEndpointFailure {
  @Field(() => Date, { description: 'When it started.' })
  declare at: Date;

  @Field(() => Int, { nullable: true, description: 'The HTTP status answered; null where there was no answer.' })
  declare responseCode: number | null;

  @Field(() => String, { nullable: true, description: 'Why there was no answer, in words.' })
  declare error: string | null;
}

@ObjectType({ description: 'The attempts at an endpoint that started in an hour.', simpleResolvers: true })
export class WebhookEndpointHour {
  @Field(() => Date, { description: 'When the hour began.' })
  declare at: Date;

  @Field(() => Int, { description: 'Attempts that were answered with 2xx.' })
  declare succeeded: number;

  @Field(() => Int, { description: 'All other attempts.' })
  declare failed: number;
}

@ObjectType({ description: 'What became of the attempts at an endpoint.', simpleResolvers: true })
export class WebhookEndpointStatistics {
  @Field(() => ID, { description: 'The endpoint id, `whk_…`.' })
  declare endpointId: string;

  @Field(() => Int, { description: 'Attempts that were made.' })
  declare attempts: number;

  @Field(() => Int, { description: 'Those that were answered with 2xx.' })
  declare succeeded: number;

  @Field(() => Int, { description: 'All others.' })
  declare failed: number;

  @Field(() => Float, { nullable: true, description: 'The share that succeeded, from 0 to 1; null without attempts.' })
  declare successRate: number | null;

  @Field(() => Int, {
    nullable: true,
    description: 'Half of the attempts took no longer, in milliseconds, to within a tenth; null without attempts.',
  })
  declare p50Ms: number | null;

  @Field(() => Int, { nullable: true, description: 'The same of 95 in 100 attempts.' })
  declare p95Ms: number | null;

  @Field(() => WebhookEndpointFailure, { nullable: true, description: 'The last that failed; null if none did.' })
  declare lastFailure: WebhookEndpointFailure | null;

  @Field(() => [WebhookEndpointHour], { description: 'Each hour, oldest first; the last one is the present hour.' })
  declare hours: readonly WebhookEndpointHour[];
}

/** Over how long. */
@ArgsType()
export class StatisticsArgs {
  @Field(() => Int, {
    nullable: true,
    description: `Over how many hours, the present one included: 1 to ${MOST_HOURS}, else ${DEFAULT_HOURS}.`,
  })
  @Checked(checks.whole(1, MOST_HOURS))
  declare hours?: number | null;
}
