// Each call to the API is a trace, if it is sampled. A caller's own trace is not continued: callers would decide what
// we record.

import type { FastifyInstance } from 'fastify';
import { AsyncLocalStorage } from 'node:async_hooks';
import { isTracing, traced, traceId } from '../tracing.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Of this call; null if it is not recorded. */
    traceId: string | null;
    /** Runs work within the call's span. */
    within?: <Result>(work: () => Result) => Result;
  }
}

/** Paths that are asked every few seconds by machines of ours. */
const UNTRACED: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

/** Adds the hooks, if there is tracing. What is hooked in later is within the span. */
export function traceCalls(server: FastifyInstance): void {
  server.decorateRequest('traceId', null);
  if (!isTracing()) return;
  server.addHook('onRequest', (request, reply, done) => {
    const { url: route = 'unknown' } = request.routeOptions;
    if (UNTRACED.has(route)) return done();
    const attributes = { 'http.request.method': request.method, 'http.route': route, 'request.id': request.id };
    void traced(`${request.method} ${route}`, 'root', attributes, () => {
      request.traceId = traceId();
      request.within = AsyncLocalStorage.snapshot();
      const ended = new Promise<void>((resolve) => reply.raw.once('close', resolve));
      done();
      return ended;
    });
  });
  // The body was read in the context of its connection.
  server.addHook('preValidation', (request, _reply, done) => (request.within ? request.within(done) : done()));
}
