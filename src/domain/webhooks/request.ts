// What a webhook is: the headers and the body of an attempt, in the form of its endpoint.

import type { WebhookForm } from '../../values/formats/greenfield.ts';
import { greenfieldPost } from './greenfield.ts';
import { signatureHeaders } from './signature.ts';

/** An attempt to be written. */
export interface WrittenAttempt {
  readonly eventId: string;
  readonly deliveryId: string;
  /** Null if it goes to a `callbackUrl`. */
  readonly endpointId: string | null;
  readonly merchantId: string;
  readonly form: WebhookForm;
  /** From 1. */
  readonly attempt: number;
  /** When it starts. */
  readonly at: Date;
  /** The event's body. */
  readonly body: Buffer;
  /** The current secret first, then the rotated one while the two overlap. */
  readonly secrets: readonly string[];
}

/** The headers that prove where a webhook comes from. */
export const SIGNATURES: readonly string[] = ['X-PGW-Signature', 'webhook-signature', 'BTCPay-Sig'];

/** Writes an attempt; the same attempt always comes out the same. */
export function writeRequest(written: WrittenAttempt): { headers: Readonly<Record<string, string>>; body: Buffer } {
  const timestampSeconds = Math.floor(written.at.getTime() / 1_000);
  if (written.form === 'GREENFIELD') return greenfieldPost(written, timestampSeconds);
  return { headers: signatureHeaders({ ...written, timestampSeconds }), body: written.body };
}
