// GET /merchant/api-keys: the calls that are answered with 200.

import { describe, expect, it } from '@jest/globals';
import { gateway, KEY, make, type NewKey, PATH, RECORD_KEYS, shop } from '../fixtures/api-keys.fixture.ts';
import { dataOf, expectKeys, expectRefusal, ISO } from '../../support/expectations.ts';
import { exchange, newMerchant, rest, send } from '../../support/clients.ts';

describe('GET /merchant/api-keys: 200', () => {
  it('once more with the same Idempotency-Key answers the same, without the secret', async () => {
    const headers = { 'idempotency-key': 'a key' };
    const first = dataOf(await shop.rest('POST', PATH, KEY, headers), 201);
    const again = await shop.rest('POST', PATH, KEY, headers);
    expect(dataOf(again, 201)).toEqual({ ...first, secret: null });
    expect(again.headers['idempotent-replayed']).toBe('true');
    expectRefusal(await shop.rest('POST', PATH, { ...KEY, name: 'Other' }, headers), 422, '2002');
    expect((dataOf(await shop.rest('GET', PATH)).items as unknown[]).length).toBe(2);
  });

  it('answers every key, newest first, without secrets, those of others not', async () => {
    const { keyId } = await make({ name: 'Second' });
    const other = await newMerchant(gateway);
    const { items, ...rest } = dataOf(await shop.rest('GET', PATH));
    expect(rest).toEqual({});
    expect((items as NewKey[]).map((item) => item.keyId)).toEqual([keyId, shop.keyId]);
    for (const item of items as object[]) expectKeys(item, RECORD_KEYS);
    expect(JSON.stringify(items)).not.toContain(other.keyId);
  });

  it('says when a key was last used, this call included', async () => {
    const key = await make();
    const lastUsed = async ({ keyId }: { readonly keyId: string }) => {
      const { items } = dataOf(await shop.rest('GET', PATH));
      return (items as { keyId: string; lastUsedAt: string | null }[]).find((item) => item.keyId === keyId)?.lastUsedAt;
    };
    expect(await lastUsed(shop)).toMatch(ISO);
    expect(await lastUsed(key)).toBeNull();
    await rest(gateway, await exchange(gateway, key))('GET', '/payments');
    expect(await lastUsed(key)).toMatch(ISO);
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
});
