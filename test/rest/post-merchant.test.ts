// The contract of both registrations: POST /merchant/register, and POST /merchant of the sandbox.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PERMISSIONS } from '../../src/values/permission.ts';
import { exchange, newEmail, rest, type Rest } from '../support/clients.ts';
import { dataOf, expectFaults, expectKeys, expectRefusal, id, ISO } from '../support/expectations.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';

let gateway: TestGateway;
let call: Rest;

beforeAll(async () => {
  gateway = await startTestGateway();
  call = rest(gateway);
});
afterAll(() => gateway.stop());

const PASSWORD = 'correct horse battery';
const registration = (fields: object = {}) => ({
  email: newEmail(),
  companyName: 'Café & Söhne',
  password: PASSWORD,
  ...fields,
});

describe('POST /merchant/register', () => {
  describe('201', () => {
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
      ['128 characters', '🔑'.repeat(128)],
    ])('a password of %s is taken', async (_, password) => {
      dataOf(await call('POST', '/merchant/register', registration({ password })), 201);
    });
  });

  describe('400', () => {
    it('lists every missing field (2001)', async () => {
      for (const body of [{}, '']) {
        expectFaults(await call('POST', '/merchant/register', body), ['email', 'companyName', 'password']);
      }
    });

    it('lists every fault at once: of form, of type, and unknown fields (2001)', async () => {
      const body = { email: 'nobody', companyName: 7, password: 'short', isAdmin: true, permissions: ['WITHDRAW'] };
      const paths = ['email', 'companyName', 'password', 'isAdmin', 'permissions'];
      expectFaults(await call('POST', '/merchant/register', body), paths);
    });

    it.each([
      ['email', 'a@b'],
      ['email', 'a b@example.com'],
      ['email', 'a@@example.com'],
      ['email', `${'a'.repeat(65)}@example.com`],
      ['email', 'a@example.com\u0000'],
      ['email', null],
      ['companyName', '   '],
      ['companyName', 'x'.repeat(201)],
      ['companyName', 'NUL\u0000'],
      ['password', 'seven77'],
      ['password', 'x'.repeat(129)],
      ['password', 'Password123'],
      ['password', 12_345_678],
    ])('%s may not be %j (2001)', async (field, value) => {
      expectFaults(await call('POST', '/merchant/register', registration({ [field]: value })), [field]);
    });

    it('an unpaired surrogate in a text is refused (2001)', async () => {
      const body = `{"email":"${newEmail()}","companyName":"half \\ud83d","password":"${PASSWORD}"}`;
      expectFaults(await call('POST', '/merchant/register', body), ['companyName']);
    });

    it('a field named __proto__ is an unknown field like any other (2001)', async () => {
      const body = JSON.stringify(registration()).replace('{', '{"__proto__":{"permissions":["WITHDRAW"]},');
      expectFaults(await call('POST', '/merchant/register', body), ['__proto__']);
    });

    it.each(['[]', 'null', '"text"', '7'])('a body that is %s and no object is refused (2001)', async (body) => {
      expectFaults(await call('POST', '/merchant/register', body), ['']);
    });

    it('an unknown query parameter is refused (2001)', async () => {
      expectFaults(await call('POST', '/merchant/register?force=1', registration()), ['force']);
    });
  });

  describe('409', () => {
    it('an address is registered once, in whatever case (2009)', async () => {
      const first = registration();
      dataOf(await call('POST', '/merchant/register', first), 201);
      const again = { ...first, email: first.email.toUpperCase() };
      expectRefusal(await call('POST', '/merchant/register', again), 409, '2009');
    });

    it('of registrations of one address at once exactly one succeeds', async () => {
      const body = registration();
      const answers = await Promise.all(Array.from({ length: 6 }, () => call('POST', '/merchant/register', body)));
      expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1);
      for (const answer of answers.filter(({ status }) => status !== 201)) expectRefusal(answer, 409, '2009');
    });
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

    it('with another input it is 2002, and a failure is not kept', async () => {
      const headers = { 'idempotency-key': 'registration 2' };
      const body = registration();
      expectFaults(await call('POST', '/merchant/register', { ...body, companyName: '' }, headers), ['companyName']);
      dataOf(await call('POST', '/merchant/register', body, headers), 201);
      const other = { ...body, companyName: 'Another' };
      expectRefusal(await call('POST', '/merchant/register', other, headers), 422, '2002');
    });

    it('the key belongs to its e-mail address: another address may use the same', async () => {
      const headers = { 'idempotency-key': 'registration 3' };
      const first = dataOf(await call('POST', '/merchant/register', registration(), headers), 201);
      const second = dataOf(await call('POST', '/merchant/register', registration(), headers), 201);
      expect(second.merchantId).not.toBe(first.merchantId);
    });
  });
});

describe('POST /merchant', () => {
  const body = () => ({ email: newEmail(), companyName: 'Test shop' });

  it('201 answers a merchant with a key that holds all eight permissions, and a message', async () => {
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

  it('400 lists every fault (2001)', async () => {
    const faults = await call('POST', '/merchant', { email: 5, password: 'not of this call' });
    expectFaults(faults, ['email', 'companyName', 'password']);
  });

  it('409 where the address is taken (2009)', async () => {
    const taken = body();
    dataOf(await call('POST', '/merchant', taken), 201);
    expectRefusal(await call('POST', '/merchant', taken), 409, '2009');
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
