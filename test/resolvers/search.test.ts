// The search over the API: by whatever somebody has a piece of, and no more than they may read.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Permission } from '../../src/values/permission.ts';
import { exchange, graphql, newMerchant, type Json, type TestMerchant } from '../support/clients.ts';
import { dataOf, expectGraphQLError } from '../support/expectations.ts';
import { borrowGateway, type BorrowedGateway } from '../support/gateway/borrowed-gateway.ts';
import { until, untilPasses } from '../support/until.ts';

const SEARCH = `query ($text: String!, $first: Int) { search(text: $text, first: $first) {
  payments { id merchantOrderId } invoices { id }
  payouts { __typename ... on Withdrawal { withdrawalId: id } ... on Refund { refundId: id } } } }`;
const COUNTS = '{ paymentCounts { all open waiting paid unpaid successRate } }';
const RECIPIENT = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

let gateway: BorrowedGateway;
let shop: TestMerchant;
let other: TestMerchant;
let order: Json;
let invoiceId: string;

beforeAll(async () => {
  gateway = await borrowGateway();
  [shop, other] = [await newMerchant(gateway), await newMerchant(gateway)];
  order = await newOrder({
    ...{ merchantOrderId: 'KC-20499', productName: 'Darjeeling first flush', customerEmail: 'Ann@Customer.example' },
  });
  const { invoiceId: made } = dataOf(
    await shop.rest('POST', '/invoices', { amount: '5.00', currency: 'USD', merchantInvoiceId: 'KC-INV-7' }),
    201,
  );
  invoiceId = made as string;
});
afterAll(() => gateway.stop());

const newOrder = async (more: object): Promise<Json> =>
  dataOf(await shop.rest('POST', '/payments', { amount: '25', currency: 'USDT', network: 'ETH', ...more }), 201);
const found = async (text: string, by: Pick<TestMerchant, 'graphql'> = shop): Promise<Json> => {
  const { body } = await by.graphql(SEARCH, { text });
  expect(body.errors).toBeUndefined();
  return body.data.search;
};
const payments = async (text: string, by: Pick<TestMerchant, 'graphql'> = shop): Promise<string[]> =>
  (await found(text, by)).payments.map(({ id }: Json) => id);

/** The shop's key, which has one permission alone from now on. */
const holding = async (permission: Permission): Promise<Pick<TestMerchant, 'graphql'>> => {
  await gateway.sql('update api_key set permissions = $2 where key_id = $1', [shop.keyId, [permission]]);
  return { graphql: graphql(gateway, await exchange(gateway, shop)) };
};

describe('search', () => {
  it.each([
    ['the beginning of a reference', () => 'kc-204'],
    ['a product', () => 'DARJEELING'],
    ['an e-mail address', () => 'ann@customer'],
    ['the beginning of an id', () => order.orderId.slice(0, 20)],
    ['an address', () => order.address],
    ['an address in lower case', () => order.address.toLowerCase()],
    ['blanks around it', () => '  KC-20499\n'],
  ])('finds an order by %s, and only for its merchant', async (_, text) => {
    expect(await payments(text())).toEqual([order.orderId]);
    expect(await found(text(), other)).toEqual({ payments: [], invoices: [], payouts: [] });
  });

  it('finds an order and its refund by their transactions, and invoices by their references', async () => {
    const { orderId } = order;
    dataOf(await shop.rest('POST', `/sandbox/payments/${orderId}/deposit`, {}));
    const paid = dataOf(await shop.rest('GET', `/payments/${orderId}`));
    expect(await payments(paid.transactions[0].txHash.toUpperCase().replace('0X', '0x'))).toEqual([orderId]);
    const { refundId } = dataOf(
      await shop.rest('POST', `/payments/${orderId}/refund`, { amount: '3', address: RECIPIENT }),
      201,
    );
    const refund = await until(async () => {
      const now = dataOf(await shop.rest('GET', `/refunds/${refundId}`));
      return now['status'] === 'COMPLETED' && now;
    });
    for (const text of [refundId, refund.txHash, RECIPIENT, RECIPIENT.toLowerCase()])
      expect((await found(text)).payouts).toEqual([{ __typename: 'Refund', refundId }]);
    expect((await found(RECIPIENT, other)).payouts).toEqual([]);
    expect((await found('kc-inv')).invoices).toEqual([{ id: invoiceId }]);
    expect((await found(invoiceId.slice(0, 30))).invoices).toEqual([{ id: invoiceId }]);
  });

  it('a text is needed, of at most 255 characters, and so many are found as are asked for', async () => {
    for (const variables of [
      { text: ' ' },
      { text: 'x'.repeat(256) },
      { text: 'a', first: 0 },
      { text: 'a', first: 51 },
    ])
      expectGraphQLError(await shop.graphql(SEARCH, variables), 200, 'BAD_USER_INPUT', '2001');
    await newOrder({ merchantOrderId: 'many-1' });
    const { orderId: newest } = await newOrder({ merchantOrderId: 'many-2' });
    const { body } = await shop.graphql(SEARCH, { text: 'many', first: 1 });
    expect(body.data.search.payments.map(({ id }: Json) => id)).toEqual([newest]);
  });

  it('shows each caller what they may read, and nobody anything without a token', async () => {
    expectGraphQLError(await graphql(gateway)(SEARCH, { text: 'KC' }), 200, 'UNAUTHENTICATED', '1001');
    const reading = await holding('READ_PAYMENTS');
    expect((await found(RECIPIENT, reading)).payouts).toEqual([]);
    expect(await payments('KC-20499', reading)).toEqual([order.orderId]);
    const withdrawing = await holding('WITHDRAW');
    // What a key may do is known anew after some seconds.
    await untilPasses(async () => expect((await found(RECIPIENT, withdrawing)).payouts).toHaveLength(1));
    expect(await found('KC-20499', withdrawing)).toEqual({ payments: [], invoices: [], payouts: [] });
  });
});

describe('counts', () => {
  it('are of what there is, and a share of what ended', async () => {
    const merchant = await newMerchant(gateway);
    const counts = async () => (await merchant.graphql(COUNTS)).body.data.paymentCounts;
    const none = { all: 0, open: 0, waiting: 0, paid: 0, unpaid: 0 };
    expect(await counts()).toEqual({ ...none, successRate: null });
    const create = async () =>
      dataOf(await merchant.rest('POST', '/payments', { amount: '25', currency: 'USDT', network: 'ETH' }), 201).orderId;
    const [paid, short] = [await create(), await create(), await create()];
    dataOf(await merchant.rest('POST', `/sandbox/payments/${paid}/deposit`, {}));
    dataOf(await merchant.rest('POST', `/sandbox/payments/${short}/deposit`, { amount: '10' }));
    dataOf(await merchant.rest('POST', `/sandbox/payments/${short}/expire`, {}));
    const all = { all: 3, open: 1, waiting: 1, paid: 1, unpaid: 1, successRate: 0.5 };
    await untilPasses(async () => expect(await counts()).toEqual(all));
    const { body } = await merchant.graphql(
      '{ payments(filter: { needsAttention: true }) { nodes { id exception } } }',
    );
    expect(body.data.payments.nodes).toEqual([{ id: short, exception: 'UNDERPAID' }]);
    const later = '{ paymentCounts(startDate: "2100-01-01") { all open waiting paid unpaid } }';
    expect((await merchant.graphql(later)).body.data.paymentCounts).toEqual(none);
  });
});
