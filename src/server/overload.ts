// Overload: when calls come faster than they can be done, a few wait a moment for their turn and the rest hears so at
// once (503, code 9503), instead of everybody waiting longer and longer.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { execute, GraphQLError, type ExecutionArgs, type ExecutionResult } from 'graphql';
import type { OperationContext } from '../access/caller.ts';
import { GatewayError } from '../values/errors.ts';
import { createTurnstile, OVERLOAD_LIMITS } from './turnstile.ts';

/**
 * Who asks how the gateway is must be answered then of all times; streams are limited as connections are, and their
 * operations take their turns below; and what acts on the test chain mostly waits for it, as a merchant's logo does for
 * his server.
 */
const NOT_COUNTED = /^(\/healthz|\/readyz|\/metrics|\/graphql\/stream|\/pay\/:id\/logo|\/api\/v1\/sandbox\/.*)$/;
/** An answer that is still being made after so long is made at its reader's pace, and costs little. */
const STREAM_PLACE_MS = 1_000;

declare module 'fastify' {
  interface FastifyRequest {
    /** Gives its place back, once or more; null where it never took one. */
    leavePlace: (() => void) | null;
    /** Whether it was refused here before anything was known of it, its caller included. */
    isTurnedAway: boolean;
  }
}

export interface Overload {
  /** Calls under way and waiting at this moment; for metrics. */
  figures(): { readonly underWay: number; readonly waiting: number };
  /** Executes a query or mutation that came by a socket or stream in its turn; refused, its result is error 9503. */
  execute(args: ExecutionArgs): Promise<ExecutionResult>;
}

/** One for all who are turned away, thousands a second: to note where each came from would cost more than it tells. */
const OVERLOADED = new GatewayError('OVERLOADED', { retryAfterSeconds: 1 });

/**
 * Counts every call of a server in and out. A place is for what costs us work: a body that is still on its way, or an
 * answer that is only to be taken, keeps none, or a hundred slow clients would keep everybody else out.
 */
export function registerOverload(server: FastifyInstance): Overload {
  const turnstile = createTurnstile();
  const receiving = new Set<FastifyRequest>();
  // On the request itself: maps of requests, weak ones above all, are work for whoever collects them.
  server.decorateRequest('leavePlace', null);
  server.decorateRequest('isTurnedAway', false);

  function enter(request: FastifyRequest, reply: FastifyReply, done: (refusal?: Error) => void): void {
    const onTurn = (admitted: boolean) => {
      if (admitted) return done();
      request.isTurnedAway = request.context === null;
      done(OVERLOADED);
    };
    request.leavePlace = turnstile.enter(callerOf(request), onTurn);
    // The caller has hung up, whether it was his turn yet or not.
    if (reply.raw.destroyed) request.leavePlace();
  }

  server.addHook('onRequest', (request, reply, done) => {
    if (NOT_COUNTED.test(request.routeOptions.url ?? '')) return done();
    reply.raw.on('close', () => {
      receiving.delete(request);
      request.leavePlace?.();
    });
    enter(request, reply, done);
  });
  server.addHook('preParsing', (request, _reply, payload, done) => {
    if (!request.leavePlace || request.raw.complete || !hasBody(request)) return done(null, payload);
    request.leavePlace();
    if (receiving.size >= OVERLOAD_LIMITS.receiving) return done(OVERLOADED);
    receiving.add(request);
    done(null, payload);
  });
  server.addHook('preValidation', (request, reply, done) => {
    if (receiving.delete(request)) enter(request, reply, done);
    else done();
  });
  server.addHook('onSend', (request, _reply, payload, done) => {
    if (isStream(payload)) setTimeout(() => request.leavePlace?.(), STREAM_PLACE_MS).unref();
    else request.leavePlace?.();
    done(null, payload);
  });
  return {
    figures: turnstile.figures,
    execute: (args) => executeInTurn(turnstile, args),
  };
}

/**
 * Who is waiting, before it is known whether he is who he says. It decides on nothing but the order of turns: somebody who
 * calls without end is to wait behind himself.
 */
function callerOf(request: FastifyRequest): string {
  return request.headers.authorization ?? request.ip;
}

function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

const isStream = (payload: unknown) => payload !== null && typeof payload === 'object' && 'pipe' in payload;

async function executeInTurn(turnstile: ReturnType<typeof createTurnstile>, args: ExecutionArgs) {
  const { caller, ip } = args.contextValue as OperationContext;
  let leave: () => void = () => undefined;
  const admitted = await new Promise<boolean>((resolve) => {
    leave = turnstile.enter(caller ? `${caller.merchantId}/${caller.keyId ?? 'owner'}` : ip, resolve);
  });
  if (!admitted) return { errors: [new GraphQLError('', { originalError: OVERLOADED })] };
  try {
    return await execute(args);
  } finally {
    leave();
  }
}
