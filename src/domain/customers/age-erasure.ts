// Removes what names customers from orders that are older than their merchant, or the operator, keeps it. What is under
// way, or has changed in the last days, is left for later.

import type { EntityManager } from '../../database/connection.ts';
import * as aged from '../../database/queries/customers/aged-customers.ts';
import { findQuoted, type OrderIds } from '../../database/queries/customers/lock-customer.ts';
import { firstIdOf } from '../../values/id.ts';
import { inTransaction, type Deps } from '../deps.ts';
import { eraseOrders, lockOrders, type LockedOrders } from './shared-erasure.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** Payments, or invoices with all their payments, that one transaction locks. */
const BATCH = 50;
/** Answers to calls that changed an order are kept for two days: what is left for so long is in none of them. */
const UNCHANGED_MS = 3 * DAY_MS;

type AgeDeps = Pick<Deps, 'db' | 'clock' | 'log'>;
type Kind = 'payments' | 'invoices';

/** Where the worker is: the merchant, and the last order that it has looked at. */
interface Place {
  readonly merchant: aged.KeepingMerchant;
  readonly kind: Kind;
  readonly after: string;
  /** How many of the next are erased one by one, as their batch could not be. */
  readonly alone: number;
}

/** How many orders a run erased, and how many it could not. */
export interface AgeTally {
  erased: number;
  failed: number;
}

/**
 * Creates the worker: every hour it goes through the merchants, a batch of orders at a time. Several processes may run
 * it: of two with the same batch, one waits and finds nothing. An order that cannot be erased keeps none behind it
 * waiting, and is tried again in the next hour. `most` is the operator's limit in days; null for none.
 */
export function createAgeErasure(deps: AgeDeps, most: number | null) {
  let lookedAt = -Infinity;
  let place: Place | null = null;
  return {
    name: 'erase-customers',
    async processNext(): Promise<boolean> {
      if (place === null && performance.now() - lookedAt < HOUR_MS) return false;
      place = await eraseNext(deps, place, most, { erased: 0, failed: 0 });
      if (place !== null) return true;
      lookedAt = performance.now();
      return false;
    },
  };
}

/** Erases by age until there is nothing more to erase now. */
export async function eraseAllByAge(deps: AgeDeps, most: number | null): Promise<AgeTally> {
  const tally = { erased: 0, failed: 0 };
  let place = await eraseNext(deps, null, most, tally);
  while (place !== null) place = await eraseNext(deps, place, most, tally);
  return tally;
}

/** Erases a batch, and returns where the next one begins; null at the end. */
async function eraseNext(deps: AgeDeps, place: Place | null, most: number | null, tally: AgeTally) {
  const { em } = deps.db;
  if (place === null) return beginAt(await aged.nextKeepingMerchant(em, '', most));
  const { merchant, kind, after } = place;
  const alone = Math.max(0, place.alone - 1);
  const limit = place.alone > 0 ? 1 : BATCH;
  const before = firstIdOf(kind === 'payments' ? 'ord' : 'inv', deps.clock.now().getTime() - merchant.days * DAY_MS);
  const asked = { merchantId: merchant.id, after, before, limit };
  const ids = await (kind === 'payments' ? aged.findAgedPayments(em, asked) : aged.findAgedInvoices(em, asked));
  const areDone = ids.length === 0 || (await tryBatch(deps, place, ids, tally));
  if (!areDone && ids.length > 1) return { ...place, alone: ids.length };
  const last = ids.at(-1);
  if (last !== undefined && ids.length === limit) return { ...place, after: last, alone };
  if (kind === 'payments') return { merchant, kind: 'invoices' as const, after: '', alone: 0 };
  return beginAt(await aged.nextKeepingMerchant(em, merchant.id, most));
}

const beginAt = (merchant: aged.KeepingMerchant | null): Place | null =>
  merchant && { merchant, kind: 'payments', after: '', alone: 0 };

/** Erases these orders in a transaction; false, with a line in the log, if they cannot be. */
async function tryBatch(deps: AgeDeps, { merchant, kind }: Place, ids: readonly string[], tally: AgeTally) {
  const unchangedSince = new Date(deps.clock.now().getTime() - UNCHANGED_MS);
  try {
    const counts = await inTransaction(deps, (em) => eraseBatch(em, kind, ids, unchangedSince));
    tally.erased += counts.orders;
    if (counts.orders > 0) deps.log.info({ merchant: merchant.id, ...counts }, 'customers were erased by age');
    return true;
  } catch (error) {
    if (ids.length === 1) tally.failed += 1;
    deps.log.error({ err: error, merchant: merchant.id, orders: ids }, 'customers could not be erased by age');
    return false;
  }
}

async function eraseBatch(em: EntityManager, kind: Kind, ids: readonly string[], unchangedSince: Date) {
  const asked: OrderIds =
    kind === 'payments'
      ? { paymentIds: ids, invoiceIds: [] }
      : { paymentIds: await findQuoted(em, ids), invoiceIds: ids };
  const found = await lockOrders(em, asked);
  const left = new Set([
    ...found.obstacles.map(({ orderId }) => orderId),
    ...found.orders.filter(({ updatedAt }) => updatedAt > unchangedSince).map(({ orderId }) => orderId),
  ]);
  const ended = withoutOrders(found, left);
  const orders = new Set(ended.orders.map(({ orderId }) => orderId)).size;
  return { orders, ...(await eraseOrders(em, ended)) };
}

function withoutOrders({ orders, events, mails }: LockedOrders, left: ReadonlySet<string>) {
  const stays = ({ orderId }: { readonly orderId: string }) => !left.has(orderId);
  return { orders: orders.filter(stays), events: events.filter(stays), mails: mails.filter(stays) };
}
