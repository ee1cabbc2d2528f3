// POST /payment-links: the calls that are answered with 201.

import { describe, expect, it } from '@jest/globals';
import { dataOf, id, ISO } from '../../support/expectations.ts';
import { create, gateway, KEYS, read, shop } from '../fixtures/links.fixture.ts';

describe('POST /payment-links: 201', () => {
  it('answers the link, with the documented keys in their order and plain defaults', async () => {
    const link = dataOf(await create(), 201);
    expect(Object.keys(link as object)).toEqual(KEYS);
    expect(link).toEqual({
      ...{ id: expect.stringMatching(id('lnk')), url: `${gateway.url}/pay/${link.id}`, name: 'Window' },
      ...{ description: null, amount: '20', currency: 'USD', minAmount: null, maxAmount: null, acceptedAssets: null },
      ...{ requiredFields: [], optionalFields: [], maxUses: null, uses: 0, endsAt: null, enabled: true },
      ...{ returnUrl: null, callbackUrl: null, metadata: null, expirationMinutes: null },
      ...{ createdAt: expect.stringMatching(ISO), updatedAt: link.createdAt },
    });
    expect(await read(link.id as string)).toEqual(link);
  });

  it('takes every field, codes in any case', async () => {
    const fields = {
      ...{ name: 'Tea', description: 'Assam', amount: null, minAmount: '5', maxAmount: '500' },
      ...{
        requiredFields: ['EMAIL', 'ADDRESS'],
        optionalFields: ['NAME', 'PHONE', 'NOTE'],
        maxUses: 3,
        enabled: false,
      },
      ...{ returnUrl: 'https://shop.example/thanks', callbackUrl: 'http://127.0.0.1:1024/hook', metadata: { a: 'b' } },
      expirationMinutes: 43_200,
    };
    const named = { currency: 'jpy', acceptedAssets: [{ currency: 'usdt', network: 'erc20' }] };
    const link = dataOf(await create({ ...fields, ...named, endsAt: '2030-01-01T01:00:00+01:00' }), 201);
    expect(link).toMatchObject({
      ...{ ...fields, currency: 'JPY', acceptedAssets: [{ currency: 'USDT', network: 'ETH' }] },
      endsAt: '2030-01-01T00:00:00.000Z',
    });
  });

  it('is repeated under its key, and not with another end', async () => {
    const headers = { 'idempotency-key': 'link-1' };
    const fields = { endsAt: '2030-01-01T00:00:00Z' };
    const first = dataOf(await create(fields, shop, headers), 201);
    const again = await create(fields, shop, headers);
    expect([dataOf(again, 201), again.headers['idempotent-replayed']]).toEqual([first, 'true']);
    expect((await create({ endsAt: '2031-01-01T00:00:00Z' }, shop, headers)).status).toBe(422);
  });

  it('is in the audit log', async () => {
    const link = dataOf(await create(), 201);
    const rows = await gateway.sql('select action from audit_log where target = $1', [link.id]);
    expect(rows).toEqual([{ action: 'PAYMENT_LINK_CREATED' }]);
  });
});
