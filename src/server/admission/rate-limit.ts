// Rate limits: calls per window for each key, merchant or address, and stricter limits for sign-ins, registrations and
// token exchanges, and for what payers make without a token. Counted in this process, or in a Redis that all processes
// share.

import type { Logger } from 'pino';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { Caller } from '../../access/caller.ts';
import { GatewayError } from '../../values/errors.ts';
import { addressBucket } from '../../values/internet/address-bucket.ts';
import { createTimings, type Timings } from '../../values/timings.ts';

export interface RateLimitOptions {
  /** Calls a second, on average; 0 switches the limit off. */
  readonly perSecond: number;
  /** Calls allowed in one window, which is as long as that many calls take at the average rate. */
  readonly burst: number;
  /** The same for all keys of a merchant together. */
  readonly merchantPerSecond?: number;
  readonly merchantBurst?: number;
  /** Registrations, sign-ins and token exchanges a minute for each address; 0 switches the limit off. */
  readonly authPerMinute: number;
  /** Choices of coins and submissions of links without a token a minute for each address; 0 switches the limit off. */
  readonly checkoutPerMinute?: number;
}

/** The state of a limit for a caller, for the RateLimit-* headers. */
export interface RateLimitState {
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
}

export interface RateLimits {
  /**
   * Counts calls (one by default) for a key or address and for its merchant, and returns the state of the limit that
   * leaves less, unless both are off. Throws 9001. A call refused to a key is not counted for its merchant.
   */
  count(who: Counted, tell?: (state: RateLimitState) => void, calls?: number): Promise<void>;
  /** Counts a sign-in, registration or token exchange from this address; returns the limit's state. Throws 9001. */
  countAuth(ip: string, tell?: (state: RateLimitState) => void): Promise<void>;
  /** Counts what a payer without a token makes from this address; returns the limit's state. Throws 9001. */
  countPayer(ip: string, tell?: (state: RateLimitState) => void): Promise<void>;
}

/** The parties whose calls are counted together. */
export interface Counted {
  /** A merchant or a key of theirs; an address, IPv6 by its /64, where there is no token. */
  readonly name: string;
  readonly merchantId: string | null;
}

/** A caller as the limits see it. */
export function countedAs(caller: Pick<Caller, 'merchantId' | 'keyId'> | null, ip: string): Counted {
  if (caller === null) return { name: addressBucket(ip), merchantId: null };
  return { name: `${caller.merchantId}/${caller.keyId ?? 'owner'}`, merchantId: caller.merchantId };
}

/** A Redis shared by several processes. */
export interface SharedCounts {
  /** Makes a limiter on it; `name` keeps its keys apart from those of the others. */
  limiter(name: string, window: Window): Limiter;
  /** For metrics. */
  readonly figures: SharedFigures;
  close(): void;
}

/** How the shared Redis does, as this process sees it. */
export interface SharedFigures {
  /** Asks whether it is there. */
  isUp(): Promise<boolean>;
  /** How long its answers took. */
  readonly timings: Timings;
  /** Calls that it did not answer, or not in time. */
  failures: number;
}

interface Window {
  readonly points: number;
  readonly duration: number;
}

interface Limiter {
  /** Rejects with a `RateLimiterRes` when there were too many. */
  consume(who: string, points?: number): Promise<RateLimiterRes>;
}

/** Makes the limits, for this process alone without `shared`. */
export function createRateLimits(options: RateLimitOptions, shared: SharedCounts | null = null): RateLimits {
  const { perSecond, burst, merchantPerSecond = 0, merchantBurst = 0, authPerMinute, checkoutPerMinute = 0 } = options;
  const limiter = (name: string, window: Window): Limiter =>
    shared ? shared.limiter(name, window) : new RateLimiterMemory(window);
  const calls = limitOf(limiter, 'calls', perSecond, burst);
  const merchants = limitOf(limiter, 'merchants', merchantPerSecond, merchantBurst);
  const perMinute = (name: string, points: number): Limit | null =>
    points > 0 ? { limit: points, limiter: limiter(name, { points, duration: 60 }) } : null;
  const auth = perMinute('auth', authPerMinute);
  const payers = perMinute('payers', checkoutPerMinute);
  const countOne = async (of: Limit | null, ip: string, tell?: (state: RateLimitState) => void): Promise<void> => {
    const used = of && (await use(of, ip, 1));
    if (used?.exceeded) return refuse(used, tell);
    if (used) tell?.(used.state);
  };

  return {
    async count({ name, merchantId }, tell, points = 1) {
      const own = calls && (await use(calls, name, points));
      if (own?.exceeded) return refuse(own, tell);
      const all = merchants && merchantId !== null ? await use(merchants, merchantId, points) : null;
      if (all?.exceeded) return refuse(all, tell);
      const closest = own && all ? (all.state.remaining < own.state.remaining ? all : own) : (own ?? all);
      if (closest) tell?.(closest.state);
    },
    countAuth: (ip, tell) => countOne(auth, ip, tell),
    countPayer: (ip, tell) => countOne(payers, ip, tell),
  };
}

interface Limit {
  readonly limit: number;
  readonly limiter: Limiter;
}

/** A limit of `perSecond` calls on average and `burst` in a window; null if it is off. */
function limitOf(
  limiter: (name: string, window: Window) => Limiter,
  name: string,
  perSecond: number,
  burst: number,
): Limit | null {
  const points = Math.max(burst, perSecond);
  return perSecond > 0 ? { limit: points, limiter: limiter(name, { points, duration: points / perSecond }) } : null;
}

interface Used {
  readonly state: RateLimitState;
  readonly exceeded: boolean;
}

async function use({ limit, limiter }: Limit, who: string, points: number): Promise<Used> {
  const stateOf = (found: RateLimiterRes): RateLimitState => {
    return { limit, remaining: found.remainingPoints, resetSeconds: secondsOf(found) };
  };
  try {
    return { state: stateOf(await limiter.consume(who, points)), exceeded: false };
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal;
    return { state: stateOf(refusal), exceeded: true };
  }
}

function refuse({ state }: Used, tell?: (state: RateLimitState) => void): never {
  tell?.(state);
  throw new GatewayError('RATE_LIMITED', { retryAfterSeconds: state.resetSeconds });
}

const secondsOf = ({ msBeforeNext }: RateLimiterRes): number => Math.max(1, Math.ceil(msBeforeNext / 1_000));

/** The wait for Redis is split into several timer ticks, so that a process that was paused does not time out. */
const TURNS = 5;
/** How long Redis is not used after a failure; waiting for it would be in vain. */
const LEFT_ALONE_MS = 1_000;

/**
 * Counts and says how long the window still lasts. The library's own script counts in whole seconds, and a window such
 * as 1.5 s would be cut to one; `ARGV[4]` is the window's length in seconds, fractions and all.
 */
const COUNT = `
redis.call('set', KEYS[1], 0, 'PX', math.ceil(tonumber(ARGV[4]) * 1000), 'NX')
return {redis.call('incrby', KEYS[1], ARGV[1]), redis.call('pttl', KEYS[1])}`;

interface SharedOptions {
  /** A `redis://` or `rediss://` URL. */
  readonly url: string;
  /** Longest wait of a call for Redis, in milliseconds. */
  readonly timeoutMs: number;
  /** Keeps deployments apart that share one Redis. */
  readonly prefix: string;
  readonly log: Logger;
}

/**
 * Connects to a Redis. It need not be there: while it is away or too slow each process counts for itself, so that its
 * failure neither stops calls nor lifts the limits.
 */
export async function openSharedCounts({ url, timeoutMs, prefix, log }: SharedOptions): Promise<SharedCounts> {
  const { Redis } = await import('ioredis');
  const redis = new Redis(url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 2_000,
    retryStrategy: (times) => Math.min(200 * times, 2_000),
  });
  // ioredis reconnects by itself; without a listener it would print errors.
  redis.on('error', (error: Error) => log.debug({ err: error }, 'Redis could not be reached'));
  await redis.connect().catch((error: unknown) => {
    log.warn({ err: error }, 'Redis cannot be reached; rate limits are not shared until it can');
  });
  const answers = () =>
    inTime(redis.ping(), timeoutMs).then(
      () => true,
      () => false,
    );
  const figures: SharedFigures = { isUp: answers, timings: createTimings(), failures: 0 };
  const insure = createInsurance(timeoutMs, { log, figures });
  return {
    figures,
    limiter: (name, { points, duration }) =>
      insure(
        new RateLimiterRedis({
          ...{ storeClient: redis, keyPrefix: `${prefix}:${name}`, points, duration },
          ...{ rejectIfRedisNotReady: true, customIncrTtlLuaScript: COUNT },
        }),
        new RateLimiterMemory({ points, duration }),
      ),
    close: () => redis.disconnect(),
  };
}

/** Rejects if there is no answer in time. */
function inTime<Value>(answer: Promise<Value>, timeoutMs: number): Promise<Value> {
  let left = TURNS;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setInterval(() => (left -= 1) === 0 && reject(new Error('Redis does not answer')), timeoutMs / TURNS);
  });
  return Promise.race([answer, late]).finally(() => clearInterval(timer));
}

/** Replaces a failing Redis limiter with one in this process while the failure lasts. */
function createInsurance(timeoutMs: number, { log, figures }: { log: Logger; figures: SharedFigures }) {
  let awayUntil = 0;

  return (limiter: Limiter, insurance: Limiter): Limiter => ({
    async consume(who, points) {
      if (performance.now() < awayUntil) return insurance.consume(who, points);
      const startedAt = performance.now();
      const answered = () => figures.timings.add((performance.now() - startedAt) / 1_000);
      try {
        const result = await inTime(limiter.consume(who, points), timeoutMs);
        answered();
        return result;
      } catch (error) {
        if (error instanceof RateLimiterRes) {
          answered();
          throw error;
        }
        figures.failures += 1;
        const isNews = performance.now() > awayUntil + LEFT_ALONE_MS;
        awayUntil = performance.now() + LEFT_ALONE_MS;
        if (isNews) log.warn({ err: error }, 'rate limits are not shared while Redis is away');
        return insurance.consume(who, points);
      }
    },
  });
}
