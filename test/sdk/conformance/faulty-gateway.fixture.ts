// A proxy before a gateway that fails as the table says: which row a request belongs to is its X-Request-Id.

import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that came, in the order in which they came. */
export interface Seen {
  readonly step: string;
  readonly method: string;
  readonly path: string;
  readonly key: string | undefined;
  readonly atMs: number;
}

export interface FaultyGateway {
  readonly url: string;
  readonly seen: readonly Seen[];
  stop(): Promise<void>;
}

/** Starts the proxy. `faults` are those of each step, one for each of its first requests. */
export async function startFaultyGateway(
  target: string,
  faults: Readonly<Record<string, readonly string[]>>,
): Promise<FaultyGateway> {
  const seen: Seen[] = [];
  const server = createServer((question, response) => {
    const { method = '', url: path = '', headers } = question;
    const step = String(headers['x-request-id'] ?? '');
    const nth = seen.filter((one) => one.step === step).length;
    seen.push({ step, method, path, key: headers['idempotency-key']?.toString(), atMs: Date.now() });
    void meet((faults[step] ?? [])[nth], { target, question, response });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Exchange {
  readonly target: string;
  readonly question: IncomingMessage;
  readonly response: ServerResponse;
}

const REFUSALS: Readonly<Record<string, readonly [status: number, code: string]>> = {
  '429': [429, '9001'],
  '503': [503, '9503'],
};

async function meet(fault: string | undefined, exchange: Exchange): Promise<void> {
  const { response } = exchange;
  const [kind = '', argument] = (fault ?? '').split(':');
  const [status, code] = REFUSALS[kind] ?? [];
  if (status !== undefined) {
    const headers = { 'content-type': 'application/json', ...(argument && { 'retry-after': argument }) };
    response.writeHead(status, headers);
    response.end(JSON.stringify({ success: false, error: { code, message: 'As the table says' } }));
  } else if (kind === 'redirect') response.writeHead(307, { location: 'http://127.0.0.1:9/' }).end();
  else if (kind === 'silence') exchange.question.resume();
  else if (kind === 'cut') {
    await passOn(exchange);
    response.destroy();
  } else if (kind === 'half') {
    const { body } = await passOn(exchange);
    const length = argument === 'chunked' ? {} : { 'content-length': body.length };
    response.writeHead(200, { 'content-type': 'application/json', ...length });
    response.write(body.subarray(0, body.length / 2), () => response.destroy());
  } else {
    if (kind === 'token') exchange.question.headers.authorization = 'Bearer refused';
    const { answer, body } = await passOn(exchange);
    response.writeHead(answer.statusCode ?? 502, answer.headers).end(body);
  }
}

/** What the gateway answers, whole. */
function passOn({ target, question }: Exchange): Promise<{ answer: IncomingMessage; body: Buffer }> {
  return new Promise((resolve, reject) => {
    const { method, url = '/', headers } = question;
    const passed = request(new URL(url, target), { method, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => resolve({ answer, body: Buffer.concat(chunks) }));
    });
    passed.on('error', reject);
    question.pipe(passed);
  });
}
