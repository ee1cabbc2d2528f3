// POST /webhooks: the calls that are answered with 400.

import { describe, expect, it } from '@jest/globals';
import { create, created, gateway, HOOK, list, remove, shop } from '../fixtures/webhooks/endpoints.fixture.ts';
import { dataOf, expectFaults, expectRefusal } from '../../support/expectations.ts';
import { newMerchant } from '../../support/clients.ts';

describe('POST /webhooks: 400', () => {
  it.each([
    [{ url: null }, ['url']],
    [{ url: 7 }, ['url']],
    [{ url: '' }, ['url']],
    [{ url: 'example.com/hook' }, ['url']],
    [{ url: 'ftp://example.com/' }, ['url']],
    [{ url: 'https://user:secret@example.com/' }, ['url']],
    [{ url: 'https://example.com/\u0000' }, ['url']],
    [{ enabled: 'true' }, ['enabled']],
    [{ events: [] }, ['events']],
    [{ events: ['payment.succeeded', 'payment.succeeded'] }, ['events']],
    [{ events: ['payment.created'] }, ['events.0']],
    [{ events: ['payment.updated'] }, ['events.0']],
    [{ events: ['webhook.test'] }, ['events.0']],
    [{ events: ['*'] }, ['events.0']],
    [{ events: ['toString'] }, ['events.0']],
    [{ events: ['payment.succeeded', 1] }, ['events.1']],
    [{ events: ['payment.succeeded', null] }, ['events.1']],
    [{ events: {} }, ['events']],
    [{ events: 'payment.succeeded' }, ['events']],
    [{ description: ' ' }, ['description']],
    [{ description: 'x'.repeat(256) }, ['description']],
    [{ description: 'a\u0000b' }, ['description']],
    [{ secret: 'whsec_mine' }, ['secret']],
    [{ events: ['payment.lost', 'payment.failed', 'x\u0000'] }, ['events.0', 'events.2']],
    [{ url: 'nowhere', events: [], description: '', more: 1 }, ['url', 'events', 'description', 'more']],
  ])('%j is refused (2001)', async (fields, paths) => {
    expectFaults(await create(fields), paths);
  });

  it('lists a missing url (2001)', async () => {
    expectFaults(await shop.rest('POST', '/webhooks', {}), ['url']);
  });

  it('a refused port (5001)', async () => {
    expectRefusal(await create({ url: 'https://example.com:25/' }), 400, '5001');
  });

  it('the twenty-first, however many ask at once; PUT /merchant/webhook is not counted, a deleted one neither', async () => {
    const merchant = await newMerchant(gateway);
    dataOf(await merchant.rest('PUT', '/merchant/webhook', { url: HOOK }));
    const answers = await Promise.all(Array.from({ length: 25 }, () => create({}, merchant)));
    const refused = answers.filter((answer) => answer.status !== 201);
    expect(refused).toHaveLength(5);
    for (const answer of refused) expectFaults(answer, ['']);
    expect(await list(merchant)).toHaveLength(21);
    dataOf(await remove((await list(merchant))[0].id as string, merchant));
    await created({}, merchant);
    expectFaults(await create({}, merchant), ['']);
  });
});
