// Authenticator apps: time-based codes (RFC 6238) of six digits, each of which counts once. The library computes them;
// the secrets are sealed in the database.

import { Secret, TOTP } from 'otpauth';
import { query, type EntityManager } from '../../database/connection.ts';
import type { Secrets } from '../../values/secrets/keys.ts';
import { unseal } from '../../values/secrets/sealed.ts';
import type { Deps } from '../deps.ts';

const STEP_SECONDS = 30;
/** Steps before and after the present one whose codes are good: clocks differ, and people take their time. */
const WINDOW = 1;
const SECRET_BYTES = 20;
const ISSUER = 'Turnpike';
const CODE = /^[0-9]{6}$/;

/** What an authenticator app is given: the secret in base32, and the same as an `otpauth:` address. */
export interface NewSecret {
  readonly secret: string;
  readonly uri: string;
}

const totpOf = (secret: Secret, label: string) =>
  new TOTP({ issuer: ISSUER, label, secret, algorithm: 'SHA1', digits: 6, period: STEP_SECONDS });

/** Makes a secret of 160 random bits for a person. */
export function newTotpSecret(email: string): NewSecret {
  const secret = new Secret({ size: SECRET_BYTES });
  return { secret: secret.base32, uri: totpOf(secret, email).toString() };
}

/** The step whose code this is; null if it belongs to neither the present one nor the one before or after. */
export function stepOf(secret: string, code: string, at: Date): number | null {
  // The library compares bytes, and throws where six characters are more than six of them.
  if (!CODE.test(code)) return null;
  const delta = totpOf(Secret.fromBase32(secret), '').validate({
    token: code,
    timestamp: at.getTime(),
    window: WINDOW,
  });
  return delta === null ? null : Math.floor(at.getTime() / 1_000 / STEP_SECONDS) + delta;
}

/** A factor that a code belongs to, and the code's step. */
export interface TotpMatch {
  readonly factorId: string;
  readonly step: number;
}

/** Finds which of a person's authenticator apps shows a code now; null if none does. */
export async function matchTotp(
  { db, clock, secrets }: Pick<Deps, 'db' | 'clock'> & { readonly secrets: Pick<Secrets, 'sealKey'> },
  personId: string,
  code: string,
): Promise<TotpMatch | null> {
  const rows = await query<{ id: string; sealed: Buffer }>(
    db.em,
    `select id, sealed_secret as sealed from factor where person_id = $1 and kind = 'TOTP' order by id`,
    [personId],
  );
  const now = clock.now();
  for (const { id, sealed } of rows) {
    const secret = unseal(secrets.sealKey, sealed, id);
    const step = secret === null ? null : stepOf(secret, code, now);
    if (step !== null) return { factorId: id, step };
  }
  return null;
}

/** Uses a code in the current transaction; false if it, or a later one, was used before. */
export async function useTotp(em: EntityManager, { factorId, step }: TotpMatch, now: Date): Promise<boolean> {
  const used = await query(
    em,
    'update factor set last_step = $2, last_used_at = $3 where id = $1 and last_step < $2 returning 1',
    [factorId, step, now],
  );
  return used.length > 0;
}
