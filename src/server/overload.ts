// Overload: when calls come faster than they can be done, a few wait a moment for their turn and the rest hears so at
// once (503, code 9503), instead of everybody waiting longer and longer.

import type { FastifyInstance } from 'fastify';
import { GatewayError } from '../values/errors.ts';

/** Figures for one process. */
export const OVERLOAD_LIMITS = {
  /**
   * Calls under way at once. Nearly every call works with the database, on far fewer connections than this: more of them
   * at once are no faster, each only takes longer. 64 connections at full speed use two thirds of it. (To count only
   * while something is short was tried: neither a queue for connections nor a busy event loop shows while PostgreSQL is
   * what is slow and commits are grouped.)
   */
  underWay: 96,
  /** Calls that wait for their turn; their bodies are not read yet. */
  waiting: 1_000,
  /** How long a call waits in a burst. */
  patienceMs: 1_000,
  /** How long a call waits once others have waited for longer than that: its caller is better off trying again. */
  standingPatienceMs: 20,
} as const;
export type OverloadLimits = { readonly [Name in keyof typeof OVERLOAD_LIMITS]: number };

/**
 * Who asks how the gateway is must be answered then of all times; streams are limited as connections are; and what acts
 * on the test chain mostly waits for it, as a merchant's logo does for his server.
 */
const NOT_COUNTED = /^(\/healthz|\/readyz|\/metrics|\/graphql\/stream|\/pay\/:id\/logo|\/api\/v1\/sandbox\/.*)$/;

export interface Overload {
  /** Calls under way and waiting at this moment; for metrics. */
  figures(): { readonly underWay: number; readonly waiting: number };
}

/** Counts every call of a server in and out. */
export function registerOverload(server: FastifyInstance): Overload {
  const turnstile = createTurnstile();
  server.addHook('onRequest', (request, reply, done) => {
    if (NOT_COUNTED.test(request.routeOptions.url ?? '')) return done();
    const leave = turnstile.enter((admitted) => {
      if (admitted) done();
      else done(new GatewayError('OVERLOADED', { retryAfterSeconds: 1 }) as unknown as Error & { statusCode: number });
    });
    // Also when the caller hangs up, whether it was his turn yet or not.
    reply.raw.once('close', leave);
  });
  return { figures: turnstile.figures };
}

interface TurnstileOptions {
  readonly limits?: OverloadLimits;
  /** Monotonic milliseconds. */
  readonly now?: () => number;
}

/** Called once: with true when it is the call's turn, with false when it is not to be. */
type OnTurn = (admitted: boolean) => void;

/** Lets calls in, in the order they came. */
export function createTurnstile({ limits = OVERLOAD_LIMITS, now = () => performance.now() }: TurnstileOptions = {}) {
  const queue = new Map<OnTurn, NodeJS.Timeout>();
  let underWay = 0;
  let crowdedSince = -Infinity;
  let lastCrowdedAt = -Infinity;

  const hasRoom = () => underWay < limits.underWay;

  function admit(): void {
    for (const [onTurn, timer] of queue) {
      if (!hasRoom()) return;
      clearTimeout(timer);
      queue.delete(onTurn);
      underWay += 1;
      onTurn(true);
    }
  }

  /** A queue that has been there for longer than a burst takes will not go away by waiting. */
  function patience(): number {
    const at = now();
    if (at - lastCrowdedAt > limits.patienceMs) crowdedSince = at;
    lastCrowdedAt = at;
    return at - crowdedSince > limits.patienceMs ? limits.standingPatienceMs : limits.patienceMs;
  }

  function wait(onTurn: OnTurn): void {
    const giveUp = () => {
      queue.delete(onTurn);
      onTurn(false);
    };
    queue.set(onTurn, setTimeout(giveUp, patience()));
  }

  return {
    figures: () => ({ underWay, waiting: queue.size }),
    /** Answers what to call, once or more, when the call is over or its caller is gone. */
    enter(onTurn: OnTurn): () => void {
      let entered = false;
      const onOwnTurn: OnTurn = (admitted) => {
        entered = admitted;
        onTurn(admitted);
      };
      if (queue.size === 0 && hasRoom()) {
        underWay += 1;
        onOwnTurn(true);
      } else if (queue.size < limits.waiting) wait(onOwnTurn);
      else onOwnTurn(false);
      return () => {
        clearTimeout(queue.get(onOwnTurn));
        queue.delete(onOwnTurn);
        if (!entered) return;
        entered = false;
        underWay -= 1;
        admit();
      };
    },
  };
}
