// Keys derived from the deployment's one secret, and the digests under which API-key secrets are stored.

import { hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { base32 } from '../id.ts';
import { keyedDigest } from './keyed-digest.ts';

export type Environment = 'sandbox' | 'live';

/** What the deployment's secret is used for, each use with a key of its own (HKDF-SHA256, RFC 5869). */
export interface Secrets {
  /** Signs access tokens. */
  readonly tokenKey: Uint8Array;
  /** Tokens signed with these are valid as well, until they expire: what signed before the key was changed. */
  readonly olderTokenKeys: readonly Uint8Array[];
  /** Keys the digests of API-key secrets. */
  readonly digestKey: Uint8Array;
  /** Keys the digests of what was sent with an idempotency key. */
  readonly onceKey: Uint8Array;
  /** Keys the digests under which attempts at signing in are counted. */
  readonly signInKey: Uint8Array;
}

/**
 * Derives the working keys from the configured secret. `tokenSecrets`, where there are any, sign access tokens in its
 * place: the first signs, and what the others signed is still valid.
 */
export function deriveSecrets(secret: string, tokenSecrets: readonly string[] = []): Secrets {
  const derive = (from: string, use: string) => new Uint8Array(hkdfSync('sha256', from, '', `turnpike ${use}`, 32));
  const [signing = secret, ...older] = tokenSecrets;
  return {
    tokenKey: derive(signing, 'access tokens'),
    olderTokenKeys: older.map((former) => derive(former, 'access tokens')),
    digestKey: derive(secret, 'api key digests'),
    onceKey: derive(secret, 'idempotency digests'),
    signInKey: derive(secret, 'sign-in attempts'),
  };
}

const infix = (environment: Environment) => (environment === 'live' ? 'live' : 'test');

/** Makes a key pair: a public id with 160 and a secret with 280 random bits, prefixed by the environment. */
export function newKeyPair(environment: Environment): { keyId: string; secret: string } {
  return {
    keyId: `pk_${infix(environment)}_${base32(randomBytes(20))}`,
    secret: `sk_${infix(environment)}_${base32(randomBytes(35))}`,
  };
}

/** Whether a key id or secret carries the prefix of the environment that this deployment is not. */
export function isOfOtherEnvironment(text: string, environment: Environment): boolean {
  const other = environment === 'live' ? 'test' : 'live';
  return text.startsWith(`pk_${other}_`) || text.startsWith(`sk_${other}_`);
}

/** The digest of an API key's secret: HMAC-SHA256, so that a copy of the table alone confirms no guess. */
export function digestSecret(secrets: Secrets, secret: string): Buffer {
  return keyedDigest(secrets.digestKey, secret);
}

/** Compares digests in constant time. */
export function sameDigest(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
