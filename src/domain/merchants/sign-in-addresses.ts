// The addresses that owners signed in from before: attackers' wrong passwords do not lock them out there.

import { query, toDate, type EntityManager } from '../../database/connection.ts';
import { addressBucket } from '../../values/internet/address-bucket.ts';
import { keyedDigest } from '../../values/secrets/keyed-digest.ts';
import type { Secrets } from '../../values/secrets/keys.ts';
import type { Deps } from '../deps.ts';

/** A sign-in attempt: the e-mail address as given, whether or not it exists, and the internet address. */
export interface SignIn {
  readonly email: string;
  readonly ip: string;
}

/** The digests of an account, and of the account at an address. */
export interface AddressKeys {
  readonly account: Buffer;
  readonly known: Buffer;
}

/** What the digests need: they give the rows one size and reveal no e-mail address. */
export type SignInSecrets = Pick<Secrets, 'signInKey'>;

/** The digest under which something of sign-ins is kept. */
export const signInDigest = ({ signInKey }: SignInSecrets, ...parts: readonly string[]): Buffer =>
  keyedDigest(signInKey, JSON.stringify(parts)).subarray(0, 16);

/** Where an account was signed in from; IPv6 counts by /64. */
export function addressKeysOf(secrets: SignInSecrets, { email, ip }: SignIn): AddressKeys {
  const account = email.toLowerCase();
  return {
    account: signInDigest(secrets, 'account', account),
    known: signInDigest(secrets, 'known', account, addressBucket(ip)),
  };
}

/** How long an address stays known after a sign-in from it, and how many each account has. */
export const ADDRESS_KNOWN_FOR_MS = 90 * 24 * 3_600_000;
const MOST_KNOWN = 50;
/** How long a browser is known after it was seen last. */
export const DEVICE_KNOWN_FOR_MS = 365 * 24 * 3_600_000;

/** Remembers that the owner was at an address at a time; returns whether it was known before. */
export async function rememberAddress(em: EntityManager, keys: AddressKeys, at: Date): Promise<boolean> {
  const before = await query(
    em,
    `with before as (
       select from sign_in_address where account = $1 and address = $2 and seen_at > $5
     ), seen as (
       insert into sign_in_address as a (account, address, seen_at) values ($1, $2, $3)
       on conflict (account, address) do update set seen_at = greatest(a.seen_at, excluded.seen_at)
     ), surplus as (
       delete from sign_in_address where account = $1 and address in (
         select address from sign_in_address where account = $1 and address <> $2 order by seen_at desc offset $4)
     )
     select from before`,
    [keys.account, keys.known, at, MOST_KNOWN - 1, new Date(at.getTime() - ADDRESS_KNOWN_FOR_MS)],
  );
  return before.length > 0;
}

const SESSIONS_AT_ONCE = 200;

/** Remembers the addresses of a batch of sessions after an id; returns the last id, null if there are no more. */
export async function rememberSessions(
  deps: Pick<Deps, 'db' | 'clock'>,
  keysOf: (who: SignIn) => AddressKeys,
  after: string,
): Promise<string | null> {
  const sessions = await query<SignIn & { readonly id: string; readonly createdAt: string }>(
    deps.db.em,
    `select s.id, s.ip, s.created_at as "createdAt", p.email from owner_session s join person p on p.id = s.person_id
     where s.id > $1 and s.ended_at is null and s.expires_at > $2 order by s.id limit $3`,
    [after, deps.clock.now(), SESSIONS_AT_ONCE],
  );
  for (const session of sessions) await rememberAddress(deps.db.em, keysOf(session), toDate(session.createdAt));
  return sessions.length < SESSIONS_AT_ONCE ? null : (sessions.at(-1)?.id ?? null);
}
