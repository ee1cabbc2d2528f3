// Records attempts, those that end together in one commit, and what they say about their endpoints.

import { createGroupCommit } from '../../database/group-commit.ts';
import type { Claim } from '../../database/queries/webhooks/claim-deliveries.ts';
import { lockEndpoint } from '../../database/queries/webhooks/endpoint-failures.ts';
import {
  recordAttempts,
  type FinishedAttempt,
  type RecordedAttempt,
} from '../../database/queries/webhooks/record-attempts.ts';
import { inTransaction, type Deps } from '../../domain/deps.ts';
import { noteHealth, switchOff, type HealthSign } from './endpoint-health.ts';
import type { OpenClaims } from './lanes/leases.ts';

const GONE = 'The receiver answered 410 Gone';
/** Attempts recorded by one statement. */
const MOST_AT_ONCE = 1_024;
/** When there is much to do, attempts are gathered for so long: a statement costs as much as thirty of its rows. */
const GATHER_MS = 50;

/** Records an attempt made under a claim; false where the lease was lost, and nothing was changed. */
export type AttemptRecorder = (claim: Claim, finished: FinishedAttempt) => Promise<boolean>;

type RecorderDeps = Pick<Deps, 'db' | 'clock' | 'log' | 'signals'>;

export interface RecorderOptions {
  /** An endpoint whose attempts have all failed for so long is switched off. */
  readonly disableAfterMs: number;
  /** Whether there is much to do. */
  readonly isBusy: () => boolean;
  readonly openClaims: OpenClaims;
}

/** Makes the recorder. */
export function createAttemptRecorder(
  deps: RecorderDeps,
  { disableAfterMs, isBusy, openClaims }: RecorderOptions,
): AttemptRecorder {
  const gathered = createGathering(GATHER_MS);
  const { submit } = createGroupCommit<FinishedAttempt, boolean>({
    maxBatch: MOST_AT_ONCE,
    async run(batch) {
      const over = openClaims.overAfter(batch);
      const recorded = await recordAttempts(deps.db.em, batch, over);
      openClaims.done(batch, over);
      // The attempts are recorded, whatever becomes of this.
      await noteHealth(deps, signsOf(batch, recorded), disableAfterMs).catch((error: unknown) => {
        deps.log.error({ err: error }, "endpoints' health was not recorded; the next attempts do");
      });
      return batch.map(({ deliveryId }) => recorded.has(deliveryId));
    },
  });
  return async (claim, finished) => {
    if (finished.status === 'DISABLED' && claim.endpointId !== null) {
      const recorded = await recordGone(deps, claim.endpointId, finished);
      openClaims.done([claim]);
      return recorded;
    }
    if (isBusy()) await gathered();
    return submit(finished);
  };
}

/** Resolves for all who wait at once, so long after the first of them came. */
function createGathering(ms: number): () => Promise<void> {
  let waiting: Promise<void> | null = null;
  return () =>
    (waiting ??= new Promise((resolve) => {
      setTimeout(() => {
        waiting = null;
        resolve();
      }, ms);
    }));
}

function signsOf(batch: readonly FinishedAttempt[], recorded: ReadonlyMap<string, RecordedAttempt>): HealthSign[] {
  const signs: HealthSign[] = [];
  for (const { deliveryId, status, at } of batch) {
    const { endpointId = null, failingSince = null } = recorded.get(deliveryId) ?? {};
    if (endpointId !== null) signs.push({ endpointId, failingSince, failed: status !== 'SUCCESS', at });
  }
  return signs;
}

/** Who locks an endpoint and deliveries locks the endpoint first. */
async function recordGone(deps: RecorderDeps, endpointId: string, finished: FinishedAttempt): Promise<boolean> {
  const outcome = await inTransaction(deps, async (em) => {
    const endpoint = await lockEndpoint(em, endpointId);
    const recorded = await recordAttempts(em, [finished]);
    if (!endpoint || recorded.size === 0) return { recorded: recorded.size > 0, switched: false };
    const { merchantId } = endpoint;
    return { recorded: true, switched: await switchOff(deps, em, { endpointId, merchantId, reason: GONE }) };
  });
  if (outcome.switched) deps.signals.events();
  return outcome.recorded;
}
