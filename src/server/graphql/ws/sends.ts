// Sends on sockets, and bounds what waits to be read: a reader that does not keep up is closed before it fills our
// memory, whatever is being sent.

import type { WebSocket } from 'ws';
import type { Holding, SharedMemory } from '../../admission/shared-memory.ts';
import { CLOSE_CODES, type SocketLimits } from '../connections/limits.ts';

export interface SocketSends {
  /** Takes a socket in, until it closes. */
  add(socket: WebSocket, callerOf: () => string): void;
  /** Resolves when the system has taken the text. A reader who is too slow is closed instead. */
  send(socket: WebSocket, text: string): Promise<void> | undefined;
  /** Answers a ping, under the same limit. */
  pong(socket: WebSocket, data: Buffer): void;
}

/**
 * Makes the sender for all sockets of a process, within the shared memory for unread data. `close` closes a socket with
 * a reason.
 */
export function createSocketSends(
  memory: SharedMemory,
  { unreadBytes, unreadShareBytes }: SocketLimits,
  close: (socket: WebSocket, code: number, reason: string) => void,
): SocketSends {
  const holdings = new WeakMap<WebSocket, Holding>();

  /** Adds to what waits. If next to nothing waits, one answer of any allowed size may be sent. */
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
      // Its memory must be free now: a close frame would wait behind everything unread.
      const holding = memory.hold(callerOf, () => socket.terminate());
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
