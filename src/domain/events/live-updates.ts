// Live updates as the resolvers see them. The dispatcher's tails of what was committed stand behind it.

import type { Delivery } from '../../database/queries/webhooks/read-deliveries.ts';
import type { LogEntry } from './event-log.ts';
import type { PaymentSnapshot } from '../snapshots/payment.ts';

export interface LiveUpdates {
  /** How many subscribers there are; for metrics. */
  listeners(): number;
  /**
   * Follows one payment: its current state first, then every change in order, none lost, and the present state again
   * with new confirmation counts as blocks arrive while any are awaited. Null when there is no such payment
   * (or not of this merchant, where `merchantId` is not null).
   */
  followPayment(id: string, merchantId: string | null): Promise<AsyncIterableIterator<PaymentSnapshot> | null>;
  /** Follows all payments of a merchant: changes only, in order. */
  followMerchant(merchantId: string): AsyncIterableIterator<PaymentSnapshot>;
  /** Follows all deliveries of a merchant: each made, each attempt, each switched off, in order for each delivery. */
  followDeliveries(merchantId: string): Promise<AsyncIterableIterator<Delivery>>;
  /**
   * A merchant's event log after a sequence number, without gaps and in order; null: from now on. What is read again is
   * let pass one by one; the signal says that nobody waits for it any more.
   */
  followEvents(
    merchantId: string,
    after: number | null,
    letPass?: (signal: AbortSignal) => Promise<void>,
  ): Promise<AsyncIterableIterator<LogEntry>>;
}
