// Finds the IP address of the client of a web-socket upgrade, by the same trusted proxies as Fastify for its requests.

import proxyAddr from '@fastify/proxy-addr';
import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { GatewayError } from '../../../values/errors.ts';
import { furthestAddress, requestIdOf } from '../../admission/authenticate.ts';
import { sessionOfUpgrade } from '../../admission/session-cookie.ts';
import type { SocketClient } from './hooks.ts';

interface ClientOptions {
  readonly trustProxy: readonly string[];
  readonly httpsOnly: boolean;
  /** The origin of the console. */
  readonly ownOrigin: string;
}

/** Makes the reader. It throws 1008 where HTTPS is required and was not used. */
export function createClientOf({ trustProxy, httpsOnly, ownOrigin }: ClientOptions) {
  const trusts = proxyAddr.compile([...trustProxy]);

  return (request: IncomingMessage): SocketClient => {
    const direct = request.socket.remoteAddress ?? '';
    const chain = trustProxy.length > 0 ? proxyAddr.all(request, trusts) : [direct];
    const forwarded = trustProxy.length > 0 && trusts(direct, 0) ? request.headers['x-forwarded-proto'] : undefined;
    const isEncrypted = (request.socket as Partial<TLSSocket>).encrypted === true;
    const isHttps = forwarded === undefined ? isEncrypted : String(forwarded).split(',').at(-1)?.trim() === 'https';
    if (httpsOnly && !isHttps) throw new GatewayError('HTTPS_REQUIRED');
    return {
      ip: furthestAddress(chain),
      requestId: requestIdOf(request.headers['x-request-id']),
      sessionToken: sessionOfUpgrade(request.headers, isHttps, ownOrigin),
    };
  };
}
