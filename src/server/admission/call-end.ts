// When a call is over: its answer has been taken, or its connection is gone. Of the second, Node 20 tells an answer
// nothing while it waits behind another one on the same connection (pipelining), so the connection is listened to as
// well.

import type { FastifyReply } from 'fastify';
import type { Socket } from 'node:net';

/** What is to be done once a connection is gone; one listener for all, as a connection has any number of calls. */
const waiting = new WeakMap<Socket, Set<() => void>>();

/**
 * Calls back, once, when a call's answer has been taken or its connection is gone; at once where that is so already.
 */
export function whenOver(reply: FastifyReply, callBack: () => void): void {
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

/** Whether a call's answer has been taken or its connection is gone. */
export function isOver({ raw, request }: FastifyReply): boolean {
  return raw.destroyed || request.raw.socket.destroyed;
}

function listenTo(socket: Socket): Set<() => void> {
  const ends = new Set<() => void>();
  waiting.set(socket, ends);
  socket.once('close', () => [...ends].forEach((end) => end()));
  return ends;
}
