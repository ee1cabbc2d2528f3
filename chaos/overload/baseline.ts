// One raw HTTP connection that sends one call after another. It has to be cheap: thousands of them must not be slower
// than the gateway that they overload.

import { connect, type Socket } from 'node:net';
import type { Ending } from './tally.ts';

export interface Answer {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: string;
}

export interface Line {
  /** Sends a call; `onAnswer` gets its answer, or null when the connection ends without one. */
  send(text: string, onAnswer: (answer: Answer | null) => void): void;
  isOpen(): boolean;
  end(): void;
}

/** Opens a connection to a loopback port; calls may be sent right away. */
export function openLine(port: number): Line {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true });
  let received: Buffer | null = null;
  let waiting: ((answer: Answer | null) => void) | null = null;
  let open = true;
  const tell = (answer: Answer | null) => {
    const told = waiting;
    waiting = null;
    told?.(answer);
  };
  socket.on('data', (chunk) => {
    received = received === null ? chunk : Buffer.concat([received, chunk]);
    const answer = wholeAnswer(received);
    if (answer === null) return;
    received = null;
    tell(answer);
  });
  socket.on('error', () => undefined);
  socket.on('end', () => (open = false));
  socket.on('close', () => {
    open = false;
    tell(null);
  });
  return {
    send(text, onAnswer) {
      waiting = onAnswer;
      socket.write(text, 'latin1');
    },
    isOpen: () => open,
    end: () => void socket.destroy(),
  };
}

/** The text of a call as it is sent. The body is ASCII. */
export function callText(method: string, path: string, headers: Readonly<Record<string, string>>, body = ''): string {
  const length = method === 'POST' ? { 'Content-Type': 'application/json', 'Content-Length': String(body.length) } : {};
  const lines = Object.entries({ Host: '127.0.0.1', ...headers, ...length });
  return `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`;
}

/** The answer, once it is complete. Like every answer that is not a stream, it has a Content-Length. */
function wholeAnswer(received: Buffer): Answer | null {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd < 0) return null;
  const head = received.toString('latin1', 0, headEnd);
  const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
  if (received.length < headEnd + 4 + length) return null;
  return {
    status: Number(head.slice(9, 12)),
    retryAfter: /\r\nretry-after: *([^\r]*)/i.exec(head)?.[1] ?? null,
    body: received.toString('utf8', headEnd + 4),
  };
}

/** Classifies an answer: done, one of those that an overloaded gateway may give, or odd. */
export function judge({ status, retryAfter, body }: Answer): Ending {
  const code = /"(?:code|errorCode)":"(\d{4})"/.exec(body)?.[1];
  if (status >= 200 && status < 300 && code === undefined) return 'done';
  const isGraphQL = status === 200;
  if (retryAfter === null) return 'odd';
  if (code === '9001' && (isGraphQL || status === 429)) return 'limited';
  return code === '9503' && (isGraphQL || status === 503) ? 'overloaded' : 'odd';
}

/** Opens a connection without a parser, for clients that do everything slowly. */
export function openBareSocket(port: number): Socket {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true });
  socket.on('error', () => undefined);
  return socket;
}
