// One attempt to deliver a webhook: signed, posted, judged, recorded, counted and logged.

import type { Claim } from '../../database/queries/webhooks/claim-deliveries.ts';
import type { FinishedAttempt } from '../../database/queries/webhooks/record-attempts.ts';
import type { Deps } from '../../domain/deps.ts';
import { judgeAttempt } from './attempt-outcome.ts';
import type { Egress, EgressResult } from '../egress/http-client.ts';
import { createAttemptRecorder, type RecorderOptions } from './record-attempts.ts';
import { signatureHeaders } from './signature.ts';

/** What an attempt came to; `lost`: it was made, but its lease was another's by then, so that nothing was recorded. */
export type AttemptResult = 'success' | 'retry' | 'failed' | 'disabled' | 'lost';

export interface AttemptOptions extends RecorderOptions {
  readonly egress: Egress;
  /** Delays before retry 1, 2, …, in seconds. */
  readonly retryDelaysSeconds: readonly number[];
  /** The jitter: uniform in [0, 1). */
  readonly random?: (() => number) | undefined;
  /** Told of each attempt that ended, and how long the post took. */
  readonly onAttempt?: ((result: AttemptResult, seconds: number) => void) | undefined;
}

type AttemptDeps = Pick<Deps, 'db' | 'clock' | 'log' | 'signals'>;

/** `onEnd` is told when the post is over, with its result if it was made; the recording comes after. */
export type Attempt = (claim: Claim, onEnd: (result: EgressResult | null) => void) => Promise<void>;

/** Makes attempts, from the post to the record. None rejects: a claim that is not recorded falls due again. */
export function createAttempts(deps: AttemptDeps, options: AttemptOptions): Attempt {
  const { egress, retryDelaysSeconds: delaysSeconds, random = Math.random, onAttempt, openClaims } = options;
  const record = createAttemptRecorder(deps, options);

  async function post(claim: Claim, at: Date): Promise<EgressResult> {
    const { eventId, deliveryId, attempt, url, body, secrets } = claim;
    const timestampSeconds = Math.floor(at.getTime() / 1_000);
    const headers = signatureHeaders({ eventId, deliveryId, attempt, timestampSeconds, body, secrets });
    return egress.post({ url, headers, body });
  }

  return async (claim, onEnd) => {
    const at = deps.clock.now();
    let result: EgressResult;
    try {
      result = await post(claim, at);
    } catch (error) {
      // Egress rejects only for what we do wrong; the claim waits for its lease to end.
      deps.log.error({ err: error, deliveryId: claim.deliveryId }, 'a webhook was not posted');
      openClaims.abandon(claim);
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
      openClaims.abandon(claim);
    }
  };
}

const RESULTS = { SUCCESS: 'success', RETRYING: 'retry', FAILED: 'failed', DISABLED: 'disabled' } as const;

/** One line an attempt. Of the URL only the host: paths and queries may hold the merchant's own secrets. */
function logAttempt({ log }: AttemptDeps, claim: Claim, finished: FinishedAttempt, recorded: boolean): void {
  if (!log.isLevelEnabled('info')) return;
  const { deliveryId, eventId, merchantId, endpointId, attempt, url } = claim;
  const { responseCode, responseTimeMs, error, status, nextRetryAt } = finished;
  const host = URL.canParse(url) ? new URL(url).host : null;
  const outcome = { responseCode, responseTimeMs, error, status, nextRetryAt, recorded };
  log.info({ deliveryId, eventId, merchantId, endpointId, attempt, host, ...outcome }, 'webhook attempt');
}
