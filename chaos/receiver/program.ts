// The receiver's program: it records each request, fsyncs, and answers at random with success or failure. It is started
// with the path of its log and a seed; over IPC it is told to answer only with success. It ends with its parent.

import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as rest } from 'node:timers/promises';
import type { BookLine, GivenAnswer, Taken } from './log.ts';
import { createRandom } from '../load/random.ts';

const [path = '', seed = '0'] = process.argv.slice(2);
const random = createRandom(Number(seed));
const book = await open(path, 'a');
const bodiesWritten = new Set<string>();
let healthy = false;

interface Manner {
  readonly weight: number;
  readonly answer: () => GivenAnswer;
}

const at = (status: number | null, delayMs = 0, retryAfter: string | null = null): GivenAnswer => {
  return { status, delayMs, retryAfter };
};

/** An HTTP date has whole seconds: one that is two seconds ahead is still at least one second away. */
const httpDateAfter = (ms: number) => new Date(Date.now() + ms).toUTCString();

/** The answers of an unreliable receiver. The longest delay is longer than the gateway waits. */
const MIXED: readonly Manner[] = [
  { weight: 690, answer: () => at(200) },
  { weight: 40, answer: () => at(204) },
  { weight: 80, answer: () => at(200, 100 + random.below(1_200)) },
  { weight: 60, answer: () => at(500) },
  { weight: 30, answer: () => at(503, 0, '1') },
  { weight: 20, answer: () => at(429, 0, httpDateAfter(2_000)) },
  { weight: 20, answer: () => at(429, 200, '2') },
  { weight: 40, answer: () => at(null, random.below(300)) },
  { weight: 10, answer: () => at(404) },
  { weight: 5, answer: () => at(302) },
  { weight: 5, answer: () => at(200, 6_500) },
];

/** The answer by the first part of the path, until the receiver turns healthy. */
const MANNERS: Readonly<Record<string, () => GivenAnswer>> = {
  mixed: () => random.weighted(MIXED).answer(),
  dead: () => at(500),
  lost: () => at(404),
  gone: () => at(410),
};

let unwritten = '';
let waiting: (() => void)[] = [];
let writing = false;

/** Resolves when the lines are on disk. Lines that come while one fsync is under way share the next. */
function write(lines: readonly BookLine[]): Promise<void> {
  unwritten += lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  const written = new Promise<void>((resolve) => waiting.push(resolve));
  if (!writing) void flush();
  return written;
}

async function flush(): Promise<void> {
  writing = true;
  while (waiting.length > 0) {
    const [lines, told] = [unwritten, waiting];
    unwritten = '';
    waiting = [];
    await book.appendFile(lines);
    await book.datasync();
    for (const tell of told) tell();
  }
  writing = false;
}

async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const digest = createHash('sha256').update(body).digest('hex');
  const manner = healthy ? undefined : MANNERS[(request.url ?? '').split('/')[1] ?? ''];
  const answer = manner?.() ?? at(200);
  const lines: BookLine[] = [taken(request, digest, answer)];
  if (!bodiesWritten.has(digest)) lines.push({ digest, body: body.toString('utf8') });
  bodiesWritten.add(digest);
  await write(lines);
  if (answer.delayMs > 0) await rest(answer.delayMs);
  if (answer.status === null) return void response.destroy();
  if (answer.retryAfter !== null) response.setHeader('retry-after', answer.retryAfter);
  if (answer.status === 302) response.setHeader('location', '/elsewhere');
  response.writeHead(answer.status).end();
}

function taken({ headers, url = '' }: IncomingMessage, digest: string, answer: GivenAnswer): Taken {
  const header = (name: string) => String(headers[name] ?? '');
  return {
    at: Date.now(),
    path: url,
    eventId: header('x-pgw-event-id'),
    deliveryId: header('x-pgw-delivery-id'),
    attempt: Number(header('x-pgw-attempt')),
    timestamp: header('x-pgw-timestamp'),
    signature: header('x-pgw-signature'),
    standard: {
      id: header('webhook-id'),
      timestamp: header('webhook-timestamp'),
      signature: header('webhook-signature'),
    },
    digest,
    answer,
  };
}

const server = createServer((request, response) => {
  // A killed sender cuts off its request: then there is no one to answer, and nothing was taken.
  take(request, response).catch(() => response.destroy());
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('message', () => (healthy = true));
process.on('disconnect', () => process.exit(0));
