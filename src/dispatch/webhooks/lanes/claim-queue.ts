// Claims that wait in the process for a slot of their lane, so that a slot that is free waits for no claim.

import { performance } from 'node:perf_hooks';
import type { Claim } from '../../../database/queries/webhooks/claim-deliveries.ts';
import { dropClaim, excessClaims, startPost, type LaneSlots } from './concurrency.ts';

interface Waiting {
  readonly claim: Claim;
  /** Later than this its lease might be over before it is recorded. */
  readonly startBeforeMs: number;
}

interface Actions {
  post(claim: Claim): void;
  /** Gives claims back to the database. */
  release(claims: readonly Claim[]): void;
}

export interface WaitingClaims {
  /** Adds claims that are held in the slots, and posts those that may be. */
  add(claims: readonly Claim[], startBeforeMs: number): void;
  /**
   * A slot of this lane is free: posts what may be posted now, and gives back what the lane holds too many. With
   * `forAll` others may have waited for the slot as well, and take turns.
   */
  pump(lane: string, forAll: boolean): void;
  /** Gives back what has waited for too long. */
  sweep(): void;
  releaseAll(): void;
}

/** Makes the queues, one a lane. The lane that posted last comes last. */
export function createWaitingClaims(slots: LaneSlots, { post, release }: Actions): WaitingClaims {
  const queues = new Map<string, Waiting[]>();

  /** Posts up to `most` of a lane; answers how many. */
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

  /** One each and again, while there are slots. */
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

  /** Takes the claims that are not to be kept out of a lane's queue. */
  function remove(lane: string, keep: (waiting: Waiting, index: number) => boolean): Claim[] {
    const queue = queues.get(lane) ?? [];
    const kept = queue.filter(keep);
    if (kept.length === 0) queues.delete(lane);
    else if (kept.length < queue.length) queues.set(lane, kept);
    return queue.filter((waiting, index) => !keep(waiting, index)).map(({ claim }) => claim);
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
      if (excess > 0) giveBack(remove(lane, (_, index) => index < length - excess));
      if (forAll) takeTurns();
      else postFrom(lane, Number.POSITIVE_INFINITY);
    },
    sweep() {
      const nowMs = performance.now();
      // A process that was stopped after its claim: the lease may be another's by now.
      giveBack([...queues.keys()].flatMap((lane) => remove(lane, ({ startBeforeMs }) => nowMs <= startBeforeMs)));
    },
    releaseAll() {
      giveBack([...queues.keys()].flatMap((lane) => remove(lane, () => false)));
    },
  };
}
