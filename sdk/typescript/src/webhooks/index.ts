// For receivers of webhooks, the package's entry `webhooks`: verifies a delivery, and acts on an event once. It needs
// nothing but WebCrypto.

export { handleWebhook, SeenInMemory, type Claim, type Outcome, type SeenEvents } from './replay.ts';
export { WebhookVerificationError, type WebhookFault } from './verification-error.ts';
export { verifyWebhook, type Delivery } from './verify.ts';
export type { InvoiceEvent, PaymentEvent, PayoutEvent, TestEvent, TurnpikeEvent } from './events.ts';
