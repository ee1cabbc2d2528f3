// Pings in both directions. Sockets are pinged at intervals, a few at a time (ten thousand pings and pongs at once
// would delay every update), and closed if they do not answer. Pings of clients are counted, since each costs an
// answer.

import { randomBytes } from 'node:crypto';
import type { WebSocket } from 'ws';

const MOST_TURNS = 60;
const SHORTEST_TURN_MS = 10;
const COUNTED_MS = 10_000;

export interface SocketPings {
  /** Pings a socket until it closes. */
  add(socket: WebSocket): void;
  /** Counts a ping or an unsolicited pong. One too many closes the socket and returns false. */
  count(socket: WebSocket): boolean;
  stop(): void;
}

interface PingParts {
  /** Each socket has its turn once in so many milliseconds. */
  readonly everyMs: number;
  /** How many pings a client may send in ten seconds. */
  readonly mostOfClient: number;
  /** Called for each ping of a client that is to be answered. */
  readonly onPing: (socket: WebSocket, data: Buffer) => void;
  /** Called once for a socket: it is to be closed. */
  readonly onTooMany: (socket: WebSocket) => void;
}

/** Makes the pings. */
export function createSocketPings({ everyMs, mostOfClient, onPing, onTooMany }: PingParts): SocketPings {
  const turns = Math.max(1, Math.min(MOST_TURNS, Math.floor(everyMs / SHORTEST_TURN_MS)));
  const sockets = Array.from({ length: turns }, () => new Set<WebSocket>());
  const unanswered = new WeakMap<WebSocket, Buffer>();
  const counts = new WeakMap<WebSocket, { since: number; count: number }>();
  let added = 0;
  let turn = 0;
  const timer = setInterval(() => {
    // A client that does not read cannot know of the ping, so its pongs are not answers.
    const asked = randomBytes(8);
    for (const socket of sockets[turn] ?? []) ping(socket, asked);
    turn = (turn + 1) % turns;
  }, everyMs / turns);
  timer.unref();

  function ping(socket: WebSocket, asked: Buffer): void {
    if (socket.readyState !== socket.OPEN) return;
    if (unanswered.has(socket)) return socket.terminate();
    unanswered.set(socket, asked);
    socket.ping(asked);
  }

  function count(socket: WebSocket): boolean {
    const now = performance.now();
    const known = counts.get(socket);
    const counted = known && now - known.since < COUNTED_MS ? known : { since: now, count: 0 };
    if (counted !== known) counts.set(socket, counted);
    counted.count += 1;
    if (counted.count > mostOfClient) refuse(socket, counted.count);
    return counted.count <= mostOfClient;
  }

  /**
   * What comes while a socket closes is read until its client agrees: a client that goes on all the same is cut off.
   */
  function refuse(socket: WebSocket, count: number): void {
    if (socket.readyState === socket.OPEN) return onTooMany(socket);
    if (count <= 2 * mostOfClient) return;
    socket.off('ping', asked).off('pong', answered).terminate();
  }

  // One function for all sockets: a closure for each would cost memory.
  function answered(this: WebSocket, data: Buffer): void {
    if (unanswered.get(this)?.equals(data)) unanswered.delete(this);
    else count(this);
  }
  function asked(this: WebSocket, data: Buffer): void {
    if (count(this)) onPing(this, data);
  }

  return {
    count,
    add(socket) {
      const own = sockets[added % turns];
      added += 1;
      own?.add(socket);
      socket.on('pong', answered);
      socket.on('ping', asked);
      socket.once('close', () => own?.delete(socket));
    },
    stop: () => clearInterval(timer),
  };
}
