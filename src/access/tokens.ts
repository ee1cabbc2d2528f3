// Issues and verifies access tokens: JWTs with one algorithm, every claim checked, nothing trusted from the header.

import { errors as joseErrors, jwtVerify, SignJWT } from 'jose';
import { randomUUID } from 'node:crypto';
import { GatewayError } from '../values/errors.ts';
import { inOrder, type Permission } from '../values/permission.ts';
import type { Environment, Secrets } from '../values/secrets/keys.ts';

const ISSUER = 'turnpike';
const ALGORITHM = 'HS256';

/** The claims of a token: its merchant, the key it was issued for (null: the owner's own), and its permissions. */
export interface TokenClaims {
  readonly merchantId: string;
  readonly keyId: string | null;
  /** The owner's session; null for a key's token. */
  readonly sessionId: string | null;
  readonly permissions: readonly Permission[];
  readonly expiresAt: Date;
}

/** The access-token object of the specification, section 2. */
export interface IssuedToken {
  readonly accessToken: string;
  readonly tokenType: 'Bearer';
  readonly expiresIn: number;
  readonly expiresAt: Date;
  readonly permissions: readonly Permission[];
}

interface TokenOptions {
  secrets: Secrets;
  environment: Environment;
  ttlSeconds: number;
}

/** Issues a token. `now` is the moment of issue. */
export async function issueToken(
  { secrets, environment, ttlSeconds }: TokenOptions,
  claims: Omit<TokenClaims, 'expiresAt'>,
  now: Date,
): Promise<IssuedToken> {
  const issuedAt = Math.floor(now.getTime() / 1_000);
  const accessToken = await new SignJWT({
    key: claims.keyId,
    permissions: claims.permissions,
    ...(claims.sessionId === null ? {} : { session: claims.sessionId }),
  })
    .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
    .setIssuer(ISSUER)
    .setAudience(environment)
    .setSubject(claims.merchantId)
    .setJti(randomUUID())
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + ttlSeconds)
    .sign(secrets.tokenKey);
  return {
    accessToken,
    tokenType: 'Bearer',
    expiresIn: ttlSeconds,
    expiresAt: new Date((issuedAt + ttlSeconds) * 1_000),
    permissions: claims.permissions,
  };
}

/**
 * Verifies a token. Throws 1007 for a validly signed token of the other environment, 1002 for anything else that is
 * wrong.
 */
export async function verifyToken(
  { secrets, environment }: Omit<TokenOptions, 'ttlSeconds'>,
  token: string,
  now: Date,
) {
  if (!isCanonical(token)) throw new GatewayError('INVALID_TOKEN');
  try {
    const payload = await verifySignature(secrets, token, now);
    if (payload.aud !== environment) {
      const other = payload.aud === 'sandbox' || payload.aud === 'live';
      throw new GatewayError(other ? 'OTHER_ENVIRONMENT' : 'INVALID_TOKEN');
    }
    return toClaims(payload);
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    if (error instanceof joseErrors.JOSEError) throw new GatewayError('INVALID_TOKEN', { cause: error });
    throw error;
  }
}

/** The payload of a token signed with one of our keys, current or older. */
async function verifySignature({ tokenKey, olderTokenKeys }: Secrets, token: string, now: Date) {
  const options = {
    algorithms: [ALGORITHM],
    issuer: ISSUER,
    currentDate: now,
    requiredClaims: ['sub', 'exp', 'jti', 'aud'],
  };
  const keys = [tokenKey, ...olderTokenKeys];
  for (const key of keys.slice(0, -1)) {
    try {
      return (await jwtVerify(token, key, options)).payload;
    } catch (error) {
      if (!(error instanceof joseErrors.JWSSignatureVerificationFailed)) throw error;
    }
  }
  return (await jwtVerify(token, keys.at(-1) ?? tokenKey, options)).payload;
}

function toClaims(payload: Record<string, unknown>): TokenClaims {
  const { sub, key, session = null, permissions, exp, jti } = payload;
  if (typeof sub !== 'string' || typeof jti !== 'string' || !Array.isArray(permissions))
    throw new GatewayError('INVALID_TOKEN');
  const [keyId, sessionId] = [textOf(key), textOf(session)];
  // A token is issued either for a key or for a session of the owner.
  if ((keyId === null) === (sessionId === null)) throw new GatewayError('INVALID_TOKEN');
  const held = inOrder(permissions as readonly string[]);
  return { merchantId: sub, keyId, sessionId, permissions: held, expiresAt: new Date(Number(exp) * 1_000) };
}

const textOf = (claim: unknown): string | null => (typeof claim === 'string' ? claim : null);

/** Exactly three base64url segments, each in its canonical spelling, and a header that names no key. */
function isCanonical(token: string): boolean {
  const segments = token.split('.');
  if (segments.length !== 3 || token.length > 4_096) return false;
  if (!segments.every((segment) => Buffer.from(segment, 'base64url').toString('base64url') === segment)) return false;
  try {
    const header: unknown = JSON.parse(Buffer.from(segments[0] ?? '', 'base64url').toString());
    const names = header !== null && typeof header === 'object' ? Object.keys(header) : ['?'];
    return names.every((name) => name === 'alg' || name === 'typ');
  } catch {
    return false;
  }
}
