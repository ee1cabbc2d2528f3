// Records attempts in group commits, then updates the health of their endpoints.

import { createGroupCommit } from '../../database/group-commit.ts';
import type { Claim } from '../../database/queries/webhooks/claim-deliveries.ts';
import { lockEndpoint } from '../../database/queries/webhooks/endpoint-failures.ts';
import {
  recordAttempts,
  type FinishedAttempt,
  type RecordedAttempt,
} from '../../database/queries/webhooks/record-attempts.ts';
import { inTransaction, type Deps } from '../../domain/deps.ts';
import type { AttemptCounts } from './count-attempts.ts';
import { noteHealth, switchOff, type HealthSign } from './endpoint-health.ts';
import type { Leases } from './lanes/leases.ts';

const GONE = 'The receiver answered 410 Gone';
/** Attempts recorded by one statement. */
const MOST_AT_ONCE = 1_024;
/** When busy, attempts are gathered for this long: one statement costs as much as thirty of its rows. */
const GATHER_MS = 50;

/** Records an attempt made under a claim; false if the lease was lost and nothing was changed. */
export type AttemptRecorder = (claim: Claim, finished: FinishedAttempt) => Promise<boolean>;

type RecorderDeps = Pick<Deps, 'db' | 'clock' | 'log' | 'signals'>;

export interface RecorderOptions {
  /** An endpoint whose attempts have all failed for this long is disabled. */
  readonly disableAfterMs: number;
  /** Whether the sender is busy. */
  readonly isBusy: () => boolean;
  readonly leases: Leases;
  readonly counts: AttemptCounts;
}

export function createAttemptRecorder(
  deps: RecorderDeps,
  { disableAfterMs, isBusy, leases, counts }: RecorderOptions,
): AttemptRecorder {
  const gathered = createGathering(GATHER_MS);
  const { submit } = createGroupCommit<FinishedAttempt, boolean>({
    maxBatch: MOST_AT_ONCE,
    async run(batch) {
      const over = leases.overAfter(batch);
      const recorded = await recordAttempts(deps.db.em, batch, over);
      leases.done(batch, over);
      counts.note(batch, recorded);
      // The attempts stay recorded even if this fails.
      await noteHealth(deps, signsOf(batch, recorded), disableAfterMs).catch((error: unknown) => {
        deps.log.error({ err: error }, "endpoints' health was not recorded; the next attempts will record it");
      });
      return batch.map(({ deliveryId }) => recorded.has(deliveryId));
    },
  });
  return async (claim, finished) => {
    if (finished.status === 'DISABLED' && claim.endpointId !== null) {
      const recorded = await recordGone(deps, claim.endpointId, finished);
      leases.done([claim]);
      counts.note([finished], recorded);
      return recorded.size > 0;
    }
    if (isBusy()) await gathered();
    return submit(finished);
  };
}

/** Creates a wait that ends for all callers at once, `ms` after the first of them. */
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

/** Lock order: the endpoint before its deliveries. */
async function recordGone(
  deps: RecorderDeps,
  endpointId: string,
  finished: FinishedAttempt,
): Promise<ReadonlyMap<string, RecordedAttempt>> {
  const outcome = await inTransaction(deps, async (em) => {
    const endpoint = await lockEndpoint(em, endpointId);
    const recorded = await recordAttempts(em, [finished]);
    if (!endpoint || recorded.size === 0) return { recorded, switched: false };
    const { merchantId } = endpoint;
    return { recorded, switched: await switchOff(deps, em, { endpointId, merchantId, reason: GONE }) };
  });
  if (outcome.switched) deps.signals.events();
  return outcome.recorded;
}
