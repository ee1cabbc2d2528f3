// Who is let in, as the configuration has it: which pages, how many calls, how many connections.

import { compile } from '@fastify/proxy-addr';
import type { Config } from '../config/config.ts';
import type { Deps } from '../domain/deps.ts';
import { limitConnections, type Connections } from '../server/admission/connections.ts';
import { descriptorLimit, shareDescriptors } from '../server/admission/descriptors.ts';
import type { PageOptions } from '../server/admission/allowed-origins.ts';
import { createRateLimits, openSharedCounts, type RateLimits } from '../server/admission/rate-limit.ts';
import { SOCKET_LIMITS, type SocketLimits } from '../server/graphql/connections/limits.ts';
import type { Stops } from './lifecycle.ts';

/** In live, HTTPS keeps other names out: a page that has one of its own point here has no certificate for ours. */
export function pageOptions({
  environment,
  baseUrl,
  payUrl,
  corsOrigins,
  corsLoopback,
  allowedHosts,
}: Config): PageOptions {
  const isSandbox = environment === 'sandbox';
  return {
    ...{ ownUrls: [baseUrl, payUrl], corsOrigins, corsLoopback, allowedHosts: allowedHosts ?? [] },
    refusesPages: isSandbox,
    refusesHosts: isSandbox || allowedHosts !== null,
  };
}

/** The rate limits: of this process, or shared through Redis where there is one. */
export async function openRateLimits(config: Config, { log, environment }: Deps, stops: Stops): Promise<RateLimits> {
  const { redisUrl, redisTimeoutMs, rateLimit } = config;
  if (redisUrl === null) return createRateLimits(rateLimit);
  const prefix = `turnpike:${environment}`;
  const shared = await openSharedCounts({ url: redisUrl, timeoutMs: redisTimeoutMs, prefix, log });
  stops.push(() => Promise.resolve(shared.close()));
  return createRateLimits(rateLimit, shared);
}

/**
 * The limits of web sockets and event streams, by what the system lets this process have open: no merchant may have more
 * than half of them, no address more than half, and no more than a quarter without a token.
 */
export function socketLimitsOf({ socketsPerAddress }: Config, descriptors = descriptorLimit()): Partial<SocketLimits> {
  const { liveConnections } = shareDescriptors(descriptors);
  return {
    socketsPerProcess: Math.min(SOCKET_LIMITS.socketsPerProcess, liveConnections),
    socketsPerMerchant: Math.min(SOCKET_LIMITS.socketsPerMerchant, Math.ceil(liveConnections / 2)),
    socketsPerAddressInAll: Math.min(SOCKET_LIMITS.socketsPerAddressInAll, Math.ceil(liveConnections / 2)),
    socketsPerAddress: socketsPerAddress === 0 ? Infinity : Math.min(socketsPerAddress, Math.ceil(liveConnections / 4)),
  };
}

/**
 * Counts the connections of a server by the same figure, half of them for one address at most. Those of this machine and of
 * `TRUST_PROXY` may have any number: behind them are many.
 */
export function limitConnectionsBy(
  { connectionsPerAddress, trustProxy }: Config,
  server: Parameters<typeof limitConnections>[0],
  descriptors = descriptorLimit(),
): Connections {
  const { connections: most } = shareDescriptors(descriptors);
  const isProxy = compile(['loopback', ...trustProxy]);
  return limitConnections(server, {
    most,
    mostOfAddress: Math.min(connectionsPerAddress, Math.ceil(most / 2)),
    isExempt: (address) => isProxy(address, 0),
  });
}
