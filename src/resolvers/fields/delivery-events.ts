// Resolves `eventType`, `paymentId` and `invoiceId` of webhook deliveries: only if selected, and batched over all
// deliveries of the moment.

import DataLoader from 'dataloader';
import { GraphQLObjectType, type GraphQLSchema } from 'graphql';
import { findEventTypes, type EventSummary } from '../../domain/events/event-log.ts';
import type { Services } from '../services.ts';

/** Adds the resolvers of `eventType`, `paymentId` and `invoiceId` to deliveries. */
export function answerDeliveryEvents(schema: GraphQLSchema, services: Pick<Services, 'deps'>): void {
  // No cache: subscriptions live long, and a cache would grow with them.
  const events = new DataLoader<string, EventSummary>((ids) => findEventTypes(services.deps, ids), { cache: false });
  for (const typeName of ['WebhookDelivery', 'WebhookDeliveryRecord']) {
    const type = schema.getType(typeName);
    if (!(type instanceof GraphQLObjectType)) throw new Error(`The schema has no ${typeName}`);
    const { eventType, paymentId, invoiceId } = type.getFields();
    if (!eventType || !paymentId || !invoiceId)
      throw new Error(`The schema does not say what the event of a ${typeName} is`);
    eventType.resolve = async ({ eventId }: { eventId: string }) => (await events.load(eventId)).type;
    paymentId.resolve = async ({ eventId }: { eventId: string }) => (await events.load(eventId)).paymentId;
    invoiceId.resolve = async ({ eventId }: { eventId: string }) => (await events.load(eventId)).invoiceId;
  }
}
