// The first checks of every call, in the order of the contract: rate limit, authentication, allow-list. The server has
// checked before that HTTPS was used where it is required.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { randomUUID } from 'node:crypto';
import type { Access, Caller, OperationContext } from '../../access/caller.ts';
import { isOperatorToken, type OperatorAccess, type OperatorCaller } from '../../access/operators.ts';
import { addressBucket } from '../../values/internet/address-bucket.ts';
import { GatewayError } from '../../values/errors.ts';
import { canonicalIp } from '../../values/internet/ip-range.ts';
import { countedAs, type RateLimits, type RateLimitState } from './rate-limit.ts';
import { openPageCookie, openSessionCookie } from './session-cookie.ts';

interface IdentifyDeps {
  readonly access: Access;
  readonly operators: OperatorAccess;
  readonly limits: RateLimits;
  /** The origin of the console, whose pages may keep their session in a cookie. */
  readonly ownOrigin: string;
}

export interface IdentifyOptions {
  /** An `sk_…` secret is accepted as the bearer. */
  readonly acceptSecret: boolean;
  /** Public operation: an invalid token is ignored. */
  readonly isPublic: boolean;
  /** Is told of an invalid token that is ignored so far. */
  readonly onRefused?: (refusal: GatewayError) => void;
  /** The session cookie of the console, or of operators, is accepted in place of a bearer, and may be set. */
  readonly acceptCookie?: boolean;
  /** The request is a browser's navigation to a page that signs in: its cookies are accepted, without our header. */
  readonly isSignInPage?: true;
}

/** The caller's request id if it has the allowed form, otherwise a new one. */
export function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(header) ? header : randomUUID();
}

/** The caller's address; an IPv4-mapped IPv6 address as IPv4. */
export function ipOf(request: Pick<FastifyRequest, 'ip' | 'ips'>): string {
  return furthestAddress(request.ips ?? [request.ip]);
}

/** The rate-limit headers of a caller. */
export function rateLimitHeaders({ limit, remaining, resetSeconds }: RateLimitState): Record<string, number> {
  return { 'RateLimit-Limit': limit, 'RateLimit-Remaining': remaining, 'RateLimit-Reset': resetSeconds };
}

/**
 * The caller's address: the first in the chain, from the socket back through the trusted proxies, that is not a trusted
 * proxy. An entry that is not an address (`unknown`, a name, rubbish that a proxy passed on) ends the chain: the caller
 * is the last address that a trusted proxy reported.
 */
export function furthestAddress(chain: readonly string[]): string {
  const canonical = chain.map((text) => canonicalIp(text));
  const end = canonical.indexOf(null);
  return canonical.slice(0, end < 0 ? undefined : end).at(-1) ?? chain[0] ?? '';
}

/** Makes the check. It returns the context of the operation, or throws 1002, 1003, 1006, 1007, 9001 or 9421. */
export function createIdentify({ access, operators, limits, ownOrigin }: IdentifyDeps) {
  return async (request: FastifyRequest, reply: FastifyReply, options: IdentifyOptions): Promise<OperationContext> => {
    const ip = ipOf(request);
    const bearer = bearerOf(request);
    const cookie = bearer === null ? openCookie(request, reply, options, ownOrigin) : null;
    // Browsers always send the cookie; a stale one is ignored.
    const meant = cookie ? { bearer: cookie.token, isPublic: true } : { bearer, isPublic: options.isPublic };
    const { caller, operator, refusal } = await authenticate({ access, operators }, meant.bearer, options);
    const tell = (state: RateLimitState) => void reply.headers(rateLimitHeaders(state));
    const counted = countedAs(caller, ip);
    await limits.count(counted, tell);
    // A bearer of another cell is never ignored: all that its caller asks about is there. An old cookie of one must not
    // keep anybody from signing in here.
    const isForeign = refusal?.errorName === 'MISDIRECTED';
    if (refusal !== null && (!meant.isPublic || (isForeign && !cookie))) throw refusal;
    if (refusal !== null && (isForeign || !cookie)) options.onRefused?.(refusal);
    if (caller) await access.checkAddress(caller, ip);
    if (operator) operators.checkAddress(ip);
    return {
      requestId: request.id,
      ip,
      userAgent: textOf(request.headers['user-agent']),
      caller,
      operator,
      idempotencyKey: textOf(request.headers['idempotency-key']),
      replayed: false,
      charge: (more) => limits.count(counted, tell, more),
      throttle: () => limits.countAuth(addressBucket(ip), tell),
      throttlePayer: () => limits.countPayer(addressBucket(ip), tell),
      ...(cookie && { cookie }),
    };
  };
}

/**
 * The bearer of an Authorization header, not validated. Null without a header, or if it is empty or has another scheme,
 * such as one that a proxy in front of us asked the browser for.
 */
export function readBearer(header: string | undefined): string | null {
  return /^Bearer +(\S.*)$/i.exec(header ?? '')?.[1]?.trimEnd() ?? null;
}

/** The secret of an API key after the word `token`, as clients of the Greenfield API send it; null without one. */
export function readApiKey(header: string | undefined): string | null {
  return /^token +(\S+)$/i.exec(header ?? '')?.[1] ?? null;
}

/** The bearer token of a request. It is needed several times: reading it once keeps one string with one hash. */
export function bearerOf(request: Pick<FastifyRequest, 'headers' | 'bearer'>): string | null {
  if (request.bearer === undefined) request.bearer = readBearer(request.headers.authorization);
  return request.bearer;
}

function openCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  { acceptCookie = false, isSignInPage }: IdentifyOptions,
  ownOrigin: string,
): ReturnType<typeof openSessionCookie> {
  if (isSignInPage) return openPageCookie(request, reply);
  return acceptCookie ? openSessionCookie(request, reply, ownOrigin) : null;
}

interface Authenticated {
  readonly caller: Caller | null;
  readonly operator: OperatorCaller | null;
  readonly refusal: GatewayError | null;
}

async function authenticate(
  { access, operators }: Pick<IdentifyDeps, 'access' | 'operators'>,
  bearer: string | null,
  options: IdentifyOptions,
): Promise<Authenticated> {
  const nobody = { caller: null, operator: null, refusal: null };
  if (bearer === null) return nobody;
  try {
    if (isOperatorToken(bearer)) return { ...nobody, operator: await operators.authenticate(bearer) };
    return { ...nobody, caller: await access.authenticate(bearer, options) };
  } catch (error) {
    if (error instanceof GatewayError) return { ...nobody, refusal: error };
    throw error;
  }
}

/** A raw header. Its form is checked with the rest of the request, after the permission. */
function textOf(header: string | string[] | undefined): string | null {
  return Array.isArray(header) ? header.join(', ') : (header ?? null);
}
