// Limits HTTP answers that wait to be read. Each may be 10 MB, and a client that reads a byte now and then is not idle:
// so large answers are counted with what waits for web sockets and event streams.

import type { FastifyInstance } from 'fastify';
import { callerOf } from './known-callers.ts';
import type { SharedMemory } from './shared-memory.ts';
import { onCallEnd } from './call-end.ts';

/** The system buffers smaller answers at once, and nearly all answers are smaller. */
const LARGE_CHARACTERS = 64 * 1_024;

/**
 * Counts large answers in the shared memory until the system has taken them; one that has to make way is cut off.
 * Streamed answers are not counted: they are produced at the reader's pace. Nor are files, which are in memory only
 * once.
 */
export function boundUnreadAnswers(server: FastifyInstance, memory: SharedMemory): void {
  server.addHook('onSend', (request, reply, payload, done) => {
    const isOwn = typeof payload === 'string' || (request.isCompressed && Buffer.isBuffer(payload));
    if (isOwn && payload.length > LARGE_CHARACTERS) {
      const holding = memory.hold(
        () => callerOf(request),
        () => request.raw.socket.destroy(),
      );
      onCallEnd(reply, holding.release);
      holding.grow(Buffer.byteLength(payload));
    }
    done(null, payload);
  });
}
