// Rate limits: so many calls in a window for each key or address, and a stricter count for calls with credentials.

import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { GatewayError } from '../values/errors.ts';

export interface RateLimitOptions {
  /** Calls a second, on average; 0 switches the limit off. */
  readonly perSecond: number;
  /** Calls at once; the window is as long as the average takes to make up for them. */
  readonly burst: number;
  /** Registrations, sign-ins and token exchanges a minute for each address; 0 switches the limit off. */
  readonly authPerMinute: number;
}

/** Where a caller stands, for the RateLimit-* headers. */
export interface RateLimitState {
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
}

export interface RateLimits {
  /** Counts a call of this key or address, and tells where it stands, unless the limit is off. Throws 9001. */
  count(who: string, tell?: (state: RateLimitState) => void): Promise<void>;
  /** Counts a call with credentials from this address. Throws 9001. */
  countAuth(ip: string): Promise<void>;
}

/** Makes the limits of this process. */
export function createRateLimits({ perSecond, burst, authPerMinute }: RateLimitOptions): RateLimits {
  const points = Math.max(burst, perSecond);
  const calls = perSecond > 0 ? new RateLimiterMemory({ points, duration: points / perSecond }) : null;
  const auth = authPerMinute > 0 ? new RateLimiterMemory({ points: authPerMinute, duration: 60 }) : null;
  return {
    async count(who, tell) {
      if (!calls) return;
      const { state, exceeded } = await consume(calls, who);
      tell?.({ limit: points, remaining: state.remainingPoints, resetSeconds: secondsOf(state) });
      if (exceeded) throw tooMany(state);
    },
    async countAuth(ip) {
      if (!auth) return;
      const { state, exceeded } = await consume(auth, ip);
      if (exceeded) throw tooMany(state);
    },
  };
}

async function consume(limiter: RateLimiterMemory, who: string): Promise<{ state: RateLimiterRes; exceeded: boolean }> {
  try {
    return { state: await limiter.consume(who), exceeded: false };
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal;
    return { state: refusal, exceeded: true };
  }
}

const secondsOf = ({ msBeforeNext }: RateLimiterRes): number => Math.max(1, Math.ceil(msBeforeNext / 1_000));

function tooMany(state: RateLimiterRes): GatewayError {
  return new GatewayError('RATE_LIMITED', { retryAfterSeconds: secondsOf(state) });
}
