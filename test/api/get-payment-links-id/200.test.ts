// GET /payment-links/{id}: the calls that are answered with 200.

import { describe, expect, it } from '@jest/globals';
import { dataOf } from '../../support/expectations.ts';
import { until } from '../../support/until.ts';
import { choose, pay } from '../fixtures/invoices.fixture.ts';
import { KEYS, open, read, shop, submit } from '../fixtures/links.fixture.ts';

describe('GET /payment-links/{id}: 200', () => {
  it('answers the link, and counts as uses what was paid', async () => {
    const id = await open({ maxUses: 5 });
    expect(Object.keys((await read(id)) as object)).toEqual(KEYS);
    const invoice = dataOf(await submit(id), 201);
    expect(await read(id)).toMatchObject({ uses: 0 });
    const { payments } = dataOf(await choose(invoice.id as string));
    dataOf(await pay(payments[0].checkout.id as string));
    await until(async () => (await read(id)).uses === 1);
    const { items } = dataOf(await shop.rest('GET', `/invoices?linkId=${id}`));
    expect(items).toMatchObject([{ invoiceId: invoice.id, linkId: id }]);
  });
});
