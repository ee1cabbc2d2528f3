// Shared by the tests of POST /merchant and POST /merchant/register: a gateway and valid bodies.

import { afterAll, beforeAll } from '@jest/globals';
import { borrowGateway, type BorrowedGateway } from '../../support/gateway/borrowed-gateway.ts';
import { newEmail, rest, type Rest } from '../../support/clients.ts';

export let gateway: BorrowedGateway;

export let call: Rest;

beforeAll(async () => {
  gateway = await borrowGateway();
  call = rest(gateway);
});

afterAll(() => gateway.stop());

export const PASSWORD = 'correct horse battery';

export const registration = (fields: object = {}) => ({
  email: newEmail(),
  companyName: 'Café & Söhne',
  password: PASSWORD,
  ...fields,
});

export const body = () => ({ email: newEmail(), companyName: 'Test shop' });
