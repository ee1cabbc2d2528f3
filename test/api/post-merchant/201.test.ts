// POST /merchant: the calls that are answered with 201.

import { describe, expect, it } from '@jest/globals';
import { body, call } from './post-merchant.fixture.ts';
import { dataOf, expectKeys, id, ISO } from '../../support/expectations.ts';
import { PERMISSIONS } from '../../../src/values/permission.ts';

describe('POST /merchant: 201', () => {
  it('answers a merchant with a key that holds all eight permissions, and a message', async () => {
    const { email, companyName } = body();
    const answer = await call('POST', '/merchant', { email: email.toUpperCase(), companyName });
    const data = dataOf(answer, 201);
    expectKeys(answer.body, ['success', 'data', 'message']);
    expect(answer.body.message).toMatch(/\S/);
    expect(data).toEqual({
      merchant: {
        id: expect.stringMatching(id('mer')),
        email,
        companyName,
        createdAt: expect.stringMatching(ISO),
      },
      apiKey: { keyId: expect.stringMatching(id('pk_test')), key: expect.stringMatching(id('sk_test')) },
    });
    const { keyId, key: secret } = data.apiKey;
    const token = dataOf(await call('POST', '/auth/token', { keyId, secret }));
    expect(token.permissions).toEqual(PERMISSIONS);
  });

  it('a repeat with the same Idempotency-Key shows no key', async () => {
    const headers = { 'idempotency-key': 'merchant 1' };
    const same = body();
    const first = dataOf(await call('POST', '/merchant', same, headers), 201);
    const again = await call('POST', '/merchant', same, headers);
    expect(dataOf(again, 201)).toEqual({ ...first, apiKey: { ...first.apiKey, key: null } });
    expect(again.headers['idempotent-replayed']).toBe('true');
  });
});
