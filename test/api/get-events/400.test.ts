// GET /events: the calls that are answered with 400.

import { describe, it } from '@jest/globals';
import { shop } from '../fixtures/events.fixture.ts';
import { expectFaults } from '../../support/expectations.ts';

describe('GET /events: 400', () => {
  it.each([
    ['after=-1', 'after'],
    ['after=x', 'after'],
    ['after=1.5', 'after'],
    ['after=', 'after'],
    ['after=99999999999', 'after'],
    ['after=1&after=2', 'after'],
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['cursor=x', 'cursor'],
    ['first=1', 'first'],
  ])('?%s is refused (2001)', async (query, path) => {
    expectFaults(await shop.rest('GET', `/events?${query}`), [path]);
  });
});
