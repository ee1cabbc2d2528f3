// The database cost of a list: as many statements for fifty items as for one, however deep the query is.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { graphql as run, type GraphQLSchema } from 'graphql';
import type { Pool, PoolClient } from 'pg';
import { pino } from 'pino';
import type { OperationContext } from '../../src/access/caller.ts';
import { connectDatabase, type Database } from '../../src/database/connection.ts';
import { createPaymentDefaults } from '../../src/domain/merchants/payment-defaults.ts';
import { createSignInAttempts } from '../../src/domain/merchants/sign-in-attempts.ts';
import { createUpdates } from '../../src/dispatch/subscriptions/updates.ts';
import { buildGatewaySchema } from '../../src/resolvers/schema.ts';
import { MEMBER_PERMISSIONS } from '../../src/values/member-permission.ts';
import { newMerchant, USDT_PAYMENT, type Json, type TestMerchant } from '../support/clients.ts';
import { dataOf } from '../support/expectations.ts';
import { startTestGateway, type TestGateway } from '../support/gateway/gateway.ts';
import { until } from '../support/until.ts';
import { PATIENT_DATABASE } from '../support/patience.ts';

const MANY = 8;
const ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';
/** Nothing listens there: each delivery has failed attempts, and is tried again tomorrow. */
const NOWHERE = 'http://127.0.0.1:9999';

let gateway: TestGateway;
let db: Database;
let schema: GraphQLSchema;
let statements: ReturnType<typeof countStatements>;
let small: TestMerchant;
let large: TestMerchant;

beforeAll(async () => {
  gateway = await startTestGateway({ WEBHOOK_RETRY_DELAYS: '86400' });
  [small, large] = [await openShop(1), await openShop(MANY)];
  // The gateway's own connections and loops are not counted: only this schema uses this pool.
  const log = pino({ level: 'silent' });
  db = await connectDatabase({ url: gateway.config.databaseUrl ?? '', poolMax: 5, log, patience: PATIENT_DATABASE });
  statements = countStatements(db.pool);
  const deps = { ...gateway.deps, db } as Parameters<typeof buildGatewaySchema>[0]['deps'];
  const services = {
    ...{ deps, updates: createUpdates(deps), defaults: createPaymentDefaults(deps) },
    ...{ createPayment: notHere, createInvoice: notHere, chooseAsset: notHere, checkoutOpenLimit: 1 },
    ...{ tokenTtlSeconds: 60, simulations: new Map() },
    mainNetworks: new Set<never>(),
    flushApiLog: () => Promise.resolve(),
    flushKeyUses: () => Promise.resolve(),
    receiver: null,
    ...{
      registration: 'open' as const,
      site: { id: 'localhost', origin: 'http://localhost' },
      mail: null,
      provider: null,
      hasMailbox: false,
      payoutHoldMs: 0,
      operators: {
        ...{ addresses: null, stuckAfterMinutes: 60, coldAddresses: new Map() },
        approvalAbove: { listed: new Map(), others: null },
      },
      keysMax: 100,
      attempts: createSignInAttempts(deps, { byAddress: false, asksMail: false }),
    },
  };
  schema = buildGatewaySchema(services, 'sandbox');
});
afterAll(async () => {
  await db.close();
  await gateway.stop();
});

const notHere = () => Promise.reject(new Error('Not here'));

/** A merchant with this many of everything: payments with transactions, deliveries with attempts, withdrawals, keys. */
async function openShop(count: number): Promise<TestMerchant> {
  const shop = await newMerchant(gateway);
  dataOf(await shop.rest('PUT', '/merchant/webhook', { url: `${NOWHERE}/main` }));
  for (let nth = 1; nth < count; nth += 1)
    dataOf(await shop.rest('POST', '/webhooks', { url: `${NOWHERE}/${nth}` }), 201);
  for (let nth = 0; nth < count; nth += 1) {
    const { orderId } = dataOf(await shop.rest('POST', '/payments', USDT_PAYMENT), 201) as { orderId: string };
    for (const amount of ['10', '15'])
      dataOf(await shop.rest('POST', `/sandbox/payments/${orderId}/deposit`, { amount }));
    const order = { currency: 'USDT', network: 'ETH', amount: '1', address: ADDRESS };
    dataOf(await shop.rest('POST', '/wallet/withdraw', order), 201);
    dataOf(await shop.rest('POST', '/wallet/batches', { rows: [order] }), 201);
    const back = { amount: '1', address: ADDRESS };
    dataOf(await shop.rest('POST', `/payments/${orderId}/refund`, back), 201);
    const key = { name: `Key ${nth}`, permissions: ['READ_PAYMENTS'] };
    dataOf(await shop.rest('POST', '/merchant/api-keys', key), 201);
  }
  await until(async () => (await gateway.sql(TOLD, [shop.id, count])).length >= count, 60_000);
  return shop;
}

/** Events that each of this many endpoints was told of, once; events of payouts may come later or not at all. */
const TOLD = `select event_id as id from webhook_delivery
  where merchant_id = $1 group by event_id having count(*) filter (where attempts = 1) = $2`;

/** Records every statement of a pool from now on, without its literal values. */
function countStatements(pool: Pool) {
  const texts: string[] = [];
  const known = new WeakSet<PoolClient>();
  pool.on('acquire', (client) => {
    if (known.has(client)) return;
    known.add(client);
    const ask = client.query.bind(client) as (...given: unknown[]) => unknown;
    const noted = (...given: unknown[]) => {
      const [statement] = given;
      const text = typeof statement === 'string' ? statement : (statement as { text: string }).text;
      texts.push(text.replace(/'[^']*'/g, "'…'"));
      return ask(...given);
    };
    Object.assign(client, { query: noted });
  });
  return { take: () => texts.splice(0) };
}

const contextOf = (shop: TestMerchant): OperationContext => ({
  ...{ requestId: 'test', ip: '127.0.0.1', userAgent: null, idempotencyKey: null, replayed: false },
  caller: {
    // The owner, who may read all of it.
    ...{ merchantId: shop.id, keyId: null, sessionId: 'session', personId: null, isSuspended: false, expiresAt: null },
    permissions: new Set(MEMBER_PERMISSIONS),
  },
  throttle: () => Promise.resolve(),
  throttlePayer: () => Promise.resolve(),
});

/** The log waits for events without a number, which payouts under way make at any time. */
const WAITS = 'where id = any($1) and sequence is null';

async function ask(shop: TestMerchant, source: string): Promise<{ data: Json; texts: string[] }> {
  statements.take();
  const { data, errors } = await run({ schema, source, contextValue: contextOf(shop) });
  expect(errors).toBeUndefined();
  // The extra fields of a page are read at the same time, in any order.
  return {
    data,
    texts: statements
      .take()
      .filter((text) => !text.includes(WAITS))
      .sort(),
  };
}

const PAYMENT = `id status amountReceived confirmations requiredConfirmations metadata
  transactions { txHash amount status confirmations blockNumber seenAt explorerUrl }`;
const DELIVERY = `eventId eventType paymentId deliveryId url status attempts attemptLog { attempt at url responseCode error }`;

describe('the statements of a list are as many for one item as for many', () => {
  it.each<[string, string, number]>([
    ['payments', `{ payments(first: 50) { nodes { ${PAYMENT} } edges { cursor node { ${PAYMENT} } } } }`, MANY],
    ['events', `{ events(first: 50) { items { id type payment { ${PAYMENT} } } hasMore } }`, 5 * MANY],
    ['webhookDeliveries', `{ webhookDeliveries(first: 50) { edges { cursor node { ${DELIVERY} } } } }`, 50],
    ['refunds', '{ refunds(first: 50) { nodes { id status amount txHash } } }', MANY],
    ['payoutBatches', '{ payoutBatches(first: 50) { nodes { id status rows completed failed } } }', MANY],
    ['withdrawals', '{ withdrawals(first: 50) { nodes { id status amount txHash } } }', MANY],
    ['webhookEndpoints', '{ webhookEndpoints { id url enabled events isPrimary } }', MANY],
    ['apiKeys', '{ apiKeys { keyId name permissions lastUsedAt } }', MANY + 1],
    ['walletBalances', '{ walletBalances { currency network available pending reserved } }', 1],
    ['apiLogs', '{ apiLogs(first: 50) { nodes { requestId operation status } } }', 3 * MANY],
    ['auditLog', '{ auditLog(first: 50) { nodes { id } } }', 1],
    ['report', '{ report(input: {}) { totals { currency gross } rows { period currency gross } } }', 1],
  ])('%s', async (name, query, items) => {
    const [one, many] = [await ask(small, query), await ask(large, query)];
    const list: Json = many.data[name];
    const { length } = (list.nodes ?? list.edges ?? list.items ?? list.rows ?? list) as unknown[];
    expect(length).toBeGreaterThanOrEqual(items);
    expect(many.texts).toEqual(one.texts);
    expect(many.texts.length).toBeGreaterThan(0);
    expect(many.texts.length).toBeLessThanOrEqual(3);
  });

  it('a delivery record with those of all its destinations and their attempts', async () => {
    const record = async (shop: TestMerchant, endpoints: number) => {
      const [row] = await gateway.sql<{ id: string }>(TOLD, [shop.id, endpoints]);
      const id = row?.id ?? '';
      return ask(shop, `{ webhookDelivery(eventId: "${id}") { ${DELIVERY} deliveries { ${DELIVERY} } } }`);
    };
    const [one, many] = [await record(small, 1), await record(large, MANY)];
    expect(many.data.webhookDelivery.deliveries).toHaveLength(MANY);
    expect(many.data.webhookDelivery.deliveries[0].attemptLog).toHaveLength(1);
    expect(many.texts).toEqual(one.texts);
  });
});
