// The client's log: what was requested, and what was answered with 2xx. At the end of the run, all of it must be true.

/** A merchant that the run created. */
export interface Shop {
  readonly merchantId: string;
  readonly token: string;
  readonly webhookSecret: string;
  /** The URLs of its endpoints; they never change. */
  readonly endpoints: readonly string[];
  /** The events it has read from GET /events so far: ids by sequence, which never change. */
  readonly eventsRead: Map<number, string>;
  /** The ids of the public events among them, to be resent. */
  readonly publicEvents: string[];
}

/** An order, identified by the reference that its merchant gave it. */
export interface OrderNote {
  readonly shop: Shop;
  readonly reference: string;
  readonly callbackUrl: string | null;
  readonly currency: string;
  /** A decimal number. */
  readonly amount: string;
  /** The id in its 201 answer; null without such an answer. */
  orderId: string | null;
}

/** An invoice, identified by the reference that its merchant gave it. */
export interface InvoiceNote {
  readonly shop: Shop;
  readonly reference: string;
  readonly callbackUrl: string | null;
  /** The id in its 201 answer; null without such an answer. */
  invoiceId: string | null;
}

/** A requested deposit; not repeated, because the call is not idempotent. */
export interface DepositNote {
  readonly orderId: string;
  readonly currency: string;
  readonly amount: string;
  answered: boolean;
}

/** A withdrawal or refund; repeated under its idempotency key until it is answered. */
export interface PayoutNote {
  readonly shop: Shop;
  readonly kind: 'withdrawal' | 'refund';
  /** An address used only here, so that whatever it received is this payout and nothing else. */
  readonly address: string;
  readonly currency: string;
  readonly amount: string;
  readonly orderId: string | null;
  /** The merchant's own id of a withdrawal; null for a refund. */
  readonly merchantWithdrawalId: string | null;
  /** The id in its 201 answer; null without such an answer. */
  id: string | null;
  /** The error code it was refused with. */
  refused: string | null;
}

export interface Notes {
  readonly shops: Shop[];
  readonly orders: OrderNote[];
  readonly invoices: InvoiceNote[];
  readonly deposits: DepositNote[];
  /** Orders and invoices whose cancellation was answered with 200. */
  readonly canceled: string[];
  /** Event ids, once for each resend that was answered with 200. */
  readonly resent: string[];
  readonly payouts: PayoutNote[];
  /** Calls that were answered, and calls that were cut off or answered with 5xx. */
  readonly calls: { answered: number; unanswered: number };
}

export function createNotes(): Notes {
  return {
    ...{ shops: [], orders: [], invoices: [], deposits: [], canceled: [], resent: [], payouts: [] },
    calls: { answered: 0, unanswered: 0 },
  };
}
