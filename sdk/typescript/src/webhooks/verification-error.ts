// What is wrong with a delivery that must not be trusted.

/** What can be wrong with a delivery. Answer 400 to any of them: the gateway shows it and tries again. */
export type WebhookFault =
  'missing-signature' | 'malformed-signature' | 'outside-tolerance' | 'no-match' | 'malformed-body';

/** Thrown for a delivery that must not be trusted; the message says why and contains no secret. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
  readonly fault: WebhookFault;

  constructor(fault: WebhookFault, message: string) {
    super(message);
    this.fault = fault;
  }
}
