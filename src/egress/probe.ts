// Tries out whether a webhook's receiver can be reached: connects as a webhook would, sends nothing, and hangs up.

import { createPinnedConnector, ConnectError } from './connector.ts';
import { createGuard, type GuardOptions } from './guard.ts';
import { createTargetCache } from './target-cache.ts';

interface ProbeOptions extends GuardOptions {
  /** PEM certificates to trust instead of the system's. */
  readonly ca?: string;
}

/** Resolves to null once a connection, with TLS for https, was made; otherwise to why none was. */
export async function probe(url: string, options: ProbeOptions): Promise<ConnectError | null> {
  const target = createTargetCache(options)(url);
  if ('ok' in target) return new ConnectError('refused-address', target.message);
  const { hostname, protocol, port } = new URL(target.origin);
  const connect = createPinnedConnector({ ...createGuard(options), ca: options.ca });
  return new Promise((resolve) => {
    connect({ hostname: hostname.replace(/^\[|\]$/g, ''), protocol, port }, (error, socket) => {
      socket?.destroy();
      resolve(error === null ? null : asConnectError(error));
    });
  });
}

const asConnectError = (error: Error): ConnectError =>
  error instanceof ConnectError ? error : new ConnectError('network', error.message, error);
