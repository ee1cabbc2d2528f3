// The rows of webhooks: endpoints, deliveries, and the log of events.

import { FULL_INVOICE } from './invoices.ts';
import { FULL_PAYMENT } from './payments.ts';
import type { Route } from './route.ts';
import { REFUND, WITHDRAWAL } from './wallet.ts';

const DELIVERY = `
  event_id: eventId delivery_id: deliveryId url status attempts last_attempt_at: lastAttemptAt
  next_retry_at: nextRetryAt response_code: responseCode response_time_ms: responseTimeMs`;

const ENDPOINT = `
  id url enabled events description isPrimary disabledReason disabledAt failingSince createdAt`;

/** In the order of the API's description. */
export const WEBHOOK_ROUTES: readonly Route[] = [
  {
    method: 'PUT',
    path: '/merchant/webhook',
    status: 200,
    acceptSecret: true,
    errors: ['WEBHOOK_URL_REFUSED'],
    example: { url: 'https://shop.example/webhooks', enabled: true },
    document: `mutation configureWebhook($input: ConfigureWebhookInput!) {
      result: configureWebhook(input: $input) { id url enabled events secret }
    }`,
  },
  {
    method: 'POST',
    path: '/merchant/webhook/rotate-secret',
    status: 200,
    idempotent: true,
    example: { overlapHours: 24 },
    document: `mutation rotateWebhookSecret($overlapHours: Int) {
      result: rotateWebhookSecret(overlapHours: $overlapHours) { secret previousExpiresAt }
    }`,
  },
  {
    method: 'POST',
    path: '/webhooks',
    status: 201,
    idempotent: true,
    errors: ['WEBHOOK_URL_REFUSED'],
    example: {
      url: 'https://books.example/hooks/turnpike',
      events: ['payment.succeeded', 'payment.refunded'],
      description: 'Bookkeeping',
    },
    document: `mutation createWebhookEndpoint($input: CreateWebhookEndpointInput!) {
      result: createWebhookEndpoint(input: $input) { ${ENDPOINT} secret }
    }`,
  },
  {
    method: 'GET',
    path: '/webhooks',
    status: 200,
    document: `query webhookEndpoints { items: webhookEndpoints { ${ENDPOINT} } }`,
  },
  {
    method: 'PUT',
    path: '/webhooks/:id',
    status: 200,
    errors: ['WEBHOOK_URL_REFUSED'],
    example: { events: ['payment.succeeded', 'payment.failed', 'payment.expired', 'payment.refunded'] },
    document: `mutation updateWebhookEndpoint($id: ID!, $input: UpdateWebhookEndpointInput!) {
      result: updateWebhookEndpoint(id: $id, input: $input) { ${ENDPOINT} }
    }`,
  },
  {
    method: 'DELETE',
    path: '/webhooks/:id',
    status: 200,
    document: `mutation deleteWebhookEndpoint($id: ID!) {
      result: deleteWebhookEndpoint(id: $id) { ${ENDPOINT} }
    }`,
  },
  {
    method: 'POST',
    path: '/webhooks/test',
    status: 200,
    idempotent: true,
    errors: ['WEBHOOK_URL_REFUSED'],
    example: { url: 'https://shop.example/webhooks' },
    document: `mutation sendTestEvent($url: String) { result: sendTestEvent(url: $url) { event_id: eventId } }`,
  },
  {
    method: 'POST',
    path: '/webhooks/resend',
    status: 200,
    acceptSecret: true,
    idempotent: true,
    errors: ['NOT_FOUND', 'EVENT_ERASED'],
    example: { event_id: '{eventId}' },
    document: `mutation resendEvent($event_id: ID!) {
      result: resendEvent(eventId: $event_id) { event_id: eventId status }
    }`,
  },
  {
    method: 'GET',
    path: '/webhooks/deliveries',
    status: 200,
    document: `query webhookDeliveries($status: [DeliveryStatus!], $event_id: ID, $endpoint_id: ID, $event_type: String,
      $since: String, $until: String, $limit: Int, $cursor: String) {
      result: webhookDeliveries(first: $limit, after: $cursor, filter: { status: $status, eventId: $event_id,
        endpointId: $endpoint_id, eventType: $event_type, since: $since, until: $until }) {
        items: nodes { ${DELIVERY} }
        pagination: pageInfo { nextCursor hasMore: hasNextPage }
      }
    }`,
  },
  {
    method: 'GET',
    path: '/events',
    status: 200,
    document: `query events($after: Int, $limit: Int) {
      result: events(after: $after, first: $limit) {
        items { sequence id type createdAt payment { ${FULL_PAYMENT} } invoice { ${FULL_INVOICE} }
          withdrawal { ${WITHDRAWAL} } refund { ${REFUND} } }
        hasMore
      }
    }`,
  },
  {
    method: 'GET',
    path: '/webhooks/deliveries/:event_id',
    status: 200,
    acceptSecret: true,
    document: `query webhookDelivery($event_id: ID!) {
      result: webhookDelivery(eventId: $event_id) {
        ${DELIVERY}
        deliveries {
          ${DELIVERY}
          attempt_log: attemptLog {
            attempt at url response_code: responseCode response_time_ms: responseTimeMs response_start: responseStart error
          }
        }
      }
    }`,
  },
];
