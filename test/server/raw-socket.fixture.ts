// A web socket written by hand over a TCP connection: it can send what no library would, and sees the close frame
// itself.

import { connect } from 'node:net';
import { randomBytes } from 'node:crypto';

export interface RawSocket {
  /** The head of the answer to the upgrade. */
  readonly head: string;
  /** The text messages received so far. */
  readonly heard: readonly string[];
  /** Sends one frame; `masked: false` is what a client must never do. */
  frame(opcode: number, payload: string | Buffer, options?: { masked?: boolean; final?: boolean }): void;
  /** Sends a message of text. */
  say(message: unknown): void;
  /** The code and reason of the close frame; rejects when the connection ends without one. */
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  /** Resolves when the server has closed the connection. */
  readonly ended: Promise<void>;
}

const TEXT = 1;
const CLOSE = 8;

/** Asks for an upgrade and resolves when it is answered, whatever the answer. */
export function openRawSocket(url: string, headers: Readonly<Record<string, string>> = {}): Promise<RawSocket> {
  const { hostname, port, pathname, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  const asked = {
    ...{ host, connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' },
    ...{ 'sec-websocket-key': randomBytes(16).toString('base64'), 'sec-websocket-protocol': 'graphql-transport-ws' },
    ...headers,
  };
  const lines = Object.entries(asked).map(([name, value]) => `${name}: ${value}`);
  socket.write(`GET ${pathname} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
  const heard: string[] = [];
  let received = Buffer.alloc(0);
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  socket.on('error', () => undefined);
  socket.on('close', () => end());

  return new Promise((resolve, reject) => {
    let close: (frame: { code: number; reason: string }) => void = () => undefined;
    const closed = new Promise<{ code: number; reason: string }>((answer, fail) => {
      close = answer;
      void ended.then(() => fail(new Error('The connection ended without a close frame')));
    });
    closed.catch(() => undefined);
    void ended.then(() => reject(new Error('The upgrade was not answered')));
    const frame: RawSocket['frame'] = (opcode, payload, options) => socket.write(encode(opcode, payload, options));
    const onHead = (head: string) =>
      resolve({ head, heard, frame, say: (message) => frame(TEXT, JSON.stringify(message)), closed, ended });
    let hasHead = false;
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      const headEnd = hasHead ? -1 : received.indexOf('\r\n\r\n');
      if (headEnd >= 0) {
        hasHead = true;
        onHead(received.subarray(0, headEnd).toString());
        received = received.subarray(headEnd + 4);
      }
      if (!hasHead) return;
      for (let read = decode(received); read; read = decode(received)) {
        received = received.subarray(read.bytes);
        if (read.opcode === TEXT) heard.push(read.payload.toString());
        if (read.opcode !== CLOSE) continue;
        close({ code: read.payload.readUInt16BE(0), reason: read.payload.subarray(2).toString() });
        frame(CLOSE, read.payload);
      }
    });
  });
}

/** One frame as in RFC 6455, section 5.2. */
function encode(opcode: number, payload: string | Buffer, { masked = true, final = true } = {}): Buffer {
  const data = Buffer.from(payload);
  const length =
    data.length < 126 ? Buffer.from([data.length]) : Buffer.from([126, data.length >> 8, data.length & 0xff]);
  if (masked) length.writeUInt8((length[0] ?? 0) | 0x80, 0);
  const mask = masked ? randomBytes(4) : Buffer.alloc(0);
  const body = masked ? data.map((byte, index) => byte ^ (mask[index % 4] ?? 0)) : data;
  return Buffer.concat([Buffer.from([(final ? 0x80 : 0) | opcode]), length, mask, body]);
}

/** The first whole frame; servers do not mask theirs. */
function decode(bytes: Buffer): { opcode: number; payload: Buffer; bytes: number } | null {
  if (bytes.length < 2) return null;
  const short = (bytes[1] ?? 0) & 0x7f;
  const start = short === 126 ? 4 : 2;
  if (bytes.length < start) return null;
  const length = short === 126 ? bytes.readUInt16BE(2) : short;
  if (bytes.length < start + length) return null;
  const payload = bytes.subarray(start, start + length);
  return { opcode: (bytes[0] ?? 0) & 0x0f, payload, bytes: start + length };
}
