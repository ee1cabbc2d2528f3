// CORS: calls from web pages of other origins. They are never authenticated by a cookie, so a page can do no more than
// the token it holds allows. Which origins are allowed is configured.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { OriginRules } from './allowed-origins.ts';

const API_PATH = /^\/(api\/v1\/|graphql(\/stream)?(\?|$)|openapi\.json(\?|$))/;
const METHODS = 'GET, HEAD, POST, PUT, DELETE';
const TAKEN = 'Authorization, Content-Type, Idempotency-Key, X-Request-Id, Turnpike-Cell, Apollo-Require-Preflight';
const SHOWN =
  'X-Request-Id, Idempotent-Replayed, Retry-After, Allow, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset';
const KEPT_SECONDS = 600;

/** Lets allowed pages read answers. Preflights are not counted as calls. */
export function admitBrowsers(server: FastifyInstance, origins: OriginRules): void {
  server.addHook('onRequest', (request, reply, done) => {
    if (!API_PATH.test(request.url)) return done();
    const isAllowed = allow(request, reply, origins);
    const { method, headers } = request;
    const isPreflight = method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
    if (!isAllowed || !isPreflight) return done();
    void reply
      .headers({ 'Access-Control-Allow-Methods': METHODS, 'Access-Control-Allow-Headers': TAKEN })
      .header('Access-Control-Max-Age', KEPT_SECONDS)
      .code(204)
      .send();
  });
}

/** Tells the page, and caches on the way, whether it is allowed. */
function allow({ headers }: FastifyRequest, reply: FastifyReply, { isForAll, isNamed }: OriginRules): boolean {
  const { origin } = headers;
  if (!isForAll) void reply.header('Vary', 'Origin');
  if (origin === undefined || !(isForAll || isNamed(origin))) return false;
  void reply.headers({
    'Access-Control-Allow-Origin': isForAll ? '*' : origin,
    'Access-Control-Expose-Headers': SHOWN,
  });
  return true;
}
