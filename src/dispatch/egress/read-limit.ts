// Bounds what a receiver can make us read around a body: reason phrases, blanks, chunk extensions, leading zeros.

import type { Socket } from 'node:net';

/**
 * Destroys a connection on which more than `maxBytes` arrived since the last request went out. The HTTP parser counts
 * header fields and hands out the body, but runs on over everything else: without this a receiver had 500 MB read and
 * parsed within one second, all of them outside a body.
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
    if (readBefore - start > maxBytes) socket.destroy(new Error('the answer is too long, all that is no body counted'));
  });
}
