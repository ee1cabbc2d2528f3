// The browsers that somebody has signed in from. Each is known for a year by a secret in its cookie, of which only the
// digest is kept (contract-people-payouts, section A).

import { createHash, randomBytes } from 'node:crypto';
import { query, type EntityManager } from '../../database/connection.ts';
import { DEVICE_KNOWN_FOR_MS } from '../merchants/sign-in-addresses.ts';

/** Browsers that a person is known by; one more, and the one not seen for the longest is forgotten. */
const MOST_DEVICES = 50;

/** A browser that somebody signs in from. */
export interface Device {
  /** The digest of the secret that it shows; null if it has none. */
  readonly shown: Buffer | null;
  /** The digest of the secret that it gets if it is not known. */
  readonly next: Buffer;
}

/** A fresh secret for a browser: 256 random bits. */
export const newDeviceSecret = (): string => randomBytes(32).toString('base64url');

/** What is kept of a secret. */
export const digestOfDevice = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/**
 * Notes in the current transaction that a person uses a browser; returns whether they are known by the secret that it
 * shows. If they are not, it is theirs by the next one, and so it is for others who share it: a secret that somebody
 * planted there opens nothing any more.
 */
export async function noteDevice(
  em: EntityManager,
  { shown, next }: Device,
  personId: string,
  now: Date,
): Promise<boolean> {
  const known =
    shown === null
      ? []
      : await query(
          em,
          `update person_device set last_seen_at = $3
           where digest = $1 and person_id = $2 and last_seen_at > $4 returning 1`,
          [shown, personId, now, new Date(now.getTime() - DEVICE_KNOWN_FOR_MS)],
        );
  if (known.length > 0) return true;
  if (shown !== null) await query(em, 'update person_device set digest = $2 where digest = $1', [shown, next]);
  await query(
    em,
    `with noted as (
       insert into person_device (digest, person_id, created_at, last_seen_at) values ($1, $2, $3, $3)
       on conflict (digest, person_id) do update set last_seen_at = excluded.last_seen_at
     )
     delete from person_device where person_id = $2 and digest in (
       select digest from person_device where person_id = $2 and digest <> $1
       order by last_seen_at desc, digest offset $4)`,
    [next, personId, now, MOST_DEVICES - 1],
  );
  return false;
}

/** Forgets the browsers of a person in the current transaction, all but one: others may have the password there. */
export async function forgetDevices(em: EntityManager, personId: string, but: Buffer | null): Promise<void> {
  await query(em, 'delete from person_device where person_id = $1 and digest is distinct from $2::bytea', [
    personId,
    but,
  ]);
}
