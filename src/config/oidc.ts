// Reads the provider of identities (OpenID Connect) that people may sign in with.

import { isHttpUrl, type Reader } from './reader.ts';

/** A provider, and this gateway as its client. */
export interface OidcSettings {
  /** As the provider names itself in what it signs: compared to the letter. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** What people know it by, such as `Kettle ID`. */
  readonly name: string;
}

export interface OidcConfig {
  /** Null: nobody signs in by a provider. */
  readonly oidc: OidcSettings | null;
}

const MOST_OF_NAME = 50;
const NEEDED = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] as const;

/** `OIDC_ISSUER`, `OIDC_CLIENT_ID`, `OIDC_CLIENT_SECRET`: all or none. `OIDC_NAME`: the issuer's host without it. */
export function readOidc(read: Reader, live: boolean): OidcConfig {
  const [issuer, clientId, clientSecret] = NEEDED.map((name) => read.optional(name));
  const name = read.optional('OIDC_NAME');
  if (NEEDED.every((needed) => read.optional(needed) === null)) {
    if (name !== null) read.fault('OIDC_ISSUER', 'is missing: OIDC_NAME is set, and names nothing without it');
    return { oidc: null };
  }
  for (const needed of NEEDED) {
    if (read.optional(needed) === null) read.fault(needed, `is missing: ${NEEDED.join(', ')} are needed together`);
  }
  if (name !== null && (name.length > MOST_OF_NAME || /\p{Cc}/u.test(name)))
    read.fault('OIDC_NAME', `must have at most ${String(MOST_OF_NAME)} characters, on one line`);
  if (!issuer || !clientId || !clientSecret) return { oidc: null };
  const fault = faultOfIssuer(issuer, live);
  if (fault !== null) read.fault('OIDC_ISSUER', fault);
  return fault === null
    ? { oidc: { issuer, clientId, clientSecret, name: name ?? new URL(issuer).host } }
    : { oidc: null };
}

/** An issuer has no query and no fragment (OpenID Connect Discovery 1.0, section 3). */
function faultOfIssuer(issuer: string, live: boolean): string | null {
  if (!isHttpUrl(issuer) || /[?#\s]/.test(issuer))
    return `must be an absolute https URL without a query, not "${issuer}"`;
  const { protocol, username, password } = new URL(issuer);
  if (username !== '' || password !== '') return 'must not contain a password';
  return live && protocol !== 'https:' ? 'must be an https URL in live' : null;
}
