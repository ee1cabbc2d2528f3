// GET /checkout/links/{id}: the calls that are answered with 200.

import { describe, expect, it } from '@jest/globals';
import { dataOf } from '../../support/expectations.ts';
import { change, open, openEnded, payer } from '../fixtures/links.fixture.ts';

const shown = async (id: string) => dataOf(await payer('GET', `/checkout/links/${id}`)) as object;

describe('GET /checkout/links/{id}: 200', () => {
  it('shows a customer what they may fill in, and nothing of what is private', async () => {
    const id = await openEnded({
      ...{ minAmount: '5', maxAmount: '50', description: 'Tea', requiredFields: ['EMAIL'], optionalFields: ['NOTE'] },
      ...{ metadata: { a: 'b' }, callbackUrl: 'http://127.0.0.1:1024/hook', returnUrl: 'https://shop.example/' },
    });
    const link = await shown(id);
    expect(link).toEqual({
      ...{ id, description: 'Tea', amount: null, currency: 'USD', minAmount: '5', maxAmount: '50' },
      ...{ requiredFields: ['EMAIL'], optionalFields: ['NOTE'], isOpen: true },
      ...{ companyName: expect.any(String), logoUrl: null, accentColor: null, locale: null },
    });
    expect(Object.keys(link)).toEqual([
      ...['id', 'description', 'amount', 'currency', 'minAmount', 'maxAmount', 'requiredFields', 'optionalFields'],
      ...['isOpen', 'companyName', 'logoUrl', 'accentColor', 'locale'],
    ]);
  });

  it('says whether it takes anything', async () => {
    const id = await open();
    dataOf(await change(id, { enabled: false }));
    expect(await shown(id)).toMatchObject({ isOpen: false });
    dataOf(await change(id, { enabled: true, endsAt: '2020-01-01T00:00:00Z' }));
    expect(await shown(id)).toMatchObject({ isOpen: false });
    dataOf(await change(id, { endsAt: null }));
    expect(await shown(id)).toMatchObject({ isOpen: true });
  });
});
