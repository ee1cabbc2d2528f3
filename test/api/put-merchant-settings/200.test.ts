// PUT /merchant/settings: the calls that are answered with 200.

import { describe, expect, it } from '@jest/globals';
import { ALL, change, create, DEFAULTS, gateway, minutesOf, PATH, pay, shop } from '../fixtures/settings.fixture.ts';
import { until } from '../../support/until.ts';
import { dataOf, expectRefusal } from '../../support/expectations.ts';
import { newMerchant } from '../../support/clients.ts';

describe('PUT /merchant/settings: 200', () => {
  it('changes them all, and answers them as they are then', async () => {
    expect(dataOf(await change(ALL))).toEqual(ALL);
    expect(dataOf(await shop.rest('GET', PATH))).toEqual(ALL);
  });

  it.each(Object.entries(ALL))('changes %s alone, and nothing else', async (name, value) => {
    expect(dataOf(await change({ [name]: value }))).toEqual({ ...DEFAULTS, [name]: value });
    expect(dataOf(await shop.rest('GET', PATH))).toEqual({ ...DEFAULTS, [name]: value });
  });

  it('changes nothing when nothing is sent', async () => {
    dataOf(await change(ALL));
    expect(dataOf(await change({}))).toEqual(ALL);
  });

  it('null empties what can be empty', async () => {
    dataOf(await change(ALL));
    const empty = { defaultReturnUrl: null, logoUrl: null, accentColor: null, locale: null, acceptedAssets: null };
    expect(dataOf(await change(empty))).toEqual({ ...ALL, ...empty });
  });

  it('of several at once keeps each', async () => {
    await Promise.all(Object.entries(ALL).map(([name, value]) => change({ [name]: value })));
    expect(dataOf(await shop.rest('GET', PATH))).toEqual(ALL);
  });

  it("leaves other merchants' settings alone", async () => {
    const other = await newMerchant(gateway);
    dataOf(await change(ALL));
    expect(dataOf(await other.rest('GET', PATH))).toEqual(DEFAULTS);
  });

  it('invoices take what is accepted then, if they say nothing, and quotes hold for as long as is set', async () => {
    const bill = async (): Promise<string> =>
      dataOf(await shop.rest('POST', '/invoices', { amount: '20', currency: 'EUR' }), 201).invoiceId;
    const choose = (invoiceId: string, currency: string) =>
      shop.rest('POST', `/checkout/invoices/${invoiceId}/choose`, { currency, network: 'ETH' });
    const first = await bill();
    const acceptedAssets = [{ currency: 'usdc', network: 'erc20' }];
    const changed = dataOf(await change({ acceptedAssets, quoteMinutes: 5 }));
    expect(changed.acceptedAssets).toEqual([{ currency: 'USDC', network: 'ETH' }]);
    const second = await bill();
    for (const invoiceId of [first, second]) {
      const { options } = dataOf(await shop.rest('GET', `/checkout/invoices/${invoiceId}`));
      expect(options).toMatchObject([{ currency: 'USDC', network: 'ETH', state: 'OPEN' }]);
      expectRefusal(await choose(invoiceId, 'USDT'), 400, '3001');
    }
    // How long a quote holds is copied when the invoice is created.
    const minutes = async (invoiceId: string): Promise<number> => {
      const { payments } = dataOf(await choose(invoiceId, 'USDC'));
      return (Date.parse(payments[0].quoteExpiresAt) - Date.parse(payments[0].checkout.createdAt)) / 60_000;
    };
    expect([await minutes(first), await minutes(second)]).toEqual([15, 5]);
  });

  describe('the next payment', () => {
    it('has the new time and return URL at once; one that is open keeps its own', async () => {
      const before = await create();
      for (const minutes of [5, 60, 1_440]) {
        dataOf(await change({ expirationMinutes: minutes, defaultReturnUrl: `https://shop.example/${minutes}` }));
        const { orderId, ...created } = await create();
        expect(minutesOf(created)).toBe(minutes);
        const { returnUrl } = dataOf(await shop.rest('GET', `/payments/${orderId}`));
        expect(returnUrl).toBe(`https://shop.example/${minutes}`);
      }
      const kept = dataOf(await shop.rest('GET', `/payments/${before.orderId}`));
      expect(minutesOf(kept)).toBe(30);
      expect(kept.returnUrl).toBeNull();
    });

    it('has its own return URL where it says one', async () => {
      dataOf(await change({ defaultReturnUrl: 'https://shop.example/default' }));
      const { orderId } = await create({ returnUrl: 'https://shop.example/own' });
      expect(dataOf(await shop.rest('GET', `/payments/${orderId}`)).returnUrl).toBe('https://shop.example/own');
    });

    it('has the new tolerance; one that is open keeps its own', async () => {
      const strict = await create();
      dataOf(await change({ underpaymentTolerance: 10 }));
      const lenient = await create();
      dataOf(await change({ underpaymentTolerance: 0 }));
      expect((await pay(strict, '22.5')).status).toBe('PARTIALLY_PAID');
      expect((await pay(lenient, '22.5')).status).toBe('SUCCEEDED');
    });

    it('has the new policy for late money; one that is open keeps its own', async () => {
      const accepting = await create();
      dataOf(await change({ latePaymentPolicy: 'MANUAL' }));
      const manual = await create();
      dataOf(await change({ latePaymentPolicy: 'ACCEPT' }));
      for (const { orderId } of [accepting, manual]) {
        dataOf(await shop.rest('POST', `/sandbox/payments/${orderId}/expire`));
        await until(async () => dataOf(await shop.rest('GET', `/payments/${orderId}`)).status === 'EXPIRED');
      }
      expect((await pay(manual, '25')).status).toBe('EXPIRED');
      expect(await pay(accepting, '25')).toMatchObject({ status: 'SUCCEEDED', exception: 'PAID_LATE' });
    });

    it('shows the new company name on its payment page', async () => {
      const { orderId } = await create();
      dataOf(await change({ companyName: 'New name' }));
      const answer = await shop.graphql('query ($id: ID!) { checkout(id: $id) { companyName } }', { id: orderId });
      expect(answer.body).toEqual({ data: { checkout: { companyName: 'New name' } } });
    });
  });
});
