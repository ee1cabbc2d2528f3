// The types of events that are sent as webhooks, in words.

export const EVENT_TYPES: readonly (readonly [type: string, words: string])[] = [
  ['payment.succeeded', 'Payment succeeded'],
  ['payment.failed', 'Payment failed'],
  ['payment.expired', 'Payment expired'],
  ['payment.refunded', 'Payment refunded'],
  ['invoice.created', 'Invoice created'],
  ['invoice.processing', 'Invoice processing'],
  ['invoice.settled', 'Invoice settled'],
  ['invoice.failed', 'Invoice failed'],
  ['invoice.expired', 'Invoice expired'],
  ['invoice.refunded', 'Invoice refunded'],
  ['withdrawal.requested', 'Withdrawal requested'],
  ['withdrawal.broadcast', 'Withdrawal sent'],
  ['withdrawal.completed', 'Withdrawal completed'],
  ['withdrawal.failed', 'Withdrawal failed'],
  ['withdrawal.rejected', 'Withdrawal rejected'],
  ['refund.requested', 'Refund requested'],
  ['refund.broadcast', 'Refund sent'],
  ['refund.completed', 'Refund completed'],
  ['refund.failed', 'Refund failed'],
  ['refund.rejected', 'Refund rejected'],
];

/** Their groups by what they are about, in the order of the types. */
export const EVENT_GROUPS = ['Payments', 'Invoices', 'Withdrawals', 'Refunds'].map((title) => ({
  title,
  options: EVENT_TYPES.filter(([type]) => type.startsWith(`${title.slice(0, -1).toLowerCase()}.`)),
}));

const WORDS = new Map(EVENT_TYPES);

export const wordsOfType = (type: string): string => WORDS.get(type) ?? type;
