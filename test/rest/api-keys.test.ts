// The contract of the API-key calls: who may make, change and revoke which key, and how fast that holds.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PERMISSIONS, type Permission } from '../../src/values/permission.ts';
import { exchange, newMerchant, rest, send, USDT_PAYMENT, type TestMerchant } from '../support/clients.ts';
import { dataOf, expectFaults, expectKeys, expectRefusal, ISO } from '../support/expectations.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { untilPasses } from '../support/until.ts';

let gateway: TestGateway;
let shop: TestMerchant;

beforeAll(async () => {
  gateway = await startTestGateway({ TRUST_PROXY: '127.0.0.1' });
});
afterAll(() => gateway.stop());
beforeEach(async () => {
  shop = await newMerchant(gateway);
});

const PATH = '/merchant/api-keys';
const KEY = { name: 'Till 1', permissions: ['CREATE_PAYMENTS', 'READ_PAYMENTS'], ipWhitelist: ['203.0.113.7'] };
const RECORD_KEYS = ['keyId', 'name', 'permissions', 'ipWhitelist', 'createdAt', 'lastUsedAt', 'revokedAt'];

interface NewKey {
  keyId: string;
  secret: string;
}
const make = async (fields: object = {}, by = shop.rest): Promise<NewKey> =>
  dataOf(await by('POST', PATH, { name: 'Key', permissions: PERMISSIONS, ...fields }), 201) as NewKey;

/** A client of this merchant whose token has these permissions and no others. */
const clerk = async (permissions: readonly Permission[]) =>
  rest(gateway, await exchange(gateway, await make({ permissions })));

describe('POST /merchant/api-keys', () => {
  it('answers the key with its secret, which works at once', async () => {
    const created = dataOf(await shop.rest('POST', PATH, { ...KEY, ipWhitelist: [] }), 201);
    expectKeys(created, ['keyId', 'secret', 'name', 'permissions', 'ipWhitelist', 'createdAt']);
    expect(created).toMatchObject({
      name: 'Till 1',
      permissions: ['READ_PAYMENTS', 'CREATE_PAYMENTS'],
      ipWhitelist: [],
    });
    expect(created.keyId).toMatch(/^pk_test_[0-9a-z]{22,}$/);
    expect(created.secret).toMatch(/^sk_test_[0-9a-z]{22,}$/);
    expect(created.createdAt).toMatch(ISO);
    const token = await exchange(gateway, created as NewKey);
    dataOf(await rest(gateway, token)('POST', '/payments', USDT_PAYMENT), 201);
    expectRefusal(await rest(gateway, token)('GET', '/wallet/balance'), 403, '1004');
  });

  it('needs a valid token and no permission in particular', async () => {
    const reader = await clerk(['READ_PAYMENTS']);
    await make({ permissions: ['READ_PAYMENTS'] }, reader);
    expectRefusal(await rest(gateway)('POST', PATH, KEY), 401, '1001');
  });

  it('gives nobody what the caller lacks: 1004 names the first, in the order of the specification', async () => {
    const reader = await clerk(['READ_PAYMENTS', 'WITHDRAW']);
    const wanted = { ...KEY, permissions: ['MANAGE_SETTINGS', 'READ_WALLET', 'READ_PAYMENTS'] };
    const error = expectRefusal(await reader('POST', PATH, wanted), 403, '1004');
    expect(error.message).toBe('Missing permission: READ_WALLET');
    expect((dataOf(await shop.rest('GET', PATH)).items as unknown[]).length).toBe(2);
  });

  it('once more with the same Idempotency-Key answers the same, without the secret', async () => {
    const headers = { 'idempotency-key': 'a key' };
    const first = dataOf(await shop.rest('POST', PATH, KEY, headers), 201);
    const again = await shop.rest('POST', PATH, KEY, headers);
    expect(dataOf(again, 201)).toEqual({ ...first, secret: null });
    expect(again.headers['idempotent-replayed']).toBe('true');
    expectRefusal(await shop.rest('POST', PATH, { ...KEY, name: 'Other' }, headers), 422, '2002');
    expect((dataOf(await shop.rest('GET', PATH)).items as unknown[]).length).toBe(2);
  });

  it.each([
    [{ name: '' }, ['name']],
    [{ name: 'a'.repeat(101) }, ['name']],
    [{ name: 5 }, ['name']],
    [{ permissions: [] }, ['permissions']],
    [{ permissions: ['READ_PAYMENTS', 'ROOT'] }, ['permissions.1']],
    [{ permissions: 'READ_PAYMENTS x' }, ['permissions']],
    [
      { ipWhitelist: ['10.0.0.1', '10.0.0.01', '10.0.0.0/33', ' 10.0.0.1', '::1', ''] },
      [1, 2, 3, 4, 5].map((n) => `ipWhitelist.${n}`),
    ],
    [{ ipWhitelist: Array(101).fill('10.0.0.1') }, ['ipWhitelist']],
    [{ name: undefined, permissions: undefined }, ['name', 'permissions']],
    [{ admin: true }, ['admin']],
  ])('%j is 2001', async (fields, paths) => {
    expectFaults(await shop.rest('POST', PATH, { ...KEY, ...fields }), paths);
  });
});

describe('GET /merchant/api-keys', () => {
  it('answers every key, newest first, without secrets, those of others not', async () => {
    const { keyId } = await make({ name: 'Second' });
    const other = await newMerchant(gateway);
    const { items, ...rest } = dataOf(await shop.rest('GET', PATH));
    expect(rest).toEqual({});
    expect((items as NewKey[]).map((item) => item.keyId)).toEqual([keyId, shop.keyId]);
    for (const item of items as object[]) expectKeys(item, RECORD_KEYS);
    expect(JSON.stringify(items)).not.toContain(other.keyId);
  });

  it('says when a key was last used, within seconds', async () => {
    const key = await make();
    const lastUsed = async () => {
      const { items } = dataOf(await shop.rest('GET', PATH));
      return (items as { keyId: string; lastUsedAt: string | null }[]).find(({ keyId }) => keyId === key.keyId)
        ?.lastUsedAt;
    };
    expect(await lastUsed()).toBeNull();
    await rest(gateway, await exchange(gateway, key))('GET', '/payments');
    await untilPasses(async () => expect(await lastUsed()).toMatch(ISO));
  });
});

describe('PUT /merchant/api-keys/{keyId}', () => {
  it('changes what is sent and nothing else', async () => {
    const { keyId } = await make(KEY);
    const changed = dataOf(await shop.rest('PUT', `${PATH}/${keyId}`, { ipWhitelist: ['198.51.100.0/24'] }));
    expectKeys(changed, RECORD_KEYS);
    expect(changed).toMatchObject({
      name: 'Till 1',
      permissions: ['READ_PAYMENTS', 'CREATE_PAYMENTS'],
      ipWhitelist: ['198.51.100.0/24'],
    });
    expect(dataOf(await shop.rest('PUT', `${PATH}/${keyId}`, { name: 'Till 2' }))).toMatchObject({
      name: 'Till 2',
      ipWhitelist: ['198.51.100.0/24'],
    });
  });

  it('holds for tokens already issued within a second', async () => {
    const key = await make();
    const till = rest(gateway, await exchange(gateway, key));
    dataOf(await till('GET', '/payments'));
    const changedAt = performance.now();
    dataOf(await shop.rest('PUT', `${PATH}/${key.keyId}`, { permissions: ['READ_WALLET'] }));
    await untilPasses(async () => expectRefusal(await till('GET', '/payments'), 403, '1004'));
    expect(performance.now() - changedAt).toBeLessThan(1_000);
    dataOf(await till('GET', '/wallet/balance'));
    dataOf(await shop.rest('PUT', `${PATH}/${key.keyId}`, { ipWhitelist: ['203.0.113.0/24'] }));
    await untilPasses(async () => expectRefusal(await till('GET', '/wallet/balance'), 403, '1003'));
    const from = (ip: string) => till('GET', '/wallet/balance', undefined, { 'x-forwarded-for': ip });
    dataOf(await from('203.0.113.200'));
    dataOf(await from('::ffff:203.0.113.200'));
    expectRefusal(await from('203.0.114.1'), 403, '1003');
  });

  it('is refused to who lacks an old or a new permission of the key', async () => {
    const { keyId } = await make({ permissions: ['READ_PAYMENTS', 'WITHDRAW'] });
    const reader = await clerk(['READ_PAYMENTS']);
    const refusal = expectRefusal(
      await reader('PUT', `${PATH}/${keyId}`, { permissions: ['READ_PAYMENTS'] }),
      403,
      '1004',
    );
    expect(refusal.message).toBe('Missing permission: WITHDRAW');
    expectRefusal(await reader('PUT', `${PATH}/${keyId}`, { name: 'Mine' }), 403, '1004');
    const own = await make({ permissions: ['READ_PAYMENTS'] });
    expectRefusal(await reader('PUT', `${PATH}/${own.keyId}`, { permissions: ['READ_WALLET'] }), 403, '1004');
    dataOf(await reader('PUT', `${PATH}/${own.keyId}`, { name: 'Fine' }));
  });

  it("another merchant's key is no other than one that never was", async () => {
    const other = await newMerchant(gateway);
    const headers = { 'x-request-id': 'same' };
    const put = (keyId: string) => shop.rest('PUT', `${PATH}/${keyId}`, { name: 'Mine' }, headers);
    const foreign = await put(other.keyId);
    expectRefusal(foreign, 404, '2004');
    expect((await put(`${other.keyId.slice(0, -1)}x`)).text).toBe(foreign.text);
    expect((await put('nonsense')).text).toBe(foreign.text);
    expect((await shop.rest('DELETE', `${PATH}/${other.keyId}`, undefined, headers)).text).toBe(foreign.text);
  });
});

describe('DELETE /merchant/api-keys/{keyId}', () => {
  it('revokes for good, issued tokens within a second, and once more changes nothing', async () => {
    const key = await make();
    const till = rest(gateway, await exchange(gateway, key));
    dataOf(await till('GET', '/payments'));
    const revokedAt = performance.now();
    const revoked = dataOf(await shop.rest('DELETE', `${PATH}/${key.keyId}`));
    expect(revoked.revokedAt).toMatch(ISO);
    await untilPasses(async () => expectRefusal(await till('GET', '/payments'), 401, '1006'));
    expect(performance.now() - revokedAt).toBeLessThan(1_000);
    expectRefusal(await rest(gateway)('POST', '/auth/token', { keyId: key.keyId, secret: key.secret }), 401, '1006');
    const again = dataOf(await shop.rest('DELETE', `${PATH}/${key.keyId}`));
    expect(again.revokedAt).toBe(revoked.revokedAt);
  });

  it('is refused to who lacks a permission of the key', async () => {
    const reader = await clerk(['READ_PAYMENTS']);
    expectRefusal(await reader('DELETE', `${PATH}/${shop.keyId}`), 403, '1004');
    dataOf(await shop.rest('GET', PATH));
  });
});

describe('the secret', () => {
  it('is nowhere in the database and in no other answer', async () => {
    const { secret } = await make();
    const [row] = await gateway.sql<{ found: boolean }>(
      `select exists (select from api_key k where k::text like '%' || $1 || '%')
         or exists (select from idempotency i where i::text like '%' || $1 || '%')
         or exists (select from audit_log a where a::text like '%' || $1 || '%') as found`,
      [secret],
    );
    expect(row).toEqual({ found: false });
    const answer = await send({
      method: 'GET',
      url: `${gateway.url}/api/v1${PATH}`,
      headers: { authorization: `Bearer ${shop.token}` },
    });
    expect(answer.text).not.toContain('sk_test_');
  });
});
