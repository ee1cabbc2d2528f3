// When a call is repeated, and after how long.

import { ApiError, ConnectionError } from './errors.ts';

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 8_000;
/** Beside `Retry-After`, so that all who were told the same second do not come back in it together. */
const SPREAD_MS = 250;
const MOST_RETRY_AFTER = 2 ** 31 - 1;
/** Timers that are set for longer go off at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/**
 * The gateway's own codes that say "try again": too many calls, a fault, overload, and the first call still running.
 */
const PASSING = new Set(['9001', '9500', '9503', '2003']);
/** What proxies in front of a gateway say when they cannot reach it. */
const PASSING_STATUSES = new Set([429, 500, 502, 503, 504]);

/**
 * Whether it is right to repeat after this error. A call that must not happen twice is repeated only after 429, which
 * the gateway answers before it does anything.
 */
export function mayRepeat(error: unknown, isSafe: boolean): boolean {
  if (error instanceof ConnectionError) return isSafe;
  if (!(error instanceof ApiError)) return false;
  if (error.status === 429) return true;
  return isSafe && (error.code === null ? PASSING_STATUSES.has(error.status) : PASSING.has(error.code));
}

/**
 * How long to wait before the repetition `nth` (from 0): what the gateway says, or else exponentially longer with full
 * jitter.
 */
export function delayMs(error: unknown, nth: number, random = Math.random()): number {
  const told = error instanceof ApiError ? error.retryAfter : null;
  if (told !== null) return told * 1_000 + random * SPREAD_MS;
  return random * Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** nth);
}

/** `Retry-After` in seconds, as a number or a date; null without one. A number too large to be meant is the largest. */
export function readRetryAfter(header: string | null, now = Date.now()): number | null {
  if (header === null) return null;
  const seconds = /^\d+$/.test(header) ? Number(header) : Math.ceil((Date.parse(header) - now) / 1_000);
  return Number.isNaN(seconds) ? null : Math.min(Math.max(0, seconds), MOST_RETRY_AFTER);
}

/** Waits, for 24 days at most; throws the signal's reason as soon as it is aborted. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(reasonOf(signal));
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', stop);
        resolve();
      },
      Math.min(ms, LONGEST_TIMER_MS),
    );
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}

/** Why a signal was aborted, as an error. */
export function reasonOf(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason;
  // Not by its class: it may be that of another realm.
  const isError = typeof reason === 'object' && reason !== null && 'message' in reason;
  return isError ? (reason as Error) : new Error('The call was aborted', { cause: reason });
}
