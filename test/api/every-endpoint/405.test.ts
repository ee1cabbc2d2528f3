// Methods that a path does not take, on every path of the table: each is rejected with the list of those it takes.

import { describe, expect, it } from '@jest/globals';
import { rest } from '../../support/clients.ts';
import { expectRefusal } from '../../support/expectations.ts';
import { gateway, ROWS } from './every-endpoint.fixture.ts';

const TAKEN = Map.groupBy(ROWS, ({ path }) => path);
const PATHS = [...TAKEN].map(([path, rows]) => [path, rows.map(({ method }) => String(method))] as const);
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND'];

describe('405 (2005)', () => {
  it.each(PATHS)('%s takes %j, and says so to every other method, with a token or without', async (path, taken) => {
    const takes = [...taken, ...(taken.includes('GET') ? ['HEAD'] : [])];
    for (const method of METHODS.filter((one) => !takes.includes(one))) {
      const answer = await rest(gateway)(method, path.replace(/:\w+/, 'ord_1'));
      expect([method, answer.status]).toEqual([method, 405]);
      if (method !== 'HEAD') expectRefusal(answer, 405, '2005');
      expect(answer.headers.allow?.split(', ').sort()).toEqual([...taken].sort());
      expect(answer.headers).toHaveProperty('ratelimit-remaining');
    }
  });

  it.each(PATHS)('%s: OPTIONS answers what it takes', async (path, taken) => {
    const answer = await rest(gateway)('OPTIONS', path.replace(/:\w+/, 'ord_1'));
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(answer.headers.allow?.split(', ').sort()).toEqual([...taken].sort());
  });
});
