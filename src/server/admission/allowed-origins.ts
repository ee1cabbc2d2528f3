// Which web pages may call the gateway, and under which host names it may be called. A page that a developer happens to
// visit must not drive their sandbox: neither directly (`Origin` shows it), nor by a name of its own that now resolves
// to our address (DNS rebinding, which `Host` shows).

import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { GatewayError } from '../../values/errors.ts';
import { withoutTrailing } from '../../values/formats/text.ts';

export interface OriginOptions {
  /** `BASE_URL` and `PAY_URL`: their hosts are ours, and so are pages of their origins. */
  readonly ownUrls: readonly string[];
  /** Origins whose pages may call; `*` for all, though not by web socket, which browsers let pages open unasked. */
  readonly corsOrigins: readonly string[];
  /** Whether pages of this machine may call: of `localhost`, `*.localhost`, 127.0.0.0/8 and `[::1]`, on any port. */
  readonly corsLoopback: boolean;
  /** Names, besides those of `ownUrls`, that a `Host` may have. */
  readonly allowedHosts: readonly string[];
  /** Whether requests from other pages are refused; otherwise CORS only keeps the answers from them. */
  readonly refusesPages: boolean;
  /** Whether a request is refused that was sent to a name which is not ours. */
  readonly refusesHosts: boolean;
}

export interface OriginRules {
  /** Whether pages of all origins may call. */
  readonly isForAll: boolean;
  /** Whether CORS headers allow pages of this origin. */
  isNamed(origin: string): boolean;
  /** Why a request is refused (1003), or null. A request without `Origin` is not from a web page. */
  refusalOfCall(headers: IncomingHttpHeaders): GatewayError | null;
  /** The same for an upgrade to a web socket. */
  refusalOfSocket(headers: IncomingHttpHeaders): GatewayError | null;
}

const MOST_KNOWN = 100;

const refuse = (message: string) => new GatewayError('ADDRESS_NOT_ALLOWED', { message });

/** Makes the rules of one gateway. */
export function createOriginRules(options: OriginOptions): OriginRules {
  const { ownUrls, corsOrigins, corsLoopback, allowedHosts, refusesPages, refusesHosts } = options;
  const own = ownUrls.map((url) => new URL(url));
  const ownOrigins = new Set(own.map(({ origin }) => origin));
  const names = new Set([...own.map(({ hostname }) => hostname), ...allowedHosts]);
  const origins = new Set(corsOrigins);
  const isForAll = origins.has('*');

  const isNamed = (origin: string) =>
    origins.has(origin) || (corsLoopback && (ownOrigins.has(origin) || isLoopbackOrigin(origin)));

  /** Whether a page is ours: from a configured origin, or from the host it calls if that host is ours. */
  const isOwn = (origin: string, host: string | undefined) =>
    ownOrigins.has(origin) || (URL.canParse(origin) && new URL(origin).host === host?.toLowerCase());

  /** Hosts already checked and found to be ours: nearly every call has one of the same few. */
  const known = new Set<string>();
  function refusalOfHost({ host }: IncomingHttpHeaders): GatewayError | null {
    if (!refusesHosts || host === undefined || known.has(host)) return null;
    const name = nameOf(host);
    if (name !== null && !isLoopbackName(name) && !names.has(name))
      return refuse(`The gateway is not called ${name.slice(0, 100)}: name it in ALLOWED_HOSTS`);
    if (known.size >= MOST_KNOWN) known.clear();
    known.add(host);
    return null;
  }

  const isForeign = ({ origin, host }: IncomingHttpHeaders) =>
    origin !== undefined && !isNamed(origin) && !isOwn(origin, host);

  return {
    isForAll,
    isNamed,
    refusalOfCall(headers) {
      const refusal = refusalOfHost(headers);
      if (refusal || !refusesPages || isForAll || !isForeign(headers)) return refusal;
      return refuse('Pages of this origin may not call: name it in CORS_ORIGINS');
    },
    refusalOfSocket: (headers) =>
      refusalOfHost(headers) ?? (isForeign(headers) ? refuse('Pages of this origin may not connect') : null),
  };
}

/** The name in a Host header; null for an address, and for what no browser would send. */
function nameOf(host: string): string | null {
  if (!URL.canParse(`http://${host}`)) return null;
  const { hostname } = new URL(`http://${host}`);
  return isAddress(hostname) ? null : withoutTrailing(hostname, '.');
}

const isAddress = (hostname: string) => isIP(hostname) !== 0 || hostname.startsWith('[');
const isLoopbackName = (hostname: string) => hostname === 'localhost' || hostname.endsWith('.localhost');

function isLoopbackOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { origin, protocol, hostname } = new URL(text);
  if (origin !== text || (protocol !== 'http:' && protocol !== 'https:')) return false;
  return isLoopbackName(hostname) || hostname === '[::1]' || (isIP(hostname) === 4 && hostname.startsWith('127.'));
}
