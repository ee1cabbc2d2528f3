// An HTTP proxy in front of a node that interferes with single questions: it refuses them, loses their answers, or asks
// the node something else.

import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A question as received. */
export interface Asked {
  readonly path: string;
  readonly body: string;
}

/**
 * What happens to a question. `pass`: it is passed on. `say`: it is answered without the node. `lose`: the node is
 * asked, but its answer is lost. `instead`: the node is asked this.
 */
export type Meddling =
  | { readonly kind: 'pass' }
  | { readonly kind: 'say'; readonly status: number; readonly body: string }
  | { readonly kind: 'lose' }
  | { readonly kind: 'instead'; readonly body: string };

export interface MeddlingProxy {
  readonly url: string;
  meddle(how: (asked: Asked) => Meddling): void;
  stop(): Promise<void>;
}

export const PASS: Meddling = { kind: 'pass' };

/** Starts one on a free port; it passes everything on until told otherwise. */
export async function startMeddlingProxy(target: string): Promise<MeddlingProxy> {
  let how: (asked: Asked) => Meddling = () => PASS;
  const server = createServer((question, response) => {
    const answer = (body: string) => {
      const meddling = how({ path: question.url ?? '', body });
      if (meddling.kind === 'say') return void response.writeHead(meddling.status, JSON_TYPE).end(meddling.body);
      const sent = meddling.kind === 'instead' ? meddling.body : body;
      return passOn(target, { question, body: sent, isLost: meddling.kind === 'lose' }, response);
    };
    // Who hangs up in the middle of a question gets no answer.
    readText(question).then(answer, () => response.destroy());
  });
  // A client that asks again after some seconds must not reuse a connection that is just being closed.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    meddle: (next) => {
      how = next;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const JSON_TYPE = { 'content-type': 'application/json' };

async function readText(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

interface Passed {
  readonly question: IncomingMessage;
  readonly body: string;
  readonly isLost: boolean;
}

function passOn(target: string, { question, body, isLost }: Passed, response: ServerResponse): void {
  const { method, url = '', headers } = question;
  const host = new URL(target).host;
  const options = { method, headers: { ...headers, host, 'content-length': Buffer.byteLength(body) } };
  const onward = request(new URL(url, target), options, (answer) => {
    if (!isLost) {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      return void answer.pipe(response);
    }
    answer.resume();
    answer.on('end', () => response.writeHead(502).end('lost'));
  });
  onward.on('error', () => response.writeHead(502).end('unreachable'));
  onward.end(body);
}
