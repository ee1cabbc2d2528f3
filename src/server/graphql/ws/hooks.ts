// The hooks of graphql-ws: what a socket may do, and its answers. If a hook throws, the socket is closed with the
// error's text, so failures of an operation are returned instead.

import type { FormattedExecutionResult, GraphQLError, GraphQLFormattedError } from 'graphql';
import type { ServerOptions } from 'graphql-ws';
import type { Logger } from 'pino';
import { createLoad, type OperationContext, type OperationLoad } from '../../../access/caller.ts';
import { addressBucket } from '../../../values/internet/address-bucket.ts';
import { GatewayError } from '../../../values/errors.ts';
import type { ConnectionRegistry, Place } from '../connections/registry.ts';
import { refusedResult, type Engine } from '../../../graphql/engine.ts';
import { countedAs, type RateLimits } from '../../admission/rate-limit.ts';
import { createSocketCalls, type SocketCall, type SocketCalls } from './socket-calls.ts';
import { CLOSE_CODES } from '../connections/limits.ts';
import type { OperationRequest } from '../../../graphql/prepare.ts';
import { argumentsOf } from '../connections/engine-calls.ts';
import { formatGraphQLError, logUnexpected } from '../errors.ts';
import type { Session } from '../connections/sessions.ts';

/** The opener of a socket: the canonical address, and the request id of its upgrade. */
export interface SocketClient {
  readonly ip: string;
  readonly requestId: string;
  /** The owner's token in the console's cookie, where a page of ours opened the socket. */
  readonly sessionToken: string | null;
}

/** A socket as the hooks see it (graphql-ws calls it `extra`). */
export interface SocketState {
  readonly client: SocketClient;
  readonly place: Place;
  /** Null before connection_init, and without a token. */
  session: Session | null;
  /** The session is the one in the console's cookie. */
  byCookie: boolean;
  closed: boolean;
  close(code: number, reason: string): void;
}

interface HookDeps {
  readonly clients: ConnectionRegistry;
  readonly engine: Engine;
  readonly limits: RateLimits | null;
  /** Called when an operation has ended. */
  readonly onAnswered: (call: SocketCall) => void;
  readonly log: Logger;
}

type Hooks = Required<
  Pick<
    ServerOptions<Record<string, unknown>, SocketState>,
    'onConnect' | 'onClose' | 'onSubscribe' | 'onNext' | 'onError' | 'onComplete'
  >
>;

/** Makes the hooks of a web-socket server. */
export function createSocketHooks(deps: HookDeps): Hooks {
  const admission = createAdmission(deps);
  const calls = createSocketCalls(deps.onAnswered);
  const prepareOne = createPreparation(deps);
  const format = createFormat(deps, calls);

  return {
    onConnect: ({ connectionParams, extra }) => admission.enter(extra, connectionParams),
    onClose: ({ extra }) => admission.leave(extra),
    async onSubscribe({ extra, subscriptions }, _id, payload) {
      const { requestId, ip } = extra.client;
      const call = calls.begin(payload, { requestId, ip, caller: extra.session?.caller() ?? null });
      if (extra.byCookie) calls.leaveOut(payload);
      const prepared = await prepareOne({ extra, call, running: Object.keys(subscriptions).length }, payload);
      if ('document' in prepared) return prepared;
      const [shown] = prepared.map((error) => formatGraphQLError(error, requestId));
      calls.refuse(payload, shown?.extensions?.['errorCode']);
      return prepared;
    },
    async onNext({ extra }, _id, payload, _args, { errors, ...result }) {
      // The socket lost access: it is closed, and closed sockets are sent nothing.
      await mayGoOn(extra);
      // An executed operation has data, possibly null.
      if (errors?.some(isOverload) && result.data === undefined) calls.leaveOut(payload);
      const shown = errors ? { ...result, errors: errors.map((error) => format(error, extra, payload)) } : result;
      return shown as FormattedExecutionResult;
    },
    onError({ extra }, _id, payload, errors) {
      if (errors.some(isOverload)) setImmediate(() => extra.close(CLOSE_CODES.tryAgain, 'Too slow; subscribe again'));
      return errors.map((error) => format(error, extra, payload));
    },
    onComplete(_context, _id, payload) {
      calls.end(payload);
    },
  };
}

interface SocketRequest extends OperationRequest {
  readonly variables?: Readonly<Record<string, unknown>> | null | undefined;
}

interface Asked {
  readonly extra: SocketState;
  readonly call: NonNullable<OperationContext['call']>;
  /** Operations of the socket that have not ended, this one among them. */
  readonly running: number;
}

/** Makes the function that admits and prepares an operation, or returns why not. */
function createPreparation({ engine, limits, clients }: HookDeps) {
  return async ({ extra, call, running }: Asked, payload: SocketRequest) => {
    try {
      if (running > clients.socketLimits.operationsPerSocket) {
        extra.close(CLOSE_CODES.tooMany, 'Too many operations at once');
        throw new GatewayError('RATE_LIMITED');
      }
      const { client, session } = extra;
      const caller = session?.caller();
      if (!(await mayGoOn(extra))) throw new GatewayError('OVERLOADED');
      const counted = countedAs(caller ?? null, client.ip);
      await limits?.count(counted);
      const charge = async (more: number) => limits?.count(counted, undefined, more);
      const throttle = async () => limits?.countAuth(addressBucket(client.ip));
      const throttlePayer = async () => limits?.countPayer(addressBucket(client.ip));
      const context = contextOf(extra, call, { charge, throttle, throttlePayer });
      const prepared = await engine.prepare(payload, context);
      if ('errors' in prepared) return prepared.errors;
      return argumentsOf(engine, await engine.admit(prepared, payload.variables ?? {}, context));
    } catch (error) {
      return refusedResult(error).errors ?? [];
    }
  };
}

/** The error of refused operations, and of streams whose reader did not keep up. */
function isOverload(error: GraphQLError): boolean {
  return error.originalError instanceof GatewayError && error.originalError.errorName === 'OVERLOADED';
}

/**
 * Looks at the caller again, before each operation and each item of a stream. A socket that may not go on is closed.
 */
async function mayGoOn({ session, close }: SocketState): Promise<boolean> {
  if (session === null || (await session.check())) return true;
  // The socket is closed with 4403 by now, unless the check itself failed: then an item is lost, and the client must
  // subscribe again.
  close(CLOSE_CODES.tryAgain, 'Try again');
  return false;
}

/** Sockets cannot set cookies. */
const UNCHANGED_COOKIE = { isOperators: false, keep: () => undefined, drop: () => undefined, device: null };

/** The context of one operation. Its caller comes from the last check. */
function contextOf(
  state: SocketState,
  call: Asked['call'],
  limits: Required<Pick<OperationContext, 'charge' | 'throttle' | 'throttlePayer'>>,
): OperationContext {
  const { client, session, byCookie } = state;
  const load: OperationLoad = {
    ...createLoad(),
    get isOver() {
      return state.closed;
    },
  };
  return {
    ...client,
    userAgent: null,
    call,
    get caller() {
      return session?.caller() ?? null;
    },
    idempotencyKey: null,
    replayed: false,
    ...limits,
    load,
    ...(byCookie && { cookie: UNCHANGED_COOKIE }),
  };
}

/** Formats errors; unexpected ones are logged whole. */
function createFormat({ log }: HookDeps, calls: SocketCalls) {
  return (error: GraphQLError, { client: { requestId } }: SocketState, payload: object): GraphQLFormattedError => {
    logUnexpected(log, error, requestId);
    const shown = formatGraphQLError(error, requestId);
    calls.note(payload, shown.extensions?.['errorCode']);
    return shown;
  };
}

/** Admits a connection: anonymous, or with a valid token of a merchant below the limit of connections. */
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
        const { session, isTooMany } = await clients.join(bearer, state.client.ip, state.place, onEnd);
        state.session = session;
        state.byCookie = isCookie;
        if (state.closed) leave(state);
        else if (isTooMany) state.close(CLOSE_CODES.tooMany, 'Too many connections');
        return true;
      } catch (error) {
        if (error instanceof GatewayError && error.errorName === 'MISDIRECTED')
          state.close(CLOSE_CODES.misdirected, error.message);
        if (error instanceof GatewayError) return false;
        throw error;
      }
    },
  };
}
