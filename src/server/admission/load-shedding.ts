// Load shedding: when calls come faster than they can be served, a few wait for their turn and the rest is refused at
// once (503, code 9503), so that latency does not grow for all.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { OperationContext } from '../../access/caller.ts';
import { GatewayError } from '../../values/errors.ts';
import { callerOf, createKnownCallers } from './known-callers.ts';
import { createSharedMemory, sharerOf, type Holding } from './shared-memory.ts';
import { createAdmissionQueue, LARGE_LIMITS } from './admission-queue.ts';
import { isOver, onCallEnd } from './call-end.ts';

/**
 * Routes that are not counted. Health checks and metrics matter most under overload. Streams are limited as
 * connections, and their operations take turns below. Calls of the test chain mostly wait for it, those for a
 * merchant's logo for the merchant's server, and those of a sign-in by a provider for the provider, which has a limit
 * of its own.
 */
const NEVER_SHED =
  /^(\/healthz|\/readyz|\/metrics|\/graphql\/stream|\/pay\/:id\/logo|\/auth\/oidc\/callback|\/api\/v1\/sandbox\/.*)$/;
/** After this long an answer is being made at the pace of its reader, and costs little. */
const STREAM_PLACE_MS = 1_000;
/** Calls that wait for the rest of their body. */
export const MOST_RECEIVING = 1_000;

declare module 'fastify' {
  interface FastifyRequest {
    /** Gives its place back, once or more; null where it never took one. */
    leavePlace: (() => void) | null;
    /** Its place among those whose bodies are on their way; null where it has its body, or needs none. */
    receiving: Holding | null;
    /** Whether the call was refused under overload, before any work on it. */
    isShed: boolean;
  }
}

export interface LoadShedding {
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

/** One shared error for all refused calls, thousands a second: a stack trace for each would cost more than it tells. */
const createOverloadError = () => new GatewayError('OVERLOADED', { retryAfterSeconds: 1 });
const OVERLOADED = createOverloadError();

/**
 * Registers load shedding for every call of a server. A call has a place only while it costs us work, not while its
 * body is arriving or its answer waits to be read: otherwise a hundred slow clients would keep everybody else out.
 */
export function registerLoadShedding(server: FastifyInstance): LoadShedding {
  const admission = createAdmissionQueue();
  const callers = createKnownCallers();
  const receiving = createSharedMemory({ most: MOST_RECEIVING });
  // Kept on the request: WeakMaps burden the garbage collector.
  server.decorateRequest('leavePlace', null);
  server.decorateRequest('receiving', null);
  server.decorateRequest('isShed', false);

  function enter(request: FastifyRequest, reply: FastifyReply, done: (refusal?: Error) => void): void {
    const goOn = (admitted: boolean) => {
      if (admitted) return done();
      request.isShed = true;
      done(OVERLOADED);
    };
    // Usually the turn comes at once. Otherwise the call may end while it waits, so its end has to be watched.
    let decision: boolean | null = null;
    let onTurn = (admitted: boolean): void => {
      decision = admitted;
    };
    request.leavePlace = admission.enter(callers.of(request), (admitted) => onTurn(admitted));
    onTurn = goOn;
    if (decision !== null) goOn(decision);
    // The caller has disconnected, before or after its turn came.
    if (isOver(reply)) request.leavePlace();
  }

  /** Gives a call's place back while its body is on its way. */
  function releaseWhileReceiving(request: FastifyRequest): void {
    request.leavePlace?.();
    // The body parser sees a connection failure and stops reading.
    request.receiving = receiving.hold(
      () => callerOf(request),
      () => request.raw.emit('error', createOverloadError()),
    );
    request.raw.on('error', () => undefined);
    request.receiving.grow(1);
  }

  server.addHook('onRequest', (request, reply, done) => {
    if (NEVER_SHED.test(request.routeOptions.url ?? '')) return done();
    onCallEnd(reply, () => {
      request.receiving?.release();
      request.leavePlace?.();
    });
    enter(request, reply, done);
  });
  server.addHook('preParsing', (request, _reply, payload, done) => {
    if (!request.leavePlace || request.raw.complete || !hasBody(request)) return done(null, payload);
    // A body that arrived with its head is complete after this read; such a call keeps its place.
    process.nextTick(() => {
      // A call that disconnected has released everything already.
      if (!request.raw.complete && !request.raw.destroyed) releaseWhileReceiving(request);
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
  const large = createAdmissionQueue({ limits: LARGE_LIMITS });
  return {
    figures: () => {
      const [one, several] = [admission.figures(), large.figures()];
      return { underWay: one.underWay + several.underWay, waiting: one.waiting + several.waiting };
    },
    async enterLarge(request, reply) {
      request.leavePlace?.();
      const isAdmitted = await new Promise<boolean>((resolve) => {
        request.leavePlace = large.enter(callers.of(request), resolve);
        if (isOver(reply)) request.leavePlace();
      });
      request.isShed = !isAdmitted;
      if (!isAdmitted) throw OVERLOADED;
    },
    inTurn: (context, work) => workInTurn((context.load?.calls ?? 1) > 1 ? large : admission, context, work),
  };
}

function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

const isStream = (payload: unknown) => payload !== null && typeof payload === 'object' && 'pipe' in payload;

async function workInTurn<Result>(
  admission: ReturnType<typeof createAdmissionQueue>,
  context: OperationContext,
  work: () => Promise<Result>,
): Promise<Result> {
  let leave: () => void = () => undefined;
  const isAdmitted = await new Promise<boolean>((resolve) => {
    leave = admission.enter(sharerOf(context.caller, context.ip), resolve);
  });
  if (!isAdmitted) throw OVERLOADED;
  try {
    if (context.load?.isOver) throw OVERLOADED;
    return await work();
  } finally {
    leave();
  }
}
