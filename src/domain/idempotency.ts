// Idempotency: one effect for each key (contract, section 2). The key's row commits in the business transaction and
// holds what the operation answered, so that a repeat answers the same without doing anything.

import { createHash, hash } from 'node:crypto';
import { query, type EntityManager } from '../database/connection.ts';
import { GatewayError } from '../values/errors.ts';
import { sameDigest, type Secrets } from '../values/secrets/keys.ts';

/** Who repeats what: the merchant (for registration the e-mail), the operation, the caller's key and their input. */
export interface OnceKey {
  readonly scope: string;
  readonly operation: string;
  readonly key: string;
  /** As it is stored: its version, and a keyed digest of the input. */
  readonly inputDigest: Buffer;
  /** As it was stored before digests were keyed; an answer of that time is recognised by it while it is kept. */
  readonly formerDigest: () => Buffer;
}

/** An answer, and whether it is that of an earlier request. */
export interface Once<Result> {
  readonly result: Result;
  readonly replayed: boolean;
}

interface StoredRow {
  input_digest: Buffer;
  result: unknown;
}

const inFlight = new Set<string>();
const nameOf = ({ scope, operation, key }: OnceKey) => JSON.stringify([scope, operation, key]);

/** The first byte of a keyed digest. Those without a version are of 32 bytes, keyed ones of 33. */
const KEYED = Buffer.from([1]);

/**
 * The digests of an input, which do not depend on the order of its fields. They are keyed by the deployment's secret,
 * so that a copy of the table confirms no guess at what was asked for. Passwords and other secrets stay out of an
 * input.
 *
 * The key comes first and the hash is SHA-512/256 (FIPS 180-4), whose digest does not let a message be made longer.
 * That is a hash less than HMAC, and no object for the collector, in each order that is made.
 */
export function digestsOf({ onceKey }: Pick<Secrets, 'onceKey'>, input: unknown) {
  const text = canonical(input);
  return {
    inputDigest: Buffer.concat([KEYED, hash('sha512-256', Buffer.concat([onceKey, Buffer.from(text)]), 'buffer')]),
    formerDigest: () => createHash('sha256').update(text).digest(),
  };
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value ?? null);
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  fields.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`).join(',')}}`;
}

/** Runs `work` unless the key is being worked on in this process: 2003 then. Other processes meet in the database. */
export async function whileInFlight<Result>(key: OnceKey | null, work: () => Promise<Result>): Promise<Result> {
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
 * Takes a key for the transaction at hand, and answers what was answered under it before; null when nothing was. Throws
 * 2003 when another process works on it, before this one has done anything that could fail for the other's sake (a
 * balance that is spent, an e-mail address that is taken), and 2002 as `findAnswer` does.
 */
export async function takeKey<Result>(em: EntityManager, key: OnceKey): Promise<Result | null> {
  // Held to the end of the transaction. A statement of its own: the next one sees what was committed up to here.
  const [row] = await query<{ taken: boolean }>(
    em,
    'select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as taken',
    [nameOf(key)],
  );
  if (!row?.taken) throw new GatewayError('IDEMPOTENCY_IN_FLIGHT');
  return findAnswer<Result>(em, key);
}

/** The answer already given under a key; null when there is none. Throws 2002 when it was given to another input. */
export async function findAnswer<Result>(em: EntityManager, key: OnceKey): Promise<Result | null> {
  const rows = await query<StoredRow>(
    em,
    'select input_digest, result from idempotency where scope = $1 and operation = $2 and key = $3',
    [key.scope, key.operation, key.key],
  );
  const row = rows[0];
  if (!row) return null;
  const { input_digest: stored } = row;
  if (!sameDigest(stored, key.inputDigest) && !sameDigest(stored, key.formerDigest()))
    throw new GatewayError('IDEMPOTENCY_MISMATCH');
  return row.result as Result;
}

/** Stores an answer in the transaction at hand; false when another request has stored one meanwhile. */
export async function storeAnswer(em: EntityManager, key: OnceKey, result: unknown, now: Date): Promise<boolean> {
  const rows = await query(
    em,
    `insert into idempotency (scope, operation, key, input_digest, result, created_at)
     values ($1, $2, $3, $4, $5, $6) on conflict do nothing returning 1`,
    [key.scope, key.operation, key.key, key.inputDigest, JSON.stringify(result), now],
  );
  return rows.length === 1;
}
