// Sends webhooks: claims due deliveries, posts them outside any transaction, and records the results. Any number of
// processes may run it: the lease of a claim keeps others out, and only its holder can record.

import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { claimDeliveries, type Claim, type DueLane } from '../../database/queries/webhooks/claim-deliveries.ts';
import { oldestDeliverySeconds } from '../../database/queries/webhooks/oldest-delivery.ts';
import { releaseClaims } from '../../database/queries/webhooks/release-claims.ts';
import type { Deps } from '../../domain/deps.ts';
import type { Worker } from '../../loop.ts';
import { DEADLINE_MS } from '../../egress/http-client.ts';
import { strainOf } from './lanes/adaptive-limit.ts';
import {
  chooseLanes,
  createLaneSlots,
  endPost,
  holdClaim,
  isContended,
  noteMore,
  shareSlots,
  type LaneSlots,
} from './lanes/concurrency.ts';
import { createAttempts, type AttemptOptions, type AttemptResult } from './attempt.ts';
import { createAttemptCounts, type AttemptCounts } from './count-attempts.ts';
import { createLeases, type Leases } from './lanes/leases.ts';
import { createClaimQueue } from './lanes/claim-queue.ts';
import { createInFlight, type InFlight } from './lanes/in-flight.ts';

export type { AttemptResult };

/** Starting within a quarter of the lease, with a deadline of 5 s, leaves half of it for recording. */
const LEASE_MS = 20_000;
const START_WITHIN_SHARE = 1 / 4;
/** Posts end by their deadline and are recorded a moment later; anything slower is left to its lease. */
const DRAIN_MS = DEADLINE_MS + 400;
const DISABLE_AFTER_DAYS = 5;
const DAY_MS = 86_400_000;
/** Most claims held or being recorded, as a multiple of slots; beyond this nothing is claimed. */
const MOST_UNRECORDED = 16;
/** With more held claims than this share of the slots, the sender is busy. */
const BUSY_SHARE = 1 / 4;

export interface WebhookSenderOptions extends Omit<AttemptOptions, 'disableAfterMs' | 'isBusy' | 'leases' | 'counts'> {
  /** Called when there is room for claims again; should wake the loop. */
  readonly wake: () => void;
  /** Posts in flight at once. lanes/concurrency.ts divides them between merchants and lanes. */
  readonly concurrency?: number;
  readonly leaseMs?: number;
  /** An endpoint whose attempts have all failed for this many days is disabled. */
  readonly disableAfterDays?: number;
}

/** State for metrics. */
export interface SenderState {
  /** Deliveries claimed and not yet done with, their recording included. */
  readonly inFlight: number;
  /** Lanes whose last attempt failed, as far as this process knows. */
  readonly failingLanes: number;
}

export interface WebhookSender extends Worker {
  /** Deliveries claimed and not yet done with, their recording included. */
  inFlight(): number;
  state(): SenderState;
  /** Age in seconds of the longest-due delivery that is not claimed; 0 if there is none. Runs one small query. */
  oldestDeliverySeconds(): Promise<number>;
  /** For shutdown: stops claiming, releases what was not posted, and waits for posts in flight and their recording. */
  drain(): Promise<void>;
}

type SenderDeps = Pick<Deps, 'db' | 'clock' | 'log' | 'signals'>;

/** Creates the worker. `processNext` claims as much as there is room for, and does not wait for responses. */
export function createWebhookSender(deps: SenderDeps, options: WebhookSenderOptions): WebhookSender {
  const { concurrency = 256, leaseMs = LEASE_MS } = options;
  const slots = createLaneSlots(concurrency);
  const work = createInFlight();
  const leases = createLeases();
  const counts = createAttemptCounts(deps);
  const { waiting, release } = createPosting(deps, options, { slots, work, leases, counts });
  let draining = false;

  async function claim(): Promise<boolean> {
    const choice = chooseLanes(slots);
    if (choice === null) return false;
    const startBeforeMs = performance.now() + leaseMs * START_WITHIN_SHARE;
    const share = (due: readonly DueLane[]) => shareSlots(slots, due);
    const { claims, lanes } = await claimDeliveries(deps.db.pool, { choice, share, lease: randomUUID(), leaseMs });
    work.take(claims.length);
    leases.take(claims);
    if (draining) {
      release(claims);
      return false;
    }
    for (const claimed of claims) holdClaim(slots, claimed);
    for (const { lane, more } of lanes) noteMore(slots, lane, more);
    waiting.add(claims, startBeforeMs);
    // A lane that was only due by its row has been corrected: others may be queued behind it.
    return claims.length > 0 || lanes.some(({ more }) => !more);
  }

  return {
    name: 'send-webhooks',
    inFlight: () => work.claims(),
    state: () => ({ inFlight: work.claims(), failingLanes: slots.failing.size }),
    oldestDeliverySeconds: () => oldestDeliverySeconds(deps.db.em),
    async processNext() {
      if (draining) return false;
      await counts.writeDue();
      waiting.releaseExpired();
      if (draining || work.claims() > MOST_UNRECORDED * concurrency) return false;
      const claiming = claim();
      work.add(claiming);
      return await claiming;
    },
    async drain() {
      draining = true;
      waiting.releaseAll();
      await work.allDone(DRAIN_MS);
      await counts.flush();
    },
  };
}

interface PostingParts {
  readonly slots: LaneSlots;
  readonly work: InFlight;
  readonly leases: Leases;
  readonly counts: AttemptCounts;
}

/** Posts claims as slots become free, and releases those that may not wait longer. */
function createPosting(deps: SenderDeps, options: WebhookSenderOptions, { slots, work, leases, counts }: PostingParts) {
  const { wake, disableAfterDays = DISABLE_AFTER_DAYS } = options;
  const attempt = createAttempts(deps, {
    ...options,
    leases,
    counts,
    disableAfterMs: disableAfterDays * DAY_MS,
    isBusy: () => work.claims() > BUSY_SHARE * slots.total,
  });
  const waiting = createClaimQueue(slots, { post, release });

  function post(claim: Claim): void {
    const made = attempt(claim, (result) => {
      const contended = isContended(slots, claim.lane);
      const strain = result ? strainOf(result) : 'other';
      const isRoom = endPost(slots, claim.lane, { strain, durationMs: result?.durationMs ?? 0 });
      waiting.pump(claim.lane, contended);
      if (isRoom) wake();
    });
    work.add(made);
    void made.finally(() => work.done(1) === MOST_UNRECORDED * slots.total && wake());
  }

  function release(claims: readonly Claim[]): void {
    const released = releaseClaims(deps.db.em, claims).then(
      () => leases.done(claims),
      (error: unknown) => {
        deps.log.error({ err: error, claims: claims.length }, 'claims were not released; they fall due again');
        for (const claim of claims) leases.abandon(claim);
      },
    );
    work.add(released);
    void released.finally(() => {
      work.done(claims.length);
      wake();
    });
  }

  return { waiting, release };
}
