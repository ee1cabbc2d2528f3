// The contract of the sandbox chain and of what it does to the wallet: deposit, expire, GET /wallet/balance.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newMerchant, USDT_PAYMENT, type TestMerchant } from '../support/clients.ts';
import { dataOf, expectFaults, expectKeys, expectRefusal, FULL_PAYMENT_KEYS, ISO } from '../support/expectations.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { until } from '../support/until.ts';

let gateway: TestGateway;
let shop: TestMerchant;

beforeAll(async () => {
  gateway = await startTestGateway();
  shop = await newMerchant(gateway);
});
afterAll(() => gateway.stop());

const createFor = async (merchant: TestMerchant, fields: object = {}) =>
  dataOf(await merchant.rest('POST', '/payments', { ...USDT_PAYMENT, ...fields }), 201).orderId as string;
const deposit = (orderId: string, body: unknown = {}, merchant = shop) =>
  merchant.rest('POST', `/sandbox/payments/${orderId}/deposit`, body);

describe('POST /sandbox/payments/{id}/deposit', () => {
  describe('200', () => {
    it('pays what is due and mines enough to finish, unless told otherwise', async () => {
      const orderId = await createFor(shop);
      const payment = dataOf(await deposit(orderId));
      expectKeys(payment, FULL_PAYMENT_KEYS);
      expect(payment).toMatchObject({
        ...{ orderId, status: 'SUCCEEDED', exception: null, amountReceived: '25', amountConfirmed: '25' },
        ...{ feeAmount: '0.25', confirmations: 2, completedAt: expect.stringMatching(ISO) },
      });
      expect(payment.transactions).toEqual([
        {
          txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
          amount: '25',
          status: 'CONFIRMED',
          confirmations: 2,
          blockNumber: expect.any(Number),
          seenAt: expect.stringMatching(ISO),
        },
      ]);
    });

    it('takes no body as well as an empty one', async () => {
      expect(dataOf(await deposit(await createFor(shop), undefined)).status).toBe('SUCCEEDED');
      expect(dataOf(await deposit(await createFor(shop), '')).status).toBe('SUCCEEDED');
    });

    it('-1 broadcasts without mining: the transaction waits, without a block', async () => {
      const payment = dataOf(await deposit(await createFor(shop), { confirmations: -1 }));
      expect(payment).toMatchObject({ status: 'CONFIRMING', amountReceived: '25', amountConfirmed: '0' });
      expect(payment.transactions).toMatchObject([{ status: 'PENDING', confirmations: 0, blockNumber: null }]);
    });

    it('0 mines the including block alone: the first confirmation of two', async () => {
      const payment = dataOf(await deposit(await createFor(shop), { confirmations: 0 }));
      expect(payment).toMatchObject({ status: 'CONFIRMING', confirmations: 1, requiredConfirmations: 2 });
    });

    it('a part is paid, then the rest, which is what is due by then', async () => {
      const orderId = await createFor(shop, { currency: 'ETH', amount: '0.3' });
      expect(dataOf(await deposit(orderId, { amount: '0.1' })).status).toBe('PARTIALLY_PAID');
      const payment = dataOf(await deposit(orderId));
      expect(payment).toMatchObject({ status: 'SUCCEEDED', exception: null, amountReceived: '0.3' });
      expect(payment.transactions).toMatchObject([{ amount: '0.1' }, { amount: '0.2' }]);
    });

    it('more than the amount marks the payment OVERPAID', async () => {
      const payment = dataOf(await deposit(await createFor(shop), { amount: '25.000001' }));
      expect(payment).toMatchObject({ status: 'SUCCEEDED', exception: 'OVERPAID', amountConfirmed: '25.000001' });
    });
  });

  describe('400', () => {
    it.each([
      [{ amount: 5 }, ['amount']],
      [{ amount: '0' }, ['amount']],
      [{ amount: '1.1234567' }, ['amount']],
      [{ confirmations: -2 }, ['confirmations']],
      [{ confirmations: 1_001 }, ['confirmations']],
      [{ confirmations: 1.5 }, ['confirmations']],
      [{ confirmations: '1' }, ['confirmations']],
      [{ address: '0x0', id: 'ord_1', paymentId: 'ord_1' }, ['address', 'id', 'paymentId']],
    ])('%j is refused (2001)', async (body, paths) => {
      expectFaults(await deposit(await createFor(shop), body), paths);
    });
  });

  it("404 for another merchant's payment (2004)", async () => {
    const other = await newMerchant(gateway);
    expectRefusal(await deposit(await createFor(other)), 404, '2004');
  });
});

describe('POST /sandbox/payments/{id}/expire', () => {
  const expire = (orderId: string) => shop.rest('POST', `/sandbox/payments/${orderId}/expire`);

  it('200 moves expiresAt to now, and the ordinary expiry does the rest', async () => {
    const orderId = await createFor(shop);
    const payment = dataOf(await expire(orderId));
    expectKeys(payment, FULL_PAYMENT_KEYS);
    expect(Date.parse(payment.expiresAt as string)).toBeLessThanOrEqual(Date.now() + 1_000);
    await until(async () => dataOf(await shop.rest('GET', `/payments/${orderId}`)).status === 'EXPIRED');
    expectRefusal(await expire(orderId), 409, '3005');
  });

  it('a part that was paid makes it FAILED, UNDERPAID', async () => {
    const orderId = await createFor(shop);
    dataOf(await deposit(orderId, { amount: '24.999999' }));
    dataOf(await expire(orderId));
    const payment = await until(async () => {
      const seen = dataOf(await shop.rest('GET', `/payments/${orderId}`));
      return seen.status === 'FAILED' && seen;
    });
    expect(payment).toMatchObject({ exception: 'UNDERPAID', amountConfirmed: '24.999999', feeAmount: '0.249999' });
  });

  it('404 where there is no such payment (2004), 409 once it is over (3005)', async () => {
    expectRefusal(await expire('ord_00000000000000000000000000000000'), 404, '2004');
    const orderId = await createFor(shop);
    dataOf(await deposit(orderId));
    expectRefusal(await expire(orderId), 409, '3005');
  });
});

describe('GET /wallet/balance', () => {
  it('200 answers nothing for a merchant whose money never moved', async () => {
    const merchant = await newMerchant(gateway);
    const answer = await merchant.rest('GET', '/wallet/balance');
    expect(dataOf(answer)).toEqual({ balances: [] });
    expectKeys(answer.body, ['success', 'data']);
  });

  it('200 answers each asset: credited less one percent, pending before the fee', async () => {
    const merchant = await newMerchant(gateway);
    dataOf(await deposit(await createFor(merchant), {}, merchant));
    dataOf(await deposit(await createFor(merchant, { amount: '0.01' }), {}, merchant));
    dataOf(
      await deposit(await createFor(merchant, { currency: 'ETH', amount: '0.5' }), { confirmations: 0 }, merchant),
    );
    const { balances } = dataOf(await merchant.rest('GET', '/wallet/balance'));
    const by = (currency: string) => (balances as { currency: string }[]).find((row) => row.currency === currency);
    const asset = { network: 'ETH', reserved: '0' };
    expect(balances).toHaveLength(2);
    // 25 less 0.25, and 0.01 less 0.0001.
    expect(by('USDT')).toEqual({ ...asset, currency: 'USDT', available: '24.7599', pending: '0' });
    expect(by('ETH')).toEqual({ ...asset, currency: 'ETH', available: '0', pending: '0.5' });
  });
});
