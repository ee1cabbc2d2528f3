// POST /checkout/links/{id}: the calls that are answered with 409.

import { describe, expect, it } from '@jest/globals';
import { dataOf, expectRefusal } from '../../support/expectations.ts';
import { until } from '../../support/until.ts';
import { choose, pay } from '../fixtures/invoices.fixture.ts';
import { change, open, read, submit } from '../fixtures/links.fixture.ts';

describe('POST /checkout/links/{id}: 409', () => {
  it('a link that is disabled, over or used up; what was made before takes no coin either (3009)', async () => {
    const [disabled, over, used] = [await open(), await open(), await open({ maxUses: 1 })];
    const [waiting, paid, third] = [
      dataOf(await submit(disabled), 201).id as string,
      dataOf(await submit(used), 201).id as string,
      dataOf(await submit(used), 201).id as string,
    ];
    dataOf(await change(disabled, { enabled: false }));
    dataOf(await change(over, { endsAt: '2020-01-01T00:00:00Z' }));
    const { payments } = dataOf(await choose(paid));
    dataOf(await pay(payments[0].checkout.id as string));
    await until(async () => (await read(used)).uses === 1);
    for (const link of [disabled, over, used]) expectRefusal(await submit(link), 409, '3009');
    for (const invoice of [waiting, third]) expectRefusal(await choose(invoice), 409, '3009');
    // More uses open it again, also for those who wait.
    dataOf(await change(used, { maxUses: 2 }));
    expect(dataOf(await choose(third)).payments).toHaveLength(1);
  });

  it('a repeat under its key is answered as before', async () => {
    const link = await open();
    const headers = { 'idempotency-key': 'once' };
    const first = dataOf(await submit(link, {}, headers), 201);
    dataOf(await change(link, { enabled: false }));
    expect(dataOf(await submit(link, {}, headers), 201).id).toBe(first.id);
    expectRefusal(await submit(link, {}, { 'idempotency-key': 'twice' }), 409, '3009');
  });
});
