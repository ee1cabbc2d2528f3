// Turns a receiver's response or failure into the attempt to record, and its next step. Pure.

import type { Claim } from '../../database/queries/webhooks/claim-deliveries.ts';
import type { FinishedAttempt } from '../../database/queries/webhooks/record-attempts.ts';
import type { PostResult } from '../../egress/http-client.ts';
import { decideRetry, type RetryVerdict } from './retry-policy.ts';

interface Judged {
  readonly claim: Claim;
  /** When the attempt started. */
  readonly at: Date;
  readonly result: PostResult;
  readonly delaysSeconds: readonly number[];
  /** Jitter, uniform in [0, 1). */
  readonly random: number;
  /** When the attempt ended. */
  readonly now: Date;
}

const STATUS_AFTER = { success: 'SUCCESS', retry: 'RETRYING', 'give-up': 'FAILED', disable: 'DISABLED' } as const;

/** Evaluates an attempt that was made under a claim. */
export function judgeAttempt({ claim, at, result, delaysSeconds, random, now }: Judged): FinishedAttempt {
  const attempts = { count: claim.attempt, firstAt: claim.firstAttemptAt ?? at, lastEndedAt: now };
  const verdict: RetryVerdict = decideRetry({ delaysSeconds, attempts, outcome: result, random, now });
  const answered = result.kind === 'response';
  return {
    deliveryId: claim.deliveryId,
    lane: claim.lane,
    lease: claim.lease,
    attempt: claim.attempt,
    at,
    url: claim.url,
    responseCode: answered ? result.status : null,
    responseTimeMs: result.durationMs,
    responseStart: answered ? result.bodyStart : null,
    error: answered ? null : `${result.reason}: ${result.message}`,
    status: STATUS_AFTER[verdict.kind],
    nextRetryAt: verdict.kind === 'retry' ? verdict.at : null,
  };
}
