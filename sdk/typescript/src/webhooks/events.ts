// The events that webhooks bring, by their types.

import type { Schemas } from '../types.ts';

/** A verified event. Its `id` stays the same over all attempts and resends: store it, and act on it only once. */
export type TurnpikeEvent = PaymentEvent | InvoiceEvent | PayoutEvent | TestEvent;

/** A payment changed its state, or was refunded. */
export interface PaymentEvent extends EventEnvelope {
  readonly type: 'payment.succeeded' | 'payment.failed' | 'payment.expired' | 'payment.refunded';
  /** The full payment at the time of the event, as `GET /payments/{id}` shows it. Parse amounts as decimals. */
  readonly data: { readonly payment: Schemas['Payment'] };
}

/** An invoice was created, changed its state, or was refunded. */
export interface InvoiceEvent extends EventEnvelope {
  readonly type:
    | 'invoice.created'
    | 'invoice.processing'
    | 'invoice.settled'
    | 'invoice.failed'
    | 'invoice.expired'
    | 'invoice.refunded';
  /** The full invoice at the time of the event, as `GET /invoices/{id}` shows it. */
  readonly data: { readonly invoice: Schemas['Invoice'] };
}

type PayoutStep = 'requested' | 'broadcast' | 'completed' | 'failed' | 'rejected';

/** A withdrawal or a refund went on; for endpoints that name these types. */
export type PayoutEvent = WithdrawalEvent | RefundEvent;

interface WithdrawalEvent extends EventEnvelope {
  readonly type: `withdrawal.${PayoutStep}`;
  readonly data: { readonly withdrawal: Schemas['Withdrawal'] };
}

interface RefundEvent extends EventEnvelope {
  readonly type: `refund.${PayoutStep}`;
  readonly data: { readonly refund: Schemas['RefundRecord'] };
}

/** The test event that a merchant requested. */
export interface TestEvent extends EventEnvelope {
  readonly type: 'webhook.test';
  readonly data: Readonly<Record<string, never>>;
}

interface EventEnvelope {
  /** `evt_…` */
  readonly id: string;
  readonly apiVersion: 'v1';
  readonly environment: 'sandbox' | 'live';
  /** ISO 8601, UTC. */
  readonly createdAt: string;
}
