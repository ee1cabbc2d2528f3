// A webhook endpoint: a URL that receives a merchant's webhooks. The primary one is set by PUT /merchant/webhook.

import 'reflect-metadata';
import { defineEntity, p } from '@mikro-orm/core';
import { Field, ID, ObjectType } from 'type-graphql';
import type { WebhookForm } from '../values/formats/greenfield.ts';
import { WebhookFormEnum } from './enums.ts';

const WebhookEndpointSchema = defineEntity({
  name: 'WebhookEndpoint',
  tableName: 'webhook_endpoint',
  properties: {
    id: p.text().primary(),
    merchantId: p.text(),
    url: p.text(),
    enabled: p.boolean(),
    events: p.array().$type<string[]>(),
    description: p.text().nullable(),
    isPrimary: p.boolean(),
    form: p.text().$type<WebhookForm>().default('TURNPIKE'),
    disabledReason: p.text().nullable(),
    disabledAt: p.datetime().nullable(),
    failingSince: p.datetime().nullable(),
    deletedAt: p.datetime().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

@ObjectType({ description: 'A URL that receives webhooks.', simpleResolvers: true })
export class WebhookEndpoint extends WebhookEndpointSchema.class {
  @Field(() => ID, { description: 'The endpoint id, `whk_…`.' })
  declare id: string;

  @Field(() => String, { description: 'Where events are posted.' })
  declare url: string;

  @Field(() => Boolean, { description: 'Whether events are sent to it.' })
  declare enabled: boolean;

  @Field(() => [String], { description: 'The event types it is subscribed to.' })
  declare events: string[];

  @Field(() => String, { nullable: true, description: "The merchant's own note." })
  declare description: string | null;

  @Field(() => Boolean, { description: "Whether it is the merchant's own, that of `PUT /merchant/webhook`." })
  declare isPrimary: boolean;

  @Field(() => WebhookFormEnum, { description: 'How its webhooks are written and signed.' })
  declare form: WebhookForm;

  @Field(() => String, { nullable: true, description: 'Why the gateway switched it off, in words, if it did.' })
  declare disabledReason: string | null;

  @Field(() => Date, { nullable: true, description: 'When the gateway switched it off, if it did.' })
  declare disabledAt: Date | null;

  @Field(() => Date, {
    nullable: true,
    description: 'Since when every attempt has failed; null where the last one did not.',
  })
  declare failingSince: Date | null;

  @Field(() => Date, { description: 'When it was set up.' })
  declare createdAt: Date;
}

WebhookEndpointSchema.setClass(WebhookEndpoint);
export { WebhookEndpointSchema };
