// The REST table on the HTTP server: each row a route, every other method on its path 405, every other path 404.

import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import type { OperationContext } from '../access/caller.ts';
import type { Endpoint } from '../rest/adapter.ts';
import { GatewayError } from '../values/errors.ts';
import type { createIdentify } from './identify.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who is calling, once identified. */
    context: OperationContext | null;
    /** The operation's name, for the log. */
    operation: string | null;
    /** The code of the error that was answered, for the log. */
    errorCode: string | null;
  }
}

export const API_PREFIX = '/api/v1';
const METHODS: readonly HTTPMethods[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

interface RestDeps {
  readonly identify: ReturnType<typeof createIdentify>;
  readonly endpoints: readonly Endpoint[];
}

/** Registers the table. */
export function registerRest(server: FastifyInstance, { identify, endpoints }: RestDeps): void {
  const byPath = Map.groupBy(endpoints, (endpoint) => endpoint.route.path);
  for (const [path, group] of byPath) {
    for (const endpoint of group) registerEndpoint(server, identify, endpoint);
    const taken = new Set<string>(group.map((endpoint) => endpoint.route.method));
    const others = METHODS.filter((method) => !taken.has(String(method)));
    server.route({
      method: others,
      url: API_PREFIX + path,
      onRequest: (_request, reply, done) => {
        void reply.header('Allow', [...taken].join(', '));
        done(new GatewayError('METHOD_NOT_ALLOWED') as unknown as Error & { statusCode: number });
      },
      handler: () => undefined,
    });
  }
}

function registerEndpoint(server: FastifyInstance, identify: RestDeps['identify'], endpoint: Endpoint): void {
  const { method, path, acceptSecret = false } = endpoint.route;
  const isPublic = isOpen(endpoint);
  server.route({
    method,
    url: API_PREFIX + path,
    // Before the body is read: who is not allowed learns nothing about what is wrong with his body.
    onRequest: async (request, reply) => {
      request.operation = endpoint.operation;
      request.context = await identify(request, reply, { acceptSecret, isPublic });
      endpoint.authorize(request.context);
    },
    handler: (request, reply) => answer(endpoint, request, reply),
  });
}

/** Whether an operation needs no token: it lets even nobody pass. */
function isOpen(endpoint: Endpoint): boolean {
  try {
    endpoint.authorize({ caller: null });
    return true;
  } catch {
    return false;
  }
}

async function answer(endpoint: Endpoint, request: FastifyRequest, reply: FastifyReply): Promise<object | string> {
  const { context } = request;
  const params = request.params as Record<string, string>;
  const answered = await endpoint.run({ params, query: queryOf(request.url), body: request.body }, context);
  if (context?.replayed) void reply.header('Idempotent-Replayed', 'true');
  if ('type' in answered) void reply.type(answered.type);
  void reply.code(answered.status);
  return answered.body;
}

/** Every value of every parameter, in the order given. */
function queryOf(url: string): Map<string, string[]> {
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
