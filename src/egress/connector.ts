// undici connector that resolves a name, checks every address it gives, and connects only to those addresses (SSRF
// guard).

import { connect as connectTcp, isIP, isIPv6, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { buildConnector } from 'undici';
import { limitReading } from './read-limit.ts';
import { withoutTrailing } from '../values/formats/text.ts';

/** Resolves to all addresses of a name; rejects if there are none. */
export type Resolver = (hostname: string) => Promise<readonly string[]>;

export type ConnectFailure = 'timeout' | 'refused-address' | 'dns' | 'tls' | 'network';

/** Why no connection was made. Merchants see the message, so it never names a refused address. */
export class ConnectError extends Error {
  readonly reason: ConnectFailure;

  constructor(reason: ConnectFailure, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'ConnectError';
    this.reason = reason;
  }
}

export interface ConnectorOptions {
  /** Whether connecting to this address is allowed. */
  readonly isAllowed: (ip: string) => boolean;
  readonly resolve: Resolver;
  /** Covers everything from the DNS lookup to the end of the TLS handshake. */
  readonly timeoutMs: number;
  /** Limit for one response, including everything around the body; unlimited by default. */
  readonly maxResponseBytes?: number;
  /** PEM certificates to trust in place of the system's. */
  readonly ca?: string | undefined;
  /** Called for every refusal with the addresses, which the error leaves out. */
  readonly onRefused?: (hostname: string, addresses: readonly string[]) => void;
}

/** How long an attempt at one address may take before the next address is tried in parallel (RFC 8305). */
const NEXT_ADDRESS_AFTER_MS = 500;

/**
 * Limit on the addresses tried for one name, so that a name with a thousand addresses cannot make us probe them all.
 */
const MAX_ADDRESSES = 8;

/**
 * Creates the connector. One refused address refuses the whole name. The check runs inside the socket's own `lookup`,
 * so the addresses checked are the ones connected to: a name that changes its answer between check and connect (DNS
 * rebinding) gains nothing. Node skips `lookup` for IP literals, which are checked first.
 */
export function createPinnedConnector(options: ConnectorOptions): buildConnector.connector {
  const lookup = checkedLookup(options);
  return ({ hostname, protocol, port }, callback) => {
    if (isIP(hostname) && !options.isAllowed(hostname)) {
      options.onRefused?.(hostname, [hostname]);
      queueMicrotask(() => {
        callback(refused(), null);
      });
      return;
    }
    const secure = protocol === 'https:';
    const target = {
      host: hostname,
      port: Number(port || (secure ? 443 : 80)),
      lookup,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
    };
    const socket = secure
      ? connectTls({ ...target, ...serverName(hostname), ...TLS, ca: options.ca })
      : connectTcp(target);
    whenReady(socket, secure, options, callback);
  };
}

/** Certificates are verified even if NODE_TLS_REJECT_UNAUTHORIZED says otherwise. */
const TLS = { ALPNProtocols: ['http/1.1'], rejectUnauthorized: true };

/**
 * SNI: the name without a trailing dot (RFC 6066). Not sent for an IP address, whose certificate must name the address.
 */
function serverName(hostname: string): { servername?: string } {
  return isIP(hostname) ? {} : { servername: withoutTrailing(hostname, '.') };
}

/** Calls back exactly once: with the ready socket or with a ConnectError. */
function whenReady(
  socket: Socket,
  secure: boolean,
  options: ConnectorOptions,
  callback: buildConnector.Callback,
): void {
  const { timeoutMs, maxResponseBytes = Infinity } = options;
  let pending = true;
  let reached = false;
  const finish = (error: ConnectError | null): void => {
    if (!pending) return;
    pending = false;
    clearTimeout(timer);
    if (error) {
      socket.destroy();
      callback(error, null);
    } else {
      limitReading(socket, maxResponseBytes);
      callback(null, socket);
    }
  };
  const timer = setTimeout(() => {
    finish(new ConnectError('timeout', 'timed out while connecting'));
  }, timeoutMs);
  socket.setNoDelay(true);
  socket.once('connect', () => {
    reached = true;
  });
  socket.once(secure ? 'secureConnect' : 'connect', () => {
    finish(null);
  });
  // Never removed: a late error on a socket without a listener would end the process.
  socket.on('error', (error: NodeJS.ErrnoException) => {
    finish(connectErrorOf(error, secure && reached));
  });
  socket.once('close', () => {
    finish(new ConnectError('network', 'the connection was closed before it was ready'));
  });
}

const SOCKET_ERRORS = /^(?:ECONN|EHOST|ENET|EPIPE|ETIMEDOUT|EADDR|EMFILE|ENFILE|EACCES|EPERM)/;

function connectErrorOf(error: NodeJS.ErrnoException & { errors?: unknown[] }, inHandshake: boolean): ConnectError {
  if (error instanceof ConnectError) return error;
  // If several addresses failed, the error is an AggregateError without a message.
  const first = (error.errors?.[0] ?? error) as NodeJS.ErrnoException;
  const code = first.code ?? '';
  const reason = code === 'ETIMEDOUT' ? 'timeout' : inHandshake && !SOCKET_ERRORS.test(code) ? 'tls' : 'network';
  return new ConnectError(reason, first.message || code || 'the connection failed', error);
}

function checkedLookup({ resolve, isAllowed, onRefused }: ConnectorOptions): LookupFunction {
  const ask = coalesced(resolve);
  return (hostname, lookupOptions, callback) => {
    ask(hostname).then(
      (addresses) => {
        if (addresses.length === 0) {
          callback(new ConnectError('dns', 'the name has no address'), '');
        } else if (!addresses.every((ip) => isIP(ip) && isAllowed(ip))) {
          onRefused?.(hostname, addresses.slice(0, MAX_ADDRESSES));
          callback(refused(), '');
        } else if (lookupOptions.all) {
          callback(
            null,
            addresses.slice(0, MAX_ADDRESSES).map((address) => ({ address, family: familyOf(address) })),
          );
        } else {
          const [first = ''] = addresses;
          callback(null, first, familyOf(first));
        }
      },
      (cause: unknown) => {
        callback(new ConnectError('dns', `the name does not resolve: ${codeOf(cause)}`, cause), '');
      },
    );
  };
}

/** Concurrent lookups of one name share a single call, because the system's resolver has two threads for all names. */
function coalesced(resolve: Resolver): Resolver {
  const inFlight = new Map<string, Promise<readonly string[]>>();
  return (hostname) => {
    const running = inFlight.get(hostname);
    if (running) return running;
    const started = resolve(hostname).finally(() => inFlight.delete(hostname));
    inFlight.set(hostname, started);
    return started;
  };
}

function refused(): ConnectError {
  return new ConnectError('refused-address', 'the host is not at a public address');
}

function familyOf(ip: string): 4 | 6 {
  return isIPv6(ip) ? 6 : 4;
}

function codeOf(cause: unknown): string {
  return (cause as NodeJS.ErrnoException | null)?.code ?? 'unknown error';
}
