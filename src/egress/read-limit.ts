// Limits how much of a response is read outside its body: reason phrases, whitespace, chunk extensions, leading zeros.

import type { Socket } from 'node:net';

/**
 * Destroys a connection on which more than `maxBytes` arrived since the last request was sent. The HTTP parser limits
 * header fields and reports the body, but has no limit for the rest: without this, a receiver made us read and parse
 * 500 MB outside a body within one second.
 */
export function limitReading(socket: Socket, maxBytes: number): void {
  let writtenBefore = socket.bytesWritten;
  let readBefore = socket.bytesRead;
  let start = readBefore;
  socket.on('readable', () => {
    if (socket.bytesWritten !== writtenBefore) {
      writtenBefore = socket.bytesWritten;
      start = readBefore;
    }
    readBefore = socket.bytesRead;
    if (readBefore - start > maxBytes) socket.destroy(new Error('the response is too long outside its body'));
  });
}
