// PUT /webhooks/{id}: the calls that are answered with 400.

import { describe, it } from '@jest/globals';
import { created, remove, update } from '../fixtures/webhooks/endpoints.fixture.ts';
import { dataOf, expectFaults, expectRefusal } from '../../support/expectations.ts';

describe('PUT /webhooks/{id}: 400', () => {
  it.each([
    [{ url: 'nowhere' }, ['url']],
    [{ enabled: 1 }, ['enabled']],
    [{ events: [] }, ['events']],
    [{ events: ['webhook.test'] }, ['events.0']],
    [{ description: '' }, ['description']],
    [{ url: null, enabled: null, events: null }, ['url', 'enabled', 'events']],
    [{ id: 'whk_1', isPrimary: true }, ['id', 'isPrimary']],
  ])('for %j (2001)', async (fields, paths) => {
    const endpoint = await created();
    expectFaults(await update(endpoint.id as string, fields), paths);
    expectRefusal(await update(endpoint.id as string, { url: 'http://example.com:22/' }), 400, '5001');
    dataOf(await remove(endpoint.id as string));
  });
});
