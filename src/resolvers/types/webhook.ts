// GraphQL types of a merchant's webhook configuration and of deliveries.

import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { DeliveryStatusEnum, type DeliveryStatus } from '../../entities/enums.ts';
import * as checks from '../../values/checks.ts';
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

@InputType({ description: 'Which deliveries to list; what is left out does not narrow.' })
export class WebhookDeliveryFilter {
  @Field(() => [DeliveryStatusEnum], { nullable: true, description: 'In one of these states.' })
  declare status?: DeliveryStatus[] | null;

  @Field(() => ID, { nullable: true, description: 'Of this event.' })
  declare eventId?: string | null;

  @Field(() => ID, { nullable: true, description: 'Of the events of this payment.' })
  declare paymentId?: string | null;
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
