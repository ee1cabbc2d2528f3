// A webhook receiver that keeps every request with its raw bytes and answers as the test wants.

import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { receive } from './receivers.fixture.ts';

export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly path: string;
}

type Answer = (response: ServerResponse, nth: number, received: Received) => void;

/** Answers 200 unless told otherwise; `nth` counts from 1. */
export async function receiveWebhooks(answer: Answer = (response) => void response.end('{"status":"ok"}')) {
  const received: Received[] = [];
  const { url } = await receive((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const webhook = { headers: request.headers, body: Buffer.concat(chunks), path: request.url ?? '' };
      answer(response, received.push(webhook), webhook);
    });
  });
  return { url: `${url}/hook`, origin: url, received };
}

/** Answers with this status each time. */
export const status =
  (code: number): Answer =>
  (response) =>
    void response.writeHead(code).end(`answered ${code}`);

/** The event id and attempt number of a request. */
export const attemptOf = ({ headers }: Received) =>
  `${String(headers['x-pgw-delivery-id'])} ${String(headers['x-pgw-attempt'])}`;
