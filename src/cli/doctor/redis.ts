// Checks the Redis that API processes share their counts in.

import { Redis } from 'ioredis';
import type { Examination } from './examination.ts';
import { fault, ok, orOk, reasonOf, warning, type Finding } from './finding.ts';

const CONNECT_WITHIN_MS = 2_000;
/** A policy that drops keys without a time to live would drop counts at once. */
const KEEPS = new Set(['noeviction', 'volatile-ttl', 'volatile-lru', 'volatile-lfu', 'volatile-random']);

export async function checkRedis({ config }: Examination): Promise<Finding[]> {
  const { redisUrl, redisTimeoutMs } = config;
  if (redisUrl === null) return [ok('not used: each process counts calls for itself')];
  const redis = new Redis(redisUrl, {
    lazyConnect: true,
    maxRetriesPerRequest: 0,
    connectTimeout: CONNECT_WITHIN_MS,
    commandTimeout: CONNECT_WITHIN_MS,
    retryStrategy: () => null,
  });
  let lastError: unknown = null;
  redis.on('error', (error: Error) => (lastError = error));
  try {
    await redis.connect();
    const startedAt = performance.now();
    await redis.ping();
    const tookMs = Math.round(performance.now() - startedAt);
    const policy = /^maxmemory_policy:(\S+)/m.exec(await redis.info('memory').catch(() => ''))?.[1];
    return orOk([judgeTime(tookMs, redisTimeoutMs), judgePolicy(policy)], `answers within ${String(tookMs)} ms`);
  } catch (error) {
    return [
      fault(
        `cannot be reached: ${reasonOf(lastError ?? error)}`,
        'look at REDIS_URL and at the server; until then each process counts for itself',
      ),
    ];
  } finally {
    redis.disconnect();
  }
}

function judgeTime(tookMs: number, limitMs: number): Finding | null {
  if (tookMs <= limitMs) return null;
  return warning(
    `takes ${String(tookMs)} ms, longer than calls wait for it (REDIS_TIMEOUT_MS=${String(limitMs)})`,
    'put it nearer, or raise REDIS_TIMEOUT_MS',
  );
}

function judgePolicy(policy: string | undefined): Finding | null {
  if (policy === undefined || KEEPS.has(policy)) return null;
  return warning(
    `drops any key when it is full (maxmemory-policy ${policy})`,
    'give Turnpike a Redis of its own, with maxmemory-policy volatile-ttl',
  );
}
