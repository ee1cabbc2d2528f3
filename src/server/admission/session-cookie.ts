// The console's session and the operator's: a token in a cookie that scripts cannot read, accepted only from our own
// pages. Each has its own cookie, and a page says which it means. And the secret by which a browser is known, in
// another. And one for visits to a provider of identities: it is sent when the browser comes back from there, which
// those above are not.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { IncomingHttpHeaders } from 'node:http';
import type { OperationContext } from '../../access/caller.ts';

/**
 * A page that wants its session in the cookie says so by this header, `Turnpike-Session: cookie`, or `operator` for the
 * operator's. Another site's page cannot send it: browsers ask first (CORS), and we answer no.
 */
export const SESSION_HEADER = 'turnpike-session';

/**
 * Over HTTPS the name's prefix has browsers refuse the cookie from anybody but this very host (RFC 6265bis, 4.1.3.2).
 */
const nameOf = (isHttps: boolean, which: '' | '-operator' | '-device' | '-visit' = '') =>
  `${isHttps ? '__Host-' : ''}turnpike${which}`;

const YEAR_SECONDS = 365 * 24 * 3_600;
/** As long as a visit to a provider may take. */
const VISIT_SECONDS = 600;
/** 256 bits in base64url. */
const BROWSER_SECRET = /^[\w-]{43}$/;

/** The cookie of a request from one of our own pages that asks for it; null for every other request. */
export function openSessionCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  ownOrigin: string,
): (NonNullable<OperationContext['cookie']> & { readonly token: string | null }) | null {
  const { headers } = request;
  const isOperators = headers[SESSION_HEADER] === 'operator';
  if ((headers[SESSION_HEADER] !== 'cookie' && !isOperators) || !isOwnPage(headers, ownOrigin)) return null;
  return cookiesOf(request, reply, isOperators);
}

/**
 * The cookies of a navigation to a page of ours that signs in. Such a request has no header of ours; what a browser
 * sends of the cookies below says enough: those that are Strict never come with a way that began on another site.
 */
export function openPageCookie(request: FastifyRequest, reply: FastifyReply): ReturnType<typeof cookiesOf> {
  return cookiesOf(request, reply, false);
}

function cookiesOf(
  { headers, protocol }: FastifyRequest,
  reply: FastifyReply,
  isOperators: boolean,
): NonNullable<OperationContext['cookie']> & { readonly token: string | null } {
  const isHttps = protocol === 'https';
  const name = nameOf(isHttps, isOperators ? '-operator' : '');
  const set = (name: string, value: string, maxAge: number, sameSite: 'Strict' | 'Lax' = 'Strict') => {
    const attributes = [
      'Path=/',
      `Max-Age=${String(maxAge)}`,
      'HttpOnly',
      `SameSite=${sameSite}`,
      ...(isHttps ? ['Secure'] : []),
    ];
    void reply.header('Set-Cookie', [`${name}=${value}`, ...attributes].join('; '));
  };
  const secretOf = (which: '-device' | '-visit') =>
    BROWSER_SECRET.exec(readCookie(headers, nameOf(isHttps, which)) ?? '')?.[0] ?? null;
  return {
    isOperators,
    token: readCookie(headers, name),
    keep: ({ accessToken, expiresIn }) => set(name, accessToken, expiresIn),
    drop: () => set(name, '', 0),
    device: secretOf('-device'),
    keepDevice: (secret) => set(nameOf(isHttps, '-device'), secret, YEAR_SECONDS),
    visit: secretOf('-visit'),
    keepVisit: (secret) => set(nameOf(isHttps, '-visit'), secret, VISIT_SECONDS, 'Lax'),
  };
}

/** The token in the cookie of an upgrade, which browsers send with the page's origin; null without either. */
export function sessionOfUpgrade(headers: IncomingHttpHeaders, isHttps: boolean, ownOrigin: string): string | null {
  return headers.origin !== undefined && isOwnPage(headers, ownOrigin) ? readCookie(headers, nameOf(isHttps)) : null;
}

/** Browsers say where a request comes from. A client that does not is no browser and has no such cookie. */
function isOwnPage({ origin, host, 'sec-fetch-site': site }: IncomingHttpHeaders, ownOrigin: string): boolean {
  if (site !== undefined && site !== 'same-origin') return false;
  if (origin === undefined || origin === ownOrigin) return true;
  return URL.canParse(origin) && new URL(origin).host === host;
}

function readCookie({ cookie = '' }: IncomingHttpHeaders, name: string): string | null {
  const start = `${name}=`;
  const found = cookie.split(/; */).find((part) => part.startsWith(start));
  return found?.slice(start.length) || null;
}
