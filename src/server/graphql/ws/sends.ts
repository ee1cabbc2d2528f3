// What sockets send, and what of it waits to be read: a reader who does not keep up is closed before it fills our
// memory, whatever it is that they do not read.

import type { WebSocket } from 'ws';
import type { Holding, SharedRoom } from '../../admission/shared-memory.ts';
import { CLOSE_CODES, type SocketLimits } from '../connections/limits.ts';

export interface SocketSends {
  /** Takes a socket in, until it closes. */
  add(socket: WebSocket, callerOf: () => string): void;
  /** Resolves when the system has taken the text. A reader who is too slow is closed instead. */
  send(socket: WebSocket, text: string): Promise<void> | undefined;
  /** Answers a ping; the same. */
  pong(socket: WebSocket, data: Buffer): void;
}

/** Makes what all sockets of a process send by, in the room for what waits. `close` closes one politely. */
export function createSocketSends(
  room: SharedRoom,
  { unreadBytes, unreadShareBytes }: SocketLimits,
  close: (socket: WebSocket, code: number, reason: string) => void,
): SocketSends {
  const holdings = new WeakMap<WebSocket, Holding>();

  /** What waits, and this with it. Where next to nothing waits one answer may be as large as answers are. */
  function mayBeSent(socket: WebSocket, bytes: number): boolean {
    if (socket.readyState !== socket.OPEN) return false;
    const waiting = socket.bufferedAmount;
    if (waiting <= unreadShareBytes || waiting + bytes <= unreadBytes)
      return holdings.get(socket)?.grow(bytes) ?? false;
    close(socket, CLOSE_CODES.tryAgain, 'Too slow; connect again');
    return false;
  }

  return {
    add(socket, callerOf) {
      // What it holds is to be free now: a polite word would have to wait behind all that they do not read.
      const holding = room.hold(callerOf, () => socket.terminate());
      holdings.set(socket, holding);
      socket.once('close', holding.release);
    },
    send(socket, text) {
      const bytes = Buffer.byteLength(text);
      if (!mayBeSent(socket, bytes)) return undefined;
      return new Promise((resolve) => {
        socket.send(text, () => {
          holdings.get(socket)?.shrink(bytes);
          resolve();
        });
      });
    },
    pong(socket, data) {
      if (!mayBeSent(socket, data.length)) return;
      socket.pong(data, false, () => holdings.get(socket)?.shrink(data.length));
    },
  };
}
