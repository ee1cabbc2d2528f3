// All subscribers of the event log, by what they follow: one payment or invoice, all of a merchant's, or the log
// itself.

import type { LoggedEvent } from '../../database/queries/events/read-event-log.ts';
import { subjectOf } from '../../domain/events/event-log.ts';
import type { InvoiceSnapshot } from '../../domain/snapshots/invoice.ts';
import type { PaymentSnapshot } from '../../domain/snapshots/payment.ts';
import type { Backpressure } from './backpressure.ts';
import { createBoundedQueue, type BoundedQueue } from './bounded-queue.ts';
import { createLogReader, type LogReader, type LogReaderParts } from './event-log.ts';
import { createFollowers } from './followers.ts';
import { createSubscribers, type Subscribers } from './subscribers.ts';

interface LogSubscribersParts {
  readonly mostWaiting: number;
  readonly backpressure: Backpressure;
  /** Called after a subscriber has left. */
  onLeave(): void;
}

/** Creates the registry of a process. */
export function createLogSubscribers({ mostWaiting, backpressure, onLeave }: LogSubscribersParts) {
  const merchants = createSubscribers<BoundedQueue<PaymentSnapshot>>();
  const shops = createSubscribers<BoundedQueue<InvoiceSnapshot>>();
  const logs = createSubscribers<LogReader>();
  const parts = { mostWaiting, backpressure, onLeave };
  const payments = createFollowers<PaymentSnapshot>({ ...parts, paymentsOf: (payment) => [payment] });
  const invoices = createFollowers<InvoiceSnapshot>({ ...parts, paymentsOf: (invoice) => invoice.payments });

  function join<Snapshot>(all: Subscribers<BoundedQueue<Snapshot>>, merchantId: string): BoundedQueue<Snapshot> {
    const onEnd = () => {
      all.leave(merchantId, queue);
      onLeave();
    };
    const queue = createBoundedQueue<Snapshot>({ most: mostWaiting, backpressure, onEnd });
    all.join(merchantId, queue);
    return queue;
  }

  return {
    payments,
    invoices,
    count: () => payments.count() + invoices.count() + merchants.count() + shops.count() + logs.count(),

    publish(this: void, { merchantId, paymentId, invoiceId, version, payload, ...event }: LoggedEvent): void {
      const readers = logs.of(merchantId);
      const [queues, invoiceQueues] = invoiceId === null ? [merchants.of(merchantId), []] : [[], shops.of(merchantId)];
      const followed = invoiceId === null ? paymentId !== null && payments.has(paymentId) : invoices.has(invoiceId);
      if (queues.length + invoiceQueues.length + readers.length === 0 && !followed) return;
      const stored = payload === null ? null : (JSON.parse(payload) as Record<string, unknown>);
      const { payment, invoice } = subjectOf(stored, invoiceId);
      const { sequence, id, type, createdAt } = event;
      for (const reader of readers) reader.add({ sequence, id, type, createdAt, payment, invoice });
      if (payment) for (const queue of queues) queue.push(payment);
      if (invoice) for (const queue of invoiceQueues) queue.push(invoice);
      if (version === null) return;
      if (payment && paymentId !== null) payments.change(paymentId, version, payment);
      if (invoice && invoiceId !== null) invoices.change(invoiceId, version, invoice);
    },

    joinMerchant: (merchantId: string) => join(merchants, merchantId),
    joinInvoices: (merchantId: string) => join(shops, merchantId),

    joinLog(merchantId: string, parts: Pick<LogReaderParts, 'read' | 'letPass'>): LogReader {
      const onEnd = () => {
        logs.leave(merchantId, reader);
        onLeave();
      };
      const reader = createLogReader({ ...parts, onEnd });
      logs.join(merchantId, reader);
      return reader;
    },
  };
}
