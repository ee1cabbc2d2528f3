// An HTTP proxy that fails on command, in front of a node of any kind of chain.

import { createServer, request, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What happens to a question: it is refused, cut off, or gets an unusable answer. */
export const FAILURES = ['status', 'reset', 'garbage'] as const;
export type Failure = (typeof FAILURES)[number];

export interface FailingProxy {
  /** `http://127.0.0.1:<port>`; credentials are passed on unchanged. */
  readonly url: string;
  /** From now on the first `after` questions pass, and the next `count` fail. */
  fail(failure: Failure, after?: number, count?: number): void;
  heal(): void;
  /** How many questions came since the last command. */
  asked(): number;
  /** The headers of the question that came last. */
  headers(): IncomingHttpHeaders;
  /** The headers of all questions since the last command. */
  allHeaders(): readonly IncomingHttpHeaders[];
  stop(): Promise<void>;
}

/** Starts a proxy on a free port. */
export async function startFailingProxy(target: string): Promise<FailingProxy> {
  let spell: { failure: Failure; after: number; count: number } | null = null;
  let asked = 0;
  let headers: IncomingHttpHeaders[] = [];
  const server = createServer((question, response) => {
    const nth = asked;
    asked += 1;
    headers.push(question.headers);
    if (spell && nth >= spell.after && nth < spell.after + spell.count) return failWith(spell.failure, response);
    passOn(target, question, response);
  });
  // A client that asks again after some seconds must not reuse a connection that is just being closed.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const tell = (told: typeof spell) => {
    spell = told;
    asked = 0;
    headers = [];
  };
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    fail: (failure, after = 0, count = Infinity) => tell({ failure, after, count }),
    heal: () => tell(null),
    asked: () => asked,
    headers: () => headers.at(-1) ?? {},
    allHeaders: () => headers,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function failWith(failure: Failure, response: ServerResponse): void {
  if (failure === 'reset') response.destroy();
  else if (failure === 'status') response.writeHead(503).end('upstream is tired');
  else response.end('<html>{"result": {"num');
}

function passOn(target: string, question: IncomingMessage, response: ServerResponse): void {
  const { method, url = '/', headers } = question;
  const passed = request(new URL(url, target), { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  passed.on('error', () => response.destroy());
  question.pipe(passed);
}
