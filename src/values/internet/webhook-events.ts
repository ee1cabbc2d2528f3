// The types of events that are sent as webhooks, and when each is (contract, section 7; contract-invoices, section 8;
// contract-people-payouts, section D).

/** The types that endpoints get that name none, and when each is sent. */
const USUAL = {
  'payment.succeeded': 'The full amount of a payment is confirmed.',
  'payment.failed': 'A payment was underpaid, never confirmed, or left the chain.',
  'payment.expired': 'Nothing arrived for a payment in time.',
  'payment.refunded': 'A refund of a payment is confirmed; sent for each.',
  'invoice.created': 'An invoice was created.',
  'invoice.processing': 'Enough was seen for an invoice; confirmations are awaited.',
  'invoice.settled': 'Enough for an invoice is confirmed.',
  'invoice.failed': 'An invoice was underpaid, never confirmed, or its money left the chain.',
  'invoice.expired': 'Nothing arrived for an invoice in time.',
  'invoice.refunded': 'A refund of a payment of an invoice is confirmed; sent for each.',
} as const;

/** All that endpoints may name; those of payouts are sent only to endpoints that do. */
export const EVENT_DESCRIPTIONS = {
  ...USUAL,
  'withdrawal.requested': 'A withdrawal was requested.',
  'withdrawal.broadcast': 'The transaction of a withdrawal was sent to its network.',
  'withdrawal.completed': 'A withdrawal is confirmed.',
  'withdrawal.failed': 'A withdrawal failed; its amount is available again.',
  'withdrawal.rejected': 'A withdrawal that waited for approval was rejected.',
  'refund.requested': 'A refund was requested.',
  'refund.broadcast': 'The transaction of a refund was sent to its network.',
  'refund.completed': 'A refund is confirmed.',
  'refund.failed': 'A refund failed; its amount is available again.',
  'refund.rejected': 'A refund that waited for approval was rejected.',
} as const;

export type PublicEventType = keyof typeof EVENT_DESCRIPTIONS;

const namesOf = <Name extends string>(table: Readonly<Record<Name, string>>) => Object.keys(table) as Name[];

/** The types that endpoints get that name none. */
export const USUAL_EVENT_TYPES: readonly (keyof typeof USUAL)[] = namesOf(USUAL);

/** All types that are sent as webhooks, test events aside. */
export const PUBLIC_EVENT_TYPES: readonly PublicEventType[] = namesOf(EVENT_DESCRIPTIONS);
