// Registers the Greenfield table on the HTTP server: the routes of BTCPay Server that the plugins of shops call, with
// `Authorization: token <secret of an API key>`, and answers and errors in its shape (decision 0089).

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { greenfieldError, type GreenfieldEndpoint } from '../rest/greenfield/endpoint.ts';
import type { Json } from '../rest/greenfield/row.ts';
import { GatewayError, invalid } from '../values/errors.ts';
import { readApiKey, readBearer, type createIdentify } from './admission/authenticate.ts';
import { fromFastify, isExpected, isOutage } from './public-errors.ts';
import { API_PREFIX, queryOf } from './rest-routes.ts';

interface GreenfieldDeps {
  readonly identify: ReturnType<typeof createIdentify>;
  readonly endpoints: readonly GreenfieldEndpoint[];
  /** Where payment pages are, without a slash at the end. */
  readonly payUrl: string;
}

/** Registers the table, and the page of an invoice where plugins look for it. */
export function registerGreenfield(server: FastifyInstance, { identify, endpoints, payUrl }: GreenfieldDeps): void {
  void server.register((scope, _options, done) => {
    for (const endpoint of endpoints) registerOne(scope, identify, endpoint);
    done();
  });
  server.get('/i/:id', (request, reply) => {
    const { id } = request.params as { id: string };
    if (!/^inv_[0-9a-z]{1,64}$/.test(id)) throw new GatewayError('NOT_FOUND');
    return reply.redirect(`${payUrl}/${id}`);
  });
}

function registerOne(scope: FastifyInstance, identify: GreenfieldDeps['identify'], endpoint: GreenfieldEndpoint): void {
  const { row, isPublic } = endpoint;
  scope.route({
    method: row.method,
    url: API_PREFIX + row.path,
    errorHandler: (error, request, reply) => void sendGreenfieldError(error, request, reply, row.missing),
    onRequest: async (request, reply) => {
      request.operation = `greenfield ${row.method} ${row.path}`;
      // Access tokens come as everywhere else.
      request.bearer = readBearer(request.headers.authorization) ?? readApiKey(request.headers.authorization);
      request.context = await identify(request, reply, { acceptSecret: true, isPublic });
      endpoint.authorize(request.context, paramsOf(request)['storeId']);
    },
    handler: async (request, reply) => {
      const { context } = request;
      if (!context) throw new Error('A Greenfield request was not identified');
      const asked = { params: paramsOf(request), query: queryOf(request.url), body: bodyOf(request) };
      return reply.type('application/json; charset=utf-8').send(JSON.stringify(await endpoint.run(asked, context)));
    },
  });
}

const paramsOf = ({ params }: FastifyRequest) => params as Record<string, string>;

function bodyOf({ body }: FastifyRequest): Json {
  if (body === undefined || body === null) return {};
  if (typeof body !== 'object' || Array.isArray(body)) throw invalid([{ path: '', message: 'must be an object' }]);
  return body as Json;
}

function sendGreenfieldError(
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  missing: GreenfieldEndpoint['row']['missing'],
): FastifyReply {
  const known = fromFastify(thrown);
  if (!isExpected(known)) request.log.error({ err: known, requestId: request.id }, 'a request failed');
  const error = known instanceof GatewayError ? known : masked(known);
  request.errorCode = error.row.code;
  if (error.retryAfterSeconds !== undefined) void reply.header('Retry-After', error.retryAfterSeconds);
  if (error.row.status === 401) void reply.header('WWW-Authenticate', 'token');
  const { status, body } = greenfieldError(error, missing);
  return reply.code(status).type('application/json; charset=utf-8').send(JSON.stringify(body));
}

const masked = (error: unknown): GatewayError =>
  isOutage(error) ? new GatewayError('OVERLOADED', { retryAfterSeconds: 1 }) : new GatewayError('INTERNAL');
