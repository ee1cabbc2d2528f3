// Registers the REST table on the HTTP server: each row is a route, every other method of its path is 405, every other
// path 404.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import type { OperationContext } from '../access/caller.ts';
import type { Endpoint } from '../rest/endpoint.ts';
import type { Route } from '../rest/routes/route.ts';
import { GatewayError } from '../values/errors.ts';
import type { createIdentify } from './admission/authenticate.ts';
import type { LargeBodies } from './admission/large-bodies.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The bearer of its Authorization header, once read, or null. See `bearerOf`. */
    bearer: string | null | undefined;
    /** Who is calling, once identified. */
    context: OperationContext | null;
    /** The operation's name, for the log. */
    operation: string | null;
    /** The code of the error that was answered, for the log. */
    errorCode: string | null;
  }
}

export const API_PREFIX = '/api/v1';

interface RestDeps {
  readonly identify: ReturnType<typeof createIdentify>;
  /** Options of routes with large bodies. */
  readonly largeBodies: LargeBodies;
  readonly endpoints: readonly Endpoint[];
}

/** Registers the table. */
export function registerRest(server: FastifyInstance, { identify, endpoints, largeBodies }: RestDeps): void {
  const byPath = Map.groupBy(endpoints, (endpoint) => endpoint.route.path);
  for (const [path, group] of byPath) {
    const methods = group.map((endpoint) => endpoint.route.method);
    for (const endpoint of group) registerEndpoint(server, identify, endpoint, endpoint.route.large ? largeBodies : {});
    registerOtherMethods(server, { identify, url: API_PREFIX + path, methods });
  }
}

interface PathParts extends Pick<RestDeps, 'identify'> {
  readonly url: string;
  /** Methods of the path in the table. */
  readonly methods: readonly string[];
}

/** Answers OPTIONS with the methods of a path, and other methods with 2005. */
function registerOtherMethods(server: FastifyInstance, { identify, url, methods }: PathParts): void {
  const allow = methods.join(', ');
  server.options(url, (_request, reply) => reply.header('Allow', allow).code(204).send());
  // GET answers HEAD as well.
  const taken = new Set<string>([...methods, 'OPTIONS', ...(methods.includes('GET') ? ['HEAD'] : [])]);
  server.route({
    method: server.supportedMethods.filter((method) => !taken.has(method)),
    url,
    onRequest: async (request, reply) => {
      void reply.header('Allow', allow);
      request.context = await identify(request, reply, { acceptSecret: false, isPublic: true });
      throw new GatewayError('METHOD_NOT_ALLOWED');
    },
    handler: () => undefined,
  });
}

/**
 * Not-found handler. Unknown paths below the API count as calls like any other. Methods that Fastify does not know come
 * here too, on any path.
 */
export function createUnknown(identify: RestDeps['identify'], routes: readonly Pick<Route, 'method' | 'path'>[]) {
  const patterns = routes.map(({ method, path }) => {
    return { method, path, pattern: new RegExp(`^${API_PREFIX}${path.replaceAll(/:\w+/g, '[^/]+')}$`) };
  });

  return async (request: FastifyRequest, reply: FastifyReply): Promise<never> => {
    if (!request.url.startsWith(`${API_PREFIX}/`)) throw new GatewayError('NOT_FOUND');
    request.context = await identify(request, reply, { acceptSecret: false, isPublic: true });
    const path = request.url.split('?')[0] ?? '';
    const matching = patterns.filter(({ pattern }) => pattern.test(path));
    // In the router's order: a literal path comes before one with a parameter.
    const exact = matching.filter((row) => API_PREFIX + row.path === path);
    const taken = (exact.length > 0 ? exact : matching).map(({ method }) => method);
    // A known path and method end up here only if the path could not be decoded.
    if (taken.length === 0 || request.server.supportedMethods.includes(request.method))
      throw new GatewayError('NOT_FOUND');
    void reply.header('Allow', taken.join(', '));
    throw new GatewayError('METHOD_NOT_ALLOWED');
  };
}

function registerEndpoint(
  server: FastifyInstance,
  identify: RestDeps['identify'],
  endpoint: Endpoint,
  bodies: Partial<LargeBodies>,
): void {
  const { method, path, acceptSecret = false } = endpoint.route;
  const isPublic = isOpen(endpoint);
  server.route({
    method,
    url: API_PREFIX + path,
    ...bodies,
    // Before the body is read, so that callers without permission learn nothing about its faults.
    onRequest: async (request, reply) => {
      request.operation = endpoint.operation;
      const context = await identify(request, reply, { acceptSecret, isPublic });
      request.context = endpoint.isThrottled ? { ...context, throttle: () => Promise.resolve() } : context;
      // Counted here, so that it comes first, as every rate limit does, and not once more with the operation.
      if (endpoint.isThrottled) await context.throttle();
      endpoint.authorize(context);
    },
    handler: (request, reply) => answer(endpoint, request, reply),
  });
}

/** Whether an operation needs no token. */
function isOpen(endpoint: Endpoint): boolean {
  try {
    endpoint.authorize({ caller: null });
    return true;
  } catch {
    return false;
  }
}

async function answer(endpoint: Endpoint, request: FastifyRequest, reply: FastifyReply): Promise<object> {
  const { context } = request;
  if (!context) throw new Error('A REST request was not identified');
  const params = request.params as Record<string, string>;
  const answered = await endpoint.run({ params, query: queryOf(request.url), body: request.body }, context);
  if (context.replayed) void reply.header('Idempotent-Replayed', 'true');
  void reply.code(answered.status);
  if ('body' in answered) return answered.body;
  void reply.type(answered.type);
  return Readable.from(answered.parts, { objectMode: false });
}

/** Every value of every parameter, in the order given. */
export function queryOf(url: string): Map<string, string[]> {
  const start = url.indexOf('?');
  const values = new Map<string, string[]>();
  if (start < 0) return values;
  for (const [name, value] of new URLSearchParams(url.slice(start + 1))) {
    const earlier = values.get(name);
    if (earlier) earlier.push(value);
    else values.set(name, [value]);
  }
  return values;
}
