// When a call has ended: when its answer or its connection says so, whichever comes first.

import { describe, expect, it } from '@jest/globals';
import type { FastifyReply } from 'fastify';
import { once } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { isOver, onCallEnd } from '../../../src/server/admission/call-end.ts';

/** A call whose answer waits behind another one: the connection does not belong to it yet, and tells it nothing. */
function replyOn(socket: Socket): FastifyReply {
  const request = new IncomingMessage(socket);
  return { raw: new ServerResponse(request), request: { raw: request } } as FastifyReply;
}

describe('a call is over', () => {
  it('once its connection is gone, though its answer hears nothing of it, and at once if it was gone before', async () => {
    const socket = new Socket();
    const over: string[] = [];
    for (const name of ['a', 'b']) onCallEnd(replyOn(socket), () => void over.push(name));
    expect([over, isOver(replyOn(socket))]).toEqual([[], false]);
    socket.destroy();
    await once(socket, 'close');
    onCallEnd(replyOn(socket), () => void over.push('late'));
    expect([over, isOver(replyOn(socket))]).toEqual([['a', 'b', 'late'], true]);
  });

  it('once its answer has been taken, of which nothing is left on the connection', async () => {
    const socket = new Socket();
    let over = 0;
    for (let n = 0; n < 50; n += 1) {
      const reply = replyOn(socket);
      onCallEnd(reply, () => (over += 1));
      reply.raw.emit('close');
      expect(reply.raw.listenerCount('close')).toBe(0);
    }
    expect([over, socket.listenerCount('close')]).toEqual([50, 1]);
    socket.destroy();
    await once(socket, 'close');
    expect(over).toBe(50);
  });
});
