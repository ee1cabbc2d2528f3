// Readers that stop reading while thousands of changes flow: they cost a bounded amount of memory and delay no other
// reader.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { until } from '../../../support/until.ts';
import { connectAs, openSocketFixture, type SocketFixture } from './setup.fixture.ts';
import { openStream, serveStreams, type StreamServer } from '../sse/setup.fixture.ts';

const PAYMENT_UPDATED = 'subscription ($id: ID) { paymentUpdated(id: $id) { id merchantOrderId productName } }';
const CHANGES = 5_000;
/** Few enough for those who read to keep up with on any machine. */
const AT_ONCE = 100;
const TEXT_BYTES = 8_000;
const SLOW = 10;

let fixture: SocketFixture;
let server: StreamServer;
let collect: () => void;

beforeAll(async () => {
  fixture = await openSocketFixture(1_000);
  server = await serveStreams(fixture);
  setFlagsFromString('--expose-gc');
  collect = runInNewContext('gc') as () => void;
});
afterAll(async () => {
  await server.stop();
  await fixture.stop();
});

function used(): number {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Many changes at once, as the domain records them, from this version on. */
const changeOften = (merchant: string, payment: string, version: number) =>
  fixture.sql(
    `insert into event (id, merchant_id, payment_id, version, type, payload, created_at)
     select 'evt_' || $2 || lpad(n::text, 6, '0'), $1, $2, n, 'payment.updated',
       json_build_object('orderId', $2::text, 'merchantOrderId', n::text, 'productName', repeat('x', $4::int), 'confirmations', 0,
         'transactions', '[]'::json), now()
     from generate_series($5::int, $3::int) n`,
    [merchant, payment, version + AT_ONCE - 1, TEXT_BYTES, version],
  );

describe('readers that stop reading', () => {
  it('are cut off with little memory, by socket and by stream, while the others get all 5,000 changes in order', async () => {
    const merchant = await fixture.newMerchant();
    const payment = await fixture.newPayment(merchant);
    const { token } = await fixture.newKey(merchant);
    const ask = { query: PAYMENT_UPDATED, variables: { id: payment }, token };
    const follow = async () => {
      const client = await connectAs(server.socketUrl, token);
      client.subscribe('a', PAYMENT_UPDATED, { id: payment });
      await client.next('a');
      return client;
    };
    const slow = await Promise.all(Array.from({ length: SLOW }, follow));
    const slowStream = await openStream(server.url, ask);
    const [quick, quickStream] = [await follow(), await openStream(server.url, ask)];
    await Promise.all([slowStream.next(), quickStream.next()]);
    for (const client of slow) client.socket.pause();
    slowStream.pause();
    const before = used();
    let most = 0;
    for (let change = 2; change <= CHANGES + 1; change += 1) {
      if (change % AT_ONCE === 2) await changeOften(merchant, payment, change);
      const [bySocket, byStream] = [await quick.next('a'), await quickStream.next()];
      expect(bySocket.payload.data.paymentUpdated.merchantOrderId).toBe(String(change));
      expect(byStream.data.paymentUpdated.merchantOrderId).toBe(String(change));
      if (change % 500 === 0) most = Math.max(most, used() - before);
    }
    // Everything that waited for the slow ones would be eleven times 40 MB.
    expect(most).toBeLessThan(80 * 1_024 * 1_024);
    // Only the two are left, and what was kept for the slow ones is free again.
    await until(() => fixture.live.listeners() === 2);
    for (const client of slow) client.socket.resume();
    for (const client of slow) expect(await client.closed).toBe(1013);
    for (const client of [slowStream, quickStream]) client.close();
    quick.socket.close();
    await until(() => fixture.live.listeners() === 0);
  });
});
