// The sandbox's webhook receiver and the webhooks it got, as GraphQL types.

import { Field, ID, ObjectType } from 'type-graphql';

@ObjectType({ description: "A webhook as the sandbox's receiver got it.", simpleResolvers: true })
export class ReceivedWebhook {
  @Field(() => Date, { description: 'When it arrived.' })
  declare receivedAt: Date;

  @Field(() => Boolean, { description: 'Whether its signature is right.' })
  declare isGenuine: boolean;

  @Field(() => String, { nullable: true, description: 'What is wrong with it, in words; null where it is genuine.' })
  declare problem: string | null;

  @Field(() => ID, { nullable: true, description: 'The event id, where it is genuine.' })
  declare eventId: string | null;

  @Field(() => String, { nullable: true, description: 'The event type, where it is genuine.' })
  declare type: string | null;

  @Field(() => String, { nullable: true, description: 'The header `X-PGW-Signature`.' })
  declare signature: string | null;

  @Field(() => String, {
    description: 'The body as it arrived; of one that is not genuine its first 1,024 characters.',
  })
  declare body: string;
}

@ObjectType({ description: "The sandbox's own receiver of webhooks.", simpleResolvers: true })
export class WebhookReceiver {
  @Field(() => String, { description: 'Where it receives yours: an endpoint, or a callbackUrl.' })
  declare url: string;

  @Field(() => [ReceivedWebhook], { description: 'The newest 20 since the gateway started, newest first.' })
  declare received: readonly ReceivedWebhook[];
}
