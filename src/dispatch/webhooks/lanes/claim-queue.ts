// Queues claimed deliveries in memory until their lane has a free slot, so that a slot never waits for the database.

import { performance } from 'node:perf_hooks';
import type { Claim } from '../../../database/queries/webhooks/claim-deliveries.ts';
import { dropClaim, excessClaims, startPost, type LaneSlots } from './concurrency.ts';

interface Waiting {
  readonly claim: Claim;
  /** Posted later, its lease might end before the attempt is recorded. */
  readonly startBeforeMs: number;
}

interface Actions {
  post(claim: Claim): void;
  /** Gives claims back to the database. */
  release(claims: readonly Claim[]): void;
}

export interface ClaimQueue {
  /** Queues claims that are counted in the slots, and posts those that may start now. */
  add(claims: readonly Claim[], startBeforeMs: number): void;
  /**
   * Call when a slot of this lane is free: posts what may start now, and releases claims beyond the lane's limit. With
   * `forAll`, lanes that may have waited for the same slot take turns.
   */
  pump(lane: string, forAll: boolean): void;
  /** Releases claims that have waited too long. */
  releaseExpired(): void;
  releaseAll(): void;
}

/** Creates the queues, one per lane. The lane that posted last comes last. */
export function createClaimQueue(slots: LaneSlots, { post, release }: Actions): ClaimQueue {
  const queues = new Map<string, Waiting[]>();

  /** Posts up to `most` claims of a lane; returns how many. */
  function postFrom(lane: string, most: number): number {
    const queue = queues.get(lane) ?? [];
    const nowMs = performance.now();
    let posted = 0;
    for (const { claim, startBeforeMs } of queue) {
      if (posted === most || nowMs > startBeforeMs || !startPost(slots, lane)) break;
      posted += 1;
      post(claim);
    }
    if (posted === 0) return 0;
    queues.delete(lane);
    if (posted < queue.length) queues.set(lane, queue.slice(posted));
    return posted;
  }

  /** Posts one claim per lane, round-robin, while there are slots. */
  function takeTurns(): void {
    for (let posted = 1; posted > 0;) {
      posted = 0;
      for (const lane of [...queues.keys()]) {
        if (slots.all.posting >= slots.total) return;
        posted += postFrom(lane, 1);
      }
    }
  }

  function giveBack(claims: readonly Claim[]): void {
    if (claims.length === 0) return;
    for (const { lane } of claims) dropClaim(slots, lane);
    release(claims);
  }

  return {
    add(claims, startBeforeMs) {
      for (const claim of claims) {
        const queue = queues.get(claim.lane);
        if (queue) queue.push({ claim, startBeforeMs });
        else queues.set(claim.lane, [{ claim, startBeforeMs }]);
      }
      takeTurns();
    },
    pump(lane, forAll) {
      const excess = excessClaims(slots, lane);
      const length = queues.get(lane)?.length ?? 0;
      if (excess > 0) giveBack(remove(queues, lane, (_, index) => index < length - excess));
      if (forAll) takeTurns();
      else postFrom(lane, Number.POSITIVE_INFINITY);
    },
    releaseExpired() {
      const nowMs = performance.now();
      // The process may have been suspended after its claim, and the lease may have passed to another process.
      giveBack(
        [...queues.keys()].flatMap((lane) => remove(queues, lane, ({ startBeforeMs }) => nowMs <= startBeforeMs)),
      );
    },
    releaseAll() {
      giveBack([...queues.keys()].flatMap((lane) => remove(queues, lane, () => false)));
    },
  };
}

/** Removes and returns the claims of a lane that `keep` rejects. */
function remove(
  queues: Map<string, Waiting[]>,
  lane: string,
  keep: (waiting: Waiting, index: number) => boolean,
): Claim[] {
  const queue = queues.get(lane) ?? [];
  const kept = queue.filter(keep);
  if (kept.length === 0) queues.delete(lane);
  else if (kept.length < queue.length) queues.set(lane, kept);
  return queue.filter((waiting, index) => !keep(waiting, index)).map(({ claim }) => claim);
}
