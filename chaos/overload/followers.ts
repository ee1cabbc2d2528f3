// Subscribers under overload: web sockets that also send queries, and event streams.

import { request } from 'node:http';
import { WebSocket } from 'ws';
import { ANSWER_WITHIN_MS } from './flood.ts';
import { judge } from './baseline.ts';
import type { Tallies } from './tally.ts';

export interface FollowTask {
  readonly port: number;
  readonly tokens: readonly string[];
  readonly seconds: number;
  readonly sockets: number;
  readonly streams: number;
}

const SUBSCRIBE = 'subscription { paymentUpdated { id status } }';
const LIST = '{ payments(first: 10) { edges { node { id status } } } }';
const SUBSCRIPTIONS_PER_SOCKET = 5;
/** How often a socket sends a query, whether or not the last one was answered. */
const QUERY_EVERY_MS = 50;
/** The codes that a socket may be closed with: try again later, or too many. */
const BY_RULE: readonly number[] = [1001, 1013, 4429];

export async function follow(task: FollowTask, tallies: Tallies): Promise<void> {
  const token = (index: number) => task.tokens[index % task.tokens.length] ?? '';
  await Promise.all([
    ...Array.from({ length: task.sockets }, (_, index) => followBySocket(task, token(index), tallies)),
    ...Array.from({ length: task.streams }, (_, index) => followByStream(task, token(index), tallies)),
  ]);
}

/**
 * Subscribes, and sends queries on the same socket again and again; each operation ends in an answer or in an error
 * that says why.
 */
function followBySocket({ port, seconds }: FollowTask, token: string, tallies: Tallies): Promise<void> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/graphql`, 'graphql-transport-ws', { perMessageDeflate: false });
  const send = (message: object) => void (socket.readyState === socket.OPEN && socket.send(JSON.stringify(message)));
  const startedMs = performance.now();
  const asked = new Map<string, number>();
  let asking: NodeJS.Timeout | undefined;
  let isOver = false;
  const begin = () => {
    for (let n = 0; n < SUBSCRIPTIONS_PER_SOCKET; n += 1)
      send({ type: 'subscribe', id: `s${n}`, payload: { query: SUBSCRIBE } });
    let count = 0;
    asking = setInterval(() => {
      count += 1;
      if (asked.size > 50) return;
      asked.set(`q${count}`, performance.now());
      send({ type: 'subscribe', id: `q${count}`, payload: { query: LIST } });
    }, QUERY_EVERY_MS);
  };
  const finish = () => {
    isOver = true;
    clearInterval(asking);
    for (const sentMs of asked.values()) {
      const ms = performance.now() - sentMs;
      if (ms > ANSWER_WITHIN_MS) tallies.note('queries, sockets', 'odd', ms, 'no answer at all');
    }
    socket.close();
  };
  socket.on('open', () => send({ type: 'connection_init', payload: { authorization: `Bearer ${token}` } }));
  socket.on('message', (data: Buffer) => {
    const text = String(data);
    const { type, id = '' } = JSON.parse(text) as { type: string; id?: string };
    if (type === 'connection_ack') {
      tallies.note('sockets', 'done', performance.now() - startedMs);
      begin();
    }
    if (id.startsWith('q') ? type === 'next' || type === 'error' : type === 'error') {
      const ms = performance.now() - (asked.get(id) ?? performance.now());
      asked.delete(id);
      // A message on a socket has no headers that could say when to try again.
      const ending = judge({ status: 200, retryAfter: '', body: text });
      tallies.note(id.startsWith('q') ? 'queries, sockets' : 'subscriptions', ending, ms, text.slice(0, 300));
    }
  });
  return new Promise((resolve) => {
    const timer = setTimeout(finish, 1_000 * seconds);
    socket.on('error', (error) => tallies.note('sockets', 'odd', performance.now() - startedMs, error.message));
    socket.on('close', (code) => {
      clearTimeout(timer);
      clearInterval(asking);
      const words = `closed with ${code}`;
      if (!isOver)
        tallies.note('sockets', BY_RULE.includes(code) ? 'cut' : 'odd', performance.now() - startedMs, words);
      resolve();
    });
  });
}

/** Opens a stream and reads it until the end. */
function followByStream({ port, seconds }: FollowTask, token: string, tallies: Tallies): Promise<void> {
  const startedMs = performance.now();
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return new Promise((resolve) => {
    const asking = request({ host: '127.0.0.1', port, path: '/graphql/stream', method: 'POST', headers }, (answer) => {
      const { statusCode: status = 0, headers: told } = answer;
      const ending =
        status === 200 ? 'done' : [429, 503].includes(status) && told['retry-after'] ? 'overloaded' : 'odd';
      tallies.note('streams', ending, performance.now() - startedMs, `answered with ${status}`);
      answer.on('error', () => undefined).resume();
    });
    const timer = setTimeout(() => asking.destroy(), 1_000 * seconds);
    asking.on('error', () => undefined);
    asking.on('close', () => {
      clearTimeout(timer);
      resolve();
    });
    asking.end(JSON.stringify({ query: SUBSCRIBE }));
  });
}
