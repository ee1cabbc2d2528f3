// GET /webhooks/deliveries: the calls that are answered with 400.

import { describe, it } from '@jest/globals';
import { other } from '../fixtures/webhooks/deliveries.fixture.ts';
import { list, merchantWithMany } from './get-webhooks-deliveries.fixture.ts';
import { dataOf, expectFaults } from '../../support/expectations.ts';

describe('GET /webhooks/deliveries: 400', () => {
  it.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=x', 'limit'],
    ['cursor=rubbish', 'cursor'],
    ['status=LOST', 'status'],
    ['event_id=a&event_id=b', 'event_id'],
    ['eventId=evt_1', 'eventId'],
    ['event_type=payment.lost', 'event_type'],
    ['since=soon', 'since'],
    ['until=2026-02-30', 'until'],
  ])('?%s is refused (2001)', async (query, path) => {
    expectFaults(await list(`?${query}`), [path === 'status' ? 'status.0' : path]);
  });

  it("another merchant's cursor, or that of another list, is refused (2001)", async () => {
    const cursor = dataOf(await list('?limit=1')).pagination.nextCursor as string;
    expectFaults(await list(`?cursor=${cursor}`, other), ['cursor']);
    expectFaults(await merchantWithMany.rest('GET', `/payments?cursor=${cursor}`), ['cursor']);
  });
});
