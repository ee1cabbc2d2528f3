// Passkeys (WebAuthn level 3): what browsers are asked for, and what they answer. The library checks the signatures;
// here is who they belong to, and that a counter never goes back.

// The library needs the metadata, and asks for it before its own first import.
import 'reflect-metadata';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { query, type EntityManager } from '../../database/connection.ts';
import type { Deps } from '../deps.ts';

/** Loaded when it is first needed: it takes a good part of a second, and many never need it. */
const library = () => import('@simplewebauthn/server');

/** COSE algorithms of passkeys: EdDSA, ES256, RS256. */
const ALGORITHMS = [-8, -7, -257];

const NAME = 'Turnpike';
const TIMEOUT_MS = 5 * 60_000;

/** The site that passkeys belong to: they answer no other. */
export interface RelyingParty {
  /** Its host name, without a port. */
  readonly id: string;
  readonly origin: string;
}

/** The site of a gateway, by its public address. */
export function relyingPartyOf(baseUrl: string): RelyingParty {
  const { hostname, origin } = new URL(baseUrl);
  return { id: hostname, origin };
}

/** What a browser is asked, and the random text in it that the passkey signs. */
export interface Asked {
  readonly webauthn: string;
  readonly options: Readonly<Record<string, unknown>>;
}

const askedOf = <Options extends { readonly challenge: string }>(options: Options): Asked => ({
  webauthn: options.challenge,
  options: { ...options },
});

interface Credential {
  readonly id: string;
  readonly transports: string[];
}

/** The passkeys of a person. */
async function readCredentials({ db }: Pick<Deps, 'db'>, personId: string): Promise<Credential[]> {
  return query<Credential>(
    db.em,
    `select credential_id as id, coalesce(transports, '{}') as transports from factor
     where person_id = $1 and kind = 'PASSKEY' order by id`,
    [personId],
  );
}

/** Asks a browser for a new passkey. It may not be one that the person has, and works without an e-mail address. */
export async function askForNewPasskey(
  deps: Pick<Deps, 'db'>,
  site: RelyingParty,
  person: { readonly personId: string; readonly email: string },
): Promise<Asked> {
  const { generateRegistrationOptions } = await library();
  return askedOf(
    await generateRegistrationOptions({
      ...{ rpName: NAME, rpID: site.id, userName: person.email, userDisplayName: person.email, timeout: TIMEOUT_MS },
      userID: new TextEncoder().encode(person.personId),
      attestationType: 'none',
      excludeCredentials: await readCredentials(deps, person.personId),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      supportedAlgorithmIDs: ALGORITHMS,
    }),
  );
}

/** Asks a browser for one of a person's passkeys; for null, for any of this site. */
export async function askForPasskey(
  deps: Pick<Deps, 'db'>,
  site: RelyingParty,
  personId: string | null,
): Promise<Asked> {
  const allowCredentials = personId === null ? [] : await readCredentials(deps, personId);
  const { generateAuthenticationOptions } = await library();
  return askedOf(
    await generateAuthenticationOptions({
      ...{ rpID: site.id, timeout: TIMEOUT_MS, userVerification: 'required', allowCredentials },
    }),
  );
}

/** A passkey that a browser has made. */
export interface NewPasskey {
  readonly credentialId: string;
  readonly publicKey: Uint8Array;
  readonly counter: number;
  readonly transports: readonly string[];
}

/** Reads a browser's answer to `askForNewPasskey`; null if it is not a right one, whatever it contains. */
export async function readNewPasskey(
  site: RelyingParty,
  webauthn: string,
  answer: unknown,
): Promise<NewPasskey | null> {
  const { verifyRegistrationResponse } = await library();
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      ...{ response: answer as RegistrationResponseJSON, expectedChallenge: webauthn },
      ...{ expectedOrigin: site.origin, expectedRPID: site.id, requireUserVerification: true },
      supportedAlgorithmIDs: ALGORITHMS,
    });
    if (!verified) return null;
    const { id, publicKey, counter, transports = [] } = registrationInfo.credential;
    return { credentialId: id, publicKey, counter, transports: transports.map(String) };
  } catch {
    return null;
  }
}

/** A passkey that signed, and the counter that it showed. */
export interface PasskeyMatch {
  readonly factorId: string;
  readonly personId: string;
  readonly counter: number;
}

interface PasskeyRow {
  readonly factorId: string;
  readonly personId: string;
  readonly publicKey: Buffer;
}

/** Finds the passkey that a browser's answer names, whatever the answer contains; null for none. */
export async function findPasskey({ db }: Pick<Deps, 'db'>, answer: unknown): Promise<PasskeyRow | null> {
  const id = (answer as { readonly id?: unknown } | null)?.id;
  // An id is base64url; PostgreSQL cannot even compare a text with NUL.
  if (typeof id !== 'string' || !/^[\w-]{1,2000}$/.test(id)) return null;
  const [row] = await query<PasskeyRow>(
    db.em,
    `select id as "factorId", person_id as "personId", public_key as "publicKey" from factor where credential_id = $1`,
    [id],
  );
  return row ?? null;
}

/** Reads a browser's answer to `askForPasskey`; null if no passkey of ours has signed it for this site. */
export async function matchPasskey(
  deps: Pick<Deps, 'db'>,
  site: RelyingParty,
  { webauthn, answer }: { readonly webauthn: string; readonly answer: unknown },
): Promise<PasskeyMatch | null> {
  const found = await findPasskey(deps, answer);
  if (!found) return null;
  const { factorId, personId, publicKey } = found;
  const response = answer as AuthenticationResponseJSON;
  const { verifyAuthenticationResponse } = await library();
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      ...{ response, expectedChallenge: webauthn, expectedOrigin: site.origin, expectedRPID: site.id },
      requireUserVerification: true,
      // Counters are compared when the passkey is used, by one statement.
      credential: { id: response.id, publicKey: new Uint8Array(publicKey), counter: 0 },
    });
    return verified ? { factorId, personId, counter: authenticationInfo.newCounter } : null;
  } catch {
    return null;
  }
}

/**
 * Uses a passkey in the current transaction; false if its counter went back, as that of a copy does. Passkeys that
 * always show 0 do not count.
 */
export async function usePasskey(em: EntityManager, { factorId, counter }: PasskeyMatch, now: Date): Promise<boolean> {
  const used = await query(
    em,
    `update factor set counter = $2, last_used_at = $3
     where id = $1 and (counter < $2 or (counter = 0 and $2 = 0)) returning 1`,
    [factorId, counter, now],
  );
  return used.length > 0;
}
