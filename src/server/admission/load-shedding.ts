// Overload: when calls come faster than they can be done, a few wait a moment for their turn and the rest hears so at
// once (503, code 9503), instead of everybody waiting longer and longer.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { OperationContext } from '../../access/caller.ts';
import { GatewayError } from '../../values/errors.ts';
import { callerOf, createKnownCallers } from './known-callers.ts';
import { createSharedRoom, sharerOf, type Holding } from './shared-memory.ts';
import { createTurnstile, LARGE_LIMITS } from './admission-queue.ts';
import { isOver, whenOver } from './call-end.ts';

/**
 * Who asks how the gateway is must be answered then of all times; streams are limited as connections are, and their
 * operations take their turns below; and what acts on the test chain mostly waits for it, as a merchant's logo does for
 * their server.
 */
const NOT_COUNTED = /^(\/healthz|\/readyz|\/metrics|\/graphql\/stream|\/pay\/:id\/logo|\/api\/v1\/sandbox\/.*)$/;
/** An answer that is still being made after so long is made at its reader's pace, and costs little. */
const STREAM_PLACE_MS = 1_000;
/** Calls that wait for the rest of their bodies. */
export const MOST_RECEIVING = 1_000;

declare module 'fastify' {
  interface FastifyRequest {
    /** Gives its place back, once or more; null where it never took one. */
    leavePlace: (() => void) | null;
    /** Its place among those whose bodies are on their way; null where it has its body, or needs none. */
    receiving: Holding | null;
    /** Whether it was refused here, and nothing of it was done. */
    isTurnedAway: boolean;
  }
}

export interface Overload {
  /** Calls under way and waiting at this moment, those of operations that count as several among them; for metrics. */
  figures(): { readonly underWay: number; readonly waiting: number };
  /**
   * Gives the place of a call back, for one among the operations that count as several calls: however many of those
   * there are, all others have their places. Rejects with 9503 when its turn does not come.
   */
  enterLarge(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /**
   * Does the work of a query or mutation that came by a socket or stream, in its turn. Rejects with 9503 if its turn
   * does not come, or its caller has hung up by then.
   */
  inTurn<Result>(context: OperationContext, work: () => Promise<Result>): Promise<Result>;
}

/** One for all who are turned away, thousands a second: to note where each came from would cost more than it tells. */
const turnedAway = () => new GatewayError('OVERLOADED', { retryAfterSeconds: 1 });
const OVERLOADED = turnedAway();

/**
 * Counts every call of a server in and out. A place is for what costs us work: a body that is still on its way, or an
 * answer that is only to be taken, keeps none, or a hundred slow clients would keep everybody else out.
 */
export function registerOverload(server: FastifyInstance): Overload {
  const turnstile = createTurnstile();
  const callers = createKnownCallers();
  const receiving = createSharedRoom({ most: MOST_RECEIVING });
  // On the request itself: maps of requests, weak ones above all, burden the garbage collector.
  server.decorateRequest('leavePlace', null);
  server.decorateRequest('receiving', null);
  server.decorateRequest('isTurnedAway', false);

  function enter(request: FastifyRequest, reply: FastifyReply, done: (refusal?: Error) => void): void {
    const goOn = (admitted: boolean) => {
      if (admitted) return done();
      request.isTurnedAway = true;
      done(OVERLOADED);
    };
    // Mostly it is their turn at once; but what comes next may be that they leave, so it has to be known how.
    let told: boolean | null = null;
    let onTurn = (admitted: boolean): void => {
      told = admitted;
    };
    request.leavePlace = turnstile.enter(callers.of(request), (admitted) => onTurn(admitted));
    onTurn = goOn;
    if (told !== null) goOn(told);
    // The caller has hung up, whether it was their turn yet or not.
    if (isOver(reply)) request.leavePlace();
  }

  /** Gives a call's place back while its body is on its way. */
  function waitOutside(request: FastifyRequest): void {
    request.leavePlace?.();
    // To the reader of the body it is a failure of the connection, and it reads no more.
    request.receiving = receiving.hold(
      () => callerOf(request),
      () => request.raw.emit('error', turnedAway()),
    );
    request.raw.on('error', () => undefined);
    request.receiving.grow(1);
  }

  server.addHook('onRequest', (request, reply, done) => {
    if (NOT_COUNTED.test(request.routeOptions.url ?? '')) return done();
    whenOver(reply, () => {
      request.receiving?.release();
      request.leavePlace?.();
    });
    enter(request, reply, done);
  });
  server.addHook('preParsing', (request, _reply, payload, done) => {
    if (!request.leavePlace || request.raw.complete || !hasBody(request)) return done(null, payload);
    // A body that came with its head is known as whole once this read is over: such a call keeps its place.
    process.nextTick(() => {
      // One that has hung up has given back all it had.
      if (!request.raw.complete && !request.raw.destroyed) waitOutside(request);
      done(null, payload);
    });
  });
  server.addHook('preValidation', (request, reply, done) => {
    if (!request.receiving) return done();
    request.receiving.release();
    enter(request, reply, done);
  });
  server.addHook('onSend', (request, reply, payload, done) => {
    callers.learn(request, reply.statusCode);
    if (isStream(payload)) setTimeout(() => request.leavePlace?.(), STREAM_PLACE_MS).unref();
    else request.leavePlace?.();
    done(null, payload);
  });
  const large = createTurnstile({ limits: LARGE_LIMITS });
  return {
    figures: () => {
      const [one, several] = [turnstile.figures(), large.figures()];
      return { underWay: one.underWay + several.underWay, waiting: one.waiting + several.waiting };
    },
    async enterLarge(request, reply) {
      request.leavePlace?.();
      const isAdmitted = await new Promise<boolean>((resolve) => {
        request.leavePlace = large.enter(callers.of(request), resolve);
        if (isOver(reply)) request.leavePlace();
      });
      request.isTurnedAway = !isAdmitted;
      if (!isAdmitted) throw OVERLOADED;
    },
    inTurn: (context, work) => workInTurn((context.load?.calls ?? 1) > 1 ? large : turnstile, context, work),
  };
}

function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

const isStream = (payload: unknown) => payload !== null && typeof payload === 'object' && 'pipe' in payload;

async function workInTurn<Result>(
  turnstile: ReturnType<typeof createTurnstile>,
  context: OperationContext,
  work: () => Promise<Result>,
): Promise<Result> {
  let leave: () => void = () => undefined;
  const isAdmitted = await new Promise<boolean>((resolve) => {
    leave = turnstile.enter(sharerOf(context.caller, context.ip), resolve);
  });
  if (!isAdmitted) throw OVERLOADED;
  try {
    if (context.load?.isOver) throw OVERLOADED;
    return await work();
  } finally {
    leave();
  }
}
