// Polls a feed of rates: asks it when it is due, stores what it says, and backs off when it fails (contract-invoices,
// section 2).

import { claimFeed, endClaim } from '../database/queries/rates/feeds.ts';
import { storeTicks } from '../database/queries/rates/ticks.ts';
import { inTransaction, type Deps } from '../domain/deps.ts';
import type { GetClient, GetResult } from '../egress/get-client.ts';
import type { Worker } from '../loop.ts';
import type { FeedKind } from '../values/feeds/feeds.ts';
import type { Tick } from '../values/feeds/tick.ts';
import type { FeedReader } from './feed-thread.ts';

/** A feed to poll. */
export interface PolledFeed {
  /** As the API names it. */
  readonly name: string;
  readonly kind: FeedKind;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface PollOptions {
  readonly egress: Pick<GetClient, 'get'>;
  readonly reader: Pick<FeedReader, 'read'>;
  readonly pollSeconds: number;
  /** Tells this process's loops apart; the name of a custom feed may contain a host. */
  readonly label: string;
  /** Called when ticks were stored. */
  readonly onTicks?: () => void;
}

/** The limits of a question to a feed. */
export const FEED_LIMITS = { deadlineMs: 5_000, maxBytes: 2 * 1024 * 1024 } as const;

/** A process that dies in a poll holds the feed no longer than this. */
const LEASE_MS = 20_000;
const LONGEST_BACK_OFF_SECONDS = 600;
const LONGEST_RETRY_AFTER_SECONDS = 3_600;

type PollDeps = Pick<Deps, 'db' | 'clock' | 'log'>;

/** What a poll found: ticks, or why there are none and when the feed wants to be asked again. */
type Found = { readonly ticks: readonly Tick[] } | { readonly problem: string; readonly retryAfter: string | null };

/**
 * Creates the worker of one feed: each has its own, so that a silent one delays no other. Several processes may run it.
 */
export function createRatePoller(deps: PollDeps, feed: PolledFeed, options: PollOptions): Worker {
  const { db, clock, log } = deps;
  const everySeconds = Math.max(options.pollSeconds, feed.kind.leastPollSeconds ?? 0);
  return {
    name: `poll-rates ${options.label}`,
    async processNext() {
      const startedAt = clock.now();
      const claim = await claimFeed(db.em, feed.name, startedAt, after(startedAt, LEASE_MS / 1_000));
      if (!claim) return false;
      const answer = await options.egress.get(feed.url, feed.headers);
      const found = await readAnswer(options.reader, feed, answer, clock.now());
      const failures = 'ticks' in found ? 0 : claim.failures + 1;
      const endedAt = clock.now();
      const dueAt =
        'ticks' in found
          ? after(startedAt, everySeconds)
          : after(endedAt, secondsToWait(everySeconds, failures, found, endedAt));
      const isStored = await inTransaction(deps, async (em) => {
        if (!(await endClaim(em, claim, { dueAt, failures }))) return false;
        if ('ticks' in found) await storeTicks(em, feed.name, found.ticks);
        return true;
      });
      if ('problem' in found)
        log.warn({ feed: feed.name, problem: found.problem, failures }, 'a feed of rates could not be read');
      else if (isStored) options.onTicks?.();
      return false;
    },
  };
}

const after = (time: Date, seconds: number) => new Date(time.getTime() + seconds * 1_000);

/** Reads the answer of a feed; never throws. */
async function readAnswer(
  reader: PollOptions['reader'],
  { kind }: PolledFeed,
  result: GetResult,
  arrivedAt: Date,
): Promise<Found> {
  if (result.kind === 'failure') return { problem: result.message, retryAfter: null };
  const { status, retryAfter, body } = result;
  if (status !== 200) return { problem: `it answered with status ${String(status)}`, retryAfter };
  try {
    return { ticks: await reader.read(kind, body, arrivedAt) };
  } catch (error) {
    return { problem: `its answer cannot be read: ${(error as Error).message.slice(0, 200)}`, retryAfter: null };
  }
}

/**
 * Doubles with each failure up to ten minutes, and is never less than between polls that succeed. A feed that says when
 * to come back is not asked before, up to an hour.
 */
export function secondsToWait(
  everySeconds: number,
  failures: number,
  { retryAfter }: { readonly retryAfter: string | null },
  now: Date,
): number {
  const longest = Math.max(LONGEST_BACK_OFF_SECONDS, everySeconds);
  const backOff = Math.min(longest, everySeconds * 2 ** Math.min(failures, 10));
  const asked = retryAfter === null ? 0 : readRetryAfter(retryAfter, now);
  return Math.max(backOff, Math.min(LONGEST_RETRY_AFTER_SECONDS, asked));
}

/** Seconds, or a date (RFC 9110, section 10.2.3); 0 for anything else. */
function readRetryAfter(text: string, now: Date): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const at = /^[A-Z][a-z]{2}, /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? 0 : Math.max(0, (at - now.getTime()) / 1_000);
}
