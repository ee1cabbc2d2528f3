// Who may call: tokens, forged ones, revoked keys, allow-lists, permissions, and the order of these checks.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT, type JWTHeaderParameters } from 'jose';
import { deriveSecrets } from '../../src/values/secrets.ts';
import { newMerchant, rest, USDT_PAYMENT, type TestMerchant } from '../support/clients.ts';
import { dataOf, expectRefusal } from '../support/expectations.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { until } from '../support/until.ts';

const SECRET = 'a secret of this test, with more than 32 characters';
const { tokenKey } = deriveSecrets(SECRET);
let gateway: TestGateway;
let shop: TestMerchant;

beforeAll(async () => {
  gateway = await startTestGateway({ TURNPIKE_SECRET: SECRET });
  shop = await newMerchant(gateway);
});
afterAll(() => gateway.stop());

const UNKNOWN = 'ord_00000000000000000000000000000000';
const GUARDED = [
  ['POST', '/payments', 'CREATE_PAYMENTS'],
  ['GET', '/payments', 'READ_PAYMENTS'],
  ['GET', `/payments/${UNKNOWN}`, 'READ_PAYMENTS'],
  ['DELETE', `/payments/${UNKNOWN}`, 'CANCEL_PAYMENTS'],
  ['GET', '/wallet/balance', 'READ_WALLET'],
  ['PUT', '/merchant/webhook', 'MANAGE_WEBHOOKS'],
  ['GET', '/webhooks/deliveries/evt_0', 'MANAGE_WEBHOOKS'],
  ['POST', `/sandbox/payments/${UNKNOWN}/deposit`, 'CREATE_PAYMENTS'],
  ['POST', `/sandbox/payments/${UNKNOWN}/expire`, 'CREATE_PAYMENTS'],
] as const;

interface Forgery {
  readonly claims?: Record<string, unknown>;
  readonly header?: Partial<JWTHeaderParameters>;
  readonly key?: Uint8Array;
}

/** A token as the gateway would issue it, but for what the forgery changes; undefined takes a claim away. */
async function forge({ claims = {}, header = {}, key = tokenKey }: Forgery = {}): Promise<string> {
  const now = Math.floor(Date.now() / 1_000);
  const own = { sub: shop.id, key: shop.keyId, permissions: ['READ_PAYMENTS'], iss: 'turnpike', aud: 'sandbox' };
  const payload = { ...own, jti: 'forged', iat: now, exp: now + 600, ...claims };
  return new SignJWT(payload).setProtectedHeader({ alg: 'HS256', typ: 'JWT', ...header }).sign(key);
}

const read = (token: string) => rest(gateway, token)('GET', '/payments');

describe('401', () => {
  it.each(GUARDED.map(([method, path]) => [method, path] as const))(
    '%s %s without a token is 1001',
    async (method, path) => {
      const answer = await rest(gateway)(method, path);
      expectRefusal(answer, 401, '1001');
      expect(answer.headers['www-authenticate']).toBe('Bearer');
    },
  );

  it.each(['', 'Bearer', 'Bearer ', 'Basic c2hvcDpwYXNz', 'Bearer a b', 'rubbish', 'Bearer rubbish', 'Bearer a.b.c'])(
    'Authorization: %j is 1002',
    async (authorization) => {
      expectRefusal(await rest(gateway)('GET', '/payments', undefined, { authorization }), 401, '1002');
    },
  );

  it('a secret is no token, except where webhooks are managed (1002)', async () => {
    const bySecret = rest(gateway, shop.secret);
    for (const [method, path, permission] of GUARDED) {
      const answer = await bySecret(method, path, method === 'PUT' ? {} : undefined);
      if (permission === 'MANAGE_WEBHOOKS') expect([400, 404]).toContain(answer.status);
      else expectRefusal(answer, 401, '1002');
    }
    expectRefusal(await rest(gateway, `${shop.secret}0`)('PUT', '/merchant/webhook', {}), 401, '1002');
    expectRefusal(await rest(gateway, 'sk_live_0')('PUT', '/merchant/webhook', {}), 401, '1007');
  });
});

describe('a forged token', () => {
  it('is as good as ours when it is made exactly so: what follows is refused for its one difference', async () => {
    dataOf(await read(await forge()));
    dataOf(await read(await forge({ claims: { exp: Math.floor(Date.now() / 1_000) + 60 } })));
  });

  it.each<[string, Forgery]>([
    ['has expired', { claims: { exp: Math.floor(Date.now() / 1_000) - 1 } }],
    ['never expires', { claims: { exp: undefined } }],
    ['has no id', { claims: { jti: undefined } }],
    ['is for nobody', { claims: { aud: undefined } }],
    ['is for somebody else', { claims: { aud: 'elsewhere' } }],
    ['is for both environments', { claims: { aud: ['sandbox', 'live'] } }],
    ['has another issuer', { claims: { iss: 'turnpike.example' } }],
    ['has no issuer', { claims: { iss: undefined } }],
    ['has no subject', { claims: { sub: undefined } }],
    ['names no key', { claims: { key: undefined } }],
    ['names a key that does not exist', { claims: { key: 'pk_test_none' } }],
    ['has permissions that are no list', { claims: { permissions: 'READ_PAYMENTS' } }],
    ['is not valid yet', { claims: { nbf: Math.floor(Date.now() / 1_000) + 600 } }],
    ['is signed with another key', { key: new Uint8Array(32) }],
    ['is signed with the deployment secret itself', { key: new TextEncoder().encode(SECRET) }],
    ['is signed with another algorithm', { header: { alg: 'HS512' }, key: Buffer.concat([tokenKey, tokenKey]) }],
    ['names a key by kid', { header: { kid: '../../dev/null' } }],
    ['names a key by jku', { header: { jku: 'https://example.com/keys' } }],
    ['names a key by x5u', { header: { x5u: 'https://example.com/chain' } }],
  ])('that %s is 1002', async (_, forgery) => {
    expectRefusal(await read(await forge(forgery)), 401, '1002');
  });

  it('of the other environment is 1007, and only when it is well signed', async () => {
    expectRefusal(await read(await forge({ claims: { aud: 'live' } })), 401, '1007');
    expectRefusal(await read(await forge({ claims: { aud: 'live' }, key: new Uint8Array(32) })), 401, '1002');
  });

  it('without a signature is 1002, under whatever spelling of none', async () => {
    const unsecured = new UnsecuredJWT({ sub: shop.id, key: shop.keyId, permissions: ['READ_PAYMENTS'] })
      .setIssuer('turnpike')
      .setAudience('sandbox')
      .setJti('none')
      .setExpirationTime('1h')
      .encode();
    const [, payload = ''] = unsecured.split('.');
    for (const alg of ['none', 'None', 'NONE', 'nOnE', '']) {
      const header = Buffer.from(JSON.stringify({ alg, typ: 'JWT' })).toString('base64url');
      expectRefusal(await read(`${header}.${payload}.`), 401, '1002');
      expectRefusal(await read(`${header}.${payload}.${(await forge()).split('.')[2] ?? ''}`), 401, '1002');
    }
  });

  it('that brings its own key in a jwk header is 1002', async () => {
    const { privateKey, publicKey } = await generateKeyPair('ES256');
    const now = Math.floor(Date.now() / 1_000);
    const token = await new SignJWT({ sub: shop.id, key: shop.keyId, permissions: ['READ_PAYMENTS'] })
      .setProtectedHeader({ alg: 'ES256', jwk: await exportJWK(publicKey) })
      .setIssuer('turnpike')
      .setAudience('sandbox')
      .setJti('own key')
      .setExpirationTime(now + 600)
      .sign(privateKey);
    expectRefusal(await read(token), 401, '1002');
    expectRefusal(await read(await forge({ header: { jwk: await exportJWK(publicKey) } })), 401, '1002');
  });

  it('in another spelling of the same bytes is 1002: each segment has one', async () => {
    const token = await forge();
    const [header = '', payload = '', signature = ''] = token.split('.');
    const last = signature.at(-1) ?? '';
    // The last of 43 characters carries two bits that no byte holds.
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const twin = alphabet[alphabet.indexOf(last) ^ 1] ?? '';
    expect(Buffer.from(signature.slice(0, -1) + twin, 'base64url')).toEqual(Buffer.from(signature, 'base64url'));
    const spellings = [
      `${header}.${payload}.${signature.slice(0, -1)}${twin}`,
      `${header}.${payload}.${signature}=`,
      `${header}.${payload}=.${signature}`,
      `${token}.`,
      `.${token}`,
    ];
    for (const spelling of spellings) expectRefusal(await read(spelling), 401, '1002');
    dataOf(await read(token));
  });

  it('has no more permissions than its key', async () => {
    const poor = await newMerchant(gateway, ['READ_PAYMENTS']);
    const token = await forge({ claims: { sub: poor.id, key: poor.keyId, permissions: ['READ_WALLET'] } });
    expectRefusal(await rest(gateway, token)('GET', '/wallet/balance'), 403, '1004');
  });
});

describe('what happens to a key holds for its tokens within a second', () => {
  async function within(statement: string, status: number, code: string): Promise<void> {
    const merchant = await newMerchant(gateway);
    dataOf(await merchant.rest('GET', '/payments'));
    await gateway.sql(`update api_key set ${statement} where key_id = $1`, [merchant.keyId]);
    const look = async () => {
      const answer = await merchant.rest('GET', '/payments');
      return answer.status === 200 ? null : answer;
    };
    expectRefusal(await until(look, 1_000), status, code);
  }

  it('revoked: 401 (1006)', () => within('revoked_at = now()', 401, '1006'));
  it('its allow-list changed: 403 (1003)', () => within(`ip_whitelist = '{192.0.2.0/24}'`, 403, '1003'));
  it('narrowed: 403 (1004)', () => within(`permissions = '{WITHDRAW}'`, 403, '1004'));
});

describe('403', () => {
  it.each(GUARDED)('%s %s names the missing permission (1004)', async (method, path, permission) => {
    const all = GUARDED.map(([, , name]) => name);
    const rest = await newMerchant(
      gateway,
      [...new Set(all)].filter((name) => name !== permission),
    );
    const error = expectRefusal(await rest.rest(method, path), 403, '1004');
    expect(error.message).toBe(`Missing permission: ${permission}`);
  });

  it('X-Forwarded-For of just anybody is not believed (1003)', async () => {
    const merchant = await newMerchant(gateway);
    await gateway.sql(`update api_key set ip_whitelist = '{192.0.2.1}' where key_id = $1`, [merchant.keyId]);
    const headers = { 'x-forwarded-for': '192.0.2.1', forwarded: 'for=192.0.2.1', 'x-real-ip': '192.0.2.1' };
    const look = async () => {
      const answer = await merchant.rest('GET', '/payments', undefined, headers);
      return answer.status === 403 && answer;
    };
    expectRefusal(await until(look, 1_000), 403, '1003');
  });
});

describe('the order of checks', () => {
  it('authentication comes before anything about the request', async () => {
    const nobody = rest(gateway);
    expectRefusal(await nobody('POST', '/payments', '{"amount":', {}), 401, '1001');
    expectRefusal(await nobody('POST', '/payments', 'x', { 'content-type': 'text/plain' }), 401, '1001');
    expectRefusal(await nobody('POST', '/payments', 'x'.repeat(200_000)), 401, '1001');
    expectRefusal(await nobody('GET', '/payments?limit=0&x=1'), 401, '1001');
  });

  it('then the allow-list, then the permission', async () => {
    const merchant = await newMerchant(gateway, ['READ_PAYMENTS']);
    expectRefusal(await merchant.rest('POST', '/payments', {}), 403, '1004');
    await gateway.sql(`update api_key set ip_whitelist = '{192.0.2.1}' where key_id = $1`, [merchant.keyId]);
    const look = async () => {
      const answer = await merchant.rest('POST', '/payments', {});
      return answer.body.error.code === '1003';
    };
    await until(look, 1_000);
  });

  it('then validation, then existence', async () => {
    const poor = await newMerchant(gateway, ['READ_PAYMENTS']);
    expectRefusal(await poor.rest('POST', '/payments', '{"amount":'), 403, '1004');
    expectRefusal(await poor.rest('DELETE', `/payments/${UNKNOWN}`), 403, '1004');
    expectRefusal(await shop.rest('GET', `/payments/${UNKNOWN}?x=1`), 400, '2001');
    const deposit = `/sandbox/payments/${UNKNOWN}/deposit`;
    expectRefusal(await shop.rest('POST', deposit, { amount: 'much' }), 400, '2001');
    expectRefusal(await shop.rest('POST', deposit, {}), 404, '2004');
  });

  it('then state', async () => {
    const { orderId } = dataOf(await shop.rest('POST', '/payments', USDT_PAYMENT), 201);
    dataOf(await shop.rest('DELETE', `/payments/${orderId}`));
    expectRefusal(await shop.rest('DELETE', `/payments/${orderId}?x=1`), 400, '2001');
    expectRefusal(await shop.rest('DELETE', `/payments/${orderId}`), 409, '3005');
  });
});
