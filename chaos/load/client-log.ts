// The client's log: what was requested, and what was answered with 2xx. At the end of the run, all of it must be true.

/** A merchant that the run made. */
export interface Shop {
  readonly merchantId: string;
  readonly token: string;
  readonly webhookSecret: string;
  /** The URLs of its endpoints; none of them is ever changed. */
  readonly endpoints: readonly string[];
  /** What it has read of GET /events so far: ids by sequence, which never change. */
  readonly eventsRead: Map<number, string>;
  /** Public events among them, to send again. */
  readonly publicEvents: string[];
}

/** An order, by the reference that its merchant gave it. */
export interface OrderNote {
  readonly shop: Shop;
  readonly reference: string;
  readonly callbackUrl: string | null;
  readonly currency: string;
  /** A decimal. */
  readonly amount: string;
  /** Answered with 201. */
  orderId: string | null;
}

/** A deposit that was asked for; not repeated, because the call has no idempotency. */
export interface DepositNote {
  readonly orderId: string;
  readonly amount: string;
  answered: boolean;
}

/** A withdrawal or refund; repeated under its idempotency key until it is answered. */
export interface PayoutNote {
  readonly shop: Shop;
  readonly kind: 'withdrawal' | 'refund';
  /** An address of its own, so that what it received is this payout and nothing else. */
  readonly address: string;
  readonly currency: string;
  readonly amount: string;
  readonly orderId: string | null;
  /** Of a withdrawal: what its merchant calls it. */
  readonly merchantWithdrawalId: string | null;
  /** Answered with 201. */
  id: string | null;
  /** The code it was refused with. */
  refused: string | null;
}

export interface Notes {
  readonly shops: Shop[];
  readonly orders: OrderNote[];
  readonly deposits: DepositNote[];
  /** Orders whose cancellation was answered with 200. */
  readonly canceled: string[];
  /** Event ids, once for each resend that was answered with 200. */
  readonly resent: string[];
  readonly payouts: PayoutNote[];
  /** Calls that were answered, and calls that were cut off or answered with 5xx. */
  readonly calls: { answered: number; unanswered: number };
}

export function createNotes(): Notes {
  return {
    ...{ shops: [], orders: [], deposits: [], canceled: [], resent: [], payouts: [] },
    calls: { answered: 0, unanswered: 0 },
  };
}
