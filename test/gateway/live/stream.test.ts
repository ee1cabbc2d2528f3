// Live updates of a whole gateway, over sockets and Server-Sent Events, from the payment to the delivered webhook; also
// in a process that dispatches nothing itself.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { startAnvil, type Anvil } from '../../../src/sandbox/evm/anvil.ts';
import { closeReceivers } from '../../dispatch/receivers.fixture.ts';
import { receiveWebhooks, status } from '../../dispatch/webhook-receiver.fixture.ts';
import { connectAs } from '../../server/graphql/ws/setup.fixture.ts';
import { openStream } from '../../server/graphql/sse/setup.fixture.ts';
import { newMerchant, USDT_PAYMENT, type TestMerchant } from '../../support/clients.ts';
import { createTestDatabase } from '../../support/database/database.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { until } from '../../support/until.ts';

const DELIVERY_UPDATED = 'subscription { webhookDeliveryUpdated { eventId status attempts nextRetryAt url } }';
const EVENT_ADDED = 'subscription { eventAdded(after: 0) { sequence type payment { id } } }';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let anvil: Anvil;
let gateway: TestGateway;
let facing: TestGateway;
let merchant: TestMerchant;

beforeAll(async () => {
  database = await createTestDatabase();
  anvil = await startAnvil({ log: pino({ level: 'silent' }) });
  const common = {
    DATABASE_URL: database.url,
    ETH_RPC_URL: anvil.url,
    TURNPIKE_SECRET: 'a secret of at least thirty-two characters',
  };
  gateway = await startTestGateway(common);
  facing = await startTestGateway({ ...common, ROLES: 'api' });
  merchant = await newMerchant(gateway);
});
afterAll(async () => {
  await facing.stop();
  await gateway.stop();
  await closeReceivers();
  await anvil.stop();
  await database.drop();
});

describe('a process that only faces clients', () => {
  it('tells each step of a delivery that another process makes: made, retried, switched off', async () => {
    const broken = await receiveWebhooks(status(500));
    await merchant.rest('PUT', '/merchant/webhook', { url: broken.url, enabled: true });
    const stream = await openStream(`${facing.url}/graphql/stream`, { query: DELIVERY_UPDATED, token: merchant.token });
    await until(() => stream.comments() > 0);
    const { body } = await merchant.rest('POST', '/webhooks/test', {});
    const eventId = body.data.event_id as string;
    const next = async () => (await stream.next()).data.webhookDeliveryUpdated;
    expect(await next()).toMatchObject({ eventId, status: 'PENDING', attempts: 0, url: broken.url });
    const retried = await next();
    expect(retried).toMatchObject({ eventId, status: 'RETRYING', attempts: 1 });
    expect(Date.parse(retried.nextRetryAt)).toBeGreaterThan(Date.now());
    await merchant.rest('PUT', '/merchant/webhook', { enabled: false });
    expect(await next()).toMatchObject({ eventId, status: 'DISABLED', attempts: 1, nextRetryAt: null });
    stream.close();
  });

  it('streams the event log of payments that another process makes, by socket and by stream', async () => {
    const [stream, socket] = [
      await openStream(`${facing.url}/graphql/stream`, { query: EVENT_ADDED, token: merchant.token }),
      await connectAs(`${facing.url.replace('http', 'ws')}/graphql`, merchant.token),
    ];
    socket.subscribe('a', EVENT_ADDED);
    const { body } = await merchant.rest('POST', '/payments', USDT_PAYMENT);
    const id = body.data.orderId as string;
    for (const next of [
      async () => (await stream.next()).data.eventAdded,
      async () => (await socket.next('a')).payload.data.eventAdded,
    ]) {
      expect(await next()).toEqual({ sequence: 1, type: 'webhook.test', payment: null });
      expect(await next()).toEqual({ sequence: 2, type: 'payment.created', payment: { id } });
    }
    stream.close();
    socket.socket.close();
  });

  it('has the calls of streams in the API log', async () => {
    const stream = await openStream(`${facing.url}/graphql/stream`, {
      query: '{ __typename }',
      token: merchant.token,
    });
    await stream.next();
    const row = await until(async () => {
      const [found] = await gateway.sql<{ operation: string; status: number }>(
        `select operation, status from api_log where path = '/graphql/stream' and operation = '__typename'`,
      );
      return found;
    });
    expect(row).toEqual({ operation: '__typename', status: 200 });
  });
});
