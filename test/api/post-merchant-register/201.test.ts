// POST /merchant/register: the calls that are answered with 201.

import { describe, expect, it } from '@jest/globals';
import { call, gateway, PASSWORD, registration } from '../post-merchant/post-merchant.fixture.ts';
import { dataOf, expectKeys, id } from '../../support/expectations.ts';
import { exchange, rest } from '../../support/clients.ts';

describe('POST /merchant/register: 201', () => {
  it('answers the merchant and a first key pair that may create and read payments', async () => {
    const answer = await call('POST', '/merchant/register', registration());
    const data = dataOf(answer, 201);
    expectKeys(answer.body, ['success', 'data']);
    expectKeys(data, ['merchantId', 'apiKey']);
    expectKeys(data.apiKey, ['keyId', 'secret', 'permissions']);
    expect(data.merchantId).toMatch(id('mer'));
    expect(data.apiKey.keyId).toMatch(id('pk_test'));
    expect(data.apiKey.secret).toMatch(id('sk_test'));
    expect(data.apiKey.permissions).toEqual(['CREATE_PAYMENTS', 'READ_PAYMENTS']);
  });

  it('the key pair can be exchanged for a token', async () => {
    const { apiKey } = dataOf(await call('POST', '/merchant/register', registration()), 201);
    const token = await exchange(gateway, apiKey);
    expect((await rest(gateway, token)('GET', '/payments')).status).toBe(200);
  });

  it('neither the password nor the secret is stored', async () => {
    const { merchantId, apiKey } = dataOf(await call('POST', '/merchant/register', registration()), 201);
    const [row] = await gateway.sql<{ merchant: string; key: string }>(
      `select to_json(m)::text as merchant, to_json(k)::text as key
         from merchant m join api_key k on k.merchant_id = m.id where m.id = $1`,
      [merchantId],
    );
    expect(row?.merchant).toContain('$argon2id$');
    expect(row?.merchant).not.toContain(PASSWORD);
    expect(row?.key).not.toContain(apiKey.secret);
  });

  it.each([
    ['8 characters', 'ünïcödé!'],
    ['8 digits that everybody tries, for the sandbox guards nothing,', '12345678'],
    ['128 characters', '🔑'.repeat(128)],
  ])('a password of %s is taken', async (_, password) => {
    dataOf(await call('POST', '/merchant/register', registration({ password })), 201);
  });

  describe('Idempotency-Key', () => {
    it('a repeat answers the first registration again, without its secret', async () => {
      const headers = { 'idempotency-key': 'registration 1' };
      const body = registration();
      const first = await call('POST', '/merchant/register', body, headers);
      const again = await call('POST', '/merchant/register', body, headers);
      expect(first.headers['idempotent-replayed']).toBeUndefined();
      expect(again.headers['idempotent-replayed']).toBe('true');
      const { apiKey, ...rest } = dataOf(first, 201);
      expect(dataOf(again, 201)).toEqual({ ...rest, apiKey: { ...apiKey, secret: null } });
    });

    it('the key belongs to its e-mail address: another address may use the same', async () => {
      const headers = { 'idempotency-key': 'registration 3' };
      const first = dataOf(await call('POST', '/merchant/register', registration(), headers), 201);
      const second = dataOf(await call('POST', '/merchant/register', registration(), headers), 201);
      expect(second.merchantId).not.toBe(first.merchantId);
    });
  });
});
