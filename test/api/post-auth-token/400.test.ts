// POST /auth/token: the calls that are answered with 400.

import { describe, it } from '@jest/globals';
import { call } from './post-auth-token.fixture.ts';
import { expectFaults } from '../../support/expectations.ts';

describe('POST /auth/token: 400', () => {
  it('lists every fault (2001)', async () => {
    expectFaults(await call('POST', '/auth/token', {}), ['keyId', 'secret']);
    const body = { keyId: true, secret: 5, ttl: 9 };
    expectFaults(await call('POST', '/auth/token', body), ['keyId', 'secret', 'ttl']);
  });
});
