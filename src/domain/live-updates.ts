// Live updates as the resolvers see them. The dispatcher's tail of the event log stands behind it.

import type { PaymentSnapshot } from './payment-snapshot.ts';

/** A change as published: the payment as of the event, its merchant and its version. */
export interface PaymentChange {
  readonly merchantId: string;
  readonly version: number;
  readonly payment: PaymentSnapshot;
}

export interface LiveUpdates {
  /**
   * Follows one payment: its current state first, then every change in order, none lost, and the present state again
   * with new confirmation counts as blocks arrive while any are awaited. Null when there is no such payment
   * (or not of this merchant, where `merchantId` is not null).
   */
  followPayment(id: string, merchantId: string | null): Promise<AsyncIterableIterator<PaymentSnapshot> | null>;
  /** Follows all payments of a merchant: changes only, in order. */
  followMerchant(merchantId: string): AsyncIterableIterator<PaymentSnapshot>;
}
