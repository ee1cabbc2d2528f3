// Idempotency: one effect for each key (contract, section 2). The key's row commits in the business transaction and
// holds the operation's answer, so that a repeat gets the same answer without further effect.

import { hash } from 'node:crypto';
import { query, type EntityManager } from '../database/connection.ts';
import { GatewayError } from '../values/errors.ts';
import { sameDigest, type Secrets } from '../values/secrets/keys.ts';

/** Identifies a request: the merchant (for registration the e-mail), the operation, the caller's key and the input. */
export interface IdempotencyKey {
  readonly scope: string;
  readonly operation: string;
  readonly key: string;
  /** The stored form: a version byte and a keyed digest of the input. */
  readonly inputDigest: Buffer;
}

/** An answer, and whether it repeats that of an earlier request. */
export interface IdempotentResult<Result> {
  readonly result: Result;
  readonly replayed: boolean;
}

interface StoredRow {
  input_digest: Buffer;
  result: unknown;
}

const inFlight = new Set<string>();
/** Names a key for locks. */
export const nameOf = ({ scope, operation, key }: IdempotencyKey) => JSON.stringify([scope, operation, key]);

/** The first byte: the version of the digest. */
const VERSION = Buffer.from([1]);

/**
 * The digest of an input, independent of the order of its fields. It is keyed by the deployment's secret, so that a
 * copy of the table cannot confirm guesses about requests. Passwords and other secrets must not be part of an input.
 *
 * The key is a prefix, which is safe with SHA-512/256 (FIPS 180-4) because it resists length extension. It saves one
 * hash and one object per order compared with HMAC.
 */
export function digestOf({ idempotencyKey }: Pick<Secrets, 'idempotencyKey'>, input: unknown): Buffer {
  const keyed = Buffer.concat([idempotencyKey, Buffer.from(canonical(input))]);
  return Buffer.concat([VERSION, hash('sha512-256', keyed, 'buffer')]);
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value ?? null);
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  fields.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`).join(',')}}`;
}

/**
 * Runs `work`; throws 2003 if this process is already working on the key. Other processes are detected by `takeKey`.
 */
export async function whileInFlight<Result>(key: IdempotencyKey | null, work: () => Promise<Result>): Promise<Result> {
  if (key === null) return work();
  const name = nameOf(key);
  if (inFlight.has(name)) throw new GatewayError('IDEMPOTENCY_IN_FLIGHT');
  inFlight.add(name);
  try {
    return await work();
  } finally {
    inFlight.delete(name);
  }
}

/**
 * Locks a key until the transaction ends and returns the answer stored under it; null if there is none. Throws 2003 if
 * another process is working on it, before this one could fail because of the other's effects (a spent balance, a taken
 * e-mail address), and 2002 as `findAnswer` does.
 */
export async function takeKey<Result>(em: EntityManager, key: IdempotencyKey): Promise<Result | null> {
  // A statement of its own, so that the next one sees everything committed before the lock was taken.
  const [row] = await query<{ taken: boolean }>(
    em,
    'select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as taken',
    [nameOf(key)],
  );
  if (!row?.taken) throw new GatewayError('IDEMPOTENCY_IN_FLIGHT');
  return findAnswer<Result>(em, key);
}

/** The answer stored under a key; null if there is none. Throws 2002 if it was given to a different input. */
export async function findAnswer<Result>(em: EntityManager, key: IdempotencyKey): Promise<Result | null> {
  const rows = await query<StoredRow>(
    em,
    'select input_digest, result from idempotency where scope = $1 and operation = $2 and key = $3',
    [key.scope, key.operation, key.key],
  );
  const row = rows[0];
  if (!row) return null;
  const { input_digest: stored } = row;
  if (!sameDigest(stored, key.inputDigest)) throw new GatewayError('IDEMPOTENCY_MISMATCH');
  return row.result as Result;
}

/** Stores an answer in the current transaction; false if another request has stored one meanwhile. */
export async function storeAnswer(
  em: EntityManager,
  key: IdempotencyKey,
  result: unknown,
  now: Date,
): Promise<boolean> {
  const rows = await query(
    em,
    `insert into idempotency (scope, operation, key, input_digest, result, created_at)
     values ($1, $2, $3, $4, $5, $6) on conflict do nothing returning 1`,
    [key.scope, key.operation, key.key, key.inputDigest, JSON.stringify(result), now],
  );
  return rows.length === 1;
}
