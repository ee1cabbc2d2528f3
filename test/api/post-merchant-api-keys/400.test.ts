// POST /merchant/api-keys: the calls that are answered with 400.

import { describe, it } from '@jest/globals';
import { KEY, PATH, shop } from '../fixtures/api-keys.fixture.ts';
import { expectFaults } from '../../support/expectations.ts';

describe('POST /merchant/api-keys: 400', () => {
  it.each([
    [{ name: '' }, ['name']],
    [{ name: 'a'.repeat(101) }, ['name']],
    [{ name: 5 }, ['name']],
    [{ permissions: [] }, ['permissions']],
    [{ permissions: ['READ_PAYMENTS', 'ROOT'] }, ['permissions.1']],
    [{ permissions: 'READ_PAYMENTS x' }, ['permissions']],
    [{ permissions: 'READ_PAYMENTS', ipWhitelist: '10.0.0.1' }, ['permissions', 'ipWhitelist']],
    [
      { ipWhitelist: ['10.0.0.1', '10.0.0.01', '10.0.0.0/33', ' 10.0.0.1', '::1', ''] },
      [1, 2, 3, 4, 5].map((n) => `ipWhitelist.${n}`),
    ],
    [{ ipWhitelist: Array(101).fill('10.0.0.1') }, ['ipWhitelist']],
    [{ name: undefined, permissions: undefined }, ['name', 'permissions']],
    [{ admin: true }, ['admin']],
  ])('%j is 2001', async (fields, paths) => {
    expectFaults(await shop.rest('POST', PATH, { ...KEY, ...fields }), paths);
  });
});
