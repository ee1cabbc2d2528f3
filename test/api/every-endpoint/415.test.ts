// Requests with a body that is not JSON are refused with 415 (2007), on every REST route that takes a body.

import { describe, it } from '@jest/globals';
import { USDT_PAYMENT } from '../../support/clients.ts';
import { dataOf, expectRefusal } from '../../support/expectations.ts';
import { call, named, shop, WITH_BODY } from './every-endpoint.fixture.ts';

const OTHERS = [
  ...['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/xml'],
  ...['application/vnd.api+json', 'application/jsonp', ''],
];

describe('415 (2007)', () => {
  it.each(named(WITH_BODY))('%s takes nothing but JSON', async (_, row) => {
    for (const type of OTHERS)
      expectRefusal(await call(row, shop, { body: '{}', headers: { 'content-type': type } }), 415, '2007');
  });

  it.each(['application/json; charset=utf-8', 'Application/JSON', 'application/json;charset=UTF-8'])(
    '%s is JSON',
    async (type) => {
      dataOf(await shop.rest('POST', '/payments', JSON.stringify(USDT_PAYMENT), { 'content-type': type }), 201);
    },
  );
});
