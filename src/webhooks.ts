// For receivers of webhooks: verifies a delivery and returns its event. Published as `turnpike/webhooks`. It only needs
// Node, so the file can also be copied.

import { createHmac, timingSafeEqual } from 'node:crypto';

/** A delivery that arrived, and how to verify it. */
export interface Delivery {
  /** The body as received, byte for byte: a parsed and re-serialised body has another signature. */
  readonly rawBody: Uint8Array;
  /** The header `X-PGW-Signature`: `t=<unix seconds>, v1=<hex>`, with a second `v1` during a secret rotation. */
  readonly signature: string | readonly string[] | null | undefined;
  /** The `whsec_…` secrets to accept, in full. Two during a rotation on your side: the new one and the old one. */
  readonly secrets: readonly string[];
  /** When it arrived; now by default. */
  readonly now?: Date;
  /**
   * How old, or how far in the future, the signed time may be, in seconds. It limits how long a recorded delivery can
   * be replayed.
   */
  readonly toleranceSeconds?: number;
}

/** A verified event. Its `id` stays the same over all attempts and resends: store it, and act on it only once. */
export type TurnpikeEvent = PaymentEvent | InvoiceEvent | TestEvent;

/** A payment changed its state, or was refunded. */
export interface PaymentEvent extends EventEnvelope {
  readonly type: 'payment.succeeded' | 'payment.failed' | 'payment.expired' | 'payment.refunded';
  readonly data: { readonly payment: EventPayment };
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
  readonly data: { readonly invoice: EventInvoice };
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

/** The full payment at the time of the event. Amounts are decimal strings: parse them as decimals, never as floats. */
export interface EventPayment {
  readonly orderId: string;
  readonly merchantOrderId: string | null;
  readonly status:
    | 'PENDING'
    | 'PARTIALLY_PAID'
    | 'CONFIRMING'
    | 'SUCCEEDED'
    | 'FAILED'
    | 'EXPIRED'
    | 'CANCELED'
    | 'PARTIALLY_REFUNDED'
    | 'REFUNDED';
  readonly exception: 'UNDERPAID' | 'OVERPAID' | 'PAID_LATE' | 'UNCONFIRMED' | 'REORGED' | null;
  /** True if a sandbox simulation made it. */
  readonly test: boolean | null;
  readonly currency: string;
  readonly network: string;
  readonly address: string;
  readonly amount: string;
  readonly amountReceived: string;
  readonly amountConfirmed: string;
  readonly amountRefunded: string;
  readonly feeAmount: string;
  readonly confirmations: number;
  readonly requiredConfirmations: number;
  readonly transactions: readonly EventTransaction[];
  readonly productName: string | null;
  readonly customerEmail: string | null;
  readonly metadata: Readonly<Record<string, string>> | null;
  readonly paymentUrl: string;
  readonly callbackUrl: string | null;
  readonly returnUrl: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly expiresAt: string;
  readonly completedAt: string | null;
  /** The invoice that the payment belongs to. */
  readonly invoiceId: string | null;
}

/** One transaction that pays the payment. */
export interface EventTransaction {
  readonly txHash: string;
  readonly amount: string;
  readonly status: string;
  readonly confirmations: number;
  readonly blockNumber: number | null;
  readonly seenAt: string;
}

/** The full invoice at the time of the event. Amounts and values are in its currency, as decimal strings. */
export interface EventInvoice {
  readonly invoiceId: string;
  readonly status:
    | 'OPEN'
    | 'PARTIALLY_PAID'
    | 'PROCESSING'
    | 'SETTLED'
    | 'FAILED'
    | 'EXPIRED'
    | 'CANCELED'
    | 'PARTIALLY_REFUNDED'
    | 'REFUNDED';
  readonly exception: EventPayment['exception'];
  /** True if a sandbox simulation paid it. */
  readonly test: boolean | null;
  readonly amount: string;
  readonly currency: string;
  /** Null for every asset that the merchant takes. */
  readonly acceptedAssets: readonly { readonly currency: string; readonly network: string }[] | null;
  readonly description: string | null;
  readonly merchantInvoiceId: string | null;
  readonly linkId: string | null;
  readonly customerEmail: string | null;
  /** What the customer wrote into a payment link's form. */
  readonly customer: Readonly<Record<string, string>> | null;
  readonly returnUrl: string | null;
  readonly callbackUrl: string | null;
  readonly metadata: Readonly<Record<string, string>> | null;
  readonly invoiceUrl: string;
  readonly amountReceived: string;
  readonly amountConfirmed: string;
  readonly amountRefunded: string;
  readonly amountDue: string;
  /** Oldest first. */
  readonly payments: readonly EventInvoicePayment[];
  readonly expiresAt: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly settledAt: string | null;
}

/** A coin that the customer chose: its rate, and its payment, in that coin. Values are in the invoice's currency. */
export interface EventInvoicePayment extends Pick<
  EventPayment,
  | ('orderId' | 'currency' | 'network' | 'address' | 'amount' | 'status' | 'exception')
  | ('amountReceived' | 'amountConfirmed' | 'amountRefunded')
> {
  readonly rate: string;
  /** Null for a fixed rate. */
  readonly marketRate: string | null;
  /** In basis points. */
  readonly spread: number;
  readonly sources: readonly string[];
  readonly quotedAt: string;
  readonly quoteExpiresAt: string;
  readonly valueReceived: string;
  readonly valueConfirmed: string;
  readonly transactions: readonly (EventTransaction & { readonly rate: string; readonly value: string })[];
}

/** What can be wrong with a delivery. Answer 400 to any of them: the gateway shows it and tries again. */
export type WebhookFault =
  'missing-signature' | 'malformed-signature' | 'outside-tolerance' | 'no-match' | 'malformed-body';

/** Thrown for a delivery that must not be trusted; the message says why and contains no secret. */
export class WebhookVerificationError extends Error {
  readonly fault: WebhookFault;

  constructor(fault: WebhookFault, message: string) {
    super(message);
    this.name = 'WebhookVerificationError';
    this.fault = fault;
  }
}

const TOLERANCE_SECONDS = 300;

/**
 * Verifies a delivery and returns its event. The signature is HMAC-SHA256 over `<t>.<raw body>`, keyed with the UTF-8
 * bytes of the whole secret, in lower-case hex; one `v1` that matches one secret is enough. Compared in constant time.
 * Throws {@link WebhookVerificationError}, or a TypeError if called without a secret.
 */
export function verifyWebhook({ rawBody, signature, secrets, now = new Date(), ...rest }: Delivery): TurnpikeEvent {
  // Otherwise an unset variable would be a key that anyone can sign with.
  if (secrets.length === 0 || secrets.some((secret) => !secret)) throw new TypeError('verifyWebhook needs the secret');
  const { time, candidates } = readSignature(signature);
  const { toleranceSeconds = TOLERANCE_SECONDS } = rest;
  const offBySeconds = Math.round(now.getTime() / 1_000 - Number(time));
  if (Math.abs(offBySeconds) > toleranceSeconds) {
    const way = offBySeconds > 0 ? 'before' : 'after';
    throw new WebhookVerificationError(
      'outside-tolerance',
      `signed ${Math.abs(offBySeconds)} s ${way} it arrived; at most ${toleranceSeconds} s are accepted`,
    );
  }
  const expected = secrets.map((secret) => createHmac('sha256', secret).update(`${time}.`).update(rawBody).digest());
  if (!candidates.some((candidate) => expected.some((digest) => timingSafeEqual(digest, candidate))))
    throw new WebhookVerificationError('no-match', 'no v1 signature matches: another secret, or the body was changed');
  return readEvent(rawBody);
}

/** Ignores entries with other names: a later version of the scheme may add some. */
function readSignature(header: Delivery['signature']): { time: string; candidates: readonly Buffer[] } {
  const text = typeof header === 'string' ? header : header?.join(',');
  if (!text) throw new WebhookVerificationError('missing-signature', 'there is no X-PGW-Signature header');
  const entries = text.split(',').map((entry) => entry.trim());
  const times = entries.filter((entry) => entry.startsWith('t='));
  const [time] = times;
  const candidates = entries.filter((entry) => /^v1=[0-9a-f]{64}$/.test(entry));
  if (times.length !== 1 || !time || !/^t=[0-9]{1,12}$/.test(time) || candidates.length === 0)
    throw new WebhookVerificationError(
      'malformed-signature',
      'X-PGW-Signature is not like t=<unix>, v1=<64 hex digits>',
    );
  return { time: time.slice(2), candidates: candidates.map((entry) => Buffer.from(entry.slice(3), 'hex')) };
}

/** The gateway signed the body, so its fields are trusted as they are. */
function readEvent(rawBody: Uint8Array): TurnpikeEvent {
  try {
    const event = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(rawBody)) as TurnpikeEvent | null;
    if (typeof event?.id === 'string' && typeof event.type === 'string') return event;
  } catch {
    // Handled below, like a body that is not an event.
  }
  throw new WebhookVerificationError('malformed-body', 'the body is signed, but is no event in JSON');
}
