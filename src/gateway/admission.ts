// Admission settings from the configuration: allowed origins and hosts, rate limits, and connection limits.

import { compile } from '@fastify/proxy-addr';
import type { Config } from '../config/config.ts';
import type { Deps } from '../domain/deps.ts';
import { limitConnections, type Connections } from '../server/admission/connections.ts';
import { descriptorLimit, shareDescriptors } from '../server/admission/descriptors.ts';
import type { OriginOptions } from '../server/admission/allowed-origins.ts';
import {
  createRateLimits,
  openSharedCounts,
  type RateLimits,
  type SharedFigures,
} from '../server/admission/rate-limit.ts';
import { SOCKET_LIMITS, type SocketLimits } from '../server/graphql/connections/limits.ts';
import type { Stops } from './lifecycle.ts';

/**
 * Live does not refuse unknown hosts unless configured: another name that points here has no certificate, so HTTPS
 * stops it.
 */
export function originOptions({
  environment,
  baseUrl,
  payUrl,
  corsOrigins,
  corsLoopback,
  allowedHosts,
}: Config): OriginOptions {
  const isSandbox = environment === 'sandbox';
  return {
    ...{ ownUrls: [baseUrl, payUrl], corsOrigins, corsLoopback, allowedHosts: allowedHosts ?? [] },
    refusesPages: isSandbox,
    refusesHosts: isSandbox || allowedHosts !== null,
  };
}

/**
 * Opens the rate limits: per process, or shared through Redis if configured; `redis` is null without it.
 */
export async function openRateLimits(
  config: Config,
  { log, environment }: Deps,
  stops: Stops,
): Promise<{ readonly limits: RateLimits; readonly redis: SharedFigures | null }> {
  const { redisUrl, redisTimeoutMs, rateLimit } = config;
  if (redisUrl === null) return { limits: createRateLimits(rateLimit), redis: null };
  const prefix = `turnpike:${environment}`;
  const shared = await openSharedCounts({ url: redisUrl, timeoutMs: redisTimeoutMs, prefix, log });
  stops.push(() => Promise.resolve(shared.close()));
  return { limits: createRateLimits(rateLimit, shared), redis: shared.figures };
}

/**
 * Limits of web sockets and event streams, derived from the descriptors this process may open: at most half for one
 * merchant, half for one address, and a quarter for one address without a token.
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
 * Limits the connections of a server in the same way, at most half for one address. Loopback and `TRUST_PROXY`
 * addresses are exempt, because many callers connect through them.
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
