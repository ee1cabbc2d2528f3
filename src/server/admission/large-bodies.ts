// Large bodies: the calls that may have one, a GraphQL document or a batch of payouts, are read a few at a time. What
// they hold is bounded, however many callers send them and however slowly (contract-people-payouts, clauses changed).

import type { FastifyReply, FastifyRequest, RequestPayload } from 'fastify';
import { Transform } from 'node:stream';
import { GatewayError } from '../../values/errors.ts';
import { onCallEnd } from './call-end.ts';

/** The most bytes of any other body. */
export const BODY_LIMIT = 100 * 1024;
/** The most bytes of a large one. */
export const LARGE_BODY_LIMIT = 512 * 1024;
/** How many large bodies a process reads at once. */
export const MOST_LARGE_BODIES = 16;

type Done = (error?: Error | null, payload?: RequestPayload) => void;

/** Options of a route that takes large bodies. The seventeenth at once is refused: 9503. */
export function createLargeBodies(most = MOST_LARGE_BODIES) {
  let reading = 0;
  /** Takes a place until the body was read or its call is over; null without a free one. */
  const enter = (reply: FastifyReply, payload: RequestPayload): GatewayError | null => {
    if (reading >= most) return new GatewayError('OVERLOADED', { retryAfterSeconds: 1 });
    reading += 1;
    let isIn = true;
    const leave = () => {
      if (isIn) reading -= 1;
      isIn = false;
    };
    payload.once('end', leave);
    onCallEnd(reply, leave);
    return null;
  };
  const preParsing = (request: FastifyRequest, reply: FastifyReply, payload: RequestPayload, done: Done): void => {
    if (request.headers['transfer-encoding'] !== undefined) return done(null, payload.pipe(counted(reply, enter)));
    const isLarge = Number(request.headers['content-length'] ?? 0) > BODY_LIMIT;
    done(isLarge ? enter(reply, payload) : null, payload);
  };
  return { bodyLimit: LARGE_BODY_LIMIT, preParsing };
}

/** What `createLargeBodies` makes. */
export type LargeBodies = ReturnType<typeof createLargeBodies>;

/** A body that does not say its length takes a place once it has turned out to be large. */
function counted(
  reply: FastifyReply,
  enter: (reply: FastifyReply, payload: RequestPayload) => GatewayError | null,
): Transform {
  let bytes = 0;
  const passed: Transform = new Transform({
    transform(chunk: Buffer, _encoding, next) {
      const wasSmall = bytes <= BODY_LIMIT;
      bytes += chunk.length;
      next(wasSmall && bytes > BODY_LIMIT ? enter(reply, passed) : null, chunk);
    },
  });
  return passed;
}
