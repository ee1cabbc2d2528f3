// Reading the event log again by subscription: it counts as calls, and a caller who has used up theirs waits but loses
// nothing.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLoad } from '../../../../src/access/caller.ts';
import { createCatchUp } from '../../../../src/resolvers/operation/catch-up.ts';
import { GatewayError } from '../../../../src/values/errors.ts';
import { newMerchant, type TestMerchant } from '../../../support/clients.ts';
import { dataOf } from '../../../support/expectations.ts';
import { startTestGateway, type TestGateway } from '../../../support/gateway/gateway.ts';
import { until } from '../../../support/until.ts';
import { connectAs } from './setup.fixture.ts';

describe('entries that are read again', () => {
  const { signal } = new AbortController();

  /** Admits this many entries, each of this cost and size, and returns the calls counted. */
  async function countOf(entries: number, itemCost: number, bytes = 0): Promise<number> {
    let calls = 0;
    const load = { ...createLoad(), itemCost };
    const letPass = createCatchUp({ load, charge: (more) => Promise.resolve(void (calls += more)) });
    for (let n = 0; n < entries; n += 1) {
      await letPass(signal);
      load.streamed += bytes;
    }
    return calls;
  }

  it('count a call for a hundred of them, for each 2,000 that they cost and each megabyte, the first aside', async () => {
    expect([await countOf(100, 1), await countOf(1_000, 1)]).toEqual([0, 9]);
    expect([await countOf(100, 63), await countOf(1_000, 63)]).toEqual([3, 31]);
    expect(await countOf(101, 1, 500_000)).toBe(49);
  });

  it('wait where there are no calls left, until there are or the reader has gone', async () => {
    let left = 0;
    const charge = async () => {
      left -= 1;
      if (left < 0) throw new GatewayError('RATE_LIMITED', { retryAfterSeconds: 0.01 });
    };
    const letPass = createCatchUp({ load: { ...createLoad(), itemCost: 2_000 }, charge });
    await letPass(signal);
    let passed = false;
    const waits = letPass(signal).then(() => (passed = true));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(passed).toBe(false);
    left = 1;
    await waits;
    const leaving = new AbortController();
    const gone = letPass(leaving.signal);
    leaving.abort();
    await expect(gone).rejects.toThrow();
  });
});

describe('over the network', () => {
  let gateway: TestGateway;
  let shop: TestMerchant;
  const EVENTS = 1_000;

  beforeAll(async () => {
    gateway = await startTestGateway({ RATE_LIMIT_PER_SECOND: '1', RATE_LIMIT_BURST: '10000' });
    shop = await newMerchant(gateway);
    const payment = { amount: '1', currency: 'USDT', network: 'ERC20' };
    const { orderId } = dataOf(await shop.rest('POST', '/payments', payment), 201);
    await gateway.sql(
      `insert into event (id, merchant_id, payment_id, version, type, payload, created_at)
       select 'evt_' || lpad(n::text, 24, '0'), e.merchant_id, e.payment_id, n, e.type, e.payload, now()
       from event e, generate_series(2, $2::int) n where e.payment_id = $1`,
      [orderId, EVENTS],
    );
    await until(async () => (await events(EVENTS - 1)).length === 1);
  });
  afterAll(() => gateway.stop());

  const events = async (after: number) => dataOf(await shop.rest('GET', `/events?after=${after}`)).items as unknown[];
  const left = async () => Number((await shop.rest('GET', '/payments')).headers['ratelimit-remaining']);
  const QUERY = 'subscription { eventAdded(after: 0) { sequence payment { id status amount metadata } } }';
  // The query's cost (1 + 1 + 1 + 4) is below the minimum, which is one call for a hundred entries.
  const CALLS = EVENTS / 100;

  it('they are counted, and none is left out', async () => {
    const before = await left();
    const client = await connectAs(`${gateway.url.replace('http', 'ws')}/graphql`, shop.token);
    client.send({ id: 'all', type: 'subscribe', payload: { query: QUERY } });
    const seen: number[] = [];
    while (seen.length < EVENTS) seen.push((await client.next('all')).payload.data.eventAdded.sequence as number);
    expect(seen).toEqual(Array.from({ length: EVENTS }, (_, n) => n + 1));
    client.socket.close();
    expect(before - (await left())).toBe(CALLS + 1);
  });
});
