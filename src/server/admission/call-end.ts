// Finds out when a call has ended: its answer was taken, or its connection closed. On Node 20 a pipelined answer that
// waits behind another one hears nothing of the second, so the connection is watched as well.

import type { FastifyReply } from 'fastify';
import type { Socket } from 'node:net';

/** What to do when a connection closes. One listener for all calls of a connection, which may be many. */
const waiting = new WeakMap<Socket, Set<() => void>>();

/**
 * Calls back, once, when a call's answer has been taken or its connection is gone; at once where that is so already.
 */
export function onCallEnd(reply: FastifyReply, callBack: () => void): void {
  const response = reply.raw;
  const { socket } = reply.request.raw;
  if (isOver(reply)) return callBack();
  const others = waiting.get(socket) ?? listenTo(socket);
  const end = () => {
    if (!others.delete(end)) return;
    response.off('close', end);
    callBack();
  };
  others.add(end);
  response.once('close', end);
}

/** Whether the answer of a call was taken or its connection closed. */
export function isOver({ raw, request }: FastifyReply): boolean {
  return raw.destroyed || request.raw.socket.destroyed;
}

function listenTo(socket: Socket): Set<() => void> {
  const ends = new Set<() => void>();
  waiting.set(socket, ends);
  socket.once('close', () => [...ends].forEach((end) => end()));
  return ends;
}
