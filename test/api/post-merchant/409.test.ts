// POST /merchant: the calls that are answered with 409.

import { describe, it } from '@jest/globals';
import { body, call } from './post-merchant.fixture.ts';
import { dataOf, expectRefusal } from '../../support/expectations.ts';

describe('POST /merchant: 409', () => {
  it('where the address is taken (2009)', async () => {
    const taken = body();
    dataOf(await call('POST', '/merchant', taken), 201);
    expectRefusal(await call('POST', '/merchant', taken), 409, '2009');
  });
});
