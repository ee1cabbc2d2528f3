// GraphQL over HTTP: Apollo Server speaks the protocol, the engine executes; with our errors, codes and limits.

import { ApolloServer, type ApolloServerOptions, type ApolloServerPlugin } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
} from '@apollo/server/plugin/disabled';
import { fastifyApolloHandler } from '@as-integrations/fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { execute, GraphQLError, type GraphQLFormattedError } from 'graphql';
import { createLoad } from '../../access/caller.ts';
import type { DocumentCache } from '../../graphql/document-cache.ts';
import { refusalOfDocument } from '../../graphql/document-limits.ts';
import type { Engine } from '../../graphql/engine.ts';
import { chargeReading } from '../../graphql/operation-weight.ts';
import { nameOf, VALIDATION_FAILED } from '../../graphql/prepare.ts';
import { QUERY_LIMIT_RULES, QUERY_LIMITS } from '../../graphql/query-limits.ts';
import { ERRORS, GatewayError } from '../../values/errors.ts';
import type { createIdentify } from '../admission/authenticate.ts';
import { onCallEnd } from '../admission/call-end.ts';
import type { LargeBodies } from '../admission/large-bodies.ts';
import type { LoadShedding } from '../admission/load-shedding.ts';
import { plainAccept } from './accept.ts';
import { formatGraphQLError, logUnexpected } from './errors.ts';
import { createFastPath } from './fast-path.ts';
import type { HttpContext } from './http-context.ts';
import { decideRefusal, identifyLater } from './bearer-rejection.ts';
import {
  isOfOperation,
  refusalOf,
  refusalOfSubscription,
  refusedUnread,
  tellLimits,
  throwIfAny,
  wantsPlainJson,
} from './rejections.ts';

interface GraphQLDeps {
  readonly engine: Engine;
  readonly enterLarge: LoadShedding['enterLarge'];
  readonly identify: ReturnType<typeof createIdentify>;
  /** Options of routes with large bodies. */
  readonly largeBodies: LargeBodies;
}

/** Registers /graphql; resolves when Apollo is ready. Stop it after the HTTP server. */
export async function registerGraphQL(server: FastifyInstance, deps: GraphQLDeps): Promise<{ stop(): Promise<void> }> {
  const { engine } = deps;
  const fastPath = createFastPath(engine);
  const apollo = createApollo(server, engine);
  await apollo.start();
  const handler = fastifyApolloHandler(apollo, {
    context: (request) => {
      if (!request.context) throw new Error('A GraphQL request was not identified');
      return Promise.resolve(request.context);
    },
  });
  server.route({
    method: ['GET', 'POST'],
    url: '/graphql',
    ...deps.largeBodies,
    onRequest: async (request, reply) => {
      request.operation = 'graphql';
      // Apollo parses the query as part of a whole URL, so a malformed Host would become an internal error.
      if (!URL.canParse(`http://${request.hostname}/`))
        throw new GatewayError('MALFORMED_JSON', { message: 'The Host header is malformed' });
      const context = await identifyLater(deps.identify, request, reply, { acceptCookie: true });
      const load = createLoad(() => deps.enterLarge(request, reply));
      request.context = { ...context, call: { operation: 'graphql', errorCode: null }, load };
      onCallEnd(reply, () => (load.isOver = true));
    },
    preHandler: (request) => decideRefusal(engine, request),
    handler: async (request, reply) => {
      const accept = readAccept(request);
      const { context } = request;
      const quick = context && (await fastPath.answer(request, context));
      // Apollo copies the context; this is the one that the fast path marked.
      if (context?.replayed) void reply.header('Idempotent-Replayed', 'true');
      if (quick) return reply.type(quick.type).send(quick.body);
      const answer: unknown = await handler.call(server, request, reply);
      if (reply.statusCode === 200) fastPath.learnType(accept, String(reply.getHeader('content-type')));
      return typeof answer === 'string' && reply.statusCode >= 400
        ? complete(answer, request, reply.statusCode)
        : answer;
    },
  });
  server.options('/graphql', (_request, reply) => reply.header('Allow', 'GET, POST').code(204).send());
  server.route({
    method: ['PUT', 'PATCH', 'DELETE'],
    url: '/graphql',
    onRequest: async (_request, reply) => {
      void reply.header('Allow', 'GET, POST');
      throw new GatewayError('METHOD_NOT_ALLOWED');
    },
    handler: () => undefined,
  });
  return { stop: () => apollo.stop() };
}

function createApollo(server: FastifyInstance, engine: Engine): ApolloServer<HttpContext> {
  return new ApolloServer<HttpContext>({
    gateway: createGateway(engine),
    introspection: engine.introspection,
    includeStacktraceInErrorResponses: false,
    hideSchemaDetailsFromClientErrors: !engine.introspection,
    stopOnTerminationSignals: false,
    documentStore: createDocumentStore(engine.documents),
    parseOptions: { maxTokens: QUERY_LIMITS.tokens },
    validationRules: [...QUERY_LIMIT_RULES],
    formatError: (formatted) => formatted,
    plugins: [
      ApolloServerPluginLandingPageDisabled(),
      // It would wrap the resolver of every field, for all transports.
      ApolloServerPluginCacheControlDisabled(),
      createPlugin(server, engine),
    ],
  });
}

/** The engine as Apollo's executor. A result of the fast path is returned as it is. */
function createGateway(engine: Engine): NonNullable<ApolloServerOptions<HttpContext>['gateway']> {
  const { schema } = engine;
  return {
    onSchemaLoadOrUpdate(tell) {
      tell({ apiSchema: schema, coreSupergraphSdl: '' });
      return () => undefined;
    },
    load: () =>
      Promise.resolve({
        executor: async ({ document, context, request }) => {
          const { result, admitted } = context as HttpContext;
          // No operation has the given name; graphql-js says which of the two is wrong.
          const done =
            result ??
            (admitted
              ? await engine.execute(admitted)
              : await execute({ schema, document, operationName: request.operationName ?? null }));
          return done as Awaited<ReturnType<ExecutorOf>>;
        },
      }),
    stop: () => Promise.resolve(),
  };
}

type Gateway = NonNullable<ApolloServerOptions<HttpContext>['gateway']>;
type ExecutorOf = NonNullable<Awaited<ReturnType<Gateway['load']>>['executor']>;

/** The engine's cache as Apollo's; its keys are a prefix of the schema and the SHA-256 of the text. */
function createDocumentStore(documents: DocumentCache): NonNullable<ApolloServerOptions<HttpContext>['documentStore']> {
  const keyOf = (key: string) => key.slice(-64);
  return {
    get: (key) => Promise.resolve(documents.get(keyOf(key))),
    set: (key, document) => Promise.resolve(documents.keep(keyOf(key), document)),
    delete: (key) => Promise.resolve(documents.delete(keyOf(key))),
  };
}

/**
 * Replaces the Accept header by its plain form, and returns that; undefined if it accepts no type of ours. Apollo finds
 * that out after the operation has run, and then answers 406: a mutation would be done and refused. So such a header is
 * ignored, as HTTP allows (RFC 9110, section 12.5.1).
 */
function readAccept({ headers }: FastifyRequest): string | undefined {
  const accept = headers.accept === undefined ? undefined : plainAccept(headers.accept);
  if (accept === undefined) delete headers.accept;
  else headers.accept = accept;
  return accept;
}

/**
 * Completes errors of requests that Apollo refuses before its plugins see them: batches, and requests without a query.
 */
function complete(answer: string, { id: requestId, body }: FastifyRequest, status: number): string {
  const { errors = [], ...rest } = JSON.parse(answer) as { errors?: GraphQLFormattedError[] };
  // Mutations by GET and unacceptable media types: Apollo has no codes of its own for these.
  const ofStatus = [ERRORS.METHOD_NOT_ALLOWED, ERRORS.MEDIA_TYPE].find((row) => row.status === status);
  const completed = errors.map((error) => {
    if (ofStatus) {
      const own = { code: ofStatus.graphql, errorCode: ofStatus.code, requestId };
      return { ...error, extensions: { ...error.extensions, ...own } };
    }
    if (error.extensions?.['errorCode'] !== undefined) return error;
    // That there are no batches is one of the query limits (contract, section 8).
    const extensions = Array.isArray(body) ? { code: VALIDATION_FAILED } : error.extensions;
    return formatGraphQLError(new GraphQLError(error.message, { extensions }), requestId);
  });
  return JSON.stringify({ errors: completed, ...rest });
}

/**
 * Takes Apollo's steps to the engine's, and puts every error into its public form at the end, with the request's id.
 */
function createPlugin(server: FastifyInstance, engine: Engine): ApolloServerPlugin<HttpContext> {
  return {
    // Refusals before validation, and one rule of GraphQL that throws: a subscription has one root field, which is
    // undecided while a directive depends on a variable.
    unexpectedErrorProcessingRequest: ({ error, requestContext }) =>
      error instanceof GraphQLError ? Promise.reject(refusedUnread(error, requestContext)) : Promise.resolve(),
    requestDidStart: () =>
      Promise.resolve({
        async validationDidStart({ contextValue, document }) {
          throwIfAny(await refusalOf(chargeReading(contextValue, document)));
          const refusal = refusalOfDocument(document);
          if (refusal) throw refusal;
        },
        async didResolveOperation({ contextValue, document, operation, request }) {
          if (!operation) return;
          if (contextValue.call) contextValue.call.operation = nameOf(operation);
          // A document from the cache is not validated again and costs the same. Nothing is counted twice.
          throwIfAny(await refusalOf(chargeReading(contextValue, document)));
          throwIfAny(refusalOfSubscription(operation), 'BAD_USER_INPUT');
          const admitting = engine.admit({ document, operation }, request.variables ?? {}, contextValue);
          const admitted = admitting.then((ready) => void (contextValue.admitted = ready));
          const refusal = await refusalOf(admitted);
          // Errors with details are about the variables; those about an idempotency key, about the document.
          throwIfAny(refusal, refusal?.details && 'BAD_USER_INPUT');
        },
        willSendResponse(request) {
          const { contextValue, errors, response } = request;
          if (contextValue.replayed) response.http.headers.set('idempotent-replayed', 'true');
          if (!errors || response.body.kind !== 'single') return Promise.resolve();
          for (const error of errors) logUnexpected(server.log, error, contextValue.requestId);
          const shown = errors.map((error) => formatGraphQLError(error, contextValue.requestId));
          if (wantsPlainJson(request) && errors.every(isOfOperation) && response.http.status === 400)
            response.http.status = 200;
          tellLimits(request, errors);
          response.body.singleResult.errors = shown;
          const errorCode = shown[0]?.extensions?.['errorCode'];
          if (contextValue.call && typeof errorCode === 'string') contextValue.call.errorCode = errorCode;
          return Promise.resolve();
        },
      }),
  };
}
