// Resolves the fields of webhook deliveries that are read only if selected, batched over all deliveries of the moment:
// `eventType`, `paymentId` and `invoiceId` of their events, and what was sent.

import DataLoader from 'dataloader';
import { GraphQLObjectType, type GraphQLSchema } from 'graphql';
import { findEventTypes, type EventSummary } from '../../domain/events/event-log.ts';
import { findSentRequests, type SentRequest } from '../../domain/webhooks/sent-requests.ts';
import type { Permission } from '../../values/permission.ts';
import { callerOf, type Context } from '../operation/context.ts';
import type { Services } from '../services.ts';

/** What these fields are resolved from. */
interface Source {
  readonly eventId: string;
  readonly deliveryId: string;
}

type Answer = (source: Source, context: Context) => Promise<unknown>;

/** Who may read a body: those who may read what it tells of anyway. A test tells of nothing. */
const NEEDED: Readonly<Record<NonNullable<SentRequest['subject']>, Permission>> = {
  ORDER: 'READ_PAYMENTS',
  PAYOUT: 'WITHDRAW',
};

/** Adds the resolvers of these fields to deliveries. */
export function answerDeliveryFields(schema: GraphQLSchema, services: Pick<Services, 'deps'>): void {
  const { deps } = services;
  // No cache: subscriptions live long, and a cache would grow with them.
  const events = new DataLoader<string, EventSummary>((ids) => findEventTypes(deps, ids), { cache: false });
  const sent = new DataLoader<string, SentRequest | null>((ids) => findSentRequests(deps, ids), { cache: false });
  const answers: Readonly<Record<string, Answer>> = {
    eventType: async ({ eventId }) => (await events.load(eventId)).type,
    paymentId: async ({ eventId }) => (await events.load(eventId)).paymentId,
    invoiceId: async ({ eventId }) => (await events.load(eventId)).invoiceId,
    requestHeaders: async ({ deliveryId }) => (await sent.load(deliveryId))?.headers ?? null,
    requestBody: async ({ deliveryId }, context) => {
      const request = await sent.load(deliveryId);
      if (!request) return null;
      const { body, subject } = request;
      return subject === null || callerOf(context).permissions.has(NEEDED[subject]) ? body : null;
    },
  };
  for (const typeName of ['WebhookDelivery', 'WebhookDeliveryRecord']) {
    const type = schema.getType(typeName);
    if (!(type instanceof GraphQLObjectType)) throw new Error(`The schema has no ${typeName}`);
    for (const [name, answer] of Object.entries(answers)) {
      const field = type.getFields()[name];
      if (!field) throw new Error(`The schema has no ${typeName}.${name}`);
      field.resolve = (source: Source, _args, context: Context) => answer(source, context);
    }
  }
}
