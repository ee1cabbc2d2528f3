// Remembers who recent bearer tokens belong to, so that waiting calls can be told apart before they are authenticated.

import type { FastifyRequest } from 'fastify';
import { ownCopy } from '../../values/formats/text.ts';
import { bearerOf, ipOf } from './authenticate.ts';
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
 * Who is waiting, before it is known whether they are who they say. It decides on nothing but the order of turns:
 * callers without end wait behind themselves. So a bearer counts only where it was good before: with one that is made
 * up for each call, they would be new callers each time. It is kept without what is written around it, which may vary.
 */
export function createKnownCallers() {
  const known = new Map<string, string>();
  return {
    of(request: Asked): string {
      const bearer = request.context?.caller ? null : bearerOf(request);
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
