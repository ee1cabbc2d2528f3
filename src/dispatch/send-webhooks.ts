// Sends webhooks: claims due deliveries, posts them with no transaction open, and records what came of each. Any number
// of processes may run it: the lease of a claim keeps others off, and fences what is recorded.

import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { createGroupCommit } from '../database/group-commit.ts';
import { claimDeliveries, releaseClaims, type Claim } from '../database/queries/claim-deliveries.ts';
import { disableEndpoint, holdEndpoint } from '../database/queries/disable-deliveries.ts';
import { finishDeliveries, type FinishedAttempt } from '../database/queries/finish-deliveries.ts';
import { inTransaction, type Deps } from '../domain/deps.ts';
import type { Worker } from '../loop.ts';
import { judgeAttempt } from './attempt-outcome.ts';
import type { Egress } from './egress.ts';
import { signatureHeaders } from './sign.ts';
import { createSlots } from './slots.ts';

/** Starting within 5 s and a deadline of 5 s leave half of the lease to record what came of it. */
const LEASE_MS = 20_000;
const START_WITHIN_MS = 5_000;
const DRAIN_MS = 5_000;

export interface WebhookSenderOptions {
  readonly egress: Egress;
  /** Delays before retry 1, 2, …, in seconds. */
  readonly retryDelaysSeconds: readonly number[];
  /** Called when a slot that deliveries may have waited for is free again: nudge the loop. */
  readonly wake: () => void;
  /** The jitter: uniform in [0, 1). */
  readonly random?: () => number;
  /** Posts in flight at once. One lane (see destinations) has an eighth of them. */
  readonly concurrency?: number;
}

export interface WebhookSender extends Worker {
  /** Posts under way, their recording included. */
  inFlight(): number;
  /** For shutdown: claims no more, waits up to 5 s for posts under way, and gives back the claims that got no answer. */
  drain(): Promise<void>;
}

type SenderDeps = Pick<Deps, 'db' | 'clock' | 'log'>;

/** Makes the worker. `processNext` claims as much as there are free slots for, and does not wait for the answers. */
export function createWebhookSender(deps: SenderDeps, options: WebhookSenderOptions): WebhookSender {
  const { wake, concurrency = 128 } = options;
  const perLane = Math.max(1, Math.floor(concurrency / 8));
  const slots = createSlots(concurrency, perLane);
  const attempt = createAttempts(deps, options);
  const underWay = new Set<Promise<void>>();
  const shutdown = new AbortController();
  let draining = false;

  const track = (task: Promise<void>) => {
    const tracked: Promise<void> = task.finally(() => underWay.delete(tracked));
    underWay.add(tracked);
    return tracked;
  };

  async function claim(): Promise<readonly Claim[]> {
    const claimedAtMs = performance.now();
    const lease = randomUUID();
    const limits = { limit: slots.free(), perLane, inFlight: slots.lanes, lease, leaseMs: LEASE_MS };
    const claims = await claimDeliveries(deps.db.em, limits);
    if (draining) {
      await releaseClaims(deps.db.em, claims);
      return [];
    }
    for (const claimed of claims) {
      slots.take(claimed.lane);
      const task = attempt(claimed, claimedAtMs + START_WITHIN_MS, shutdown.signal);
      void track(task.finally(() => slots.giveBack(claimed.lane) && wake()));
    }
    return claims;
  }

  return {
    name: 'send-webhooks',
    inFlight: () => concurrency - slots.free(),
    async processNext() {
      if (draining || slots.free() === 0) return false;
      let found = false;
      await track(claim().then((claims) => void (found = claims.length > 0)));
      return found;
    },
    async drain() {
      draining = true;
      const timer = setTimeout(() => shutdown.abort(new Error('the gateway is shutting down')), DRAIN_MS);
      while (underWay.size > 0) await Promise.allSettled(underWay);
      clearTimeout(timer);
    },
  };
}

type Attempt = (claim: Claim, startBeforeMs: number, signal: AbortSignal) => Promise<void>;

/** One attempt from the claim to the record. It never rejects: a claim that is not recorded falls due again. */
function createAttempts(deps: SenderDeps, options: WebhookSenderOptions): Attempt {
  const { egress, retryDelaysSeconds: delaysSeconds, random = Math.random } = options;
  const record = createRecorder(deps);

  async function make(claim: Claim, signal: AbortSignal): Promise<void> {
    const { eventId, deliveryId, attempt, url, body, secret } = claim;
    const at = deps.clock.now();
    const timestampSeconds = Math.floor(at.getTime() / 1_000);
    const headers = signatureHeaders({ eventId, deliveryId, attempt, timestampSeconds, body, secrets: [secret] });
    const result = await egress.post({ url, headers, body, signal });
    const now = deps.clock.now();
    const finished = judgeAttempt({ claim, at, result, delaysSeconds, random: random(), now });
    const recorded = await record(claim, finished);
    logAttempt(deps, claim, finished, recorded);
  }

  return async (claim, startBeforeMs, signal) => {
    // A process that was stopped after its claim: the lease may be another's by now.
    if (performance.now() > startBeforeMs) return;
    try {
      await make(claim, signal);
    } catch (error) {
      if (!signal.aborted)
        deps.log.error({ err: error, deliveryId: claim.deliveryId }, 'a webhook attempt was not recorded');
      else await releaseClaims(deps.db.em, [claim]).catch(() => undefined);
    }
  };
}

const GONE = 'The receiver answered 410 Gone';

/** Records attempts, those that end together in one commit; answers false where the lease was lost. */
function createRecorder(deps: SenderDeps): (claim: Claim, finished: FinishedAttempt) => Promise<boolean> {
  const { submit } = createGroupCommit<FinishedAttempt, boolean>({
    async run(batch) {
      const recorded = await finishDeliveries(deps.db.em, batch);
      return batch.map(({ deliveryId }) => recorded.has(deliveryId));
    },
  });

  const recordGone = (endpointId: string, finished: FinishedAttempt) =>
    inTransaction(deps, async (em) => {
      await holdEndpoint(em, endpointId);
      const recorded = await finishDeliveries(em, [finished]);
      if (recorded.size > 0) await disableEndpoint(em, endpointId, GONE);
      return recorded.size > 0;
    });

  return ({ endpointId }, finished) =>
    finished.status === 'DISABLED' && endpointId !== null ? recordGone(endpointId, finished) : submit(finished);
}

/** One line an attempt. Of the URL only the host: paths and queries may hold the merchant's own secrets. */
function logAttempt({ log }: SenderDeps, claim: Claim, finished: FinishedAttempt, recorded: boolean): void {
  const { deliveryId, eventId, merchantId, endpointId, attempt, url } = claim;
  const { responseCode, responseTimeMs, error, status, nextRetryAt } = finished;
  const host = URL.canParse(url) ? new URL(url).host : null;
  const outcome = { responseCode, responseTimeMs, error, status, nextRetryAt, recorded };
  log.info({ deliveryId, eventId, merchantId, endpointId, attempt, host, ...outcome }, 'webhook attempt');
}
