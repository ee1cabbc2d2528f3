// GET /payments: the calls that are answered with 400.

import { describe, it } from '@jest/globals';
import { other } from '../fixtures/payments.fixture.ts';
import { list } from './get-payments.fixture.ts';
import { dataOf, expectFaults, expectRefusal } from '../../support/expectations.ts';

describe('GET /payments: 400', () => {
  it.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=-1', 'limit'],
    ['limit=ten', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=', 'limit'],
    ['limit=9999999999', 'limit'],
    ['limit=1&limit=2', 'limit'],
    ['status=PAID', 'status.0'],
    ['status=PENDING&status=', 'status.1'],
    ['status[]=PENDING&status[1]=PAID', 'status.1'],
    ['status[x]=PENDING', 'status[x]'],
    ['status[0][0]=PENDING', 'status[0][0]'],
    ['limit[]=5', 'limit[]'],
    ['[]=5', '[]'],
    ['startDate=yesterday', 'startDate'],
    ['startDate=2026-02-30', 'startDate'],
    ['endDate=2026-13-01', 'endDate'],
    ['endDate=1%20January%202026', 'endDate'],
    ['merchantOrderId=', 'merchantOrderId'],
    ['merchantOrderId=%00', 'merchantOrderId'],
    ['cursor=', 'cursor'],
    ['cursor=rubbish', 'cursor'],
    ['cursor=%F0%9F%92%A9', 'cursor'],
    ['page=2', 'page'],
    ['Limit=5', 'Limit'],
    ['first=5', 'first'],
    ['filter=5', 'filter'],
    ['__proto__=5', '__proto__'],
    ['constructor=5', 'constructor'],
  ])('?%s is refused (2001)', async (query, path) => {
    expectFaults(await list(`?${query}`), [path]);
  });

  it('lists every fault at once (2001)', async () => {
    expectFaults(await list('?limit=0&status=PAID&startDate=x&page=2'), ['limit', 'status.0', 'startDate', 'page']);
  });

  it('an unknown network or currency, or the two not together, is 3001', async () => {
    for (const query of ['network=nowhere', 'currency=XYZ', 'currency=XYZ&network=ETH', 'currency=BTC&network=ETH'])
      expectRefusal(await list(`?${query}`), 400, '3001');
  });

  it('a cursor that was changed, or that another merchant was given, is refused (2001)', async () => {
    const cursor = dataOf(await list('?limit=1')).pagination.nextCursor as string;
    const middle = Math.floor(cursor.length / 2);
    const changed = cursor.slice(0, middle) + (cursor[middle] === 'A' ? 'B' : 'A') + cursor.slice(middle + 1);
    expectFaults(await list(`?cursor=${changed}`), ['cursor']);
    expectFaults(await list(`?cursor=${cursor}A`), ['cursor']);
    expectFaults(await list(`?cursor=${cursor.slice(0, -4)}`), ['cursor']);
    expectFaults(await other.rest('GET', `/payments?cursor=${cursor}`), ['cursor']);
    dataOf(await list(`?cursor=${cursor}`));
  });
});
