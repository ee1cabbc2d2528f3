// Remembers who recent bearer tokens belong to, so that waiting calls can be told apart before they are authenticated.

import type { FastifyRequest } from 'fastify';
import { ownCopy } from '../../values/formats/text.ts';
import { bearerOf, ipOf, readApiKey } from './authenticate.ts';
import { sharerOf } from './shared-memory.ts';

/** Valid bearer tokens to remember. */
const MOST_CALLERS = 20_000;
/** Our tokens are shorter, except those with very many permissions. */
const LONGEST_BEARER = 1_024;

/** The parts of a request that are used. */
type Asked = Pick<FastifyRequest, 'headers' | 'bearer' | 'context' | 'ip' | 'ips'>;

/**
 * The party that shares and takes turns with others: the calling merchant, or the address while no merchant is known.
 */
export function callerOf(request: Pick<Asked, 'context' | 'ip' | 'ips'>): string {
  return sharerOf(request.context?.caller, ipOf(request));
}

/**
 * Identifies waiting callers before they are authenticated. It only affects the order of turns: a caller who calls all
 * the time waits behind their own calls. A bearer counts only if it was valid before, since a client that makes up a
 * bearer for each call would otherwise be a new caller each time. Only the token is kept, without the text around it,
 * which may vary.
 */
export function createKnownCallers() {
  const known = new Map<string, string>();
  return {
    of(request: Asked): string {
      const { context, headers } = request;
      const bearer = context?.caller ? null : (bearerOf(request) ?? readApiKey(headers.authorization));
      return (bearer === null ? undefined : known.get(bearer)) ?? callerOf(request);
    },
    /**
     * Remembers the caller of a request that is answered with this status, or forgets one whose bearer is no good any
     * more.
     */
    learn(request: Asked, status: number): void {
      const { context } = request;
      const bearer = bearerOf(request);
      if (bearer === null || bearer.length > LONGEST_BEARER) return;
      // Otherwise the holder of an expired token would wait, and be refused, on the merchant's account.
      if (status === 401) known.delete(bearer);
      if (!context?.caller || known.has(bearer)) return;
      if (known.size >= MOST_CALLERS) known.clear();
      known.set(ownCopy(bearer), sharerOf(context.caller, context.ip));
    },
  };
}
