// GraphQL types of a merchant's webhook configuration and of deliveries.

import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { DeliveryStatusEnum, type DeliveryStatus } from '../../entities/enums.ts';
import * as checks from '../../values/checks.ts';
import { PUBLIC_EVENT_TYPES } from '../../values/internet/webhook-events.ts';
import { Checked, NeverNull } from '../operation/validation.ts';
import { PageInfo } from './page.ts';

@InputType({ description: "The merchant's own endpoint; what is left out stays as it is." })
export class ConfigureWebhookInput {
  @Field(() => String, { nullable: true, description: 'Where events are posted. Required the first time.' })
  @Checked(checks.webhookUrl)
  @NeverNull()
  declare url?: string | null;

  @Field(() => Boolean, { nullable: true, description: 'Whether events are sent; true at first.' })
  @NeverNull()
  declare enabled?: boolean | null;
}

@ObjectType({
  description: "The merchant's own endpoint, with the secret that signs their webhooks.",
  simpleResolvers: true,
})
export class WebhookConfiguration {
  @Field(() => ID, { description: 'The endpoint id, `whk_…`.' })
  declare id: string;

  @Field(() => String, { description: 'Where events are posted.' })
  declare url: string;

  @Field(() => Boolean, { description: 'Whether events are sent to it.' })
  declare enabled: boolean;

  @Field(() => [String], { description: 'The event types it is subscribed to.' })
  declare events: string[];

  @Field(() => String, { description: "The merchant's webhook secret, `whsec_…`; it signs every delivery." })
  declare secret: string;
}

@ObjectType({ description: 'One attempt to deliver a webhook.', simpleResolvers: true })
export class WebhookAttempt {
  @Field(() => Int, { description: 'Its number, from 1; the value of `X-PGW-Attempt`.' })
  declare attempt: number;

  @Field(() => Date, { description: 'When it started.' })
  declare at: Date;

  @Field(() => String, { description: 'Where it went.' })
  declare url: string;

  @Field(() => Int, { nullable: true, description: 'The HTTP status answered; null where there was no answer.' })
  declare responseCode: number | null;

  @Field(() => Int, { description: 'How long it took in milliseconds, answered or not.' })
  declare responseTimeMs: number;

  @Field(() => String, { nullable: true, description: 'The first 1 KiB of the answer; null where there was none.' })
  declare responseStart: string | null;

  @Field(() => String, { nullable: true, description: 'Why there was no answer, in words.' })
  declare error: string | null;
}

@ObjectType({ description: 'A header of a webhook.', simpleResolvers: true })
export class WebhookHeader {
  @Field(() => String, { description: 'Its name.' })
  declare name: string;

  @Field(() => String, { description: 'Its value.' })
  declare value: string;
}

@ObjectType({ description: 'One event on its way to one destination.', simpleResolvers: true })
export class WebhookDelivery {
  @Field(() => ID, { description: 'The event id, `evt_…`, the same at every destination.' })
  declare eventId: string;

  @Field(() => String, { description: "The event's type, such as `payment.succeeded`." })
  declare eventType?: string;

  @Field(() => ID, { nullable: true, description: 'The payment that it tells of; null for a test event.' })
  declare paymentId?: string | null;

  @Field(() => ID, { nullable: true, description: 'The invoice that it tells of; null for events of other kinds.' })
  declare invoiceId?: string | null;

  @Field(() => ID, { description: 'The delivery id, `dlv_…`.' })
  declare deliveryId: string;

  @Field(() => ID, { nullable: true, description: 'The endpoint it goes to; null where that is a `callbackUrl`.' })
  declare endpointId: string | null;

  @Field(() => String, { description: 'Where the next attempt goes, or where the last one went.' })
  declare url: string;

  @Field(() => DeliveryStatusEnum, { description: 'Where it stands.' })
  declare status: DeliveryStatus;

  @Field(() => Int, { description: 'How many attempts were made.' })
  declare attempts: number;

  @Field(() => Date, { nullable: true, description: 'When the last attempt started; null before the first.' })
  declare lastAttemptAt: Date | null;

  @Field(() => Date, { nullable: true, description: 'When the next retry is due; null when none is pending.' })
  declare nextRetryAt: Date | null;

  @Field(() => Int, { nullable: true, description: 'The HTTP status the receiver last answered, if it did.' })
  declare responseCode: number | null;

  @Field(() => Int, { nullable: true, description: 'How long the last attempt took in milliseconds.' })
  declare responseTimeMs: number | null;

  @Field(() => [WebhookAttempt], { description: 'Every attempt, oldest first.' })
  declare attemptLog: readonly WebhookAttempt[];

  @Field(() => [WebhookHeader], {
    nullable: true,
    description:
      'The headers of the last attempt; null before the first. The signatures are left out where the secret has changed.',
  })
  declare requestHeaders?: readonly WebhookHeader[] | null;

  @Field(() => String, {
    nullable: true,
    description:
      'The body of the last attempt, byte for byte; null before the first, where it was erased, and where you may not read what it tells of.',
  })
  declare requestBody?: string | null;
}

@ObjectType({
  description:
    "What became of an event: the delivery to the merchant's own endpoint, else the newest, and all of them.",
  simpleResolvers: true,
})
export class WebhookDeliveryRecord extends WebhookDelivery {
  @Field(() => [WebhookDelivery], { description: 'One for each destination, newest first.' })
  declare deliveries: readonly WebhookDelivery[];
}

const EVENT_TYPES: readonly string[] = [...PUBLIC_EVENT_TYPES, 'webhook.test'];
const eventType: checks.Check = checks.bounded({ enum: EVENT_TYPES }, (value) =>
  typeof value === 'string' && !EVENT_TYPES.includes(value) ? `must be one of ${EVENT_TYPES.join(', ')}` : null,
);

@InputType({ description: 'Which deliveries to list; what is left out does not narrow.' })
export class WebhookDeliveryFilter {
  @Field(() => [DeliveryStatusEnum], { nullable: true, description: 'In one of these states.' })
  declare status?: DeliveryStatus[] | null;

  @Field(() => ID, { nullable: true, description: 'Of this event.' })
  declare eventId?: string | null;

  @Field(() => ID, { nullable: true, description: 'Of the events of this payment.' })
  declare paymentId?: string | null;

  @Field(() => ID, { nullable: true, description: 'To this endpoint.' })
  declare endpointId?: string | null;

  @Field(() => String, { nullable: true, description: 'Of events of this type, such as `payment.succeeded`.' })
  @Checked(eventType)
  declare eventType?: string | null;

  @Field(() => String, { nullable: true, description: 'Made since this day or instant.' })
  @Checked(checks.date)
  declare since?: string | null;

  @Field(() => String, { nullable: true, description: 'Made until this day, or before this instant.' })
  @Checked(checks.date)
  declare until?: string | null;
}

@ObjectType({ description: 'A delivery in a list.', simpleResolvers: true })
export class WebhookDeliveryEdge {
  @Field(() => String, { description: 'Its cursor: the list goes on after it.' })
  declare cursor: string;

  @Field(() => WebhookDelivery, { description: 'The delivery.' })
  declare node: WebhookDelivery;
}

@ObjectType({ description: 'A page of deliveries, newest first.', simpleResolvers: true })
export class WebhookDeliveryConnection {
  @Field(() => [WebhookDeliveryEdge], { description: 'The deliveries with their cursors.' })
  declare edges: WebhookDeliveryEdge[];

  @Field(() => [WebhookDelivery], { description: 'The deliveries.' })
  declare nodes: WebhookDelivery[];

  @Field(() => PageInfo, { description: 'Where this page stands.' })
  declare pageInfo: PageInfo;
}
