// Stopping live under full load: every call is answered and recorded.

import { Agent, request } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { connectAs } from '../../server/graphql/ws/setup.fixture.ts';
import { rest, type Json } from '../../support/clients.ts';
import { dataOf } from '../../support/expectations.ts';
import { until } from '../../support/until.ts';
import { runningMs } from '../../support/running-time.ts';
import { behind, LONG, openAccount, proxied, PROXIED, secure } from './programs.fixture.ts';

const CALLERS = 40;

describe('SIGTERM at the busiest time', () => {
  it(
    'has every call answered and logged that it took, sockets closed with 1001, and the process gone within ten seconds',
    async () => {
      const { token } = await openAccount();
      const sockets = await Promise.all(
        Array.from({ length: 10 }, () => connectAs(`ws://${proxied.host}/graphql`, token, { headers: PROXIED })),
      );
      for (const [nth, client] of sockets.entries())
        client.subscribe(`s${nth}`, 'subscription { paymentUpdated { id status } }');
      for (const client of sockets) await client.run('{ __typename }'); // By then the one before is under way.
      const agent = new Agent({ keepAlive: true, maxSockets: CALLERS });
      const seen = new Map<string, number>();
      const load = Promise.all(Array.from({ length: CALLERS }, () => callUntilRefused(agent, token, seen)));
      await until(() => (seen.get('201') ?? 0) > 3 * CALLERS);
      const stopping = proxied.stop();
      const stoppedMs = runningMs(stopping);
      expect(await Promise.all(sockets.map(({ closed }) => closed))).toEqual(sockets.map(() => 1001));
      expect(await stoppedMs).toBeLessThan(10_000);
      expect(await proxied.exited).toBe(0);
      await load;
      agent.destroy();
      // Each call was answered with what it asked for, or with 9503, until the port was closed. A connection that was
      // not accepted yet, or that became idle just before its next call, is reset, which no HTTP/1.1 server can avoid:
      // such a call has no effect, as the count shows.
      const allowed = ['201', '503', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE'];
      expect([...seen.keys()].filter((ending) => !allowed.includes(ending))).toEqual([]);
      expect(seen.get('ECONNREFUSED')).toBe(CALLERS);
      expect((seen.get('ECONNRESET') ?? 0) + (seen.get('EPIPE') ?? 0)).toBeLessThanOrEqual(CALLERS);
      expect(await itemsOf(token, '/payments')).toHaveLength(seen.get('201') ?? 0);
      // The log of its last moment is not lost either.
      const log = await itemsOf(token, '/merchant/api-logs');
      const created = log.filter(({ operation, status }) => operation === 'createPayment' && status === 201);
      expect(created).toHaveLength(seen.get('201') ?? 0);
      expect(log.filter(({ operation }) => operation === 'paymentUpdated')).toHaveLength(sockets.length);
    },
    LONG,
  );
});

/** One caller on the shared connections: makes one payment after another until the port is closed. */
async function callUntilRefused(agent: Agent, token: string, seen: Map<string, number>): Promise<void> {
  for (let ending = ''; ending !== 'ECONNREFUSED';) {
    ending = await createOnce(agent, token);
    seen.set(ending, (seen.get(ending) ?? 0) + 1);
  }
}

function createOnce(agent: Agent, token: string): Promise<string> {
  const headers = { ...PROXIED, authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return new Promise((resolve) => {
    const options = { method: 'POST', headers, agent };
    const outgoing = request(`${behind.url}/api/v1/payments`, options, (incoming) => {
      incoming.resume();
      incoming.once('end', () => resolve(String(incoming.statusCode)));
    });
    outgoing.once('error', ({ code = '?' }: NodeJS.ErrnoException) => resolve(code));
    outgoing.end(JSON.stringify({ amount: '1', currency: 'USDT', network: 'ETH' }));
  });
}

/** A whole list, read page by page. */
async function itemsOf(token: string, path: string): Promise<Json[]> {
  const call = rest(secure, token);
  const items: Json[] = [];
  for (let cursor: string | null = null; ;) {
    const page = dataOf(await call('GET', `${path}?limit=100${cursor === null ? '' : `&cursor=${cursor}`}`));
    items.push(...(page.items as Json[]));
    if (!page.pagination.hasMore) return items;
    cursor = page.pagination.nextCursor as string;
  }
}
