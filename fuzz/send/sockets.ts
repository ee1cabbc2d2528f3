// Sends one operation over a web socket by the graphql-transport-ws protocol, or messages that no client should send.

import { setTimeout as rest } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { Json } from '../state/http.ts';

const DEADLINE_MS = 30_000;

/** How an operation is listened to. */
export interface Listening {
  /** Called when the operation has been requested. */
  readonly afterStart: () => void;
  /** Whether a subscription may stay silent: then the wait for it is shorter. */
  readonly maySayNothing: boolean;
}

export const SILENCE_MS = 1_500;
/**
 * The codes that a socket may be closed with: the protocol's, the documented ones, and those of web sockets for bad
 * frames.
 */
const DOCUMENTED = new Set([1000, 1001, 1002, 1003, 1007, 1009, 1013, 4400, 4401, 4403, 4406, 4408, 4409, 4429]);

interface SocketOutcome {
  readonly results: readonly Json[];
  readonly closeCode: number | null;
}

/** Throws if no message comes in time, or the socket is closed with an undocumented code. */
export async function runOnSocket(
  url: string,
  authorization: string | null,
  payload: object,
  { afterStart, maySayNothing }: Listening,
): Promise<SocketOutcome> {
  const socket = openSocket(url);
  const init = authorization === null ? {} : { payload: { authorization } };
  const results: Json[] = [];
  return socket.until<SocketOutcome>(
    async (message) => {
      if (message === 'open') socket.say({ type: 'connection_init', ...init });
      else if (message.type === 'connection_ack') {
        socket.say({ type: 'subscribe', id: '1', payload });
        afterStart();
        if (maySayNothing) await rest(SILENCE_MS, undefined, { ref: false });
        if (maySayNothing) return { results, closeCode: null };
      } else if (message.type === 'next') results.push(message.payload);
      else if (message.type === 'error') results.push({ errors: message.payload });
      const isOver = message.type === 'complete' || results.length > 0;
      return isOver ? { results, closeCode: null } : null;
    },
    (closeCode) => ({ results, closeCode }),
  );
}

/** The frames that a client sends, in order: strings as text frames, buffers as binary frames. */
export type Frames = readonly (string | Buffer)[];

/** Sends all frames and a ping; resolves to the close code, or to null if the ping was answered. */
export async function sendFrames(url: string, frames: Frames): Promise<{ readonly closeCode: number | null }> {
  const socket = openSocket(url);
  return socket.until<{ closeCode: number | null }>(
    async (message) => {
      if (message === 'open') {
        for (const frame of frames) socket.send(frame);
        socket.say({ type: 'ping', payload: { last: true } });
      }
      return message.type === 'pong' && message.payload?.last === true ? { closeCode: null } : null;
    },
    (closeCode) => ({ closeCode }),
  );
}

function openSocket(url: string) {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/graphql`, 'graphql-transport-ws');
  const send = (frame: string | Buffer) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(frame);
  };
  return {
    send,
    say: (message: object) => send(JSON.stringify(message)),
    /** Reads until `read` returns a result; `onClose` makes the result if the gateway closes first. */
    async until<Result>(
      read: (message: Json) => Promise<Result | null>,
      onClose: (code: number) => Result,
    ): Promise<Result> {
      let settle: (result: Result) => void = () => undefined;
      let fail: (error: unknown) => void = () => undefined;
      const ending = new Promise<Result>((resolve, reject) => ([settle, fail] = [resolve, reject]));
      const take = (message: Json) => void read(message).then((result) => result !== null && settle(result), fail);
      socket.on('open', () => take('open'));
      socket.on('message', (data: Buffer) => take(JSON.parse(String(data))));
      socket.on('error', fail);
      socket.on('close', (code) => {
        if (DOCUMENTED.has(code)) settle(onClose(code));
        else fail(new Error(`a socket was closed with ${code}`));
      });
      const timer = new AbortController();
      const late = rest(DEADLINE_MS, undefined, { signal: timer.signal }).then(
        () => fail(new Error('a socket told nothing in time')),
        () => undefined,
      );
      try {
        return await ending;
      } finally {
        timer.abort();
        await late;
        socket.terminate();
      }
    },
  };
}
