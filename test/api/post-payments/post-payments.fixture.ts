// Shared by the tests of POST /payments: a gateway, a merchant and helpers.

import { afterAll, beforeAll } from '@jest/globals';
import { borrowGateway, type BorrowedGateway } from '../../support/gateway/borrowed-gateway.ts';
import { newMerchant, type TestMerchant, USDT_PAYMENT } from '../../support/clients.ts';

export let gateway: BorrowedGateway;

export let shop: TestMerchant;

beforeAll(async () => {
  gateway = await borrowGateway({ WEBHOOK_ALLOW_PRIVATE: 'false' });
  shop = await newMerchant(gateway);
});

afterAll(() => gateway.stop());

export const create = (fields: object = {}, headers?: Record<string, string>) =>
  shop.rest('POST', '/payments', { ...USDT_PAYMENT, ...fields }, headers);

export const countPayments = async () => Number((await gateway.sql('select count(*) from payment'))[0]?.['count']);

export const withKey = (key: string, fields: object = {}) => create(fields, { 'idempotency-key': key });
