// Sends one operation to /graphql/stream and reads until it ends, or until a subscription has sent something.

import { request as httpRequest } from 'node:http';
import { SILENCE_MS, type Listening } from './sockets.ts';
import type { Json, WireAnswer, WireRequest } from '../state/http.ts';

const DEADLINE_MS = 30_000;

interface StreamOutcome {
  readonly answer: WireAnswer;
  readonly results: readonly Json[];
}

/** Throws if no event comes in time. `afterStart` is called when the stream is open. */
export function runOnStream(
  url: string,
  { target, headers, body }: WireRequest,
  { afterStart, maySayNothing }: Listening,
): Promise<StreamOutcome> {
  return new Promise((resolve, reject) => {
    const length = { 'content-length': String(body?.length ?? 0) };
    const options = { method: 'POST', headers: { ...length, ...headers, accept: 'text/event-stream' }, agent: false };
    let isAnswered = false;
    const outgoing = httpRequest(`${url}${target}`, options, (incoming) => {
      isAnswered = true;
      let text = '';
      const isStream = /event-stream/.test(incoming.headers['content-type'] ?? '');
      const end = () => {
        clearTimeout(timer);
        outgoing.destroy();
        const results = isStream ? resultsOf(text) : [parse(text)];
        const answer = {
          status: incoming.statusCode ?? 0,
          headers: incoming.headers,
          text,
          body: isStream ? null : results[0],
        };
        resolve({ answer, results });
      };
      incoming.setEncoding('utf8');
      incoming.on('data', (chunk: string) => {
        text += chunk;
        if (isStream && /event: (next|complete)\n[^]*\n\n/.test(text)) end();
      });
      incoming.on('end', end);
      incoming.on('error', () => undefined); // We hung up.
      if (!isStream) return;
      afterStart();
      if (maySayNothing) setTimeout(end, SILENCE_MS).unref();
    });
    const timer = setTimeout(() => outgoing.destroy(new Error('a stream told nothing in time')), DEADLINE_MS);
    outgoing.on('error', (error) => {
      clearTimeout(timer);
      if (!isAnswered || error.message.startsWith('a stream')) reject(error);
    });
    outgoing.end(body ?? undefined);
  });
}

function resultsOf(text: string): Json[] {
  return text
    .split('\n\n')
    .filter((event) => event.startsWith('event: next'))
    .map((event) => parse(event.slice(event.indexOf('data: ') + 6)));
}

function parse(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
