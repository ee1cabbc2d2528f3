// Hashes and verifies passwords with argon2id (RFC 9106) and the parameters recommended by OWASP.

import { hash, verify } from '@node-rs/argon2';

/** Memory in KiB, passes, lanes: OWASP's second recommended setting. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Hashes a password; takes about 20 ms on another thread. */
export function hashPassword(password: string): Promise<string> {
  return hash(password, COST);
}

/** Verifies a password against a stored hash. */
export function verifyPassword(stored: string, password: string): Promise<boolean> {
  return verify(stored, password);
}
