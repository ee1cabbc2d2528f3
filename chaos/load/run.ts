// The load: customers who order or are sent an invoice, and pay or not, and a merchant who reads events and resends
// some. It uses only the API, which comes and goes.

import { randomUUID } from 'node:crypto';
import { setTimeout as rest } from 'node:timers/promises';
import { eventsAfter } from './client.ts';
import { Violation } from '../invariants/violation.ts';
import { liveInvoice } from './invoices.ts';
import { PATIENT_SCENARIOS, PAYOUT_SCENARIOS } from './payout-scenarios.ts';
import type { OrderNote, Shop } from './client-log.ts';
import { isPublic } from '../public-events.ts';
import { callbackOf, deposit, type LoadParts, type PlacedOrder, type Scenario } from './scenario.ts';

export type Mode = 'dispatch' | 'money';
/** The load of a mode, or a small one of all kinds of money, which a busy machine keeps up with. */
export type LoadKind = Mode | 'small';

export interface Load {
  /** Starts no more orders; resolves when those under way are done. Throws the first error of the load. */
  stop(): Promise<void>;
  /** The first error so far. */
  fault(): Error | null;
}

interface Profile {
  readonly customers: number;
  /** The longest time that a customer rests between two orders. */
  readonly restMs: number;
  /** The longest time that the merchant rests between two looks at the events. */
  readonly readRestMs: number;
  readonly fates: readonly Scenario[];
  /** The share of customers who are sent an invoice instead of an order. */
  readonly invoices: number;
}

const DISPATCH_FATES: readonly Scenario[] = [
  { weight: 50, live: (parts, order) => deposit(parts, order, order.amount) },
  { weight: 8, live: (parts, order) => deposit(parts, order, doubled(order.amount)) },
  { weight: 8, live: underpayAndExpire },
  { weight: 14, live: expire },
  { weight: 10, live: cancel },
  { weight: 6, live: payLate },
  { weight: 4, live: async () => undefined },
];

const PROFILES: Readonly<Record<LoadKind, Profile>> = {
  dispatch: { customers: 5, restMs: 150, readRestMs: 400, fates: DISPATCH_FATES, invoices: 0 },
  money: { customers: 4, restMs: 150, readRestMs: 400, fates: PAYOUT_SCENARIOS, invoices: 0.4 },
  small: { customers: 3, restMs: 4_000, readRestMs: 4_000, fates: PATIENT_SCENARIOS, invoices: 0 },
};

/** Starts the load on the shops in the notes. */
export function startLoad(kind: LoadKind, parts: LoadParts): Load {
  const { customers, restMs, readRestMs, fates, invoices } = PROFILES[kind];
  const { random } = parts;
  let stopping = false;
  let fault: Error | null = null;

  async function repeat(work: () => Promise<void>, longestRestMs: number): Promise<void> {
    while (!stopping && fault === null) {
      try {
        await work();
      } catch (error) {
        fault ??= error instanceof Error ? error : new Error(String(error));
      }
      await rest(random.below(longestRestMs));
    }
  }

  const buy = async () => {
    const shop = random.pick(parts.notes.shops);
    if (random.chance(invoices)) return liveInvoice(parts, shop);
    const ordered = await createOrder(parts, shop);
    await random.weighted(fates).live(parts, ordered);
  };
  const under = [
    ...Array.from({ length: customers }, () => repeat(buy, restMs)),
    repeat(() => readAndResend(parts, random.pick(parts.notes.shops)), readRestMs),
  ];
  return {
    fault: () => fault,
    async stop() {
      stopping = true;
      await Promise.all(under);
      if (fault !== null) throw fault;
    },
  };
}

const CURRENCIES = ['USDT', 'USDC', 'ETH'] as const;

/** Places an order with a random amount, repeated under one idempotency key until it is answered. */
async function createOrder(parts: LoadParts, shop: Shop): Promise<PlacedOrder> {
  const { client, notes, random } = parts;
  const reference = randomUUID();
  const callbackUrl = callbackOf(parts, shop, reference);
  const [currency, amount] = [random.pick(CURRENCIES), `1.${String(1 + random.below(9_999)).padStart(4, '0')}1`];
  const note: OrderNote = { shop, reference, callbackUrl, currency, amount, orderId: null };
  notes.orders.push(note);
  const body = { amount, currency, network: 'ETH', merchantOrderId: reference, callbackUrl };
  const data = await client.data('POST', '/payments', { token: shop.token, body, idempotencyKey: reference });
  const orderId = data.orderId as string;
  note.orderId = orderId;
  return { ...note, orderId };
}

async function underpayAndExpire(parts: LoadParts, order: PlacedOrder): Promise<void> {
  await deposit(parts, order, '0.5');
  await expire(parts, order);
}

async function payLate(parts: LoadParts, order: PlacedOrder): Promise<void> {
  await expire(parts, order);
  await deposit(parts, order, order.amount);
}

async function expire({ client }: LoadParts, { orderId, shop }: PlacedOrder): Promise<void> {
  await client.untilAnswered('POST', `/sandbox/payments/${orderId}/expire`, { token: shop.token });
}

/** A cancellation that was cut off may have been done; its repeat is then refused with 3005, which shows as much. */
async function cancel({ client, notes }: LoadParts, { orderId, shop }: PlacedOrder): Promise<void> {
  const { code } = await client.untilAnswered('DELETE', `/payments/${orderId}`, { token: shop.token });
  if (code === null) notes.canceled.push(orderId);
  else if (code !== '3005') throw new Violation(`Canceling ${orderId} was refused with ${code}`);
}

/** Reads the new part of the event log, and has one of the webhooks resent. */
async function readAndResend({ client, notes, random }: LoadParts, shop: Shop): Promise<void> {
  const readUpTo = Math.max(0, ...shop.eventsRead.keys());
  for (const { sequence, id, type, payment } of await eventsAfter(client, shop.token, readUpTo)) {
    shop.eventsRead.set(sequence as number, id as string);
    // Canceling sends no webhook, and a callbackUrl may be the only destination; without any destination the answer is
    // 2001.
    if (isPublic(type as string, payment?.invoiceId != null)) shop.publicEvents.push(id as string);
  }
  if (shop.publicEvents.length === 0) return;
  const eventId = random.pick(shop.publicEvents);
  const idempotencyKey = randomUUID();
  const call = { token: shop.token, body: { event_id: eventId }, idempotencyKey };
  const answer = await client.untilAnswered('POST', '/webhooks/resend', call);
  if (answer.code === null) notes.resent.push(eventId);
  else if (answer.code !== '2001') throw new Violation(`Resending ${eventId} was refused with ${answer.code}`);
}

/** Doubles a decimal number with five places. */
function doubled(amount: string): string {
  const units = 2n * BigInt(amount.replace('.', ''));
  const digits = units.toString().padStart(6, '0');
  return `${digits.slice(0, -5)}.${digits.slice(-5)}`;
}
