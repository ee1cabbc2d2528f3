// The contract of POST /payments: what is created, what is refused, and what a repeat does.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newMerchant, USDT_PAYMENT, type TestMerchant } from '../support/clients.ts';
import {
  CREATED_PAYMENT_KEYS,
  dataOf,
  expectFaults,
  expectKeys,
  expectRefusal,
  FULL_PAYMENT_KEYS,
  id,
  ISO,
} from '../support/expectations.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';

let gateway: TestGateway;
let shop: TestMerchant;

beforeAll(async () => {
  gateway = await startTestGateway({ WEBHOOK_ALLOW_PRIVATE: 'false' });
  shop = await newMerchant(gateway);
});
afterAll(() => gateway.stop());

const create = (fields: object = {}, headers?: Record<string, string>) =>
  shop.rest('POST', '/payments', { ...USDT_PAYMENT, ...fields }, headers);
const countPayments = async () => Number((await gateway.sql('select count(*) from payment'))[0]?.['count']);

describe('201', () => {
  it('answers the order with exactly the documented fields', async () => {
    const answer = await create();
    const data = dataOf(answer, 201);
    expectKeys(answer.body, ['success', 'data']);
    expectKeys(data, CREATED_PAYMENT_KEYS);
    expect(data).toEqual({
      ...USDT_PAYMENT,
      orderId: expect.stringMatching(id('ord')),
      address: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
      paymentUrl: `${gateway.url}/pay/${data.orderId}`,
      status: 'PENDING',
      createdAt: expect.stringMatching(ISO),
      expiresAt: expect.stringMatching(ISO),
    });
    expect(Date.parse(data.expiresAt as string) - Date.parse(data.createdAt as string)).toBe(30 * 60_000);
  });

  it('every order has an address of its own, however many are created at once', async () => {
    const answers = await Promise.all(Array.from({ length: 40 }, () => create()));
    const orders = answers.map((answer) => dataOf(answer, 201));
    expect(new Set(orders.map((order) => order.address)).size).toBe(40);
    expect(new Set(orders.map((order) => order.orderId)).size).toBe(40);
  });

  it.each([
    ['25.00', 'USDT', '25'],
    ['0.010000', 'USDC', '0.01'],
    ['0.50', 'USDT', '0.5'],
    ['1000000', 'USDT', '1000000'],
    ['0.0001', 'ETH', '0.0001'],
    ['123456.123456789012345678', 'ETH', '123456.123456789012345678'],
    ['1.000000000000000000', 'USDT', '1'],
  ])('the amount %s %s is answered as %s', async (amount, currency, canonical) => {
    const { orderId, ...order } = dataOf(await create({ amount, currency }), 201);
    expect(order).toMatchObject({ amount: canonical, currency });
    expect(dataOf(await shop.rest('GET', `/payments/${orderId}`)).amount).toBe(canonical);
  });

  it.each([
    ['usdt', 'eth'],
    ['Usdc', 'ERC20'],
    ['eth', 'erc20'],
  ])('%s on %s is understood, and the canonical codes are echoed', async (currency, network) => {
    const order = dataOf(await create({ currency, network }), 201);
    expect(order).toMatchObject({ currency: currency.toUpperCase(), network: 'ETH' });
  });

  it('every optional field is kept', async () => {
    const optional = {
      merchantOrderId: 'Order 1/7 “gift”',
      productName: '<b>Tea</b> & ☕',
      customerEmail: 'Customer+tag@example.co.uk',
      callbackUrl: 'https://example.com/hooks?shop=1',
      returnUrl: 'https://example.com/thanks',
      metadata: { cart: '77', '': 'empty name', constructor: 'x' },
      test: true,
    };
    const { orderId } = dataOf(await create(optional), 201);
    const payment = dataOf(await shop.rest('GET', `/payments/${orderId}`));
    expectKeys(payment, FULL_PAYMENT_KEYS);
    expect(payment).toMatchObject(optional);
  });

  it('null is as good as left out', async () => {
    const fields = { merchantOrderId: null, callbackUrl: null, metadata: null, test: null };
    const { orderId } = dataOf(await create(fields), 201);
    expect(dataOf(await shop.rest('GET', `/payments/${orderId}`))).toMatchObject({ ...fields, test: false });
  });
});

describe('400', () => {
  it('lists everything that is required (2001)', async () => {
    expectFaults(await shop.rest('POST', '/payments', {}), ['amount', 'currency', 'network']);
  });

  it('lists every fault at once, by its path in the body (2001)', async () => {
    const fields = {
      amount: 25,
      currency: null,
      merchantOrderId: 'x'.repeat(256),
      productName: ['tea'],
      customerEmail: 'nobody',
      callbackUrl: 'ftp://example.com',
      returnUrl: 'javascript:alert(1)',
      metadata: { n: 1 },
      test: 'yes',
      merchantId: 'mer_of_somebody_else',
      status: 'SUCCEEDED',
    };
    expectFaults(await create(fields), Object.keys(fields));
  });

  it.each([
    ...['25.00 ', ' 25', '+25', '-25', '1e3', '0x19', '1,5', '.5', '5.', '00', '01', '', 'NaN', 'Infinity', '١٢'],
    ...['２５', '25\u0000', '0', '0.0', '0.000000000000000000', '1234567890123456789', '0.1234567890123456789'],
    ...[25, 25.5, -1, 1e21, true, null, {}, ['25']],
  ])('the amount %j is refused (2001)', async (amount) => {
    expectFaults(await create({ amount }), ['amount']);
  });

  it('an amount with more decimals than the asset has is refused (2001)', async () => {
    expectFaults(await create({ amount: '25.0000001' }), ['amount']);
    dataOf(await create({ amount: '25.0000010' }), 201);
  });

  it.each([
    ['callbackUrl', 'https://user:secret@example.com/hook'],
    ['callbackUrl', '//example.com/hook'],
    ['callbackUrl', `https://example.com/${'x'.repeat(2_048)}`],
    ['returnUrl', 'https://user@example.com/'],
    ['returnUrl', '/thanks'],
    ['customerEmail', 'a@b.c@example.com'],
    ['merchantOrderId', ''],
    ['merchantOrderId', 7],
    ['productName', 'NUL \u0000'],
    ['currency', 'x'.repeat(21)],
    ['metadata', 'text'],
    ['metadata', ['a']],
    ['metadata', { a: null }],
    ['metadata', { a: 'x'.repeat(501) }],
    ['metadata', { a: 'NUL \u0000' }],
    ['metadata', Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`n${n}`, 'x']))],
  ])('%s may not be %j (2001)', async (field, value) => {
    expectFaults(await create({ [field]: value }), [field]);
  });

  it.each([
    ['productName', '"half \\ud83d"'],
    ['metadata', '{"half \\udc00":"x"}'],
    ['metadata', '{"x":"half \\ud83d"}'],
  ])('an unpaired surrogate in %s is refused (2001)', async (field, json) => {
    const body = `{"amount":"25","currency":"USDT","network":"ETH","${field}":${json}}`;
    expectFaults(await shop.rest('POST', '/payments', body), [field]);
  });

  it.each([
    ['__proto__', '{"status":"SUCCEEDED"}'],
    ['constructor', '{"prototype":{"amount":"1"}}'],
    ['toString', '1'],
  ])('a field named %s is unknown like any other (2001)', async (field, json) => {
    const body = `{"amount":"25","currency":"USDT","network":"ETH","${field}":${json}}`;
    expectFaults(await shop.rest('POST', '/payments', body), [field]);
  });

  it.each([
    ['DOGE', 'ETH'],
    ['USDT', 'BTC'],
    ['BTC', 'ETH'],
    ['USDT', 'NOWHERE'],
    ['USDT', 'constructor'],
    ['USDT', '__proto__'],
    ['ＵＳＤＴ', 'ETH'],
  ])('%s on %s is not supported (3001)', async (currency, network) => {
    expectRefusal(await create({ currency, network }), 400, '3001');
  });

  it.each([
    ['0.009999', 'USDT', '3002'],
    ['0.000099999999999999', 'ETH', '3002'],
    ['1000000.000001', 'USDT', '3003'],
    ['1000000.000000000000000001', 'ETH', '3003'],
    ['999999999999999999', 'USDT', '3003'],
  ])('%s %s is outside the limits (%s)', async (amount, currency, code) => {
    expectRefusal(await create({ amount, currency }), 400, code);
  });

  it.each(['http://127.0.0.1/', 'https://localhost/hook', 'http://0x7f.1/', 'http://[::ffff:7f00:1]/'])(
    'webhooks may not be sent to %s (5001)',
    async (callbackUrl) => {
      expectRefusal(await create({ callbackUrl }), 400, '5001');
    },
  );

  it.each(['', '\u00e4', 'x'.repeat(256), 'a\tb'])('the Idempotency-Key %j is refused (2001)', async (key) => {
    expectRefusal(await create({}, { 'idempotency-key': key }), 400, '2001');
  });

  it('nothing is stored when it is refused', async () => {
    const before = await countPayments();
    await create({ amount: '0' });
    await create({ currency: 'DOGE' });
    await create({ callbackUrl: 'http://10.0.0.1/' });
    expect(await countPayments()).toBe(before);
  });
});

describe('503', () => {
  it.each([
    ['BTC', 'BTC'],
    ['USDT', 'trc20'],
    ['bnb', 'BEP20'],
    ['SOL', 'SPL'],
  ])('%s on %s has no node here (3007)', async (currency, network) => {
    expectRefusal(await create({ currency, network }), 503, '3007');
  });
});

describe('Idempotency-Key', () => {
  const withKey = (key: string, fields: object = {}) => create(fields, { 'idempotency-key': key });

  it('the same key and input answer the first response again', async () => {
    const first = await withKey('order 1', { merchantOrderId: 'a', metadata: { x: '1', y: '2' } });
    const again = await withKey('order 1', { metadata: { y: '2', x: '1' }, merchantOrderId: 'a' });
    dataOf(first, 201);
    dataOf(again, 201);
    expect(again.text).toBe(first.text);
    expect([first, again].map(({ headers }) => headers['idempotent-replayed'])).toEqual([undefined, 'true']);
  });

  it('another input under the same key is 422 (2002)', async () => {
    dataOf(await withKey('order 2'), 201);
    expectRefusal(await withKey('order 2', { amount: '26' }), 422, '2002');
  });

  it('the first response is repeated even when the payment has moved on', async () => {
    const first = await withKey('order 3');
    dataOf(await shop.rest('DELETE', `/payments/${dataOf(first, 201).orderId}`));
    expect((await withKey('order 3')).text).toBe(first.text);
  });

  it('a failure is not kept', async () => {
    expectFaults(await withKey('order 4', { amount: 'much' }), ['amount']);
    expectRefusal(await withKey('order 4', { network: 'BTC', currency: 'BTC' }), 503, '3007');
    dataOf(await withKey('order 4'), 201);
  });

  it('of many at once with the same key one payment comes; the others repeat it or are told to wait (2003)', async () => {
    const before = await countPayments();
    const answers = await Promise.all(Array.from({ length: 20 }, () => withKey('order 5')));
    const created = answers.filter(({ status }) => status === 201);
    expect(created.length).toBeGreaterThan(0);
    expect(new Set(created.map((answer) => answer.body.data.orderId)).size).toBe(1);
    for (const answer of answers.filter(({ status }) => status !== 201)) expectRefusal(answer, 409, '2003');
    expect(await countPayments()).toBe(before + 1);
  });

  it('the key belongs to its merchant: another may use the same', async () => {
    const other = await newMerchant(gateway);
    const key = { 'idempotency-key': 'order 6' };
    const first = dataOf(await create({}, key), 201);
    const second = await other.rest('POST', '/payments', USDT_PAYMENT, key);
    expect(dataOf(second, 201).orderId).not.toBe(first.orderId);
    expect(second.headers['idempotent-replayed']).toBeUndefined();
  });

  it('a key of 255 characters is taken', async () => {
    dataOf(await withKey('~'.repeat(255)), 201);
  });
});
