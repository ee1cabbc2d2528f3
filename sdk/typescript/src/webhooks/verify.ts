// Verifies the signature of a webhook: HMAC-SHA256 over `<t>.<raw body>`, as the header X-PGW-Signature says.

import type { TurnpikeEvent } from './events.ts';
import { WebhookVerificationError } from './verification-error.ts';

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
   * How old, or how far in the future, the signed time may be, in seconds; 300 by default. It limits how long a
   * recorded delivery can be replayed.
   */
  readonly toleranceSeconds?: number;
}

const TOLERANCE_SECONDS = 300;
/** The gateway signs with two secrets at most; work for a stranger's header is bounded. */
const MOST_CANDIDATES = 8;
const HMAC = { name: 'HMAC', hash: 'SHA-256' };

/**
 * Verifies a delivery and returns its event. The key is the UTF-8 bytes of the whole secret, the signature lower-case
 * hex; one `v1` that matches one secret is enough. Compared in constant time. Throws {@link WebhookVerificationError},
 * or a TypeError if called without a secret.
 */
export async function verifyWebhook(delivery: Delivery): Promise<TurnpikeEvent> {
  const { rawBody, signature, secrets, now = new Date(), toleranceSeconds = TOLERANCE_SECONDS } = delivery;
  // Otherwise an unset variable would be a key that anyone can sign with.
  if (secrets.length === 0 || secrets.some((secret) => !secret)) throw new TypeError('verifyWebhook needs the secret');
  const { time, candidates } = readSignature(signature);
  const offBySeconds = Math.round(now.getTime() / 1_000 - Number(time));
  if (Math.abs(offBySeconds) > toleranceSeconds) {
    const way = offBySeconds > 0 ? 'before' : 'after';
    throw new WebhookVerificationError(
      'outside-tolerance',
      `signed ${Math.abs(offBySeconds)} s ${way} it arrived; at most ${toleranceSeconds} s are accepted`,
    );
  }
  const signed = joinBytes(new TextEncoder().encode(`${time}.`), rawBody);
  if (!(await isSigned(signed, candidates, secrets)))
    throw new WebhookVerificationError('no-match', 'no v1 signature matches: another secret, or the body was changed');
  return readEvent(rawBody);
}

type Bytes = Uint8Array<ArrayBuffer>;

/** Ignores entries with other names: a later version of the scheme may add some. */
function readSignature(header: Delivery['signature']): { time: string; candidates: readonly Bytes[] } {
  const text = typeof header === 'string' ? header : header?.join(',');
  if (!text) throw new WebhookVerificationError('missing-signature', 'there is no X-PGW-Signature header');
  const entries = text.split(',').map((entry) => entry.trim());
  const times = entries.filter((entry) => entry.startsWith('t='));
  const [time] = times;
  const candidates = entries.filter((entry) => /^v1=[0-9a-f]{64}$/.test(entry)).slice(0, MOST_CANDIDATES);
  if (times.length !== 1 || !time || !/^t=[0-9]{1,12}$/.test(time) || candidates.length === 0)
    throw new WebhookVerificationError(
      'malformed-signature',
      'X-PGW-Signature is not like t=<unix>, v1=<64 hex digits>',
    );
  return { time: time.slice(2), candidates: candidates.map((entry) => fromHex(entry.slice(3))) };
}

async function isSigned(signed: Bytes, candidates: readonly Bytes[], secrets: readonly string[]): Promise<boolean> {
  for (const secret of secrets) {
    const key = await crypto.subtle.importKey('raw', new TextEncoder().encode(secret), HMAC, false, ['verify']);
    for (const candidate of candidates) if (await crypto.subtle.verify('HMAC', key, candidate, signed)) return true;
  }
  return false;
}

const fromHex = (hex: string): Bytes => Uint8Array.from(hex.match(/../g) ?? [], (byte) => parseInt(byte, 16));

function joinBytes(head: Uint8Array, tail: Uint8Array): Bytes {
  const joined = new Uint8Array(head.length + tail.length);
  joined.set(head);
  joined.set(tail, head.length);
  return joined;
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
