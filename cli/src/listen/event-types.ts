// The types of events that are sent as webhooks, as the gateway decides it (src/domain/events/record.ts).

/** What an endpoint gets that names no types. */
export const USUAL_TYPES = [
  'payment.succeeded',
  'payment.failed',
  'payment.expired',
  'payment.refunded',
  'invoice.created',
  'invoice.processing',
  'invoice.settled',
  'invoice.failed',
  'invoice.expired',
  'invoice.refunded',
] as const;

/** What only an endpoint gets that names it. */
export const PAYOUT_TYPES = [
  'withdrawal.requested',
  'withdrawal.broadcast',
  'withdrawal.completed',
  'withdrawal.failed',
  'withdrawal.rejected',
  'refund.requested',
  'refund.broadcast',
  'refund.completed',
  'refund.failed',
  'refund.rejected',
] as const;
