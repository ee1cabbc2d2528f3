// Collects ids, statuses and cursors from successful answers, for later requests of the same merchant.

import type { Shop } from './merchants.ts';
import type { Json } from './http.ts';

/** How many of each kind are kept: the newest, which later requests are likely to need. */
const MOST_KEPT = 200;

/** Learns from the answer of one operation, named as in the schema; `input` holds its arguments by name. */
export function learn(shop: Shop, operation: string, input: Readonly<Record<string, unknown>>, data: Json): void {
  visit(data, (object) => learnObject(shop, operation, object));
  LESSONS[operation]?.(shop, input, data);
  for (const known of [shop.orders, shop.spareKeys, shop.endpoints, shop.events, shop.withdrawals]) forgetOldest(known);
}

type Lesson = (shop: Shop, input: Readonly<Record<string, unknown>>, data: Json) => void;

/** What follows from an operation's success, besides its answer. */
const LESSONS: Readonly<Record<string, Lesson>> = {
  createApiKey: (shop, _, { keyId }) => void shop.spareKeys.add(keyId as string),
  revokeApiKey: (shop, { keyId }) => void shop.spareKeys.delete(keyId as string),
  deleteWebhookEndpoint: (shop, { id }) => void shop.endpoints.delete(id as string),
  updateSettings(shop, _, { latePaymentPolicy }) {
    if (typeof latePaymentPolicy === 'string') shop.latePaymentPolicy = latePaymentPolicy;
  },
  changePassword(shop, { password, bearer }) {
    shop.password = password as string;
    shop.sessions = shop.sessions.filter((session) => session.bearer === bearer);
  },
  // A new password ends all sessions.
  resetPassword(shop, { password }) {
    shop.password = password as string;
    shop.sessions = [];
  },
  changeEmail(shop, { email }) {
    shop.email = (email as string).toLowerCase();
  },
  endOtherSessions: (shop, { bearer }) =>
    void (shop.sessions = shop.sessions.filter((session) => session.bearer === bearer)),
  logout: (shop, { bearer }) => void (shop.sessions = shop.sessions.filter((session) => session.bearer !== bearer)),
  endSession: (shop, { id }) => void (shop.sessions = shop.sessions.filter((session) => session.id !== id)),
};

function visit(value: Json, see: (object: Record<string, Json>) => void): void {
  if (value === null || typeof value !== 'object') return;
  if (!Array.isArray(value)) see(value as Record<string, Json>);
  for (const inner of Object.values(value as object)) visit(inner, see);
}

function learnObject(shop: Shop, operation: string, object: Record<string, Json>): void {
  const id: unknown = object['orderId'] ?? object['withdrawalId'] ?? object['id'];
  const has = (prefix: string) => typeof id === 'string' && id.startsWith(prefix);
  if (has('ord_') && typeof object['status'] === 'string' && operation !== 'events')
    learnOrder(shop, id as string, object);
  if (has('whk_') && operation !== 'deleteWebhookEndpoint') shop.endpoints.add(id as string);
  if (has('wdr_')) shop.withdrawals.add(id as string);
  const eventId: unknown = object['event_id'] ?? object['eventId'];
  if (operation === 'webhookDeliveries' && typeof eventId === 'string') shop.events.add(eventId);
  for (const name of ['nextCursor', 'endCursor', 'cursor']) {
    if (typeof object[name] !== 'string') continue;
    const known = shop.cursors.get(operation) ?? [];
    shop.cursors.set(operation, [...known.slice(-20), object[name]]);
  }
}

/** A refund is also an object with an order's id, but its status is not the order's. */
function learnOrder(shop: Shop, id: string, object: Record<string, Json>): void {
  if ('refundId' in object) return;
  const known = shop.orders.get(id);
  shop.orders.set(id, {
    isManual: known?.isManual ?? shop.latePaymentPolicy === 'MANUAL',
    isPaidLate: known?.isPaidLate ?? false,
    status: object['status'] as string,
  });
}

function forgetOldest(known: Map<string, unknown> | Set<string>): void {
  for (const id of known.keys()) {
    if (known.size <= MOST_KEPT) return;
    known.delete(id);
  }
}
