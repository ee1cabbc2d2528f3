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
}

/**
 * Creates the worker: every hour it goes through the merchants, a batch of orders at a time. Several processes may run
 * it: of two with the same batch, one waits and finds nothing. `most` is the operator's limit in days; null for none.
 */
export function createAgeErasure(deps: AgeDeps, most: number | null) {
  let lookedAt = -Infinity;
  let place: Place | null = null;
  return {
    name: 'erase-customers',
    async processNext(): Promise<boolean> {
      if (place === null && performance.now() - lookedAt < HOUR_MS) return false;
      place = await eraseNext(deps, place, most);
      if (place !== null) return true;
      lookedAt = performance.now();
      return false;
    },
  };
}

/** Erases by age until there is nothing more to erase now; returns how many orders it was. */
export async function eraseAllByAge(deps: AgeDeps, most: number | null): Promise<number> {
  let [place, erased] = [await eraseNext(deps, null, most, count), 0];
  while (place !== null) place = await eraseNext(deps, place, most, count);
  return erased;

  function count(orders: number): void {
    erased += orders;
  }
}

/** Erases a batch, and returns where the next one begins; null at the end. */
async function eraseNext(
  deps: AgeDeps,
  place: Place | null,
  most: number | null,
  onErased: (orders: number) => void = () => undefined,
): Promise<Place | null> {
  const { em } = deps.db;
  if (place === null) return beginAt(await aged.nextKeepingMerchant(em, '', most));
  const { merchant, kind, after } = place;
  const now = deps.clock.now().getTime();
  const before = firstIdOf(kind === 'payments' ? 'ord' : 'inv', now - merchant.days * DAY_MS);
  const asked = { merchantId: merchant.id, after, before, limit: BATCH };
  const ids = await (kind === 'payments' ? aged.findAgedPayments(em, asked) : aged.findAgedInvoices(em, asked));
  if (ids.length > 0) {
    const unchangedSince = new Date(now - UNCHANGED_MS);
    const counts = await inTransaction(deps, (inside) => eraseBatch(inside, kind, ids, unchangedSince));
    onErased(counts.orders);
    if (counts.orders > 0) deps.log.info({ merchant: merchant.id, ...counts }, 'customers were erased by age');
  }
  const last = ids.at(-1);
  if (last !== undefined && ids.length === BATCH) return { ...place, after: last };
  if (kind === 'payments') return { merchant, kind: 'invoices', after: '' };
  return beginAt(await aged.nextKeepingMerchant(em, merchant.id, most));
}

const beginAt = (merchant: aged.KeepingMerchant | null): Place | null =>
  merchant && { merchant, kind: 'payments', after: '' };

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
