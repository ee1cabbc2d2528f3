// Shared by the tests of POST /auth/token: a gateway, a merchant and helpers.

import { afterAll, beforeAll } from '@jest/globals';
import { borrowGateway, type BorrowedGateway } from '../../support/gateway/borrowed-gateway.ts';
import { newMerchant, rest, type Rest, type TestMerchant } from '../../support/clients.ts';

export let gateway: BorrowedGateway;

export let call: Rest;

export let shop: TestMerchant;

beforeAll(async () => {
  gateway = await borrowGateway();
  call = rest(gateway);
  shop = await newMerchant(gateway, ['READ_WALLET', 'CREATE_PAYMENTS']);
});

afterAll(() => gateway.stop());

export const change = (text: string) => text.slice(0, -1) + (text.endsWith('0') ? '1' : '0');
