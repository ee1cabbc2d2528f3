// Operators suspend a merchant: what stops on every path, and what goes on (contract-people-payouts, section B).

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { graphql, newMerchant, rest, send, USDT_PAYMENT, type Json, type TestMerchant } from '../../support/clients.ts';
import { dataOf, expectGraphQLError, expectRefusal } from '../../support/expectations.ts';
import { borrowGateway, type BorrowedGateway } from '../../support/gateway/borrowed-gateway.ts';
import { newOperator } from '../../support/operators.ts';
import { connectAs } from '../../server/graphql/ws/setup.fixture.ts';
import { signUp, type SignedIn } from '../../support/people.ts';
import { until } from '../../support/until.ts';

let gateway: BorrowedGateway;
let operator: SignedIn & { readonly id: string };
let shop: TestMerchant;

beforeAll(async () => {
  gateway = await borrowGateway();
  operator = await newOperator(gateway);
});
beforeEach(async () => {
  shop = await newMerchant(gateway);
});
afterEach(async () => {
  await restore();
});
afterAll(() => gateway.stop());

const SUSPEND = `mutation ($id: ID!, $reason: String!) {
  suspendMerchant(id: $id, reason: $reason) { id companyName email suspendedAt suspendReason balances { available } }
}`;
const suspend = (id = shop.id) => operator.graphql(SUSPEND, { id, reason: 'a police request' });
const restore = (id = shop.id) => operator.graphql(`mutation { restoreMerchant(id: "${id}") { suspendedAt } }`);
const order = async (): Promise<Json> => dataOf(await shop.rest('POST', '/payments', USDT_PAYMENT), 201);
/** Suspends the shop, and waits until this process knows. */
async function suspended(): Promise<void> {
  const { body } = await suspend();
  expect(body.data.suspendMerchant).toMatchObject({ id: shop.id, suspendReason: 'a police request' });
  await until(async () => (await shop.rest('POST', '/payments', USDT_PAYMENT)).status === 403);
}
const page = (path: string) => send({ method: 'GET', url: `${gateway.url}${path}` });

describe('a merchant who is suspended', () => {
  it('changes and makes nothing, by any transport and with any token', async () => {
    await suspended();
    const withdrawal = { currency: 'USDT', network: 'ETH', amount: '1', address: `0x${'1'.repeat(40)}` };
    for (const [path, body] of [
      ['/payments', USDT_PAYMENT],
      ['/invoices', { amount: '5', currency: 'USD' }],
      ['/wallet/withdraw', withdrawal],
      ['/wallet/batches', { rows: [withdrawal] }],
      ['/webhooks', { url: 'https://shop.example/hook' }],
      ['/merchant/api-keys', { name: 'Till', permissions: ['READ_PAYMENTS'] }],
      ['/payments', { amount: 25 }],
    ] as const)
      expectRefusal(await shop.rest('POST', path, body), 403, '1012');
    const settings = await shop.rest('PUT', '/merchant/settings', { expirationMinutes: 30 });
    expectRefusal(settings, 403, '1012');
    const create = 'mutation ($input: CreatePaymentInput!) { createPayment(input: $input) { id } }';
    expectGraphQLError(await shop.graphql(create, { input: USDT_PAYMENT }), 200, 'FORBIDDEN', '1012');
    const hook = { url: 'https://shop.example/hook' };
    expectRefusal(await rest(gateway, shop.secret)('PUT', '/merchant/webhook', hook), 403, '1012');
  });

  it('changes nothing over a socket that was open before, and over one that opens', async () => {
    const url = `${gateway.url.replace('http', 'ws')}/graphql`;
    const before = await connectAs(url, shop.token);
    const create = 'mutation ($input: CreatePaymentInput!) { createPayment(input: $input) { id } }';
    expect((await before.run(create, { input: USDT_PAYMENT })).payload.data.createPayment.id).toMatch(/^ord_/);
    await suspended();
    const opened = await connectAs(url, shop.token);
    for (const client of [before, opened]) {
      await until(async () => {
        const { payload } = await client.run(create, { input: USDT_PAYMENT });
        return payload.errors?.[0]?.extensions?.errorCode === '1012';
      });
      expect((await client.run('{ payments { nodes { id } } }')).payload.data.payments.nodes).not.toEqual([]);
      client.socket.close();
    }
  });

  it('reads, and what was under way is watched and credited', async () => {
    const { orderId } = await order();
    await suspended();
    dataOf(await shop.rest('GET', `/payments/${String(orderId)}`));
    dataOf(await shop.rest('POST', `/sandbox/payments/${String(orderId)}/deposit`, {}));
    await until(async () => (dataOf(await shop.rest('GET', `/payments/${String(orderId)}`))).status === 'SUCCEEDED'); // prettier-ignore
    expect((await shop.rest('GET', '/wallet/balance')).text).toContain('"available":"24.75"');
    await until(async () => {
      const { items } = dataOf(await shop.rest('GET', '/events')) as { items: Json[] };
      return items.some(({ type }) => type === 'payment.succeeded');
    });
  });

  it('has pages that say closed and hide the address, and nobody chooses or submits anything', async () => {
    const { orderId, address } = await order();
    const invoice = dataOf(await shop.rest('POST', '/invoices', { amount: '5', currency: 'USD' }), 201);
    const link = dataOf(await shop.rest('POST', '/payment-links', { name: 'Tips', currency: 'USD' }), 201);
    expect((await page(`/pay/${String(orderId)}`)).text).toContain(String(address));
    await suspended();
    for (const id of [orderId, invoice.invoiceId, link.id]) {
      const { status, text } = await page(`/pay/${String(id)}`);
      expect([status, text.includes('Payments are closed')]).toEqual([403, true]);
      expect(text).not.toContain(String(address));
    }
    expectRefusal(await rest(gateway)('GET', `/checkout/invoices/${String(invoice.invoiceId)}`), 403, '1012');
    const choice = { currency: 'USDT', network: 'ETH' };
    const choose = await rest(gateway)('POST', `/checkout/invoices/${String(invoice.invoiceId)}/choose`, choice);
    expectRefusal(choose, 403, '1012');
    const submit = `mutation { submitPaymentLink(input: { linkId: "${String(link.id)}", amount: "5" }) { id } }`;
    expectGraphQLError(await graphql(gateway)(submit), 200, 'FORBIDDEN', '1012');
    await restore();
    expect((await page(`/pay/${String(orderId)}`)).text).toContain(String(address));
  });

  it('has payouts that wait until they are restored, and nothing else lets them go', async () => {
    await suspended();
    const { payoutFreezes } = (await operator.graphql('{ payoutFreezes { id merchantId reason } }')).body.data;
    const freeze = (payoutFreezes as Json[]).find(({ merchantId }) => merchantId === shop.id);
    expect(freeze).toMatchObject({ reason: 'a police request' });
    const lift = `mutation { liftFreeze(id: "${String(freeze?.id)}") }`;
    expectGraphQLError(await operator.graphql(lift), 200, 'CONFLICT', '4008');
    await restore();
    const after = (await operator.graphql('{ payoutFreezes { merchantId } }')).body.data.payoutFreezes as Json[];
    expect(after.filter(({ merchantId }) => merchantId === shop.id)).toEqual([]);
  });

  it('has people who go on as to themselves, and make no other merchant', async () => {
    const owner = await signUp(gateway, { isConfirmed: true });
    await suspend(owner.merchantId);
    const invite = 'mutation { inviteMember(input: { email: "ann@shop.example", role: VIEWER }) { id } }';
    await until(async () => (await owner.graphql(invite)).body.errors?.[0].extensions.errorCode === '1012');
    const add = 'mutation { addMerchant(companyName: "Another") { id } }';
    expectGraphQLError(await owner.graphql(add), 200, 'FORBIDDEN', '1012');
    expect((await owner.graphql('mutation { updateProfile(name: "Ann") { name } }')).body.data.updateProfile.name).toBe('Ann'); // prettier-ignore
    expect((await owner.graphql('mutation { logout }')).body.data.logout).toBe(true);
    await restore(owner.merchantId);
  });

  it('is suspended once, restored once, and both are in both logs', async () => {
    await suspended();
    expectGraphQLError(await suspend(), 200, 'CONFLICT', '4008');
    await restore();
    expectGraphQLError(await restore(), 200, 'CONFLICT', '4008');
    expectGraphQLError(await suspend(`mer_${'0'.repeat(32)}`), 200, 'NOT_FOUND', '2004');
    expectGraphQLError(await suspend('x\0'), 200, 'NOT_FOUND', '2004');
    const audit = await gateway.sql<{ action: string }>(
      `select action from audit_log where merchant_id = $1 and actor = 'operator' order by id`,
      [shop.id],
    );
    const log = await gateway.sql<{ action: string }>(
      'select action from operator_log where target = $1 and actor = $2 order by id',
      [shop.id, operator.id],
    );
    const both = [{ action: 'MERCHANT_SUSPENDED' }, { action: 'MERCHANT_RESTORED' }];
    expect([audit, log]).toEqual([both, both]);
    await until(async () => (await shop.rest('POST', '/payments', USDT_PAYMENT)).status === 201);
  });

  it('of ten at once who suspend, one does', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => suspend()));
    expect(answers.filter(({ body }) => body.data !== null)).toHaveLength(1);
  });
});

describe('operators see', () => {
  it('merchants by id, name and address, page by page, with their balances', async () => {
    const { orderId } = await order();
    dataOf(await shop.rest('POST', `/sandbox/payments/${String(orderId)}/deposit`, {}));
    const list = `query ($search: String, $first: Int, $after: String) {
      operatorMerchants(search: $search, first: $first, after: $after) {
        nodes { id email balances { currency available pending } } pageInfo { hasNextPage endCursor }
      }
    }`;
    const ask = async (variables: object) => (await operator.graphql(list, variables)).body.data.operatorMerchants;
    const { nodes } = await ask({ search: shop.id });
    expect(nodes).toHaveLength(1);
    const [balance] = nodes[0].balances;
    expect(Number(balance.available) + Number(balance.pending)).toBeGreaterThan(24);
    expect((await ask({ search: String(nodes[0].email).toUpperCase() })).nodes).toMatchObject([{ id: shop.id }]);
    expect((await ask({ search: 'nobody has this' })).nodes).toEqual([]);
    await newMerchant(gateway);
    const first = await ask({ first: 1 });
    expect(first.pageInfo.hasNextPage).toBe(true);
    const second = await ask({ first: 1, after: first.pageInfo.endCursor });
    expect(second.nodes[0].id < first.nodes[0].id).toBe(true);
  });

  it('the health of networks, and payouts that are stuck', async () => {
    const health = '{ networkHealth { network available tip tipAt observed hot gas payoutsDue oldestDueAt } }';
    const { networkHealth } = (await operator.graphql(health)).body.data;
    const eth = (networkHealth as Json[]).find(({ network }) => network === 'ETH');
    expect(eth).toMatchObject({ available: true, tip: expect.any(Number), tipAt: expect.any(String) });
    const stuck = '{ stuckPayouts { ... on Withdrawal { id heldReason } ... on Refund { id } } }';
    expect((await operator.graphql(stuck)).body.data.stuckPayouts).toEqual([]);
  });
});
