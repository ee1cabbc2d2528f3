// A bearer that is no good, sent along with an operation that needs none.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OperationContext } from '../../access/caller.ts';
import type { Engine } from '../../graphql/engine.ts';
import { isOpen } from '../../graphql/open-operations.ts';
import type { GatewayError } from '../../values/errors.ts';
import type { createIdentify, IdentifyOptions } from '../admission/authenticate.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Why the bearer is refused, until it is known whether the operation needs one. */
    refusal: GatewayError | null;
  }
}

type Identify = ReturnType<typeof createIdentify>;

/** Identifies a caller of GraphQL. What is wrong with the bearer waits for `decideRefusal`. */
export function identifyLater(
  identify: Identify,
  request: FastifyRequest,
  reply: FastifyReply,
  options: Pick<IdentifyOptions, 'acceptCookie'> = {},
): Promise<OperationContext> {
  const onRefused = (refusal: GatewayError) => void (request.refusal = refusal);
  return identify(request, reply, { ...options, acceptSecret: false, isPublic: true, onRefused });
}

/**
 * Throws what is wrong with the bearer, unless all that the request asks for needs none (contract, section 8). A
 * request that cannot be read is refused for its bearer, which comes first. What reading takes is counted as ever.
 */
export async function decideRefusal(engine: Engine, request: FastifyRequest): Promise<void> {
  const { refusal, context } = request;
  if (refusal === null || context === null) return;
  const asked = operationOf(request);
  request.refusal = null;
  const prepared = asked && (await engine.prepare(asked, context));
  if (!prepared || 'errors' in prepared || !isOpen(engine.schema, prepared)) throw refusal;
}

function operationOf({ method, query, body }: FastifyRequest) {
  const given = (method === 'POST' ? body : query) as Readonly<Record<string, unknown>> | null | undefined;
  const { query: text, operationName = null } = given ?? {};
  if (typeof text !== 'string' || (operationName !== null && typeof operationName !== 'string')) return null;
  return { query: text, operationName };
}
