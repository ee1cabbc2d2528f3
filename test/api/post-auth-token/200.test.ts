// POST /auth/token: the calls that are answered with 200.

import { describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { call, gateway, shop } from './post-auth-token.fixture.ts';
import { dataOf, expectKeys, ISO } from '../../support/expectations.ts';
import { rest } from '../../support/clients.ts';

describe('POST /auth/token: 200', () => {
  it('answers the access-token object', async () => {
    const { keyId, secret } = shop;
    const before = Date.now();
    const answer = await call('POST', '/auth/token', { keyId, secret });
    const data = dataOf(answer);
    expectKeys(answer.body, ['success', 'data']);
    expectKeys(data, ['accessToken', 'tokenType', 'expiresIn', 'expiresAt', 'permissions']);
    expect(data).toMatchObject({ tokenType: 'Bearer', expiresIn: 86_400, expiresAt: expect.stringMatching(ISO) });
    expect(data.permissions).toEqual(['CREATE_PAYMENTS', 'READ_WALLET']);
    const { exp = 0, aud, jti, iss } = decodeJwt(data.accessToken as string);
    expect(new Date(exp * 1_000).toISOString()).toBe(data.expiresAt);
    expect(exp * 1_000 - before).toBeGreaterThan(86_390_000);
    expect([aud, typeof jti, typeof iss]).toEqual(['sandbox', 'string', 'string']);
  });

  it('every exchange gives another token', async () => {
    const { keyId, secret } = shop;
    const [first, second] = await Promise.all([1, 2].map(() => call('POST', '/auth/token', { keyId, secret })));
    expect(first?.body.data.accessToken).not.toBe(second?.body.data.accessToken);
  });

  it('a bearer that is no token does not matter: none is needed', async () => {
    const { keyId, secret } = shop;
    dataOf(await rest(gateway, 'rubbish')('POST', '/auth/token', { keyId, secret }));
  });
});
