// Pings sockets at intervals and drops those that did not answer. A few at a time: ten thousand pings and their answers
// at one moment would hold up every update for a good part of a second.

import type { WebSocket } from 'ws';

const MOST_TURNS = 60;
const SHORTEST_TURN_MS = 10;

export interface SocketPings {
  /** Takes a socket in, until it closes. */
  add(socket: WebSocket): void;
  stop(): void;
}

/** Makes the pings; each socket has its turn once in `everyMs`. */
export function createSocketPings(everyMs: number): SocketPings {
  const turns = Math.max(1, Math.min(MOST_TURNS, Math.floor(everyMs / SHORTEST_TURN_MS)));
  const sockets = Array.from({ length: turns }, () => new Set<WebSocket>());
  const unanswered = new WeakSet<WebSocket>();
  let added = 0;
  let turn = 0;
  const timer = setInterval(() => {
    for (const socket of sockets[turn] ?? []) ping(socket);
    turn = (turn + 1) % turns;
  }, everyMs / turns);
  timer.unref();

  function ping(socket: WebSocket): void {
    if (socket.readyState !== socket.OPEN) return;
    if (unanswered.has(socket)) return socket.terminate();
    unanswered.add(socket);
    socket.ping();
  }

  // One function for all sockets: a closure for each would cost memory.
  function answered(this: WebSocket): void {
    unanswered.delete(this);
  }

  return {
    add(socket) {
      const own = sockets[added % turns];
      added += 1;
      own?.add(socket);
      socket.on('pong', answered);
      socket.once('close', () => own?.delete(socket));
    },
    stop: () => clearInterval(timer),
  };
}
