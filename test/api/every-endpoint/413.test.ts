// Bodies that are too large (2006), on every row that takes one.

import { describe, it } from '@jest/globals';
import { USDT_PAYMENT } from '../../support/clients.ts';
import { dataOf, expectRefusal } from '../../support/expectations.ts';
import { call, named, shop, WITH_BODY, type Row } from './every-endpoint.fixture.ts';

const LIMIT = 102_400;
const LARGE_LIMIT = 524_288;
const limitOf = ({ path }: Row) => (path === '/wallet/batches' ? LARGE_LIMIT : LIMIT);
const PAYMENT = JSON.stringify(USDT_PAYMENT);
const fill = (bytes: number) => `${PAYMENT}${' '.repeat(bytes - PAYMENT.length)}`;

describe('413 (2006)', () => {
  it.each(named(WITH_BODY))('%s refuses a body over its limit, announced or not', async (_, row) => {
    expectRefusal(await call(row, shop, { body: fill(limitOf(row) + 1) }), 413, '2006');
    const headers = { 'transfer-encoding': 'chunked' };
    expectRefusal(await call(row, shop, { body: fill(limitOf(row) + 1), headers }), 413, '2006');
  });

  it('a body of 100 KB is read', async () => {
    dataOf(await shop.rest('POST', '/payments', fill(LIMIT)), 201);
  });
});
