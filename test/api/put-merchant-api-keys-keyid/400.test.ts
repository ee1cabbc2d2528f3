// PUT /merchant/api-keys/{keyId}: the calls that are answered with 400.

import { describe, expect, it } from '@jest/globals';
import { KEY, make, PATH, shop } from '../fixtures/api-keys.fixture.ts';
import { dataOf, expectFaults } from '../../support/expectations.ts';

describe('PUT /merchant/api-keys/{keyId}: 400', () => {
  it.each([
    [{ name: '' }, ['name']],
    [{ permissions: [] }, ['permissions']],
    [{ permissions: ['READ_PAYMENTS', 'ROOT'] }, ['permissions.1']],
    [{ ipWhitelist: ['10.0.0.1', '10.0.0.0/33'] }, ['ipWhitelist.1']],
    // A caller who expects null to empty the addresses or permissions must get an error.
    [{ name: null, permissions: null, ipWhitelist: null }, ['name', 'permissions', 'ipWhitelist']],
    [{ keyId: 'mine' }, ['keyId']],
  ])('%j is 2001, and nothing is changed', async (fields, paths) => {
    const { keyId } = await make(KEY);
    const before = dataOf(await shop.rest('PUT', `${PATH}/${keyId}`, {}));
    expectFaults(await shop.rest('PUT', `${PATH}/${keyId}`, { name: 'Till 2', ...fields }), paths);
    expect(dataOf(await shop.rest('PUT', `${PATH}/${keyId}`, {}))).toEqual(before);
  });
});
