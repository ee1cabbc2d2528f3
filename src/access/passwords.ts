// Passwords: argon2id (RFC 9106) with the parameters OWASP names.

import { hash, verify } from '@node-rs/argon2';

/** Memory in KiB, passes, lanes: the second recommended OWASP setting. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Hashes a password; about 20 ms of another thread. */
export function hashPassword(password: string): Promise<string> {
  return hash(password, COST);
}

/** Verifies a password against a stored hash. */
export function verifyPassword(stored: string, password: string): Promise<boolean> {
  return verify(stored, password);
}
