// A feed in a thread of its own: it answers each question with tickers of 2 MiB, as much as is read of one.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parentPort } from 'node:worker_threads';
import { FEED_LIMITS } from '../../src/observe/poll-rates.ts';

/** Pairs with the dollar that are read, among thousands that are not. */
const READ = ['XXBTZUSD', 'XETHZUSD', 'XLTCZUSD', 'SOLUSD', 'TRXUSD', 'ZEURZUSD', 'ZGBPZUSD', 'ZUSDZJPY'];

function ticker(price: string): object {
  const [lot, day] = ['1.00000000', ['4083.67001100', '4412.73601799']];
  const ends = { a: [price, '1', lot], b: [price, '1', lot], c: [price, lot], v: day, p: [price, price] };
  return { ...ends, t: [34_619, 38_907], l: [price, price], h: [price, price], o: price };
}

function tickers(): string {
  const size = JSON.stringify(ticker('30300.05000')).length + '"OTHER00000USD":,'.length;
  const others = Math.floor(FEED_LIMITS.maxBytes / size) - 2 * READ.length;
  const names = [...Array.from({ length: others }, (_, nth) => `OTHER${String(nth)}USD`), ...READ];
  const result = Object.fromEntries(names.map((name) => [name, ticker('30300.05000')]));
  return JSON.stringify({ error: [], result });
}

const body = tickers();
const server = createServer((_request, response) => void response.end(body));
server.listen(0, '127.0.0.1', () => {
  parentPort?.postMessage({ port: (server.address() as AddressInfo).port, bytes: body.length });
});
