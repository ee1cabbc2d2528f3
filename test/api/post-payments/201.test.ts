// POST /payments: the calls that are answered with 201.

import { describe, expect, it } from '@jest/globals';
import { create, gateway, shop, withKey } from './post-payments.fixture.ts';
import {
  CREATED_PAYMENT_KEYS,
  dataOf,
  expectFaults,
  expectKeys,
  expectRefusal,
  FULL_PAYMENT_KEYS,
  id,
  ISO,
} from '../../support/expectations.ts';
import { newMerchant, USDT_PAYMENT } from '../../support/clients.ts';

describe('POST /payments: 201', () => {
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

  describe('Idempotency-Key', () => {
    it('the same key and input answer the first response again', async () => {
      const first = await withKey('order 1', { merchantOrderId: 'a', metadata: { x: '1', y: '2' } });
      const again = await withKey('order 1', { metadata: { y: '2', x: '1' }, merchantOrderId: 'a' });
      dataOf(first, 201);
      dataOf(again, 201);
      expect(again.text).toBe(first.text);
      expect([first, again].map(({ headers }) => headers['idempotent-replayed'])).toEqual([undefined, 'true']);
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
});
