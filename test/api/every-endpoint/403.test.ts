// Authorization on every row of the table: 1004 names the missing permission, 1003 the address.

import { beforeAll, describe, expect, it } from '@jest/globals';
import { PERMISSIONS, type Permission } from '../../../src/values/permission.ts';
import { newMerchant, rest, type TestMerchant } from '../../support/clients.ts';
import { dataOf, expectRefusal } from '../../support/expectations.ts';
import { until } from '../../support/until.ts';
import { BY_SECRET, call, gateway, GUARDED, named, ROWS } from './every-endpoint.fixture.ts';

const lacking = new Map<Permission, TestMerchant>();

beforeAll(async () => {
  for (const missing of PERMISSIONS) {
    const others = PERMISSIONS.filter((permission) => permission !== missing);
    lacking.set(missing, await newMerchant(gateway, others));
  }
});

const clerkFor = (need: unknown): TestMerchant => {
  const clerk = lacking.get(need as Permission);
  if (!clerk) throw new Error(`${String(need)} is no permission`);
  return clerk;
};

describe('Missing permission (1004)', () => {
  it.each(named(GUARDED.filter(({ need }) => need !== 'TOKEN')))(
    '%s names it to a caller who has all the others, whatever else is wrong',
    async (_, row) => {
      const clerk = clerkFor(row.need);
      const broken = row.method === 'GET' ? {} : { body: '{"amount":' };
      for (const options of [{}, { id: 'none' }, { query: '?x=1' }, broken]) {
        const { message } = expectRefusal(await call(row, clerk, options), 403, '1004');
        expect(message).toBe(`Missing permission: ${row.need}`);
      }
      const badKey = await call(row, clerk, { headers: { 'idempotency-key': '\u00e4' } });
      expectRefusal(badKey, 403, '1004');
    },
  );

  it.each(named(ROWS.filter(({ name }) => BY_SECRET.includes(name))))(
    '%s names it to the secret of a key as well',
    async (_, row) => {
      const clerk = clerkFor(row.need);
      const bySecret = { rest: rest(gateway, clerk.secret) };
      expect(expectRefusal(await call(row, bySecret), 403, '1004').message).toBe(`Missing permission: ${row.need}`);
    },
  );

  it.each(named(GUARDED.filter(({ need }) => need === 'TOKEN')))(
    '%s wants a token, and no permission',
    async (_, row) => {
      const reader = await newMerchant(gateway, ['READ_PAYMENTS']);
      // A call may still fail for another reason, but not for a missing permission.
      const answer = await call(row, reader);
      expect([200, 201, 404]).toContain(answer.status);
    },
  );
});

describe('Address not allowed (1003)', () => {
  let abroad: TestMerchant;
  beforeAll(async () => {
    abroad = await newMerchant(gateway);
    await gateway.sql(`update api_key set ip_whitelist = '{192.0.2.1}' where key_id = $1`, [abroad.keyId]);
    await until(async () => (await abroad.rest('GET', '/payments')).status === 403);
  });

  it.each(named(GUARDED))('%s is refused to a token from elsewhere, before anything else', async (_, row) => {
    expectRefusal(await call(row, abroad, { body: row.method === 'GET' ? undefined : '{' }), 403, '1003');
  });

  it.each(named(ROWS.filter(({ name }) => BY_SECRET.includes(name))))(
    '%s is refused to a secret from elsewhere',
    async (_, row) => {
      expectRefusal(await call(row, { rest: rest(gateway, abroad.secret) }), 403, '1003');
    },
  );

  it('X-Forwarded-For of just anybody is not believed', async () => {
    const headers = { 'x-forwarded-for': '192.0.2.1', forwarded: 'for=192.0.2.1', 'x-real-ip': '192.0.2.1' };
    expectRefusal(await abroad.rest('GET', '/payments', undefined, headers), 403, '1003');
  });

  it('an empty list allows all', async () => {
    const anywhere = await newMerchant(gateway);
    dataOf(await anywhere.rest('GET', '/payments'));
  });
});
