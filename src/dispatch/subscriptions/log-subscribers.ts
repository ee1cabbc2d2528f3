// All subscribers of the event log, by what they follow: one payment or invoice, all of a merchant's, their
// payouts, or the log itself.

import type { LoggedEvent } from '../../database/queries/events/read-event-log.ts';
import { subjectOf } from '../../domain/events/event-log.ts';
import type { InvoiceSnapshot } from '../../domain/snapshots/invoice.ts';
import type { PaymentSnapshot } from '../../domain/snapshots/payment.ts';
import type { PayoutSnapshot } from '../../domain/snapshots/payout.ts';
import type { Backpressure } from './backpressure.ts';
import { createBoundedQueue, type BoundedQueue } from './bounded-queue.ts';
import { createLogReader, type LogReader, type LogReaderParts } from './event-log.ts';
import { createFollowers } from './followers.ts';
import { createSubscribers, type Subscribers } from './subscribers.ts';

type EventOf = Pick<LoggedEvent, 'merchantId' | 'paymentId' | 'invoiceId' | 'payoutId'>;

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
  const tills = createSubscribers<BoundedQueue<PayoutSnapshot>>();
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

  /** Whether anybody follows what an event is about. */
  function isFollowed({ merchantId, paymentId, invoiceId, payoutId }: EventOf): boolean {
    if (payoutId !== null) return tills.of(merchantId).length > 0;
    if (invoiceId !== null) return shops.of(merchantId).length > 0 || invoices.has(invoiceId);
    return merchants.of(merchantId).length > 0 || (paymentId !== null && payments.has(paymentId));
  }

  return {
    payments,
    invoices,
    count: () =>
      [payments, invoices, merchants, shops, tills, logs].reduce((sum, subscribers) => sum + subscribers.count(), 0),

    publish(this: void, { merchantId, paymentId, invoiceId, payoutId, version, payload, ...event }: LoggedEvent): void {
      const readers = logs.of(merchantId);
      if (readers.length === 0 && !isFollowed({ merchantId, paymentId, invoiceId, payoutId })) return;
      const stored = payload === null ? null : (JSON.parse(payload) as Record<string, unknown>);
      const subject = subjectOf(stored, { invoiceId, payoutId });
      const { sequence, id, type, createdAt } = event;
      for (const reader of readers) reader.add({ sequence, id, type, createdAt, ...subject });
      const { payment, invoice } = subject;
      const payout = subject.withdrawal ?? subject.refund;
      if (payment) for (const queue of merchants.of(merchantId)) queue.push(payment);
      if (invoice) for (const queue of shops.of(merchantId)) queue.push(invoice);
      if (payout) for (const queue of tills.of(merchantId)) queue.push(payout);
      if (version === null) return;
      if (payment && paymentId !== null) payments.change(paymentId, version, payment);
      if (invoice && invoiceId !== null) invoices.change(invoiceId, version, invoice);
    },

    joinMerchant: (merchantId: string) => join(merchants, merchantId),
    joinInvoices: (merchantId: string) => join(shops, merchantId),
    joinPayouts: (merchantId: string) => join(tills, merchantId),

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
