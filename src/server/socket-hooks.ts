// What a socket may do and what it is answered, as the hooks of graphql-ws. A hook that throws would close the socket
// with the error's text, so what goes wrong with an operation is returned.

import { GraphQLError, type FormattedExecutionResult, type GraphQLFormattedError } from 'graphql';
import type { ServerOptions } from 'graphql-ws';
import type { Logger } from 'pino';
import type { OperationContext } from '../access/caller.ts';
import { GatewayError } from '../values/errors.ts';
import { isExpected } from './envelope.ts';
import type { LiveClients } from './live-clients.ts';
import type { RateLimits } from './rate-limit.ts';
import { CLOSE_CODES } from './socket-limits.ts';
import type { createSocketOperations } from './socket-operations.ts';
import type { Session } from './socket-sessions.ts';

/** Who opened a socket: the canonical address, and the id its upgrade was answered with. */
export interface SocketClient {
  readonly ip: string;
  readonly requestId: string;
  /** The owner's token in the console's cookie, where a page of ours opened the socket. */
  readonly sessionToken: string | null;
}

/** A socket as the hooks see it (graphql-ws calls it `extra`). */
export interface SocketState {
  readonly client: SocketClient;
  /** Null before connection_init, and without a token. */
  session: Session | null;
  /** The session is the one in the console's cookie. */
  byCookie: boolean;
  closed: boolean;
  close(code: number, reason: string): void;
}

interface HookDeps {
  readonly clients: LiveClients;
  readonly prepare: ReturnType<typeof createSocketOperations>;
  readonly formatError: (error: GraphQLError, requestId: string) => GraphQLFormattedError;
  readonly limits: RateLimits | null;
  readonly log: Logger;
}

type Hooks = Required<
  Pick<
    ServerOptions<Record<string, unknown>, SocketState>,
    'onConnect' | 'onClose' | 'onSubscribe' | 'onNext' | 'onError'
  >
>;

/** Makes the hooks of a web-socket server. */
export function createSocketHooks(deps: HookDeps): Hooks {
  const { prepare, limits, clients } = deps;
  const admission = createAdmission(deps);
  const format = createFormat(deps);

  return {
    onConnect: ({ connectionParams, extra }) => admission.enter(extra, connectionParams),
    onClose: ({ extra }) => admission.leave(extra),
    async onSubscribe({ extra, subscriptions }, _id, payload) {
      try {
        if (Object.keys(subscriptions).length > clients.socketLimits.operationsPerSocket) {
          extra.close(CLOSE_CODES.tooMany, 'Too many operations at once');
          throw new GatewayError('RATE_LIMITED');
        }
        const { caller, ip } = contextOf(extra, limits);
        if (!(await mayGoOn(extra))) throw new GatewayError('OVERLOADED');
        await limits?.count(caller ? `${caller.merchantId}/${caller.keyId ?? 'owner'}` : ip);
        return prepare(payload, contextOf(extra, limits));
      } catch (error) {
        return [new GraphQLError('', { originalError: error instanceof Error ? error : new Error(String(error)) })];
      }
    },
    async onNext({ extra }, _id, _payload, _args, { errors, ...result }) {
      // Whoever may not go on is closed, and closed sockets are sent nothing.
      await mayGoOn(extra);
      const shown = errors ? { ...result, errors: errors.map((error) => format(error, extra)) } : result;
      return shown as FormattedExecutionResult;
    },
    onError({ extra }, _id, _payload, errors) {
      if (errors.some(isOverflow)) setImmediate(() => extra.close(CLOSE_CODES.tryAgain, 'Too slow; subscribe again'));
      return errors.map((error) => format(error, extra));
    },
  };
}

/** A stream that its reader did not keep up with ends by this error; no operation fails with it after it has begun. */
function isOverflow(error: GraphQLError): boolean {
  return error.originalError instanceof GatewayError && error.originalError.errorName === 'OVERLOADED';
}

/** Looks at the caller again, before each operation and each item of a stream. A socket that may not go on is closed. */
async function mayGoOn({ session, close }: SocketState): Promise<boolean> {
  if (session === null || (await session.check())) return true;
  // Closed with 4403 by now, unless the look itself failed: then an item is lost, and the client must begin anew.
  close(CLOSE_CODES.tryAgain, 'Try again');
  return false;
}

/** A socket has no answer whose head could set a cookie. */
const UNCHANGED_COOKIE = { keep: () => undefined, drop: () => undefined };

/** The context of one operation; its caller is as of the last look. */
function contextOf({ client, session, byCookie }: SocketState, limits: RateLimits | null): OperationContext {
  return {
    ...client,
    get caller() {
      return session?.caller() ?? null;
    },
    idempotencyKey: null,
    replayed: false,
    throttle: async () => limits?.countAuth(client.ip),
    ...(byCookie && { cookie: UNCHANGED_COOKIE }),
  };
}

/** Errors on their way out; those that nobody expected are in the log whole. */
function createFormat({ formatError, log }: HookDeps) {
  return (error: GraphQLError, { client: { requestId } }: SocketState): GraphQLFormattedError => {
    const cause = error.originalError;
    if (cause && !(cause instanceof GraphQLError) && !isExpected(cause))
      log.error({ err: cause, requestId, path: error.path }, 'an operation failed');
    return formatError(error, requestId);
  };
}

/** Who is let in: nobody in particular, or the bearer of a good token whose merchant has not too many connections. */
function createAdmission({ clients }: HookDeps) {
  function leave(state: SocketState): void {
    state.closed = true;
    state.session?.leave();
    state.session = null;
  }

  return {
    leave,
    /** False closes the socket with 4403. */
    async enter(state: SocketState, params: Record<string, unknown> | undefined): Promise<boolean> {
      const given = params?.['authorization'] ?? params?.['Authorization'];
      const isCookie = params?.['session'] === 'cookie';
      if ((given === undefined || given === null) && !isCookie) return true;
      const named = typeof given === 'string' ? /^Bearer +(\S+) *$/i.exec(given)?.[1] : undefined;
      const bearer = isCookie ? state.client.sessionToken : named;
      if (bearer === undefined || bearer === null) return false;
      try {
        const onEnd = () => state.close(CLOSE_CODES.forbidden, 'Forbidden');
        const { session, isTooMany } = await clients.join(bearer, state.client.ip, onEnd);
        state.session = session;
        state.byCookie = isCookie;
        if (state.closed) leave(state);
        else if (isTooMany) state.close(CLOSE_CODES.tooMany, 'Too many connections');
        return true;
      } catch (error) {
        if (error instanceof GatewayError) return false;
        throw error;
      }
    },
  };
}
