// POST /payments: the calls that are answered with 400.

import { describe, expect, it } from '@jest/globals';
import { countPayments, create, shop } from './post-payments.fixture.ts';
import { dataOf, expectFaults, expectRefusal } from '../../support/expectations.ts';

describe('POST /payments: 400', () => {
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
    const paths = Object.keys(fields).map((name) => (name === 'metadata' ? 'metadata.n' : name));
    expectFaults(await create(fields), paths);
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

  it('that is told with every other fault, of type or of meaning (2001)', async () => {
    const amount = '25.0000001';
    expectFaults(await create({ amount, customerEmail: 'nobody' }), ['amount', 'customerEmail']);
    expectFaults(await create({ amount, productName: 5, foo: 1 }), ['amount', 'productName', 'foo']);
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
    ['metadata', { ['x'.repeat(41)]: 'x' }],
    ['metadata', Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`n${n}`, 'x']))],
  ])('%s may not be %j (2001)', async (field, value) => {
    expectFaults(await create({ [field]: value }), [field]);
  });

  it('lists every fault of metadata, each by the name of its entry (2001)', async () => {
    const metadata = { a: null, b: 'fine', c: 'x'.repeat(501), d: 'NUL \u0000', e: ['x'], 'f.g': 7 };
    expectFaults(
      await create({ metadata }),
      ['a', 'c', 'd', 'e', 'f.g'].map((name) => `metadata.${name}`),
    );
  });

  it.each(['', ' ', 'amount ', 'a"b', 'a.b', 'ä'])(
    'an unknown field is told by its name, %j too (2001)',
    async (name) => {
      expectFaults(await create({ [name]: '1' }), [name]);
    },
  );

  it.each([
    ['productName', 'productName', '"half \\ud83d"'],
    ['metadata', 'metadata', '{"half \\udc00":"x"}'],
    ['metadata', 'metadata.x', '{"x":"half \\ud83d"}'],
  ])('an unpaired surrogate in %s is refused, at %s (2001)', async (field, path, json) => {
    const body = `{"amount":"25","currency":"USDT","network":"ETH","${field}":${json}}`;
    expectFaults(await shop.rest('POST', '/payments', body), [path]);
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
