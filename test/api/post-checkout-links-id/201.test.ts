// POST /checkout/links/{id}: the calls that are answered with 201.

import { describe, expect, it } from '@jest/globals';
import { dataOf, INVOICE_CHECKOUT_KEYS } from '../../support/expectations.ts';
import { choose, read as readInvoice } from '../fixtures/invoices.fixture.ts';
import { open, openEnded, submit } from '../fixtures/links.fixture.ts';

describe('POST /checkout/links/{id}: 201', () => {
  it('answers an open invoice, for which a coin can be chosen', async () => {
    const id = await open({ description: 'Tea' });
    const invoice = dataOf(await submit(id), 201);
    expect(Object.keys(invoice as object)).toEqual(INVOICE_CHECKOUT_KEYS);
    expect(invoice).toMatchObject({ status: 'OPEN', amount: '20', currency: 'USD', description: 'Tea', payments: [] });
    expect(dataOf(await choose(invoice.id as string)).payments).toHaveLength(1);
  });

  it('keeps for the merchant what the customer filled in, and shows it to nobody else', async () => {
    const id = await openEnded({
      ...{ requiredFields: ['EMAIL'], optionalFields: ['NAME', 'PHONE', 'ADDRESS', 'NOTE'], metadata: { a: 'b' } },
      ...{ returnUrl: 'https://shop.example/', callbackUrl: 'http://127.0.0.1:1024/hook', expirationMinutes: 90 },
    });
    const customer = { name: 'Ann', phone: '+49 30 1', address: '1 Main Street', note: 'Green, please' };
    const answer = await submit(id, { amount: '7.5', email: 'ann@customer.example', ...customer });
    const invoice = dataOf(answer, 201);
    expect(answer.text).not.toContain('Main Street');
    expect(await readInvoice(invoice.id as string)).toMatchObject({
      ...{ linkId: id, amount: '7.5', customerEmail: 'ann@customer.example', customer, metadata: { a: 'b' } },
      ...{ returnUrl: 'https://shop.example/', callbackUrl: 'http://127.0.0.1:1024/hook' },
    });
  });

  it('takes an Idempotency-Key, which belongs to the link', async () => {
    const [one, two] = [await openEnded(), await openEnded()];
    const headers = { 'idempotency-key': 'form-1' };
    const first = dataOf(await submit(one, { amount: '5' }, headers), 201);
    const again = await submit(one, { amount: '5' }, headers);
    expect([dataOf(again, 201), again.headers['idempotent-replayed']]).toEqual([first, 'true']);
    expect(dataOf(await submit(two, { amount: '6' }, headers), 201).id).not.toBe(first.id);
  });
});
