// What the event of a delivery is: its type, and its payment. They are read where they are asked for, and then once for
// all deliveries of the moment.

import DataLoader from 'dataloader';
import { GraphQLObjectType, type GraphQLSchema } from 'graphql';
import { findEventTypes, type EventSummary } from '../../domain/events/event-log.ts';
import type { Services } from '../operation/services.ts';

/** Has the schema answer `eventType` and `paymentId` of deliveries. */
export function answerDeliveryEvents(schema: GraphQLSchema, services: Pick<Services, 'deps'>): void {
  // Nothing is kept: subscriptions last, and so would what they have once asked for.
  const events = new DataLoader<string, EventSummary>((ids) => findEventTypes(services.deps, ids), { cache: false });
  for (const typeName of ['WebhookDelivery', 'WebhookDeliveryRecord']) {
    const type = schema.getType(typeName);
    if (!(type instanceof GraphQLObjectType)) throw new Error(`The schema has no ${typeName}`);
    const { eventType, paymentId } = type.getFields();
    if (!eventType || !paymentId) throw new Error(`The schema does not say what the event of a ${typeName} is`);
    eventType.resolve = async ({ eventId }: { eventId: string }) => (await events.load(eventId)).type;
    paymentId.resolve = async ({ eventId }: { eventId: string }) => (await events.load(eventId)).paymentId;
  }
}
