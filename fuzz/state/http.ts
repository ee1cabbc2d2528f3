// Sends one request byte for byte, however odd it is, and reads the answer.

import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';

/** Parsed JSON. It is untyped: the values read from it are checked by their use. */
export type Json = ReturnType<typeof JSON.parse>;

export interface WireRequest {
  readonly method: string;
  /** Path and query, not encoded any further. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
  /** Whether it is sent as raw bytes, because Node's client would refuse or change it. */
  readonly isRaw?: boolean;
}

/** `body` is the parsed JSON, or null if the text is not JSON. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: Json;
}

/** Longer than any call may wait: some ten seconds for the test chain, and more on a busy machine. */
const DEADLINE_MS = 30_000;

const agent = new Agent({ keepAlive: true, maxSockets: 8 });

/** Sends a request. Throws if there is no answer in time, or none that can be read. */
export function send(url: string, request: WireRequest): Promise<WireAnswer> {
  return request.isRaw === true ? sendRaw(url, request) : sendByClient(url, request);
}

function sendByClient(url: string, { method, target, headers, body }: WireRequest): Promise<WireAnswer> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const length = body === null ? {} : { 'content-length': String(body.length) };
    const options = { agent, hostname, port, method, path: target, headers: { ...length, ...headers } };
    let isAnswered = false;
    const outgoing = httpRequest(options, (incoming) => {
      isAnswered = true;
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => {
        clearTimeout(timer);
        const text = Buffer.concat(chunks).toString();
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text, body: parse(text) });
      });
    });
    const timer = setTimeout(() => outgoing.destroy(new Error('no answer in time')), DEADLINE_MS);
    // A body that is refused before it was read completely breaks the pipe after the answer.
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      if (isAnswered) return;
      const isUnread = outgoing.reusedSocket || (body?.length ?? 0) > LONGEST_READ;
      if (isUnread && GONE.has(error.code ?? '')) resolve(sendRaw(url, { method, target, headers, body }));
      else reject(error);
    });
    outgoing.end(body ?? undefined);
  });
}

/**
 * What a client is told if a connection that was kept alive was closed just as it was used again, or if the answer came
 * before the body was read and the rest of it could not be written: it is sent on a new connection then, in pieces.
 */
const GONE: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE']);
/** Longer bodies are refused unread. */
const LONGEST_READ = 100_000;
const PIECE = 16_384;
/** For an answer to the head and the first piece: one that comes while the rest is sent is lost with the connection. */
const PAUSE_MS = 250;

function sendRaw(url: string, { method, target, headers, body }: WireRequest): Promise<WireAnswer> {
  return new Promise((resolve, reject) => {
    const { hostname, port, host } = new URL(url);
    const socket = connect(Number(port), hostname);
    const chunks: Buffer[] = [];
    const timer = setTimeout(() => socket.destroy(new Error('no answer in time')), DEADLINE_MS);
    const own = { host, connection: 'close', ...(body === null ? {} : { 'content-length': String(body.length) }) };
    const lines = Object.entries({ ...own, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      const answer = readRaw(Buffer.concat(chunks));
      const length = Number(answer?.headers['content-length'] ?? Infinity);
      if (answer && (method === 'HEAD' || answer.status === 204 || Buffer.byteLength(answer.text) >= length))
        socket.end();
    });
    const end = (error?: Error) => {
      clearTimeout(timer);
      const answer = readRaw(Buffer.concat(chunks));
      if (answer !== null) resolve(answer);
      else
        reject(error ?? new Error(`no answer that can be read: ${Buffer.concat(chunks).toString('latin1', 0, 200)}`));
    };
    socket.on('error', end);
    socket.on('close', () => end());
    const head = Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`, 'utf8');
    let rest = Buffer.concat([head, body ?? Buffer.alloc(0)]);
    // In turns of the event loop: an answer that came before the end is read first, and nothing is sent after it.
    const write = (): void => {
      if (chunks.length > 0 || socket.destroyed) return;
      const isRoom = socket.write(rest.subarray(0, PIECE));
      rest = rest.subarray(PIECE);
      if (rest.length === 0) return;
      const isFirst = socket.bytesWritten <= PIECE;
      if (isFirst) setTimeout(write, PAUSE_MS);
      else if (isRoom) setImmediate(write);
      else socket.once('drain', write);
    };
    write();
  });
}

function readRaw(bytes: Buffer): WireAnswer | null {
  const split = bytes.indexOf('\r\n\r\n');
  if (bytes.toString('latin1', 0, 12) === 'HTTP/1.1 100') return readRaw(bytes.subarray(split + 4));
  const [first = '', ...lines] = bytes.toString('latin1', 0, Math.max(0, split)).split('\r\n');
  const status = /^HTTP\/1\.1 (\d{3})/.exec(first)?.[1];
  if (status === undefined) return null;
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  // Bytes that follow, caused by a body that was refused unread, are not part of this answer.
  const length = Number(headers['content-length'] ?? bytes.length);
  const sent = bytes.subarray(split + 4, split + 4 + length);
  const text = (headers['transfer-encoding'] === 'chunked' ? joinChunks(sent) : sent).toString();
  return { status: Number(status), headers, text, body: parse(text) };
}

/** Joins the chunks of a body (RFC 9112, section 7.1), as far as they have been received. */
function joinChunks(bytes: Buffer): Buffer {
  const chunks: Buffer[] = [];
  let at = 0;
  for (;;) {
    const start = bytes.indexOf('\r\n', at) + 2;
    const size = start < 2 ? 0 : parseInt(bytes.toString('latin1', at, start - 2), 16);
    if (!(size > 0)) return Buffer.concat(chunks);
    chunks.push(bytes.subarray(start, start + size));
    at = start + size + 2;
  }
}

function parse(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Closes the connections that are kept alive. */
export function endConnections(): void {
  agent.destroy();
}
