// A name server on a loopback address that knows one answer to every question, or none for a while.

import { createSocket } from 'node:dgram';
import { once } from 'node:events';

export interface NameServer {
  readonly address: string;
  /** From now on questions are taken, and not answered; the result ends that. */
  fallSilent(): () => void;
  stop(): Promise<void>;
}

/** Answers every name with 127.0.0.1, and says that it has no IPv6 address. Only root may listen on port 53. */
export async function startNameServer(address: string): Promise<NameServer> {
  let silent = false;
  const socket = createSocket('udp4');
  socket.on('message', (question, from) => {
    if (!silent) socket.send(answerTo(question), from.port, from.address);
  });
  socket.bind(53, address);
  await once(socket, 'listening');
  return {
    address,
    fallSilent() {
      silent = true;
      return () => void (silent = false);
    },
    async stop() {
      socket.close();
      await once(socket, 'close');
    },
  };
}

const HEADER_BYTES = 12;
const TYPE_A = 1;

/** The message for a question (RFC 1035, section 4): its header and question, and one address if it asks for IPv4. */
function answerTo(question: Buffer): Buffer {
  const nameEnd = question.indexOf(0, HEADER_BYTES);
  const asked = question.subarray(HEADER_BYTES, nameEnd + 5);
  const isV4 = question.readUInt16BE(nameEnd + 1) === TYPE_A;
  const header = Buffer.alloc(HEADER_BYTES);
  question.copy(header, 0, 0, 2);
  header.writeUInt16BE(0x8180, 2); // An answer without an error, and recursion was done.
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(isV4 ? 1 : 0, 6);
  // A pointer to the name, type A, class IN, a second to live, four bytes.
  const record = Buffer.from([0xc0, HEADER_BYTES, 0, TYPE_A, 0, 1, 0, 0, 0, 1, 0, 4, 127, 0, 0, 1]);
  return Buffer.concat(isV4 ? [header, asked, record] : [header, asked]);
}
