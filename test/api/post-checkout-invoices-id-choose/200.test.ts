// POST /checkout/invoices/{id}/choose: the calls that are answered with 200.

import { describe, expect, it } from '@jest/globals';
import type { Json } from '../../support/clients.ts';
import { dataOf, INVOICE_CHECKOUT_KEYS } from '../../support/expectations.ts';
import { choose, chosen, createFor, IN_USDT, pay, payer, read, readIn, shop } from '../fixtures/invoices.fixture.ts';

const currents = ({ payments }: Json): string[] =>
  payments.filter(({ isCurrent }: Json) => isCurrent).map(({ checkout }: Json) => checkout.id);

describe('POST /checkout/invoices/{id}/choose: 200', () => {
  it('fixes a rate and shows an address, without a token', async () => {
    const invoiceId = await createFor(shop);
    const checkout = dataOf(await choose(invoiceId));
    expect(Object.keys(checkout as object)).toEqual(INVOICE_CHECKOUT_KEYS);
    expect(checkout.payments).toHaveLength(1);
    expect(checkout.payments[0]).toMatchObject({
      rate: IN_USDT.rate,
      isCurrent: true,
      checkout: { status: 'PENDING' },
    });
    const invoice = await read(invoiceId);
    expect(invoice.payments).toMatchObject([{ ...IN_USDT, address: checkout.payments[0].checkout.address }]);
  });

  it('takes codes and aliases in any case', async () => {
    const invoiceId = await createFor(shop);
    const body = { currency: 'usdt', network: 'Erc20' };
    const checkout = dataOf(await payer('POST', `/checkout/invoices/${invoiceId}/choose`, body));
    expect(checkout.payments[0].checkout).toMatchObject({ currency: 'USDT', network: 'ETH' });
  });

  it('the same coin again costs no address, one at a time or all at once', async () => {
    const invoiceId = await createFor(shop);
    const answers = await Promise.all([1, 2, 3].map(() => choose(invoiceId)));
    const orders = [...answers, await choose(invoiceId)].map((answer) => dataOf(answer).payments[0].checkout.id);
    expect(new Set(orders).size).toBe(1);
    expect((await read(invoiceId)).payments).toHaveLength(1);
  });

  it('the coin just chosen is the one to pay, though another was chosen after it', async () => {
    const invoiceId = await createFor(shop);
    const first = await chosen(invoiceId);
    await chosen(invoiceId, 'ETH');
    expect(currents(dataOf(await choose(invoiceId)))).toEqual([first]);
  });

  it('after part was paid in one coin, the rest is quoted in another', async () => {
    const invoiceId = await createFor(shop);
    dataOf(await pay(await chosen(invoiceId), { amount: '20' }));
    await readIn('PARTIALLY_PAID', invoiceId);
    const { payments } = dataOf(await choose(invoiceId, 'USDC'));
    // (49.90 − 18.50925925926) / 0.926111111111, rounded up to six decimals.
    expect(payments[1].checkout).toMatchObject({ currency: 'USDC', amount: '33.895221' });
  });
});
