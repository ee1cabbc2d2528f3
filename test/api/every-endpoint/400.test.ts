// Input that is not understood, on every row: unknown parameters and fields are named (2001), invalid JSON is 2008.

import { describe, expect, it } from '@jest/globals';
import { dataOf, expectFaults, expectRefusal } from '../../support/expectations.ts';
import { USDT_PAYMENT } from '../../support/clients.ts';
import { bodyOf, call, mine, named, ROWS, shop, WITH_BODY } from './every-endpoint.fixture.ts';

const PAYMENT = JSON.stringify(USDT_PAYMENT);
const post = (body: unknown, query = '') => shop.rest('POST', `/payments${query}`, body);

describe('Validation (2001)', () => {
  it.each(named(ROWS))('%s refuses parameters and fields that it does not know, and names each', async (_, row) => {
    expectFaults(await call(row, shop, { query: '?dryRun=1&__proto__=1' }), ['__proto__', 'dryRun']);
    const body = JSON.stringify({ ...bodyOf(row, shop, mine), unknown: 1 }).replace('{', '{"__proto__":{},');
    const withBody = row.method === 'GET' ? undefined : body;
    const paths = row.method === 'GET' ? ['dryRun'] : ['__proto__', 'dryRun', 'unknown'];
    expectFaults(await call(row, shop, { query: '?dryRun=1', body: withBody }), paths);
  });

  it.each(named(WITH_BODY))('%s takes a JSON object and nothing else', async (_, row) => {
    for (const body of ['[]', 'null', '"text"', '7', 'true', '[{}]'])
      expectFaults(await call(row, shop, { body }), ['']);
  });

  it('lists what is wrong with path, query and body at once', async () => {
    const body = {
      amount: 1,
      currency: null,
      metadata: { a: 1 },
      returnUrl: 'ftp://x',
      customerEmail: 'x',
      unknown: 1,
    };
    const paths = ['amount', 'currency', 'customerEmail', 'metadata.a', 'network', 'returnUrl', 'test', 'unknown'];
    expectFaults(await post(body, '?test=1'), paths);
    expectFaults(await shop.rest('GET', '/payments?limit=0&cursor=x&status=GONE&startDate=soon&x=1'), [
      ...['cursor', 'limit', 'startDate', 'status.0', 'x'],
    ]);
    const registration = { email: 'x', companyName: ' ', password: 'seven77' };
    expectFaults(await shop.rest('POST', '/merchant/register', registration), ['companyName', 'email', 'password']);
  });

  it('JSON as deep as a body can be is refused like any other', async () => {
    const depth = 40_000;
    const deep = `${'['.repeat(depth)}${']'.repeat(depth)}`;
    expectFaults(await post(deep), ['']);
    expectFaults(await post(PAYMENT.replace('{', `{"metadata":${deep},`)), ['metadata']);
  });

  it('where nothing is wanted, no body is as good as an empty one', async () => {
    const [open] = ROWS.filter(({ name }) => name === 'DELETE /payments/:id');
    if (!open) throw new Error('there is no such row');
    const { orderId } = dataOf(await post(USDT_PAYMENT), 201);
    expectFaults(await call(open, shop, { id: orderId, body: { reason: 'x' } }), ['reason']);
    dataOf(await call(open, shop, { id: orderId, body: {} }));
  });
});

describe('Malformed JSON (2008)', () => {
  it.each(named(WITH_BODY))('%s refuses it', async (_, row) => {
    for (const body of ['{', '{"a":1', 'rubbish']) expectRefusal(await call(row, shop, { body }), 400, '2008');
  });

  it.each(['{', '{"amount":"25",}', "{'amount':'25'}", 'amount=25', '{"a":1}{"b":2}', '\u0000', '{"a":NaN}'])(
    '%j is not JSON',
    async (body) => {
      expectRefusal(await post(body), 400, '2008');
    },
  );

  it.each([
    ['a byte of Latin-1', 'latin1'],
    ['UTF-16', 'utf16le'],
  ] as const)('%s is no JSON: nothing is read with other characters than were sent', async (_, encoding) => {
    const body = JSON.stringify({ ...USDT_PAYMENT, productName: 'Café' });
    expectRefusal(await post(Buffer.from(body, encoding)), 400, '2008');
    const { orderId } = dataOf(await post(Buffer.from(body)), 201);
    expect(dataOf(await shop.rest('GET', `/payments/${orderId}`)).productName).toBe('Café');
  });
});

describe('the order of checks', () => {
  it.each(named(ROWS.filter(({ path }) => path.includes(':'))))(
    '%s: validation comes before existence',
    async (_, row) => {
      expectRefusal(await call(row, shop, { id: 'none', query: '?x=1' }), 400, '2001');
    },
  );

  it('then comes state', async () => {
    const { orderId } = dataOf(await post(USDT_PAYMENT), 201);
    dataOf(await shop.rest('DELETE', `/payments/${orderId}`));
    expectRefusal(await shop.rest('DELETE', `/payments/${orderId}?x=1`), 400, '2001');
    expectRefusal(await shop.rest('DELETE', `/payments/${orderId}`), 409, '3005');
  });
});
