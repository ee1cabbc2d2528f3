// Reads the rate limits: calls per key, per merchant and per address.

import type { Reader } from './reader.ts';

export interface RateLimitConfig {
  /** Average calls per second of one key, or of one address without a key; 0: no limit. */
  readonly perSecond: number;
  /** Size of a burst. */
  readonly burst: number;
  /** The same for all keys of a merchant together; 0: no limit. */
  readonly merchantPerSecond: number;
  readonly merchantBurst: number;
  /** Registrations, sign-ins and token exchanges per address and minute; 0: no limit. */
  readonly authPerMinute: number;
  /** Choices of coins and submissions of links without a token, per address and minute; 0: no limit. */
  readonly checkoutPerMinute: number;
}

/** A merchant's default limit, as a multiple of one key's. */
const KEYS = 5;

/** `RATE_LIMIT_…`. A merchant's limit must not be below that of one key, which would have no effect then. */
export function readRateLimit(read: Reader): RateLimitConfig {
  const perSecond = read.integer('RATE_LIMIT_PER_SECOND', 100, 0, 1_000_000);
  const burst = read.integer('RATE_LIMIT_BURST', 500, 0, 10_000_000);
  const merchantPerSecond = read.integer('RATE_LIMIT_MERCHANT_PER_SECOND', KEYS * perSecond, 0, 10_000_000);
  const merchantBurst = read.integer('RATE_LIMIT_MERCHANT_BURST', KEYS * burst, 0, 100_000_000);
  if (merchantPerSecond > 0 && merchantPerSecond < perSecond)
    read.fault(
      'RATE_LIMIT_MERCHANT_PER_SECOND',
      `must not be below RATE_LIMIT_PER_SECOND (${perSecond}), unless it is 0`,
    );
  if (merchantPerSecond > 0 && merchantBurst < burst)
    read.fault('RATE_LIMIT_MERCHANT_BURST', `must not be below RATE_LIMIT_BURST (${burst})`);
  const authPerMinute = read.integer('RATE_LIMIT_AUTH_PER_MINUTE', 60, 0, 1_000_000);
  const checkoutPerMinute = read.integer('RATE_LIMIT_CHECKOUT_PER_MINUTE', 20, 0, 1_000_000);
  return { perSecond, burst, merchantPerSecond, merchantBurst, authPerMinute, checkoutPerMinute };
}
