// Makes one attempt to deliver a webhook: sign, post, evaluate, record, count and log.

import type { Claim } from '../../database/queries/webhooks/claim-deliveries.ts';
import type { FinishedAttempt } from '../../database/queries/webhooks/record-attempts.ts';
import type { Deps } from '../../domain/deps.ts';
import { writeRequest } from '../../domain/webhooks/request.ts';
import { traced } from '../../tracing.ts';
import { judgeAttempt } from './attempt-outcome.ts';
import type { HttpClient, PostResult } from '../../egress/http-client.ts';
import { createAttemptRecorder, type RecorderOptions } from './record-attempts.ts';

/**
 * The result of an attempt. `lost`: it was made, but its lease had passed to another process, so nothing was recorded.
 */
export type AttemptResult = 'success' | 'retry' | 'failed' | 'disabled' | 'lost';

export interface AttemptOptions extends RecorderOptions {
  readonly egress: HttpClient;
  /** Delays before retry 1, 2, …, in seconds. */
  readonly retryDelaysSeconds: readonly number[];
  /** Jitter source, uniform in [0, 1). */
  readonly random?: (() => number) | undefined;
  /** Called after each attempt with its result and how long the post took. */
  readonly onAttempt?: ((result: AttemptResult, seconds: number) => void) | undefined;
}

type AttemptDeps = Pick<Deps, 'db' | 'clock' | 'log' | 'signals'>;

/** `onEnd` is called when the post is over, with its result if it was made; recording follows. */
export type Attempt = (claim: Claim, onEnd: (result: PostResult | null) => void) => Promise<void>;

/**
 * Creates the function that makes attempts, from post to record. It never rejects: an unrecorded claim falls due again.
 */
export function createAttempts(deps: AttemptDeps, options: AttemptOptions): Attempt {
  const { egress, retryDelaysSeconds: delaysSeconds, random = Math.random, onAttempt, leases } = options;
  const record = createAttemptRecorder(deps, options);

  async function post(claim: Claim, at: Date): Promise<PostResult> {
    return egress.post({ url: claim.url, ...writeRequest({ ...claim, at }) });
  }

  const make: Attempt = async (claim, onEnd) => {
    const at = deps.clock.now();
    let result: PostResult;
    try {
      result = await post(claim, at);
    } catch (error) {
      // The client rejects only for our own errors; the claim waits for its lease to end.
      deps.log.error({ err: error, deliveryId: claim.deliveryId }, 'a webhook was not posted');
      leases.abandon(claim);
      onEnd(null);
      return;
    }
    onEnd(result);
    try {
      const finished = judgeAttempt({ claim, at, result, delaysSeconds, random: random(), now: deps.clock.now() });
      const recorded = await record(claim, finished);
      onAttempt?.(recorded ? RESULTS[finished.status] : 'lost', finished.responseTimeMs / 1_000);
      logAttempt(deps, claim, finished, recorded);
    } catch (error) {
      deps.log.error({ err: error, deliveryId: claim.deliveryId }, 'a webhook attempt was not recorded');
      leases.abandon(claim);
    }
  };

  return (claim, onEnd) => {
    const { trace, eventId, deliveryId, attempt } = claim;
    const attributes = { 'event.id': eventId, 'delivery.id': deliveryId, attempt };
    return traced('webhook', { below: trace }, attributes, () => make(claim, onEnd));
  };
}

const RESULTS = { SUCCESS: 'success', RETRYING: 'retry', FAILED: 'failed', DISABLED: 'disabled' } as const;

/** One log line per attempt. Only the URL's host is logged: paths and queries may hold the merchant's secrets. */
function logAttempt({ log }: AttemptDeps, claim: Claim, finished: FinishedAttempt, recorded: boolean): void {
  if (!log.isLevelEnabled('info')) return;
  const { deliveryId, eventId, merchantId, endpointId, attempt, url } = claim;
  const { responseCode, responseTimeMs, error, status, nextRetryAt } = finished;
  const host = URL.canParse(url) ? new URL(url).host : null;
  const outcome = { responseCode, responseTimeMs, error, status, nextRetryAt, recorded };
  log.info({ deliveryId, eventId, merchantId, endpointId, attempt, host, ...outcome }, 'webhook attempt');
}
