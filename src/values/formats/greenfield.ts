// The words of BTCPay Server's Greenfield API for ours: forms and events of webhooks (decision 0089).

/** How an endpoint's webhooks are written: as ours, or as those of BTCPay Server. */
export const WEBHOOK_FORMS = ['TURNPIKE', 'GREENFIELD'] as const;
export type WebhookForm = (typeof WEBHOOK_FORMS)[number];

/**
 * Our event types that webhooks of BTCPay Server have a word for. `invoice.failed` of an underpaid invoice is theirs of
 * an expired one that was paid in part.
 */
export const GREENFIELD_EVENTS = {
  'invoice.created': 'InvoiceCreated',
  'invoice.processing': 'InvoiceProcessing',
  'invoice.settled': 'InvoiceSettled',
  'invoice.expired': 'InvoiceExpired',
  'invoice.failed': 'InvoiceInvalid',
} as const;

/** Whether an endpoint of that form can be told of an event. */
export const isGreenfieldEvent = (type: string): type is keyof typeof GREENFIELD_EVENTS =>
  Object.hasOwn(GREENFIELD_EVENTS, type);
