// GraphQL over HTTP: Apollo Server on the same HTTP server, with our errors and our limits.

import { ApolloServer, HeaderMap, type ApolloServerOptions, type ApolloServerPlugin } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
} from '@apollo/server/plugin/disabled';
import { fastifyApolloHandler } from '@as-integrations/fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  GraphQLError,
  Kind,
  type DocumentNode,
  type GraphQLFormattedError,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { createLoad, type OperationContext } from '../../access/caller.ts';
import type { Executor } from '../../graphql/executor.ts';
import { ERRORS, GatewayError } from '../../values/errors.ts';
import { plainAccept } from './accept.ts';
import { refusalOfDocument } from '../../graphql/document-limits.ts';
import { isExpected } from '../public-errors.ts';
import { formatGraphQLError } from './errors.ts';
import {
  isOfOperation,
  refusalOf,
  refusalOfSubscription,
  refusedUnread,
  tellLimits,
  throwIfAny,
  VALIDATION_FAILED,
  wantsPlainJson,
} from './refusals.ts';
import type { createIdentify } from '../admission/authenticate.ts';
import { createKeptDocuments } from '../../graphql/document-cache.ts';
import { createKnownOperations, tooLargeAnswer, type KnownOperations } from './fast-path.ts';
import { isTooLarge, measuredField } from '../../graphql/measured-fields.ts';
import { chargeAnswer, chargeOperation, chargeReading, type WeighOperation } from '../../graphql/operation-weight.ts';
import type { Overload } from '../admission/load-shedding.ts';
import { QUERY_LIMIT_RULES, QUERY_LIMITS } from '../../graphql/query-limits.ts';
import { refusalOfKey } from '../../graphql/idempotency-rule.ts';
import { whenOver } from '../admission/call-end.ts';

interface GraphQLDeps {
  readonly schema: GraphQLSchema;
  readonly tryExecute: Executor['tryExecute'];
  readonly weigh: WeighOperation;
  readonly enterLarge: Overload['enterLarge'];
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
  const known = createKnownOperations(deps.tryExecute, deps.weigh, nameOf);
  const apollo = new ApolloServer<OperationContext>({
    schema: deps.schema,
    introspection: deps.introspection,
    includeStacktraceInErrorResponses: false,
    hideSchemaDetailsFromClientErrors: !deps.introspection,
    stopOnTerminationSignals: false,
    documentStore: createDocumentStore(),
    parseOptions: { maxTokens: QUERY_LIMITS.tokens },
    validationRules: [...QUERY_LIMIT_RULES],
    formatError: (formatted) => formatted,
    fieldResolver: measuredField,
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
      // Apollo reads the query as part of a whole URL, and a malformed Host would be an error of ours.
      if (!URL.canParse(`http://${request.hostname}/`))
        throw new GatewayError('MALFORMED_JSON', { message: 'The Host header is malformed' });
      const context = await deps.identify(request, reply, { acceptSecret: false, isPublic: false, acceptCookie: true });
      const load = createLoad(() => deps.enterLarge(request, reply));
      request.context = { ...context, call: { operation: 'graphql', errorCode: null }, load };
      whenOver(reply, () => (load.isOver = true));
    },
    handler: async (request, reply) => {
      const accept = readAccept(request);
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

/** Where Apollo Server keeps what it has validated. Its own takes a document for as large as it is as JSON. */
function createDocumentStore(): NonNullable<ApolloServerOptions<OperationContext>['documentStore']> {
  const kept = createKeptDocuments<DocumentNode>();
  return {
    get: (key) => Promise.resolve(kept.get(key)),
    set: (key, document) => Promise.resolve(kept.keep(key, document, document)),
    delete: (key) => Promise.resolve(kept.delete(key)),
  };
}

/**
 * Puts the Accept header into its plain form, and answers it; undefined where it leaves us no type to answer in. Apollo
 * finds that out after the operation has run, and then answers 406: a mutation would be done and refused. So such a
 * header is passed over, as HTTP allows (RFC 9110, section 12.5.1).
 */
function readAccept({ headers }: FastifyRequest): string | undefined {
  const accept = headers.accept === undefined ? undefined : plainAccept(headers.accept);
  if (accept === undefined) delete headers.accept;
  else headers.accept = accept;
  return accept;
}

/**
 * Apollo refuses some requests (batches, no query at all) before its plugins see them; these errors get our form here.
 */
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
    const extensions = Array.isArray(body) ? { code: VALIDATION_FAILED } : error.extensions;
    return formatGraphQLError(new GraphQLError(error.message, { extensions }), requestId);
  });
  return JSON.stringify({ errors: completed, ...rest });
}

/**
 * Hands operations to our executor, and puts every error into its public form at the very end, when the request's id
 * and all its errors are at hand.
 */
function createPlugin(
  server: FastifyInstance,
  deps: GraphQLDeps & { readonly known: KnownOperations },
): ApolloServerPlugin<OperationContext> {
  return {
    // What is refused before the validation, and a rule of GraphQL's that throws, as that of one field to a
    // subscription does where a directive has a variable.
    unexpectedErrorProcessingRequest: ({ error, requestContext }) =>
      error instanceof GraphQLError ? Promise.reject(refusedUnread(error, requestContext)) : Promise.resolve(),
    requestDidStart: () =>
      Promise.resolve({
        async validationDidStart({ contextValue, document }) {
          throwIfAny(await refusalOf(chargeReading(contextValue, document)));
          const refusal = refusalOfDocument(document);
          if (refusal) throw refusal;
        },
        async didResolveOperation({ contextValue, document, operation, source, request }) {
          if (!operation) return;
          if (contextValue.call) contextValue.call.operation = nameOf(operation);
          // A document that Apollo keeps is not validated again, and counts the same; what was counted is not counted
          // twice.
          throwIfAny(await refusalOf(chargeReading(contextValue, document)));
          deps.known.learn(source, { document, operation });
          const calls = deps.weigh(document, operation, request.variables ?? {});
          throwIfAny(await refusalOf(chargeOperation(contextValue, calls)));
          if (contextValue.idempotencyKey !== null) throwIfAny(refusalOfKey(document, operation));
          throwIfAny(refusalOfSubscription(operation), 'BAD_USER_INPUT');
          throwIfAny(deps.refuse(operation, request.variables ?? {}, contextValue), 'BAD_USER_INPUT');
        },
        // Apollo does what the executor leaves, errors above all, with the same answers of the fields at the top.
        async responseForOperation({ document, request, contextValue: context, ...found }) {
          // The types say otherwise, but a name that no operation has comes so far.
          const operation = found.operation as OperationDefinitionNode | undefined;
          if (!operation) return null;
          const result = await deps.tryExecute({ document, operation, variables: request.variables ?? {}, context });
          // What is too large is not done again; it is told at the end.
          if (!result && !isTooLarge(context)) return null;
          return {
            http: { headers: new HeaderMap() },
            body: { kind: 'single', singleResult: result ?? { data: null } },
          };
        },
        async willSendResponse(request) {
          const { contextValue, errors, response } = request;
          await chargeAnswer(contextValue);
          if (contextValue.replayed) response.http.headers.set('idempotent-replayed', 'true');
          if (response.body.kind === 'single' && isTooLarge(contextValue)) {
            response.body.singleResult = tooLargeAnswer(contextValue);
            response.http.status = 200;
            return;
          }
          if (!errors || response.body.kind !== 'single') return;
          for (const error of errors) log(server, error, contextValue);
          const shown = errors.map((error) => formatGraphQLError(error, contextValue.requestId));
          if (wantsPlainJson(request) && errors.every(isOfOperation) && response.http.status === 400)
            response.http.status = 200;
          tellLimits(request, errors);
          response.body.singleResult.errors = shown;
          const errorCode = shown[0]?.extensions?.['errorCode'];
          if (contextValue.call && typeof errorCode === 'string') contextValue.call.errorCode = errorCode;
        },
      }),
  };
}

function log(server: FastifyInstance, error: GraphQLError, { requestId }: OperationContext): void {
  const cause = error.originalError;
  if (cause && !(cause instanceof GraphQLError) && !isExpected(cause))
    server.log.error({ err: cause, requestId, path: error.path }, 'an operation failed');
}
