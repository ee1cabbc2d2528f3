// How resolvers subscribe to committed changes of payments, invoices, payouts, deliveries and events. Only the
// interface: the implementation, which runs in every process, is src/dispatch/subscriptions.

import type { Delivery } from '../../database/queries/webhooks/read-deliveries.ts';
import type { LogEntry } from './event-log.ts';
import type { InvoiceSnapshot } from '../snapshots/invoice.ts';
import type { PaymentSnapshot } from '../snapshots/payment.ts';
import type { PayoutSnapshot } from '../snapshots/payout.ts';

export interface LiveUpdates {
  /** The number of subscribers, for metrics. */
  listeners(): number;
  /**
   * Follows one payment: its current state, then every change in order, none lost, and the current state again with new
   * confirmation counts as blocks arrive, while any are awaited. Null if there is no such payment, or if it belongs to
   * a merchant other than `merchantId` (null for any).
   */
  followPayment(id: string, merchantId: string | null): Promise<AsyncIterableIterator<PaymentSnapshot> | null>;
  /** Follows all payments of a merchant: changes only, in order. */
  followMerchant(merchantId: string): AsyncIterableIterator<PaymentSnapshot>;
  /** Follows one invoice as `followPayment` follows a payment; its confirmations are those of its payments. */
  followInvoice(id: string, merchantId: string | null): Promise<AsyncIterableIterator<InvoiceSnapshot> | null>;
  /** Follows all invoices of a merchant: changes only, in order. */
  followMerchantInvoices(merchantId: string): AsyncIterableIterator<InvoiceSnapshot>;
  /** Follows all withdrawals and refunds of a merchant: changes only, in order for each. */
  followMerchantPayouts(merchantId: string): AsyncIterableIterator<PayoutSnapshot>;
  /** Follows all deliveries of a merchant: created, attempted, disabled; in order for each delivery. */
  followDeliveries(merchantId: string): Promise<AsyncIterableIterator<Delivery>>;
  /**
   * Follows a merchant's event log after a sequence number, without gaps and in order; null for new events only. Each
   * event read from the past waits for `letPass`, whose signal aborts when the subscriber is gone.
   */
  followEvents(
    merchantId: string,
    after: number | null,
    letPass?: (signal: AbortSignal) => Promise<void>,
  ): Promise<AsyncIterableIterator<LogEntry>>;
}
