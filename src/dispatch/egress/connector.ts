// Opens the sockets of egress: resolves a name, judges every address it gives, and connects to those very addresses.

import { connect as connectTcp, isIP, isIPv6, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { buildConnector } from 'undici';
import { limitReading } from './read-limit.ts';
import { withoutTrailing } from '../../values/formats/text.ts';

/** All addresses of a name, or an error when there are none. */
export type Resolver = (hostname: string) => Promise<readonly string[]>;

export type ConnectFailure = 'timeout' | 'refused-address' | 'dns' | 'tls' | 'network';

/** Why no connection was made. The message is shown to merchants, so it never names an address we refused. */
export class ConnectError extends Error {
  readonly reason: ConnectFailure;

  constructor(reason: ConnectFailure, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'ConnectError';
    this.reason = reason;
  }
}

export interface ConnectorOptions {
  /** Whether we may connect to this address. */
  readonly isAllowed: (ip: string) => boolean;
  readonly resolve: Resolver;
  /** From the look-up to the end of the TLS handshake. */
  readonly timeoutMs: number;
  /** Of one response, with everything that is no body; no limit unless given. */
  readonly maxResponseBytes?: number;
  /** PEM certificates to trust in place of the system's. */
  readonly ca?: string | undefined;
  /** Told of every refusal, with the addresses that the error keeps to itself. */
  readonly onRefused?: (hostname: string, addresses: readonly string[]) => void;
}

/** How long one of several addresses may take before the next is tried as well (RFC 8305). */
const NEXT_ADDRESS_AFTER_MS = 500;

/** How many addresses of a name are tried: a name with a thousand makes us knock at no thousand doors. */
const MAX_ADDRESSES = 8;

/**
 * A connector for undici. One refused address among a name's answers refuses the name. The addresses are judged inside
 * the socket's own `lookup`, so what was judged is what is connected to: a name that changes its answer between check
 * and connect (DNS rebinding) gains nothing. Node skips `lookup` for IP literals, which are judged before.
 */
export function createPinnedConnector(options: ConnectorOptions): buildConnector.connector {
  const lookup = judgedLookup(options);
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
    settle(socket, secure, options, callback);
  };
}

/** Verified whatever NODE_TLS_REJECT_UNAUTHORIZED says. */
const TLS = { ALPNProtocols: ['http/1.1'], rejectUnauthorized: true };

/** SNI: the name without a trailing dot (RFC 6066); none for an address, whose certificate must name the address. */
function serverName(hostname: string): { servername?: string } {
  return isIP(hostname) ? {} : { servername: withoutTrailing(hostname, '.') };
}

/** Calls back once, with the ready socket or with a ConnectError. */
function settle(socket: Socket, secure: boolean, options: ConnectorOptions, callback: buildConnector.Callback): void {
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
    finish(new ConnectError('timeout', 'no connection in time'));
  }, timeoutMs);
  socket.setNoDelay(true);
  socket.once('connect', () => {
    reached = true;
  });
  socket.once(secure ? 'secureConnect' : 'connect', () => {
    finish(null);
  });
  // The listener stays for good: a late error on a socket nobody listens to would end the process.
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
  // When several addresses failed, the error is an AggregateError without a message.
  const first = (error.errors?.[0] ?? error) as NodeJS.ErrnoException;
  const code = first.code ?? '';
  const reason = code === 'ETIMEDOUT' ? 'timeout' : inHandshake && !SOCKET_ERRORS.test(code) ? 'tls' : 'network';
  return new ConnectError(reason, first.message || code || 'the connection failed', error);
}

function judgedLookup({ resolve, isAllowed, onRefused }: ConnectorOptions): LookupFunction {
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

/** Many sockets to one name wait for one look-up, since the system's resolver has two threads for all names. */
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
