// Cache headers: no cache may keep an answer of the API.

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { borrowGateway, type BorrowedGateway } from '../../support/gateway/borrowed-gateway.ts';
import { newMerchant, send, USDT_PAYMENT, type Answer, type TestMerchant } from '../../support/clients.ts';

let gateway: BorrowedGateway;
let shop: TestMerchant;

beforeAll(async () => {
  gateway = await borrowGateway();
  shop = await newMerchant(gateway);
});
afterAll(() => gateway.stop());

const get = (path: string) => send({ method: 'GET', url: gateway.url + path });

const ANSWERS: readonly (readonly [string, () => Promise<Answer>, number])[] = [
  ['an order', () => shop.rest('POST', '/payments', USDT_PAYMENT), 201],
  ['a list', () => shop.rest('GET', '/payments'), 200],
  ['what anybody may read', () => get('/api/v1/currencies'), 200],
  ['a token', () => shop.rest('POST', '/auth/token', { keyId: shop.keyId, secret: shop.secret }), 200],
  ['a refusal', () => get('/api/v1/payments'), 401],
  ['an unknown path', () => get('/api/v1/nothing'), 404],
  ['a query', () => shop.graphql('{ currencies { currency } }'), 200],
  ['an invalid query', () => shop.graphql('{'), 400],
];

it.each(ANSWERS)('%s is not to be stored', async (_name, ask, status) => {
  const answer = await ask();
  expect(answer.status).toBe(status);
  expect(answer.headers['cache-control']).toBe('no-store');
});
