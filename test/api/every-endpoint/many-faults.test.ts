// Requests with thousands of faults: the first hundred are reported, with a note that there are more. A body of the
// largest size must neither be answered with megabytes nor keep other callers waiting.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { borrowGateway, type BorrowedGateway } from '../../support/gateway/borrowed-gateway.ts';
import { newMerchant, type Answer, type Json, type TestMerchant, USDT_PAYMENT } from '../../support/clients.ts';

let gateway: BorrowedGateway;
let shop: TestMerchant;
beforeAll(async () => {
  gateway = await borrowGateway();
  shop = await newMerchant(gateway);
});
afterAll(() => gateway.stop());

const MANY = Array.from({ length: 15_000 }, () => 'A');
const FIELDS = Object.fromEntries(Array.from({ length: 8_000 }, (_, nth) => [`f${nth}`, 1]));

function expectHundred(answer: Answer, details: Json): void {
  expect(answer.status).toBe(400);
  expect(answer.text.length).toBeLessThan(60_000);
  expect(details).toHaveLength(101);
  expect(details[100]).toEqual({ path: '', message: 'There are more faults' });
}

describe('thousands of faults in one request', () => {
  it('of a list are told as a hundred, over REST and GraphQL', async () => {
    const key = await shop.rest('POST', '/merchant/api-keys', { name: 'x', permissions: MANY });
    expectHundred(key, key.body.error.details);
    expect(key.body.error.details[99]).toMatchObject({ path: 'permissions.99' });
    const query = 'query ($s: [PaymentStatus!]) { payments(filter: { status: $s }) { nodes { id } } }';
    for (const _ of [1, 2]) {
      const list = await shop.graphql(query, { s: MANY });
      expectHundred(list, list.body.errors[0].extensions.details);
      expect(list.body.errors).toHaveLength(1);
    }
  });

  it('of fields that there are not are told as a hundred, whatever else is right', async () => {
    const rest = await shop.rest('POST', '/payments', { ...USDT_PAYMENT, ...FIELDS });
    expectHundred(rest, rest.body.error.details);
    const query = 'mutation ($input: CreatePaymentInput!) { createPayment(input: $input) { id } }';
    const graphql = await shop.graphql(query, { input: { ...USDT_PAYMENT, ...FIELDS } });
    expectHundred(graphql, graphql.body.errors[0].extensions.details);
    const cancel = await shop.rest('POST', '/webhooks/resend', FIELDS);
    expectHundred(cancel, cancel.body.error.details);
  });

  it('are not looked for where the caller has no token', async () => {
    const query = 'query ($s: [PaymentStatus!]) { payments(filter: { status: $s }) { nodes { id } } }';
    const answer = await shop.graphql(query, { s: MANY }, { authorization: '' });
    expect(answer.status).toBe(401);
    expect(answer.text.length).toBeLessThan(1_000);
  });
});
