// Invariants of the event log: one event for each change, in order and without gaps, and a delivery of each event to
// every destination.

import type { Data } from '../load/client.ts';
import type { Evidence, EventRow, Told } from './evidence.ts';
import { first, type Rule } from './invariant.ts';
import type { Notes } from '../load/client-log.ts';

export const EVENT_INVARIANTS: readonly Rule[] = [
  { words: 'every change of a payment has one event', breach: findMissingVersion },
  { words: 'GET /events is gap-free from 1, whole, and what was read of it before is unchanged', breach: findGap },
  { words: "each payment's changes come in an order that its states allow", breach: findDisorder },
  { words: 'the last event of a payment is what GET /payments/{id} answers', breach: findOtherEnd },
  { words: 'every public event has one delivery for each destination, and for each resend', breach: findUndelivered },
];

const isPublic = (type: string): boolean => /^payment\.(succeeded|failed|expired|refunded)$/.test(type);

function findMissingVersion({ events, payments }: Evidence): string | null {
  const byPayment = Map.groupBy(events, ({ paymentId }) => paymentId);
  return first(payments, ({ id, version }) => {
    const versions = (byPayment.get(id) ?? []).map((event) => Number(event.version)).sort((a, b) => a - b);
    const whole = versions.length === version && versions.every((found, index) => found === index + 1);
    return whole ? null : `payment ${id} has changed ${version} times; its events have the versions ${versions.join()}`;
  });
}

function findGap({ notes, told, events }: Evidence): string | null {
  const byMerchant = Map.groupBy(events, ({ merchantId }) => merchantId);
  return first(notes.shops, ({ merchantId, eventsRead }) => {
    const list = told.get(merchantId)?.events ?? [];
    const gap = list.findIndex(({ sequence }, index) => sequence !== index + 1);
    if (gap >= 0) return `${merchantId}: sequence ${list[gap]?.sequence} stands at place ${gap + 1} of GET /events`;
    const ids = new Set(list.map(({ id }) => id as string));
    const missing = (byMerchant.get(merchantId) ?? []).find(({ id }) => !ids.has(id));
    if (missing) return `${merchantId}: GET /events lacks event ${missing.id} (${missing.type})`;
    if (ids.size !== list.length) return `${merchantId}: GET /events has an event twice`;
    return first(eventsRead, ([sequence, id]) => {
      const now = list[sequence - 1]?.id as string | undefined;
      return now === id ? null : `${merchantId}: event ${sequence} was ${id} when it was read, and is ${now ?? 'gone'}`;
    });
  });
}

/** The states that may follow a state without reorganisations, which no round causes. */
const FOLLOWS: Readonly<Record<string, readonly string[]>> = {
  PENDING: ['PARTIALLY_PAID', 'CONFIRMING', 'EXPIRED', 'CANCELED'],
  PARTIALLY_PAID: ['CONFIRMING', 'FAILED'],
  CONFIRMING: ['SUCCEEDED'],
  SUCCEEDED: ['PARTIALLY_REFUNDED', 'REFUNDED'],
  PARTIALLY_REFUNDED: ['REFUNDED'],
  REFUNDED: [],
  EXPIRED: ['CONFIRMING'],
  FAILED: ['CONFIRMING'],
  CANCELED: ['CONFIRMING'],
};

/** The type of the event that enters a state; for any other state it is payment.updated. */
const ENTERS: Readonly<Record<string, string>> = {
  SUCCEEDED: 'payment.succeeded',
  EXPIRED: 'payment.expired',
  FAILED: 'payment.failed',
  PARTIALLY_REFUNDED: 'payment.refunded',
  REFUNDED: 'payment.refunded',
};

function findDisorder({ told }: Evidence): string | null {
  return first(told.values(), (one) => first(changesOf(one), ([id, changes]) => disorderOf(id, changes)));
}

function disorderOf(id: string, changes: readonly Data[]): string | null {
  const [made] = changes;
  if (made?.type !== 'payment.created') return `payment ${id} begins with ${made?.type} (${made?.id})`;
  return first(changes.slice(1).entries(), ([index, change]) => {
    const [before, after] = [changes[index]?.payment.status as string, change.payment.status as string];
    const at = `payment ${id}, event ${change.id} (sequence ${change.sequence})`;
    const type = change.type as string;
    if (before === after)
      return isPublic(type) && type !== 'payment.refunded' ? `${at}: ${type} for no change of state (${after})` : null;
    if (!FOLLOWS[before]?.includes(after)) return `${at}: ${after} follows ${before}`;
    const wanted = ENTERS[after] ?? 'payment.updated';
    return type === wanted ? null : `${at}: ${before} → ${after} is a ${type}, not a ${wanted}`;
  });
}

const COMPARED = ['status', 'exception', 'amountReceived', 'amountConfirmed', 'amountRefunded', 'feeAmount'] as const;

function findOtherEnd({ told }: Evidence): string | null {
  return first(told.values(), (one) => {
    const changes = changesOf(one);
    return first(one.payments, ([id, payment]) => {
      const last = changes.get(id)?.at(-1);
      if (!last) return `payment ${id} has no event`;
      const field = COMPARED.find((name) => last.payment[name] !== payment[name]);
      if (field === undefined) return null;
      return `payment ${id}: ${field} is ${payment[field]}, and ${last.payment[field]} in its last event, ${last.id}`;
    });
  });
}

/** A merchant's events by payment, in the order of their sequence. */
function changesOf({ events }: Told): Map<string, Data[]> {
  return Map.groupBy(
    events.filter(({ payment }) => payment !== null),
    ({ payment }) => payment.orderId as string,
  );
}

function findUndelivered({ notes, events, payments, deliveries }: Evidence): string | null {
  const callbacks = new Map(payments.map(({ id, callbackUrl }) => [id, callbackUrl]));
  const resent = new Map([...Map.groupBy(notes.resent, (id) => id)].map(([id, times]) => [id, times.length]));
  const byEvent = Map.groupBy(deliveries, ({ eventId }) => eventId);
  return first(events, (event) => {
    const destinations = destinationsOf(notes, event, callbacks.get(event.paymentId ?? '') ?? null);
    const made = byEvent.get(event.id) ?? [];
    const wanted = destinations.length === 0 ? 0 : 1 + (resent.get(event.id) ?? 0);
    const what = `event ${event.id} (${event.type}) of payment ${event.paymentId}`;
    const missing = first(Array.from({ length: wanted }).keys(), (resend) =>
      first(destinations, (url) => {
        const times = made.filter((one) => one.url === url && one.resend === resend).length;
        return times === 1 ? null : `${what} has ${times} deliveries to ${url} (resend ${resend})`;
      }),
    );
    if (missing !== null || made.length === wanted * destinations.length) return missing;
    return `${what} has ${made.length} deliveries; ${wanted * destinations.length} are due`;
  });
}

/** Every endpoint of the event's merchant and the payment's callbackUrl, each URL once; none if it is no webhook. */
function destinationsOf({ shops }: Notes, { merchantId, type }: EventRow, callbackUrl: string | null): string[] {
  if (!isPublic(type)) return [];
  const endpoints = shops.find((shop) => shop.merchantId === merchantId)?.endpoints ?? [];
  return [...new Set([...endpoints, ...(callbackUrl === null ? [] : [callbackUrl])])];
}
