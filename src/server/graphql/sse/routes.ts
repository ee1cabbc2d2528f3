// GraphQL over Server-Sent Events: every operation, above all subscriptions, for clients without web sockets. One
// operation per connection ("distinct connections mode" of the graphql-sse protocol).

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ExecutionResult, GraphQLError, GraphQLFormattedError } from 'graphql';
import { createHandler, type Request, type RequestParams, type Response } from 'graphql-sse';
import type { Logger } from 'pino';
import { createLoad, type OperationContext } from '../../../access/caller.ts';
import { GatewayError } from '../../../values/errors.ts';
import { createEventStream, type EventStream } from './stream.ts';
import { readBearer, type createIdentify } from '../../admission/authenticate.ts';
import { callerOf } from '../../admission/known-callers.ts';
import { TRY_AGAIN, type ConnectionRegistry, type Place } from '../connections/registry.ts';
import { spread } from '../connections/spread.ts';
import { refusedResult, type Engine } from '../../../graphql/engine.ts';
import { argumentsOf, engineCalls, type AdmittedArgs, type ConnectionEngine } from '../connections/engine-calls.ts';
import { formatGraphQLError, logUnexpected } from '../errors.ts';
import { decideRefusal, identifyLater } from '../bearer-rejection.ts';
import { onCallEnd } from '../../admission/call-end.ts';

export const STREAM_PATH = '/graphql/stream';

interface EventStreamDeps extends ConnectionEngine {
  readonly clients: ConnectionRegistry;
  readonly identify: ReturnType<typeof createIdentify>;
  readonly log: Logger;
}

export interface EventStreams {
  /** Open streams; for metrics. */
  size(): number;
  /** Ends the open streams with 9503, spread over this time so that their readers do not all come back at once. */
  drain(ms: number): void;
  /** Ends every stream with 9503, after two seconds whether or not its reader takes it, and takes no more. */
  close(): Promise<void>;
}

/** The data of a stream for the hooks of graphql-sse. */
interface Ask {
  readonly stream: EventStream;
  readonly context: OperationContext;
  /** Whether the operation was refused before it ran. */
  refused: boolean;
}

/** Registers /graphql/stream. */
export function registerEventStreams(server: FastifyInstance, deps: EventStreamDeps): EventStreams {
  const { clients } = deps;
  const handle = createHandler<null, Ask>(createHooks(deps));
  const open = new Map<EventStream, Promise<void>>();
  let closing = false;

  async function answer(
    request: FastifyRequest,
    reply: FastifyReply,
    stream: EventStream,
    place: Place,
  ): Promise<void> {
    const ask: Ask = { stream, context: await admit(deps, request, stream, place), refused: false };
    const response = await handle(toRequest(request, ask));
    const body = bodyOf(response, reply);
    if (ask.context.replayed) void reply.header('Idempotent-Replayed', 'true');
    await stream.send(body);
  }

  server.route({
    method: ['GET', 'POST'],
    url: STREAM_PATH,
    exposeHeadRoute: false,
    onRequest: (request, reply) => receive(deps, request, reply),
    preHandler: (request) => decideRefusal(deps.engine, request),
    handler: async (request, reply) => {
      if (closing) throw new GatewayError('OVERLOADED', { retryAfterSeconds: 1 });
      const place = clients.enter(request.context?.ip ?? '');
      const holding = clients.unread.hold(
        () => callerOf(request),
        () => request.raw.socket.destroy(),
      );
      const stream = createEventStream({ reply, holding, formatError: formatGraphQLError });
      try {
        const answered = answer(request, reply, stream, place);
        open.set(stream, answered);
        await answered;
      } finally {
        open.delete(stream);
        stream.session?.leave();
        place.leave();
      }
    },
  });
  refuseOtherMethods(server);

  const stopLooking = dropStuck(open, clients.socketLimits.pingMs);
  return {
    size: () => open.size,
    drain: (ms) => spread([...open.keys()], ms, endStream),
    async close() {
      closing = true;
      stopLooking();
      for (const stream of open.keys()) endStream(stream);
      await Promise.allSettled(open.values());
    },
  };
}

const endStream = (stream: EventStream): void => stream.end(new GatewayError('OVERLOADED', { retryAfterSeconds: 1 }));

/** Finds out who asks, before anything about the operation is looked at. */
async function receive({ identify }: EventStreamDeps, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  request.operation = 'graphql stream';
  const context = await identifyLater(identify, request, reply);
  const load = createLoad();
  request.context = { ...context, call: { operation: 'graphql stream', errorCode: null }, load };
  onCallEnd(reply, () => (load.isOver = true));
  refuseSharedConnection(request);
}

/** Includes the PUT and DELETE of graphql-sse's single-connection mode. */
function refuseOtherMethods(server: FastifyInstance): void {
  server.options(STREAM_PATH, (_request, reply) => reply.header('Allow', 'GET, POST').code(204).send());
  server.route({
    method: ['HEAD', 'PUT', 'PATCH', 'DELETE'],
    url: STREAM_PATH,
    onRequest: async (_request, reply) => {
      void reply.header('Allow', 'GET, POST');
      throw new GatewayError('METHOD_NOT_ALLOWED', {
        message: 'Send the operation by GET or POST: each has a connection of its own here',
      });
    },
    handler: () => undefined,
  });
}

/** The context of a stream's operation. Its caller comes from the last check; null without a token. */
async function admit(
  { clients }: EventStreamDeps,
  { headers, context: given }: FastifyRequest,
  stream: EventStream,
  place: Place,
): Promise<OperationContext> {
  if (!given) throw new Error('A request for a stream was not identified');
  if (given.caller === null) return given;
  const { session, isTooMany } = await clients.join(
    readBearer(headers.authorization) ?? '',
    given.ip,
    place,
    stream.end,
  );
  stream.session = session;
  if (isTooMany) throw tooMany();
  Object.defineProperty(given, 'caller', { get: () => session.caller() });
  return given;
}

const tooMany = () =>
  new GatewayError('RATE_LIMITED', {
    message: 'Too many connections for live updates',
    retryAfterSeconds: TRY_AGAIN.merchant,
  });

/**
 * Refuses the single-connection mode. There a client reserves a stream by one request and names it in later ones, so
 * anyone could fill our memory with reserved streams. A web socket serves the same purpose better.
 */
function refuseSharedConnection({ headers, query }: FastifyRequest): void {
  if (headers['x-graphql-event-stream-token'] === undefined && !Object.hasOwn(query as object, 'token')) return;
  throw new GatewayError('VALIDATION', {
    message: 'The single connection mode is not offered: send each operation on a connection of its own',
  });
}

/** The request in the form of graphql-sse. Whatever the Accept header says, the answer is a stream. */
function toRequest({ method, url, body, headers }: FastifyRequest, ask: Ask): Request<null, Ask> {
  const get = (name: string) => (name === 'accept' ? 'text/event-stream' : String(headers[name] ?? ''));
  return { method, url, headers: { get }, body: body as Record<string, unknown> | null, raw: null, context: ask };
}

/** The stream. A refusal by graphql-sse itself is thrown as one of our errors. */
function bodyOf([body, { status }]: Response, reply: FastifyReply): AsyncGenerator<string, void, undefined> {
  if (body !== null && typeof body !== 'string') return body;
  if (status === 415) throw new GatewayError('MEDIA_TYPE');
  if (status === 405) {
    void reply.header('Allow', 'POST');
    throw new GatewayError('METHOD_NOT_ALLOWED', { message: 'Send a mutation by POST' });
  }
  const { errors = [] } = JSON.parse(body ?? '{}') as { errors?: readonly { message: string }[] };
  throw new GatewayError('VALIDATION', { message: errors[0]?.message ?? 'Not a GraphQL request' });
}

function createHooks(deps: EventStreamDeps): Parameters<typeof createHandler<null, Ask>>[0] {
  const { execute, subscribe } = engineCalls(deps);
  return {
    authenticate: () => null,
    validate: () => [], // The engine validates.
    execute,
    subscribe: (args) => subscribe(args) as Promise<ExecutionResult>,
    async onSubscribe({ context: ask }, params) {
      const prepared = await prepare(deps.engine, params, ask.context);
      if ('admitted' in prepared) return prepared as never;
      ask.refused = true;
      return { data: null, errors: prepared };
    },
    async onNext(_context, { context: ask }, result) {
      await ask.stream.turn();
      await requireToGoOn(ask.stream);
      const { errors, ...rest } = result as ExecutionResult;
      if (!errors) return undefined;
      const shown = errors.map((error) => format(deps, error, ask));
      return (ask.refused ? { errors: shown } : { ...rest, errors: shown }) as unknown as ExecutionResult;
    },
  };
}

/**
 * Prepares and admits an operation, or returns why not. Throws if its weight is refused: that is answered like any
 * other call, with its status, before the stream begins.
 */
async function prepare(
  engine: Engine,
  { query, operationName, variables }: RequestParams,
  context: OperationContext,
): Promise<AdmittedArgs | readonly GraphQLError[]> {
  const prepared = await engine.prepare({ query, operationName }, context);
  if ('errors' in prepared) return prepared.errors;
  try {
    return argumentsOf(engine, await engine.admit(prepared, variables ?? {}, context));
  } catch (error) {
    if (!(error instanceof GatewayError) || OF_LOAD.has(error.errorName)) throw error;
    return refusedResult(error).errors ?? [];
  }
}

const OF_LOAD: ReadonlySet<string> = new Set(['RATE_LIMITED', 'OVERLOADED']);

/** Rechecks the caller before each item. A failed check also ends the stream, because the item would be lost. */
async function requireToGoOn({ session, ended }: EventStream): Promise<void> {
  if (session === null || (await session.check())) return;
  throw ended() ?? new GatewayError('OVERLOADED', { message: 'Your token could not be checked; begin anew' });
}

function format({ log }: EventStreamDeps, error: GraphQLError, { context }: Ask): GraphQLFormattedError {
  const { requestId, call } = context;
  logUnexpected(log, error, requestId);
  const shown = formatGraphQLError(error, requestId);
  const errorCode = shown.extensions?.['errorCode'];
  if (call && typeof errorCode === 'string') call.errorCode ??= errorCode;
  return shown;
}

/** Closes streams whose readers have stopped reading, which nothing else would notice. */
function dropStuck(open: ReadonlyMap<EventStream, unknown>, everyMs: number): () => void {
  const timer = setInterval(() => {
    for (const stream of open.keys()) stream.dropIfStuck();
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}
