// Invariants of the event log: one event for each change, in order and without gaps, and a delivery of each event to
// every destination.

import type { Data } from '../load/client.ts';
import { isPublic } from '../public-events.ts';
import type { Evidence, EventRow, Told } from './evidence.ts';
import { first, type Rule } from './invariant.ts';
import type { Notes } from '../load/client-log.ts';

export const EVENT_INVARIANTS: readonly Rule[] = [
  { words: 'every change of a payment or an invoice has one event', breach: ofBoth(misnumberedVersion) },
  { words: 'GET /events is gap-free from 1, whole, and what was read of it before is unchanged', breach: findGap },
  { words: "each payment's or invoice's changes come in an order that its states allow", breach: ofBoth(findDisorder) },
  { words: 'the last event of a payment or an invoice is what GET of it answers', breach: ofBoth(findOtherEnd) },
  { words: 'every public event has one delivery for each destination, and for each resend', breach: findUndelivered },
];

/** What events are about. */
interface Kind {
  readonly noun: 'payment' | 'invoice';
  /** Its id in what the API answers. */
  readonly idField: string;
  /** Its id in the row of an event. */
  readonly idOf: (event: EventRow) => string | null;
  readonly rows: (evidence: Evidence) => readonly { readonly id: string; readonly version: number }[];
  /** As GET answers them. */
  readonly toldOf: (told: Told) => ReadonlyMap<string, Data>;
  /** The states that may follow a state without reorganisations, which no round causes. */
  readonly follows: Readonly<Record<string, readonly string[]>>;
  /** The last part of the type of the event that enters a state; for any other state it is `updated`. */
  readonly enters: Readonly<Record<string, string>>;
  /** The fields of the last event that GET answers. */
  readonly compared: readonly string[];
}

const ENDS = { EXPIRED: 'expired', FAILED: 'failed', PARTIALLY_REFUNDED: 'refunded', REFUNDED: 'refunded' } as const;

const PAYMENT: Kind = {
  ...{ noun: 'payment', idField: 'orderId', idOf: ({ paymentId }) => paymentId },
  rows: ({ payments }) => payments,
  toldOf: ({ payments }) => payments,
  follows: {
    PENDING: ['PARTIALLY_PAID', 'CONFIRMING', 'EXPIRED', 'CANCELED'],
    PARTIALLY_PAID: ['CONFIRMING', 'FAILED'],
    CONFIRMING: ['SUCCEEDED'],
    SUCCEEDED: ['PARTIALLY_REFUNDED', 'REFUNDED'],
    PARTIALLY_REFUNDED: ['REFUNDED'],
    REFUNDED: [],
    EXPIRED: ['CONFIRMING'],
    FAILED: ['CONFIRMING'],
    CANCELED: ['CONFIRMING'],
  },
  enters: { SUCCEEDED: 'succeeded', ...ENDS },
  compared: ['status', 'exception', 'amountReceived', 'amountConfirmed', 'amountRefunded', 'feeAmount'],
};

const INVOICE: Kind = {
  ...{ noun: 'invoice', idField: 'invoiceId', idOf: ({ invoiceId }) => invoiceId },
  rows: ({ invoices }) => invoices,
  toldOf: ({ invoices }) => invoices,
  follows: {
    OPEN: ['PARTIALLY_PAID', 'PROCESSING', 'EXPIRED', 'CANCELED'],
    PARTIALLY_PAID: ['PROCESSING', 'FAILED'],
    PROCESSING: ['SETTLED'],
    SETTLED: ['PARTIALLY_REFUNDED', 'REFUNDED'],
    PARTIALLY_REFUNDED: ['REFUNDED'],
    REFUNDED: [],
    EXPIRED: ['PROCESSING'],
    FAILED: ['PROCESSING'],
    CANCELED: ['PROCESSING'],
  },
  enters: { PROCESSING: 'processing', SETTLED: 'settled', ...ENDS },
  compared: ['status', 'exception', 'amountReceived', 'amountConfirmed', 'amountRefunded', 'amountDue'],
};

/** Looks for a breach with payments, then with invoices. */
function ofBoth(find: (kind: Kind, evidence: Evidence) => string | null): (evidence: Evidence) => string | null {
  return (evidence) => first([PAYMENT, INVOICE], (kind) => find(kind, evidence));
}

function misnumberedVersion({ noun, idOf, rows }: Kind, evidence: Evidence): string | null {
  const bySubject = Map.groupBy(evidence.events, idOf);
  return first(rows(evidence), ({ id, version }) => {
    const versions = (bySubject.get(id) ?? []).map((event) => Number(event.version)).sort((a, b) => a - b);
    const whole = versions.length === version && versions.every((found, index) => found === index + 1);
    return whole ? null : `${noun} ${id} has changed ${version} times; its events have the versions ${versions.join()}`;
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

function findDisorder(kind: Kind, { told }: Evidence): string | null {
  return first(told.values(), (one) => first(changesOf(kind, one), ([id, changes]) => disorderOf(kind, id, changes)));
}

function findOtherEnd(kind: Kind, { told }: Evidence): string | null {
  return first(told.values(), (one) => otherEndOf(kind, one));
}

function disorderOf(kind: Kind, id: string, changes: readonly Data[]): string | null {
  const { noun, follows, enters } = kind;
  const [made] = changes;
  if (made?.type !== `${noun}.created`) return `${noun} ${id} begins with ${made?.type} (${made?.id})`;
  return first(changes.slice(1).entries(), ([index, change]) => {
    const [before, after] = [changes[index]?.[noun].status as string, change[noun].status as string];
    const at = `${noun} ${id}, event ${change.id} (sequence ${change.sequence})`;
    const type = change.type as string;
    if (before === after)
      return isPublic(type, false) && type !== `${noun}.refunded`
        ? `${at}: ${type} for no change of state (${after})`
        : null;
    if (!follows[before]?.includes(after)) return `${at}: ${after} follows ${before}`;
    const wanted = `${noun}.${enters[after] ?? 'updated'}`;
    return type === wanted ? null : `${at}: ${before} → ${after} is a ${type}, not a ${wanted}`;
  });
}

function otherEndOf(kind: Kind, one: Told): string | null {
  const { noun, compared, toldOf } = kind;
  const changes = changesOf(kind, one);
  return first(toldOf(one), ([id, now]) => {
    const last = changes.get(id)?.at(-1);
    if (!last) return `${noun} ${id} has no event`;
    const field = compared.find((name) => last[noun][name] !== now[name]);
    if (field === undefined) return null;
    return `${noun} ${id}: ${field} is ${now[field]}, and ${last[noun][field]} in its last event, ${last.id}`;
  });
}

/** A merchant's events by payment or by invoice, in the order of their sequence. */
function changesOf({ noun, idField }: Kind, { events }: Told): Map<string, Data[]> {
  return Map.groupBy(
    events.filter((event) => event[noun] != null),
    (event) => event[noun][idField] as string,
  );
}

function findUndelivered({ notes, events, payments, invoices, deliveries }: Evidence): string | null {
  const callbacks = new Map([...payments, ...invoices].map(({ id, callbackUrl }) => [id, callbackUrl]));
  const ofInvoices = new Set(payments.filter(({ invoiceId }) => invoiceId !== null).map(({ id }) => id));
  const resent = new Map([...Map.groupBy(notes.resent, (id) => id)].map(([id, times]) => [id, times.length]));
  const byEvent = Map.groupBy(deliveries, ({ eventId }) => eventId);
  return first(events, (event) => {
    const subject = event.paymentId ?? event.invoiceId ?? '';
    const isSent = isPublic(event.type, ofInvoices.has(subject));
    const destinations = isSent ? destinationsOf(notes, event, callbacks.get(subject) ?? null) : [];
    const made = byEvent.get(event.id) ?? [];
    const wanted = destinations.length === 0 ? 0 : 1 + (resent.get(event.id) ?? 0);
    const what = `event ${event.id} (${event.type}) of ${subject}`;
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

/** Every endpoint of the event's merchant and the callbackUrl of what it is about, each URL once. */
function destinationsOf({ shops }: Notes, { merchantId }: EventRow, callbackUrl: string | null): string[] {
  const endpoints = shops.find((shop) => shop.merchantId === merchantId)?.endpoints ?? [];
  return [...new Set([...endpoints, ...(callbackUrl === null ? [] : [callbackUrl])])];
}
