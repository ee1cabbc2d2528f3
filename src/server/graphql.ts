// GraphQL over HTTP: Apollo Server on the same HTTP server, with our errors and our limits.

import { ApolloServer, HeaderMap, type ApolloServerPlugin, type GraphQLRequestContext } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
} from '@apollo/server/plugin/disabled';
import { fastifyApolloHandler } from '@as-integrations/fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  GraphQLError,
  Kind,
  OperationTypeNode,
  type GraphQLFormattedError,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import type { OperationContext } from '../access/caller.ts';
import type { Executor } from '../rest/execute.ts';
import { ERRORS, GatewayError } from '../values/errors.ts';
import { isExpected } from './envelope.ts';
import { formatGraphQLError } from './graphql-errors.ts';
import type { createIdentify } from './identify.ts';
import { createKnownOperations, type KnownOperations } from './known-operations.ts';
import { QUERY_LIMIT_RULES, QUERY_LIMITS } from './query-limits.ts';
import { refusalOfKey } from './single-mutation.ts';

interface GraphQLDeps {
  readonly schema: GraphQLSchema;
  readonly tryExecute: Executor['tryExecute'];
  readonly introspection: boolean;
  readonly identify: ReturnType<typeof createIdentify>;
  /** Why an operation is not to be executed with these variables; null where they are right. */
  refuse(
    operation: OperationDefinitionNode,
    variables: Readonly<Record<string, unknown>>,
    context: OperationContext,
  ): GatewayError | null;
}

/** An operation as the API log names it: its own name, or that of the first field it asks for. */
export function nameOf(operation: OperationDefinitionNode): string {
  const [first] = operation.selectionSet.selections;
  return operation.name?.value ?? (first?.kind === Kind.FIELD ? first.name.value : operation.operation);
}

/** Registers /graphql; resolves when Apollo is ready. Stop it after the HTTP server. */
export async function registerGraphQL(server: FastifyInstance, deps: GraphQLDeps): Promise<{ stop(): Promise<void> }> {
  const known = createKnownOperations(deps.tryExecute, nameOf);
  const apollo = new ApolloServer<OperationContext>({
    schema: deps.schema,
    introspection: deps.introspection,
    includeStacktraceInErrorResponses: false,
    hideSchemaDetailsFromClientErrors: !deps.introspection,
    stopOnTerminationSignals: false,
    parseOptions: { maxTokens: QUERY_LIMITS.tokens },
    validationRules: [...QUERY_LIMIT_RULES],
    formatError: (formatted) => formatted,
    plugins: [
      ApolloServerPluginLandingPageDisabled(),
      // It wraps the resolver of every field, for REST too, to say of each answer what we say of all.
      ApolloServerPluginCacheControlDisabled(),
      createPlugin(server, { ...deps, known }),
    ],
  });
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
    onRequest: async (request, reply) => {
      request.operation = 'graphql';
      // Apollo reads the query as part of a whole URL, and a Host that is none would be an error of ours.
      if (!URL.canParse(`http://${request.hostname}/`))
        throw new GatewayError('MALFORMED_JSON', { message: 'The Host header is malformed' });
      const context = await deps.identify(request, reply, { acceptSecret: false, isPublic: false, acceptCookie: true });
      request.context = { ...context, call: { operation: 'graphql', errorCode: null } };
    },
    handler: async (request, reply) => {
      if (!takesAnswer(request.headers.accept)) delete request.headers.accept;
      const { accept } = request.headers;
      const { context } = request;
      const quick = context && (await known.answer(request, context));
      // Apollo works with a copy of the context; what was found out before it stands in this one.
      if (context?.replayed) void reply.header('Idempotent-Replayed', 'true');
      if (quick) return reply.type(quick.type).send(quick.body);
      const answer: unknown = await handler.call(server, request, reply);
      if (reply.statusCode === 200) known.learnType(accept, String(reply.getHeader('content-type')));
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

const QUALITY = String.raw`q=(0?\.\d*[1-9]\d*|1(\.0*)?)`;
const ANSWER_TYPE = new RegExp(
  String.raw`^(\*/\*|application/(\*|json|graphql-response\+json))( *; *(charset="?utf-8"?|${QUALITY}))*$`,
  'i',
);

/**
 * Whether an Accept header leaves us a type to answer in. Apollo finds out after the operation has run, and then answers
 * 406: a mutation would be done and refused. So such a header is passed over, as HTTP allows (RFC 9110, section 12.5.1).
 */
function takesAnswer(accept = '*/*'): boolean {
  const ranges = accept.split(',').map((range) => range.trim());
  return ranges.some((range) => ANSWER_TYPE.test(range)) && !ranges.some((range) => /; *q=0(\.0*)?$/i.test(range));
}

/** Apollo refuses some requests (batches, no query at all) before its plugins see them; these errors get our form here. */
function complete(answer: string, { id: requestId, body }: FastifyRequest, status: number): string {
  const { errors = [], ...rest } = JSON.parse(answer) as { errors?: GraphQLFormattedError[] };
  // A mutation by GET, and a media type it does not take, for which Apollo has no codes of its own.
  const ofStatus = [ERRORS.METHOD_NOT_ALLOWED, ERRORS.MEDIA_TYPE].find((row) => row.status === status);
  const completed = errors.map((error) => {
    if (ofStatus) {
      const own = { code: ofStatus.graphql, errorCode: ofStatus.code, requestId };
      return { ...error, extensions: { ...error.extensions, ...own } };
    }
    if (error.extensions?.['errorCode'] !== undefined) return error;
    // That there are no batches is one of the limits of what may be asked (contract, section 8).
    const extensions = Array.isArray(body) ? { code: 'GRAPHQL_VALIDATION_FAILED' } : error.extensions;
    return formatGraphQLError(new GraphQLError(error.message, { extensions }), requestId);
  });
  return JSON.stringify({ errors: completed, ...rest });
}

/**
 * Hands operations to our executor, and puts every error into its public form at the very end, when the request's id and
 * all its errors are at hand.
 */
function createPlugin(
  server: FastifyInstance,
  deps: GraphQLDeps & { readonly known: KnownOperations },
): ApolloServerPlugin<OperationContext> {
  return {
    // A rule of GraphQL's that throws, as that of one field to a subscription does where a directive has a variable.
    unexpectedErrorProcessingRequest({ error }) {
      if (!(error instanceof GraphQLError)) return Promise.resolve();
      const extensions = { code: 'GRAPHQL_VALIDATION_FAILED', http: { status: 400 } };
      return Promise.reject(new GraphQLError(error.message, { extensions }));
    },
    requestDidStart: () =>
      Promise.resolve({
        didResolveOperation({ contextValue, document, operation, source, request }) {
          if (!operation) return Promise.resolve();
          if (contextValue.call) contextValue.call.operation = nameOf(operation);
          deps.known.learn(source, { document, operation });
          if (contextValue.idempotencyKey !== null) throwIfAny(refusalOfKey(document, operation));
          throwIfAny(refusalOfSubscription(operation), 'BAD_USER_INPUT');
          throwIfAny(deps.refuse(operation, request.variables ?? {}, contextValue), 'BAD_USER_INPUT');
          return Promise.resolve();
        },
        // Apollo does what the executor leaves, errors above all, with the same answers of the fields at the top.
        async responseForOperation({ document, request, contextValue: context, ...found }) {
          // The types say otherwise, but a name that no operation has comes so far.
          const operation = found.operation as OperationDefinitionNode | undefined;
          if (!operation) return null;
          const result = await deps.tryExecute({ document, operation, variables: request.variables ?? {}, context });
          if (!result) return null;
          return { http: { headers: new HeaderMap() }, body: { kind: 'single', singleResult: result } };
        },
        willSendResponse(request) {
          const { contextValue, errors, response } = request;
          if (contextValue.replayed) response.http.headers.set('idempotent-replayed', 'true');
          if (!errors || response.body.kind !== 'single') return Promise.resolve();
          for (const error of errors) log(server, error, contextValue);
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

/**
 * When to try again, where an error says so. A rate limit is told by its status even where only the resolver could count,
 * as it is for calls with credentials: clients and proxies look for it there.
 */
function tellLimits({ response }: GraphQLRequestContext<OperationContext>, errors: readonly GraphQLError[]): void {
  const causes = errors.map(({ originalError }) => originalError).filter((cause) => cause instanceof GatewayError);
  const waits = causes.flatMap(({ retryAfterSeconds = [] }) => retryAfterSeconds);
  if (waits.length > 0) response?.http.headers.set('retry-after', String(Math.max(...waits)));
  const isLimited = causes.length === errors.length && causes.every(({ errorName }) => errorName === 'RATE_LIMITED');
  if (isLimited && response) response.http.status = causes[0]?.row.status ?? 429;
}

/**
 * Whether the caller asks for `application/json` by name. The specification of GraphQL over HTTP (section 6.4.1) has such
 * an answer be 200 whatever is wrong with the operation, for clients that read the body of nothing else. Whoever does not
 * say what he takes is told by the status too.
 */
function wantsPlainJson({ request }: GraphQLRequestContext<OperationContext>): boolean {
  const types = (request.http?.headers.get('accept') ?? '').split(',').map((range) => range.split(';')[0]?.trim());
  return types.includes('application/json') && !types.includes('application/graphql-response+json');
}

/** What is wrong with the document, its variables or its name, as opposed to the request that brought them. */
const OF_OPERATION: ReadonlySet<unknown> = new Set([
  ...['GRAPHQL_PARSE_FAILED', 'GRAPHQL_VALIDATION_FAILED', 'BAD_USER_INPUT', 'OPERATION_RESOLUTION_FAILURE'],
]);
const isOfOperation = ({ path, extensions }: GraphQLError) =>
  path === undefined && OF_OPERATION.has(extensions['code']);

/** A subscription has no answer here. Refused before it is executed: without `data` an answer must not be 200. */
function refusalOfSubscription({ operation }: OperationDefinitionNode): GatewayError | null {
  if (operation !== OperationTypeNode.SUBSCRIPTION) return null;
  return new GatewayError('VALIDATION', { message: 'Subscriptions need a web socket, or /graphql/stream' });
}

/** Refuses an operation before it is executed. `code` is how Apollo calls such a refusal, where it has a name for it. */
function throwIfAny(refusal: GatewayError | null, code?: string): void {
  if (refusal === null) return;
  const isOfInput = refusal.errorName === 'VALIDATION' && code !== undefined;
  const extensions = { http: { status: refusal.row.status }, ...(isOfInput && { code }) };
  throw new GraphQLError('', { originalError: refusal, extensions });
}

function log(server: FastifyInstance, error: GraphQLError, { requestId }: OperationContext): void {
  const cause = error.originalError;
  if (cause && !(cause instanceof GraphQLError) && !isExpected(cause))
    server.log.error({ err: cause, requestId, path: error.path }, 'an operation failed');
}
