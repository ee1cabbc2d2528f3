// Decides when a webhook is retried and when it is given up (contract, section 7; specification, section 6). Pure.

/** The delays of the specification, in seconds: 1 m, 5 m, 15 m, 1 h, 3 h, 6 h, 12 h, 24 h, 24 h. */
export const DEFAULT_RETRY_DELAYS_SECONDS: readonly number[] = [
  60, 300, 900, 3_600, 10_800, 21_600, 43_200, 86_400, 86_400,
];

const MAX_RETRIES = 10;
const MAX_AGE_MS = 72 * 3_600_000;
const JITTER = 0.2;
/** Retries after a status that is unlikely to change: 3xx, and 4xx except 408, 410, 425 and 429. */
const MAX_RETRIES_OTHER = 3;

/** The outcome of an attempt: the part of a post's result that matters here. */
export type AttemptOutcome =
  | { readonly kind: 'response'; readonly status: number; readonly headers: { readonly retryAfter?: string } }
  | { readonly kind: 'failure' };

export interface AttemptsMade {
  /** Attempts so far, including this one. */
  readonly count: number;
  /** When the first attempt started. */
  readonly firstAt: Date;
  /** When the last attempt ended; the delay counts from there. */
  readonly lastEndedAt: Date;
}

export interface RetryQuestion {
  /** Delays before retry 1, 2, …, in seconds. */
  readonly delaysSeconds: readonly number[];
  readonly attempts: AttemptsMade;
  readonly outcome: AttemptOutcome;
  /** Jitter, uniform in [0, 1). */
  readonly random: number;
  readonly now: Date;
}

export type RetryVerdict =
  | { readonly kind: 'success' }
  | { readonly kind: 'retry'; readonly at: Date }
  | { readonly kind: 'give-up' }
  /** The receiver answered 410: stop, and disable the endpoint. */
  | { readonly kind: 'disable' };

/**
 * Decides what follows an attempt. Where the documents leave room:
 * - A retry is made only if it fits the schedule: as many retries as there are delays, at most ten, whose delays add up
 *   to at most 72 h. A retry that fits but was delayed (by jitter or Retry-After, now or earlier) is made at the latest
 *   72 h after the first attempt. So the default list ends with its ninth retry, and a configured list ends at its last
 *   entry, at its tenth entry, or before the entry whose sum passes 72 h.
 * - A sequence may mix kinds of failure. The limit of three for other statuses counts all retries so far, whatever
 *   caused them: 500, 500, 500, 404 ends there; 404, 500 continues on the schedule.
 * - Statuses outside 200–599 are treated like other 4xx.
 */
export function decideRetry({ delaysSeconds, attempts, outcome, random, now }: RetryQuestion): RetryVerdict {
  if (isSuccess(outcome)) return { kind: 'success' };
  if (outcome.kind === 'response' && outcome.status === 410) return { kind: 'disable' };

  const retriesMade = attempts.count - 1;
  const delaySeconds = delaysSeconds[retriesMade];
  const limit = followsSchedule(outcome) ? MAX_RETRIES : MAX_RETRIES_OTHER;
  const lastAt = attempts.firstAt.getTime() + MAX_AGE_MS;
  const tooLate = now.getTime() >= lastAt || attempts.lastEndedAt.getTime() >= lastAt;
  if (delaySeconds === undefined || retriesMade >= limit || tooLate) return { kind: 'give-up' };

  const sumSeconds = delaysSeconds.slice(0, retriesMade + 1).reduce((sum, seconds) => sum + seconds, 0);
  if (sumSeconds * 1000 > MAX_AGE_MS) return { kind: 'give-up' };

  const jittered = delaySeconds * 1000 * (1 - JITTER + 2 * JITTER * random);
  const scheduledAt = attempts.lastEndedAt.getTime() + Math.round(jittered);
  const askedAt = retryAfterOf(outcome, attempts.lastEndedAt);
  return { kind: 'retry', at: new Date(Math.min(Math.max(scheduledAt, askedAt), lastAt)) };
}

function isSuccess(outcome: AttemptOutcome): boolean {
  return outcome.kind === 'response' && outcome.status >= 200 && outcome.status < 300;
}

function followsSchedule(outcome: AttemptOutcome): boolean {
  if (outcome.kind === 'failure') return true;
  const { status } = outcome;
  return status === 408 || status === 425 || status === 429 || (status >= 500 && status < 600);
}

/** The earliest time the receiver asks for, in Unix milliseconds; 0 if there is none that we honour. */
function retryAfterOf(outcome: AttemptOutcome, answeredAt: Date): number {
  if (outcome.kind === 'failure' || (outcome.status !== 429 && outcome.status !== 503)) return 0;
  const text = outcome.headers.retryAfter?.trim() ?? '';
  if (/^[0-9]+$/.test(text)) return answeredAt.getTime() + Number(text) * 1000;
  return httpDate(text) ?? 0;
}

const DAY = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)';
const MONTH = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)';
const TIME = '\\d{2}:\\d{2}:\\d{2}';
const IMF_DATE = new RegExp(`^${DAY}, \\d{2} ${MONTH} \\d{4} ${TIME} GMT$`);
const RFC850_DATE = new RegExp(`^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, \\d{2}-${MONTH}-\\d{2} ${TIME} GMT$`);
const ASCTIME_DATE = new RegExp(`^${DAY} ${MONTH} [ \\d]\\d ${TIME} \\d{4}$`);

/** The three forms of an HTTP date (RFC 9110, section 5.6.7) as Unix milliseconds; null for anything else. */
function httpDate(text: string): number | null {
  // Date.parse alone would read "1" as the year 2001, and the asctime form as local time.
  if (!IMF_DATE.test(text) && !RFC850_DATE.test(text) && !ASCTIME_DATE.test(text)) return null;
  const milliseconds = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(milliseconds) ? null : milliseconds;
}
