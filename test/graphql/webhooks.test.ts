// The webhook and event operations over GraphQL: the same answers as over REST, under the documented names.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PERMISSIONS } from '../../src/values/permission.ts';
import { closeReceivers } from '../dispatch/receivers.fixture.ts';
import { receiveWebhooks, status } from '../dispatch/webhook-receiver.fixture.ts';
import { graphql, newMerchant, USDT_PAYMENT, type Answer, type Json, type TestMerchant } from '../support/clients.ts';
import { dataOf, expectGraphQLError, id, ISO } from '../support/expectations.ts';
import { borrowGateway, type BorrowedGateway } from '../support/gateway/borrowed-gateway.ts';
import { until } from '../support/until.ts';

let gateway: BorrowedGateway;
let shop: TestMerchant;

beforeAll(async () => {
  gateway = await borrowGateway();
  shop = await newMerchant(gateway);
});
afterAll(async () => {
  await gateway.stop();
  await closeReceivers();
});

const URL = 'https://example.com/hook';
const ENDPOINT = 'id url enabled events description isPrimary disabledReason disabledAt failingSince createdAt';
const CREATE = `mutation ($input: CreateWebhookEndpointInput!) { it: createWebhookEndpoint(input: $input) { ${ENDPOINT} secret } }`;
const LIST = `{ it: webhookEndpoints { ${ENDPOINT} } }`;
const UPDATE = `mutation ($id: ID!, $input: UpdateWebhookEndpointInput!) {
  it: updateWebhookEndpoint(id: $id, input: $input) { ${ENDPOINT} } }`;
const DELETE = `mutation ($id: ID!) { it: deleteWebhookEndpoint(id: $id) { ${ENDPOINT} } }`;
const ROTATE = 'mutation ($hours: Int) { it: rotateWebhookSecret(overlapHours: $hours) { secret previousExpiresAt } }';
const TEST = 'mutation ($url: String) { it: sendTestEvent(url: $url) { eventId } }';
const RESEND = 'mutation ($id: ID!) { it: resendEvent(eventId: $id) { eventId status } }';
const DELIVERIES = `query ($first: Int, $after: String, $id: ID) {
  it: webhookDeliveries(first: $first, after: $after, filter: { status: [SUCCESS, RETRYING], eventId: $id }) {
    edges { cursor node { eventId deliveryId url status attempts lastAttemptAt nextRetryAt responseCode responseTimeMs
      attemptLog { attempt at url responseCode responseTimeMs responseStart error } } }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`;
const OF_PAYMENT = `query ($id: ID, $first: Int, $after: String) {
  it: webhookDeliveries(first: $first, after: $after, filter: { paymentId: $id }) {
    nodes { eventType paymentId url status } pageInfo { hasNextPage endCursor } } }`;
const REFUNDS = `query ($id: ID, $first: Int, $after: String) {
  it: refunds(first: $first, after: $after, filter: { paymentId: $id }) {
    nodes { id paymentId status amount address txHash explorerUrl createdAt } pageInfo { hasNextPage endCursor } } }`;
const EVENTS = `query ($after: Int, $first: Int) {
  it: events(after: $after, first: $first) {
    items { sequence id type createdAt payment { id amount status transactions { txHash } createdAt } invoice { id } } hasMore } }`;

/** The one field of an answer without errors. */
function read(answer: Answer): Json {
  expect({ status: answer.status, errors: answer.body.errors }).toEqual({ status: 200, errors: undefined });
  return answer.body.data.it;
}
const run = async (query: string, variables: object = {}, merchant = shop) =>
  read(await merchant.graphql(query, variables));

describe('endpoints', () => {
  it('are created, listed, changed and deleted as over REST', async () => {
    const merchant = await newMerchant(gateway);
    const { secret, ...endpoint } = await run(CREATE, { input: { url: URL, description: 'one' } }, merchant);
    expect(secret).toMatch(/^whsec_/);
    expect(endpoint).toMatchObject({ id: expect.stringMatching(id('whk')), createdAt: expect.stringMatching(ISO) });
    expect(dataOf(await merchant.rest('GET', '/webhooks')).items).toEqual([endpoint]);
    expect(await run(LIST, {}, merchant)).toEqual([endpoint]);
    const input = { enabled: false, events: ['payment.failed'] };
    expect(await run(UPDATE, { id: endpoint.id, input }, merchant)).toEqual({ ...endpoint, ...input });
    expect(await run(DELETE, { id: endpoint.id }, merchant)).toEqual({ ...endpoint, ...input });
    expect(await run(LIST, {}, merchant)).toEqual([]);
    for (const again of [
      await merchant.graphql(DELETE, { id: endpoint.id }),
      await merchant.graphql(UPDATE, { id: endpoint.id, input }),
    ])
      expectGraphQLError(again, 200, 'NOT_FOUND', '2004');
  });

  it('refuse by the paths of the input (2001, 5001), and replay without the secret', async () => {
    const input = { url: 'nowhere', events: ['payment.lost'], description: '' };
    const error = expectGraphQLError(await shop.graphql(CREATE, { input }), 200, 'BAD_USER_INPUT', '2001');
    const paths = (error.extensions.details as { path: string }[]).map(({ path }) => path);
    expect(paths.sort()).toEqual(['input.description', 'input.events.0', 'input.url']);
    const refused = await shop.graphql(CREATE, { input: { url: 'https://example.com:25/' } });
    expectGraphQLError(refused, 200, 'BAD_USER_INPUT', '5001');
    const headers = { 'idempotency-key': 'by GraphQL' };
    const first = read(await shop.graphql(CREATE, { input: { url: URL } }, headers));
    const again = await shop.graphql(CREATE, { input: { url: URL } }, headers);
    expect(read(again)).toEqual({ ...first, secret: null });
    expect(again.headers['idempotent-replayed']).toBe('true');
    // Over REST the same key means the same call, because REST adds nothing to the input.
    const byRest = await shop.rest('POST', '/webhooks', { url: URL }, headers);
    expect(dataOf(byRest, 201)).toEqual({ ...first, secret: null });
  });
});

describe('rotateWebhookSecret', () => {
  it('answers a new secret, and refuses hours out of bounds', async () => {
    const merchant = await newMerchant(gateway);
    const { secret, previousExpiresAt } = await run(ROTATE, {}, merchant);
    expect(secret).toMatch(/^whsec_/);
    expect(previousExpiresAt).toMatch(ISO);
    expect((await run(ROTATE, { hours: 0 }, merchant)).secret).not.toBe(secret);
    const error = expectGraphQLError(await merchant.graphql(ROTATE, { hours: 169 }), 200, 'BAD_USER_INPUT', '2001');
    expect(error.extensions.details).toMatchObject([{ path: 'overlapHours' }]);
  });
});

describe('sendTestEvent, resendEvent and webhookDeliveries', () => {
  it('send, send again, and show every delivery with its attempts', async () => {
    const hook = await receiveWebhooks((response, nth) => void response.writeHead(nth === 1 ? 503 : 200).end('ok'));
    const merchant = await newMerchant(gateway);
    const none = await merchant.graphql(TEST, {});
    expect(expectGraphQLError(none, 200, 'BAD_USER_INPUT', '2001').extensions.details).toMatchObject([{ path: 'url' }]);
    const { eventId } = await run(TEST, { url: hook.url }, merchant);
    await until(async () => (await run(DELIVERIES, {}, merchant)).edges.length === 1);
    expect(await run(RESEND, { id: eventId }, merchant)).toEqual({ eventId, status: 'PENDING' });
    const { edges, pageInfo } = await until(async (): Promise<Json> => {
      const page = await run(DELIVERIES, { id: eventId }, merchant);
      return page.edges.length === 2 && page;
    });
    const nodes = (edges as Json[]).map((edge) => edge.node);
    expect(nodes).toMatchObject([
      { eventId, status: 'SUCCESS', attempts: 1, attemptLog: [{ attempt: 1, url: hook.url, responseStart: 'ok' }] },
      { eventId, status: 'RETRYING', attempts: 1, attemptLog: [{ attempt: 1, responseCode: 503 }] },
    ]);
    expect(pageInfo).toEqual({
      ...{ hasNextPage: false, hasPreviousPage: false, startCursor: edges[0].cursor, endCursor: edges[1].cursor },
    });
    const second = await run(DELIVERIES, { first: 1, after: edges[0].cursor }, merchant);
    expect(second.edges).toEqual([edges[1]]);
    expectGraphQLError(await shop.graphql(DELIVERIES, { after: edges[0].cursor }), 200, 'BAD_USER_INPUT', '2001');
    expectGraphQLError(await shop.graphql(RESEND, { id: eventId }), 200, 'NOT_FOUND', '2004');
  });

  it('say so where an event has nowhere to go any more (2001)', async () => {
    const hook = await receiveWebhooks(status(200));
    const merchant = await newMerchant(gateway);
    const { id: endpoint } = dataOf(await merchant.rest('PUT', '/merchant/webhook', { url: hook.url }));
    const { eventId } = await run(TEST, {}, merchant);
    await until(() => hook.received.length === 1);
    await run(DELETE, { id: endpoint }, merchant);
    expectGraphQLError(await merchant.graphql(RESEND, { id: eventId }), 200, 'BAD_USER_INPUT', '2001');
  });
});

describe('of a payment', () => {
  const ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';
  let hook: Awaited<ReturnType<typeof receiveWebhooks>>;
  let seller: TestMerchant;
  let paid: string;
  beforeAll(async () => {
    hook = await receiveWebhooks(status(200));
    seller = await newMerchant(gateway);
    dataOf(await seller.rest('PUT', '/merchant/webhook', { url: hook.url }));
    for (let nth = 0; nth < 2; nth += 1) {
      paid = dataOf(await seller.rest('POST', '/payments', USDT_PAYMENT), 201).orderId as string;
      dataOf(await seller.rest('POST', `/sandbox/payments/${paid}/deposit`, {}));
    }
    await run(TEST, { url: hook.url }, seller);
    await until(() => hook.received.length === 3);
  });

  it('webhookDeliveries has what its events became, each with the type and the payment it tells of', async () => {
    const answer = await until(async (): Promise<Json> => {
      const page = await run(OF_PAYMENT, { id: paid }, seller);
      return page.nodes[0]?.status === 'SUCCESS' && page;
    });
    const told = { eventType: 'payment.succeeded', paymentId: paid, url: hook.url, status: 'SUCCESS' };
    expect(answer).toMatchObject({ nodes: [told], pageInfo: { hasNextPage: false } });
    const all = (await run(OF_PAYMENT, {}, seller)).nodes as Json[];
    expect(all).toMatchObject([
      { eventType: 'webhook.test', paymentId: null },
      { eventType: 'payment.succeeded', paymentId: paid },
      { eventType: 'payment.succeeded', paymentId: expect.stringMatching(id('ord')) },
    ]);
  });

  it('refunds are listed newest first and page by page, as refundPayment answered them', async () => {
    const made: string[] = [];
    for (const amount of ['1', '2'])
      made.unshift(
        dataOf(await seller.rest('POST', `/payments/${paid}/refund`, { address: ADDRESS, amount }), 201)
          .refundId as string,
      );
    const first = await run(REFUNDS, { id: paid, first: 1 }, seller);
    const second = await run(REFUNDS, { id: paid, first: 1, after: first.pageInfo.endCursor }, seller);
    const common = { paymentId: paid, address: ADDRESS, explorerUrl: null, createdAt: expect.stringMatching(ISO) };
    expect(first).toMatchObject({ nodes: [{ id: made[0], amount: '2', ...common }], pageInfo: { hasNextPage: true } });
    expect(second).toMatchObject({
      ...{ nodes: [{ id: made[1], amount: '1', ...common }], pageInfo: { hasNextPage: false } },
    });
    expect((await run(REFUNDS, {}, seller)).nodes.map((refund: Json) => refund.id)).toEqual(made);
    const foreign = await seller.graphql(OF_PAYMENT, { after: first.pageInfo.endCursor });
    expectGraphQLError(foreign, 200, 'BAD_USER_INPUT', '2001');
  });

  it("another merchant's has neither, as one that never was", async () => {
    const other = await newMerchant(gateway);
    for (const query of [OF_PAYMENT, REFUNDS]) {
      const answers = [];
      for (const asked of [paid, 'ord_00000000000000000000000000000000', 'nonsense'])
        answers.push((await other.graphql(query, { id: asked })).text);
      expect(read(await other.graphql(query, { id: paid })).nodes).toEqual([]);
      expect(new Set(answers).size).toBe(1);
    }
  });
});

describe('events', () => {
  it('answers the log as REST does, with id for orderId', async () => {
    const merchant = await newMerchant(gateway);
    for (let n = 0; n < 3; n += 1) dataOf(await merchant.rest('POST', '/payments', USDT_PAYMENT), 201);
    const items = await until(async (): Promise<Json[]> => {
      const log = await run(EVENTS, {}, merchant);
      return log.items.length === 3 && log.items;
    });
    const [byRest] = dataOf(await merchant.rest('GET', '/events?limit=1')).items as [Json];
    const { orderId, amount, status: stands, transactions, createdAt } = byRest.payment;
    expect(byRest).toMatchObject({ withdrawal: null, refund: null });
    const { withdrawal: _withdrawal, refund: _refund, ...asked } = byRest;
    expect(items[0]).toEqual({ ...asked, payment: { id: orderId, amount, status: stands, transactions, createdAt } });
    expect(await run(EVENTS, { after: 1, first: 1 }, merchant)).toEqual({ items: [items[1]], hasMore: true });
    const error = expectGraphQLError(await merchant.graphql(EVENTS, { after: -1 }), 200, 'BAD_USER_INPUT', '2001');
    expect(error.extensions.details).toMatchObject([{ path: 'after' }]);
  });
});

describe('without the right to', () => {
  it('every operation names the permission it needs (1004), and needs a token (1001)', async () => {
    const one = { id: 'whk_00000000000000000000000000000000', input: { url: 7 } };
    const guarded = [CREATE, LIST, UPDATE, DELETE, ROTATE, TEST, RESEND, DELIVERIES, OF_PAYMENT];
    for (const [permission, queries] of [
      ['MANAGE_WEBHOOKS', guarded],
      ['READ_PAYMENTS', [EVENTS]],
      ['WITHDRAW', [REFUNDS]],
    ] as const) {
      const held = PERMISSIONS.filter((other) => other !== permission);
      const clerk = await newMerchant(gateway, held);
      for (const query of queries) {
        const variables = Object.fromEntries(Object.entries(one).filter(([name]) => query.includes(`$${name}`)));
        const valid = 'input' in variables ? { ...variables, input: { url: URL } } : variables;
        const error = expectGraphQLError(await clerk.graphql(query, valid), 200, 'FORBIDDEN', '1004');
        expect(error.message).toBe(`Missing permission: ${permission}`);
        expectGraphQLError(await graphql(gateway)(query, valid), 200, 'UNAUTHENTICATED', '1001');
      }
    }
  });
});
