// What every erasure does: locks orders with all that was made of them, says what is under way, and removes what names
// a customer (contract-people-payouts, section E).

import type { EntityManager } from '../../database/connection.ts';
import * as erase from '../../database/queries/customers/erase-customer.ts';
import * as customer from '../../database/queries/customers/lock-customer.ts';
import type { Fault } from '../../values/errors.ts';

/** States of payments and invoices in which money is expected or judged. */
const OPEN: readonly string[] = ['PENDING', 'OPEN', 'PARTIALLY_PAID', 'CONFIRMING', 'PROCESSING'];

/** Why an order may not be erased; `orderId` is that of its invoice, if it has one. */
export interface Obstacle extends Fault {
  readonly orderId: string;
}

/** Something that belongs to an order, which is an invoice with all its payments, or a payment without one. */
interface Part {
  readonly id: string;
  readonly orderId: string;
}

/** Orders, locked, with all that was made of them. */
export interface LockedOrders {
  readonly orders: readonly (customer.LockedOrder & Part)[];
  readonly events: readonly Part[];
  readonly mails: readonly Part[];
  readonly obstacles: readonly Obstacle[];
}

/** Locks orders in the order in which settling does, then their events and mails. */
export async function lockOrders(em: EntityManager, ids: customer.OrderIds): Promise<LockedOrders> {
  const orders = (await customer.lockOrders(em, ids)).map((row) => ({ ...row, orderId: row.invoiceId ?? row.id }));
  const orderOf = new Map(orders.map(({ id, orderId }) => [id, orderId]));
  const ofOrder = <Row extends Part>(row: Row): Row => ({ ...row, orderId: orderOf.get(row.orderId) ?? row.orderId });
  const refunds = await customer.findOpenRefunds(em, ids.paymentIds);
  const events = (await customer.lockOrderEvents(em, ids)).map(ofOrder);
  const waiting = new Set(
    await customer.findWaitingWebhooks(
      em,
      events.map(({ id }) => id),
    ),
  );
  const mails = (await customer.lockOrderMails(em, [...orderOf.keys()])).map(ofOrder);
  const isIn = ({ id, status, orderId }: customer.CustomerOrder & Part) => ({
    ...{ path: id, message: `is ${status}`, orderId },
  });
  return {
    ...{ orders, events, mails },
    obstacles: [
      ...orders.filter(({ status }) => OPEN.includes(status)).map(isIn),
      ...refunds.map(({ paymentId, ...refund }) => isIn(ofOrder({ ...refund, orderId: paymentId }))),
      ...events.flatMap(({ id, orderId, waits }) =>
        waits || waiting.has(id) ? { path: id, message: 'has a webhook that waits', orderId } : [],
      ),
      ...mails
        .filter(({ status }) => status === 'QUEUED')
        .map(({ id, orderId }) => ({ path: id, message: 'is to be sent', orderId })),
    ],
  };
}

/** Removes what names a customer from locked orders and what was made of them; returns how many there were of each. */
export async function eraseOrders(
  em: EntityManager,
  { orders, events, mails }: Pick<LockedOrders, 'orders' | 'events' | 'mails'>,
): Promise<{ readonly payments: number; readonly events: number; readonly mails: number }> {
  const idsOf = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);
  const payments = orders.filter(({ id, invoiceId }) => id !== invoiceId);
  const invoices = orders.filter(({ id, invoiceId }) => id === invoiceId);
  await erase.eraseFromOrders(em, idsOf(payments), idsOf(invoices));
  await erase.eraseFromEvents(em, idsOf(events));
  await erase.eraseFromMails(em, idsOf(mails));
  return { payments: payments.length, events: events.length, mails: mails.length };
}
