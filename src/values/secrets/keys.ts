// Working keys derived from the deployment's secret, and the digests of API-key secrets.

import { hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { ownCell } from '../cells/own-cell.ts';
import { base32 } from '../id.ts';
import { keyedDigest } from './keyed-digest.ts';

export type Environment = 'sandbox' | 'live';

/** One derived key for each use of the deployment's secret (HKDF-SHA256, RFC 5869). */
export interface Secrets {
  /** Signs access tokens. */
  readonly tokenKey: Uint8Array;
  /** Keys that signed tokens before the current one; their tokens stay valid until they expire. */
  readonly olderTokenKeys: readonly Uint8Array[];
  /** Keys the digests of API-key secrets. */
  readonly digestKey: Uint8Array;
  /** Keys the digests of requests sent with an idempotency key. */
  readonly idempotencyKey: Uint8Array;
  /** Keys the secrets of links in mails. */
  readonly linkKey: Uint8Array;
  /** Keys the digests under which sign-in attempts are counted. */
  readonly signInKey: Uint8Array;
  /** Keys the digests that stand for erased customers. */
  readonly customerKey: Uint8Array;
  /** Seals the secrets of authenticator apps. */
  readonly sealKey: Uint8Array;
  /** Keys the seals of files that are stored for browsers. */
  readonly fileKey: Uint8Array;
}

/**
 * Derives the working keys from the configured secret. If there are `tokenSecrets`, they sign access tokens instead of
 * `secret`: the first one signs, and tokens signed by the others stay valid.
 */
export function deriveSecrets(secret: string, tokenSecrets: readonly string[] = []): Secrets {
  const derive = (from: string, use: string) => new Uint8Array(hkdfSync('sha256', from, '', `turnpike ${use}`, 32));
  const [signing = secret, ...older] = tokenSecrets;
  return {
    tokenKey: derive(signing, 'access tokens'),
    olderTokenKeys: older.map((former) => derive(former, 'access tokens')),
    digestKey: derive(secret, 'api key digests'),
    idempotencyKey: derive(secret, 'idempotency digests'),
    linkKey: derive(secret, 'links in mails'),
    signInKey: derive(secret, 'sign-in attempts'),
    customerKey: derive(secret, 'digests of customers'),
    sealKey: derive(secret, 'sealed secrets'),
    fileKey: derive(secret, 'files for browsers'),
  };
}

const infix = (environment: Environment) => (environment === 'live' ? 'live' : 'test');

/**
 * Makes a key pair: a public id with 160 random bits and a secret with 280, prefixed by the environment. In a cell, `u`
 * and its three digits take the place of 20 of them: base32 has no `u`, so a key of another form never has it there.
 */
export function newKeyPair(environment: Environment): { keyId: string; secret: string } {
  const own = ownCell();
  const inCell = (random: string) =>
    own === null ? random : `u${String(own.cell).padStart(3, '0')}${random.slice(4)}`;
  return {
    keyId: `pk_${infix(environment)}_${inCell(base32(randomBytes(20)))}`,
    secret: `sk_${infix(environment)}_${inCell(base32(randomBytes(35)))}`,
  };
}

/** Whether a key id or secret has the prefix of the other environment. */
export function isOfOtherEnvironment(text: string, environment: Environment): boolean {
  const other = environment === 'live' ? 'test' : 'live';
  return text.startsWith(`pk_${other}_`) || text.startsWith(`sk_${other}_`);
}

/** The digest of an API key's secret. It is an HMAC, so a copy of the table alone cannot confirm a guess. */
export function digestSecret(secrets: Secrets, secret: string): Buffer {
  return keyedDigest(secrets.digestKey, secret);
}

/** Compares digests in constant time. */
export function sameDigest(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
