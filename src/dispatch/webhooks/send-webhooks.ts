// Sends webhooks: claims due deliveries, posts them with no transaction open, and records what came of each. Any number
// of processes may run it: the lease of a claim keeps others off, and fences what is recorded.

import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { claimDeliveries, type Claim, type DueLane } from '../../database/queries/webhooks/claim-deliveries.ts';
import { oldestDueSeconds } from '../../database/queries/webhooks/oldest-due.ts';
import { releaseClaims } from '../../database/queries/webhooks/release-claims.ts';
import type { Deps } from '../../domain/deps.ts';
import type { Worker } from '../../loop.ts';
import { DEADLINE_MS } from '../egress/http-client.ts';
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
import { createOpenClaims, type OpenClaims } from './lanes/leases.ts';
import { createWaitingClaims } from './lanes/claim-queue.ts';
import { createWorkInHand, type WorkInHand } from './lanes/in-flight.ts';

export type { AttemptResult };

/** Starting within a quarter and a deadline of 5 s leave half of the lease to record what came of it. */
const LEASE_MS = 20_000;
const START_WITHIN_SHARE = 1 / 4;
/** Posts end by their deadline, and are recorded a moment later; what takes longer than this is left to its lease. */
const DRAIN_MS = DEADLINE_MS + 400;
const DISABLE_AFTER_DAYS = 5;
const DAY_MS = 86_400_000;
/** Claims in hand or being recorded, as a multiple of slots, beyond which nothing is claimed. */
const MOST_UNRECORDED = 16;
/** With more claims in hand than this share of the slots, there is much to do. */
const BUSY_SHARE = 1 / 4;

export interface WebhookSenderOptions extends Omit<AttemptOptions, 'disableAfterMs' | 'isBusy' | 'openClaims'> {
  /** Called when deliveries may be claimed that there was no room for before: nudge the loop. */
  readonly wake: () => void;
  /** Posts in flight at once. What a merchant, a lane, and lanes that fail have of them: see lane-slots. */
  readonly concurrency?: number;
  readonly leaseMs?: number;
  /** An endpoint whose attempts have all failed for so many days is switched off. */
  readonly disableAfterDays?: number;
}

/** What the sender is doing, for metrics. */
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
  /**
   * For how many seconds the delivery has been due that is due longest, of all that nobody has claimed; 0 where none is.
   * Looks at the database: one small query.
   */
  oldestDueSeconds(): Promise<number>;
  /** For shutdown: claims no more, gives back what was not posted, and waits for posts under way and their recording. */
  drain(): Promise<void>;
}

type SenderDeps = Pick<Deps, 'db' | 'clock' | 'log' | 'signals'>;

/** Makes the worker. `processNext` claims as much as there is room for, and does not wait for the answers. */
export function createWebhookSender(deps: SenderDeps, options: WebhookSenderOptions): WebhookSender {
  const { concurrency = 256, leaseMs = LEASE_MS } = options;
  const slots = createLaneSlots(concurrency);
  const work = createWorkInHand();
  const openClaims = createOpenClaims();
  const { waiting, release } = createPosting(deps, options, { slots, work, openClaims });
  let draining = false;

  async function claim(): Promise<boolean> {
    const choice = chooseLanes(slots);
    if (choice === null) return false;
    const startBeforeMs = performance.now() + leaseMs * START_WITHIN_SHARE;
    const share = (due: readonly DueLane[]) => shareSlots(slots, due);
    const { claims, lanes } = await claimDeliveries(deps.db.pool, { choice, share, lease: randomUUID(), leaseMs });
    work.take(claims.length);
    openClaims.take(claims);
    if (draining) {
      release(claims);
      return false;
    }
    for (const claimed of claims) holdClaim(slots, claimed);
    for (const { lane, more } of lanes) noteMore(slots, lane, more);
    waiting.add(claims, startBeforeMs);
    // A lane that was due by its row alone was put right: there may be others behind it.
    return claims.length > 0 || lanes.some(({ more }) => !more);
  }

  return {
    name: 'send-webhooks',
    inFlight: () => work.claims(),
    state: () => ({ inFlight: work.claims(), failingLanes: slots.failing.size }),
    oldestDueSeconds: () => oldestDueSeconds(deps.db.em),
    async processNext() {
      if (draining) return false;
      waiting.sweep();
      if (work.claims() > MOST_UNRECORDED * concurrency) return false;
      const claiming = claim();
      work.add(claiming);
      return await claiming;
    },
    async drain() {
      draining = true;
      waiting.releaseAll();
      await work.allDone(DRAIN_MS);
    },
  };
}

interface Hand {
  readonly slots: LaneSlots;
  readonly work: WorkInHand;
  readonly openClaims: OpenClaims;
}

/** Posts claims as their lanes have slots, and gives back those that are not to wait any longer. */
function createPosting(deps: SenderDeps, options: WebhookSenderOptions, { slots, work, openClaims }: Hand) {
  const { wake, disableAfterDays = DISABLE_AFTER_DAYS } = options;
  const attempt = createAttempts(deps, {
    ...options,
    openClaims,
    disableAfterMs: disableAfterDays * DAY_MS,
    isBusy: () => work.claims() > BUSY_SHARE * slots.total,
  });
  const waiting = createWaitingClaims(slots, { post, release });

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
      () => openClaims.done(claims),
      (error: unknown) => {
        deps.log.error({ err: error, claims: claims.length }, 'claims were not given back; they fall due again');
        for (const claim of claims) openClaims.abandon(claim);
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
