// Records operations on sockets in the API log once they have ended, like calls.

import type { Caller } from '../../../access/caller.ts';
import { ERRORS } from '../../../values/errors.ts';

/** An operation that has ended. */
export interface SocketCall {
  /** Of the socket that it came on. */
  readonly requestId: string;
  readonly ip: string;
  /** Null without a token, and where a rate limit refused it. */
  readonly caller: Caller | null;
  readonly operation: string;
  /** 200 where it was executed, else that of the error; as over HTTP. */
  readonly status: number;
  readonly errorCode: string | null;
  readonly durationMs: number;
}

type Asked = Pick<SocketCall, 'requestId' | 'ip' | 'caller'>;

/** The data of an operation under way. */
interface Begun {
  asked: Asked;
  readonly startedAt: number;
  readonly call: { operation: string; errorCode: string | null };
}

export interface SocketCalls {
  /** Returns the `call` of the operation's context. `payload` is that of the message, which the hooks share. */
  begin(payload: object, asked: Asked): Begun['call'];
  /** Records the error that it is answered with; the first one counts. */
  note(payload: object, errorCode: unknown): void;
  /** It was refused before it ran. A call over a rate limit is counted without a merchant, so it fills no log. */
  refuse(payload: object, errorCode: unknown): void;
  /** It was refused under overload and is not recorded, as over HTTP. */
  forget(payload: object): void;
  /** It was executed, or its stream has ended. */
  end(payload: object): void;
}

const STATUSES: ReadonlyMap<unknown, number> = new Map(Object.values(ERRORS).map(({ code, status }) => [code, status]));

/** Makes the log of one server. */
export function createSocketCalls(onAnswered: (call: SocketCall) => void): SocketCalls {
  const underWay = new WeakMap<object, Begun>();

  function tell(payload: object, status: number): void {
    const begun = underWay.get(payload);
    underWay.delete(payload);
    if (begun) onAnswered({ ...begun.asked, ...begun.call, status, durationMs: Math.round(elapsed(begun)) });
  }

  function note(payload: object, errorCode: unknown): void {
    const begun = underWay.get(payload);
    if (begun && typeof errorCode === 'string') begun.call.errorCode ??= errorCode;
  }

  return {
    begin(payload, asked) {
      const call = { operation: 'graphql', errorCode: null };
      underWay.set(payload, { asked, startedAt: performance.now(), call });
      return call;
    },
    note,
    refuse(payload, errorCode) {
      const begun = underWay.get(payload);
      if (begun && errorCode === ERRORS.RATE_LIMITED.code) begun.asked = { ...begun.asked, caller: null };
      note(payload, errorCode);
      tell(payload, STATUSES.get(errorCode) ?? ERRORS.INTERNAL.status);
    },
    forget: (payload) => void underWay.delete(payload),
    end: (payload) => tell(payload, 200),
  };
}

const elapsed = ({ startedAt }: Begun): number => performance.now() - startedAt;
