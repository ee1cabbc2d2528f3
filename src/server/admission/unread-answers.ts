// Answers over HTTP that wait to be taken. Each may be 10 MB, and a reader that takes a byte now and then is not idle:
// so what waits of large ones is counted with what waits for web sockets and event streams.

import type { FastifyInstance } from 'fastify';
import { callerOf } from './known-callers.ts';
import type { SharedRoom } from './shared-memory.ts';
import { whenOver } from './call-end.ts';

/** The system takes smaller ones at once, and nearly all answers are smaller. */
const LARGE_CHARACTERS = 64 * 1_024;

/**
 * Holds large answers in a room until the system has taken them; one that has to make way is cut off. Those in parts
 * wait for their reader before more of them is made, and files are in memory once, for all.
 */
export function boundUnreadAnswers(server: FastifyInstance, room: SharedRoom): void {
  server.addHook('onSend', (request, reply, payload, done) => {
    if (typeof payload === 'string' && payload.length > LARGE_CHARACTERS) {
      const holding = room.hold(
        () => callerOf(request),
        () => request.raw.socket.destroy(),
      );
      whenOver(reply, holding.release);
      holding.grow(Buffer.byteLength(payload));
    }
    done(null, payload);
  });
}
