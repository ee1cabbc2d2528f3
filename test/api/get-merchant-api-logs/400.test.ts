// GET /merchant/api-logs: the calls that are answered with 400.

import { describe, it } from '@jest/globals';
import { PATH, shop } from '../fixtures/api-logs.fixture.ts';
import { expectFaults } from '../../support/expectations.ts';

describe('GET /merchant/api-logs: 400', () => {
  it.each([
    ['?limit=0', ['limit']],
    ['?limit=101&startDate=2026-02-30', ['limit', 'startDate']],
    ['?cursor=nonsense', ['cursor']],
    ['?since=1', ['since']],
    ['?method=get&statusClass=6&path=api', ['method', 'path', 'statusClass']],
    ['?source=COOKIE&errorCode=%20&statusClass=4xx', ['errorCode', 'source', 'statusClass']],
  ])('%s is 2001', async (query, paths) => {
    expectFaults(await shop.rest('GET', `${PATH}${query}`), paths);
  });
});
