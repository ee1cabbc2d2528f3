// Authentication on every row of the table: no token is 1001, an invalid one is 1002, and which calls accept a secret
// as the token.

import { describe, expect, it } from '@jest/globals';
import { newMerchant, rest } from '../../support/clients.ts';
import { dataOf, expectRefusal } from '../../support/expectations.ts';
import { BY_SECRET, call, gateway, GUARDED, named, ROWS, shop } from './every-endpoint.fixture.ts';

describe('401', () => {
  it.each(named(GUARDED))('%s wants a token (1001), before anything about the request', async (_, row) => {
    const nobody = { rest: rest(gateway) };
    const answers = [await call(row, nobody), await call(row, nobody, { id: 'none', query: '?limit=0&x=1' })];
    if (row.method !== 'GET') {
      answers.push(
        await call(row, nobody, { body: '{"amount":' }),
        await call(row, nobody, { body: 'x'.repeat(200_000) }),
      );
      answers.push(await call(row, nobody, { body: 'x', headers: { 'content-type': 'text/plain' } }));
      answers.push(await call(row, nobody, { headers: { 'idempotency-key': '\u00e4' } }));
    }
    for (const answer of answers) {
      expectRefusal(answer, 401, '1001');
      expect(answer.headers['www-authenticate']).toBe('Bearer');
    }
  });

  it.each(named(GUARDED))('%s refuses an invalid token (1002)', async (_, row) => {
    expectRefusal(await call(row, { rest: rest(gateway, 'a.b.c') }), 401, '1002');
  });

  it.each(named(ROWS.filter(({ need }) => need === null)))('%s passes over one: it needs none', async (_, row) => {
    const answer = await call(row, { rest: rest(gateway, 'a.b.c') });
    expect(answer.status).toBe(row.status);
  });

  it.each([
    ...['', 'Bearer', 'Bearer ', 'Basic c2hvcDpwYXNz', 'rubbish', 'Bearerx'].map((none) => [none, '1001'] as const),
    ...['Bearer a b', 'Bearer rubbish', 'bearer  rubbish ', 'Bearer a.b.c'].map((bad) => [bad, '1002'] as const),
  ])('Authorization: %j is %s', async (authorization, code) => {
    expectRefusal(await rest(gateway)('GET', '/payments', undefined, { authorization }), 401, code);
  });

  it.each(named(GUARDED))(
    '%s: a secret is no token, except on the three calls that take one (1002)',
    async (_, row) => {
      const bySecret = { rest: rest(gateway, shop.secret) };
      if (BY_SECRET.includes(row.name)) dataOf(await call(row, bySecret), row.status);
      else expectRefusal(await call(row, bySecret), 401, '1002');
    },
  );

  it.each(named(ROWS.filter(({ name }) => BY_SECRET.includes(name))))(
    '%s: a wrong secret is 1002, one of the other environment 1007, one of a revoked key 1006',
    async (_, row) => {
      expectRefusal(await call(row, { rest: rest(gateway, `${shop.secret}0`) }), 401, '1002');
      expectRefusal(await call(row, { rest: rest(gateway, 'sk_live_0') }), 401, '1007');
      const former = await newMerchant(gateway);
      await gateway.sql('update api_key set revoked_at = now() where key_id = $1', [former.keyId]);
      expectRefusal(await call(row, { rest: rest(gateway, former.secret) }), 401, '1006');
    },
  );
});
