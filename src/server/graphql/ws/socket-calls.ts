// Times each operation on a web socket, and reports it for the API log once it has ended, as is done for HTTP calls.

import type { Caller } from '../../../access/caller.ts';
import { ERRORS } from '../../../values/errors.ts';

/** An operation that has ended. */
export interface SocketCall {
  /** The id of the socket's upgrade request. */
  readonly requestId: string;
  readonly ip: string;
  /** Null without a token, or if a rate limit refused the call. */
  readonly caller: Caller | null;
  readonly operation: string;
  /** 200 if it was executed, otherwise the error's status, as over HTTP. */
  readonly status: number;
  readonly errorCode: string | null;
  readonly durationMs: number;
}

type CallOrigin = Pick<SocketCall, 'requestId' | 'ip' | 'caller'>;

/** The data of an operation under way. */
interface RunningCall {
  origin: CallOrigin;
  readonly startedAt: number;
  readonly call: { operation: string; errorCode: string | null };
}

export interface SocketCalls {
  /** Returns the `call` of the operation's context. `payload` is the message's own object. */
  begin(payload: object, origin: CallOrigin): RunningCall['call'];
  /** Notes an error of its answer; only the first is kept. */
  note(payload: object, errorCode: unknown): void;
  /**
   * For one refused before it ran. One over a rate limit is reported without a merchant: it must not flood their log.
   */
  refuse(payload: object, errorCode: unknown): void;
  /** For one that is not recorded, as over HTTP: one refused under overload, or of our own pages. */
  leaveOut(payload: object): void;
  /** For one that was executed, or whose stream has ended. */
  end(payload: object): void;
}

const STATUSES: ReadonlyMap<unknown, number> = new Map(Object.values(ERRORS).map(({ code, status }) => [code, status]));

/** Creates the tracker of one server's operations. */
export function createSocketCalls(onAnswered: (call: SocketCall) => void): SocketCalls {
  const runningCalls = new WeakMap<object, RunningCall>();

  function report(payload: object, status: number): void {
    const running = runningCalls.get(payload);
    runningCalls.delete(payload);
    if (running) onAnswered({ ...running.origin, ...running.call, status, durationMs: Math.round(elapsed(running)) });
  }

  function note(payload: object, errorCode: unknown): void {
    const running = runningCalls.get(payload);
    if (running && typeof errorCode === 'string') running.call.errorCode ??= errorCode;
  }

  return {
    begin(payload, origin) {
      const call = { operation: 'graphql', errorCode: null };
      runningCalls.set(payload, { origin, startedAt: performance.now(), call });
      return call;
    },
    note,
    refuse(payload, errorCode) {
      const running = runningCalls.get(payload);
      if (running && errorCode === ERRORS.RATE_LIMITED.code) running.origin = { ...running.origin, caller: null };
      note(payload, errorCode);
      report(payload, STATUSES.get(errorCode) ?? ERRORS.INTERNAL.status);
    },
    leaveOut: (payload) => void runningCalls.delete(payload),
    end: (payload) => report(payload, 200),
  };
}

const elapsed = ({ startedAt }: RunningCall): number => performance.now() - startedAt;
