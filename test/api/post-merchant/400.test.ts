// POST /merchant: the calls that are answered with 400.

import { describe, it } from '@jest/globals';
import { call } from './post-merchant.fixture.ts';
import { expectFaults } from '../../support/expectations.ts';

describe('POST /merchant: 400', () => {
  it('lists every fault (2001)', async () => {
    const faults = await call('POST', '/merchant', { email: 5, password: 'not of this call' });
    expectFaults(faults, ['email', 'companyName', 'password']);
  });
});
