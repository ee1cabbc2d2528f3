// Rejection of forged tokens, and of tokens whose key was revoked or restricted since.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT, type JWTHeaderParameters } from 'jose';
import { deriveSecrets } from '../../../src/values/secrets/keys.ts';
import { newMerchant, rest, type TestMerchant } from '../../support/clients.ts';
import { dataOf, expectRefusal } from '../../support/expectations.ts';
import { borrowGateway, type BorrowedGateway } from '../../support/gateway/borrowed-gateway.ts';
import { until } from '../../support/until.ts';

const SECRET = 'a secret of this test, with more than 32 characters';
const { tokenKey } = deriveSecrets(SECRET);
let gateway: BorrowedGateway;
let shop: TestMerchant;

beforeAll(async () => {
  gateway = await borrowGateway({ TURNPIKE_SECRET: SECRET });
  shop = await newMerchant(gateway);
});
afterAll(() => gateway.stop());

interface Forgery {
  readonly claims?: Record<string, unknown>;
  readonly header?: Partial<JWTHeaderParameters>;
  readonly key?: Uint8Array;
}

/** A token as the gateway issues it, with the changes of the forgery; undefined removes a claim. */
async function forge({ claims = {}, header = {}, key = tokenKey }: Forgery = {}): Promise<string> {
  const now = Math.floor(Date.now() / 1_000);
  const own = { sub: shop.id, key: shop.keyId, permissions: ['READ_PAYMENTS'], iss: 'turnpike', aud: 'sandbox' };
  const payload = { ...own, jti: 'forged', iat: now, exp: now + 600, ...claims };
  return new SignJWT(payload).setProtectedHeader({ alg: 'HS256', typ: 'JWT', ...header }).sign(key);
}

const read = (token: string) => rest(gateway, token)('GET', '/payments');

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Spellings that lenient decoders read as the same bytes. */
const RESPELLINGS: readonly ((segment: string) => string)[] = [
  (segment) => segment.slice(0, -1) + (ALPHABET[ALPHABET.indexOf(segment.at(-1) ?? '') ^ 1] ?? ''),
  (segment) => segment.padEnd(Math.ceil(segment.length / 4) * 4, '='),
];

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

  /** Signs by hand what no library would sign, such as an algorithm with a key of the wrong length. */
  function signAs(header: object, sign: (input: string) => Buffer, claims: object = {}): string {
    const now = Math.floor(Date.now() / 1_000);
    const own = { sub: shop.id, key: shop.keyId, permissions: ['READ_PAYMENTS'], iss: 'turnpike', aud: 'sandbox' };
    const payload = { ...own, jti: 'by hand', iat: now, exp: now + 600, ...claims };
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const input = `${encode(header)}.${encode(payload)}`;
    return `${input}.${sign(input).toString('base64url')}`;
  }
  const hmac = (hash: string) => (input: string) => createHmac(hash, tokenKey).update(input).digest();

  it('under our own key by another algorithm, or under the name of another one, is 1002', async () => {
    dataOf(await read(signAs({ alg: 'HS256' }, hmac('sha256'))));
    for (const bits of [384, 512]) {
      expectRefusal(await read(signAs({ alg: `HS${bits}` }, hmac(`sha${bits}`))), 401, '1002');
      expectRefusal(await read(signAs({ alg: 'HS256' }, hmac(`sha${bits}`))), 401, '1002');
    }
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
    const rsa = (input: string) => sign('sha256', Buffer.from(input), privateKey);
    for (const alg of ['RS256', 'PS256', 'ES256', 'EdDSA', 'hs256', 'HS256 ', ['HS256'], null, undefined]) {
      expectRefusal(await read(signAs({ alg }, hmac('sha256'))), 401, '1002');
      expectRefusal(await read(signAs({ alg }, rsa)), 401, '1002');
    }
  });

  it.each([
    { kid: '' },
    { kid: 'turnpike' },
    { kid: 0 },
    { kid: `' or 1=1 --` },
    { jku: 'http://127.0.0.1:1/keys' },
    { x5c: ['MIIB'] },
    { x5t: 'x' },
    { crit: ['exp'] },
    { b64: false, crit: ['b64'] },
    { zip: 'DEF' },
    { cty: 'JWT' },
  ])('with our own signature and a header that tells more is 1002: %j', async (more) => {
    expectRefusal(await read(signAs({ alg: 'HS256', typ: 'JWT', ...more }, hmac('sha256'))), 401, '1002');
  });

  it.each([
    { exp: '4102444800' },
    { exp: null },
    { jti: null },
    { jti: 5 },
    { iss: ['turnpike'] },
    { aud: ['sandbox'] },
    { aud: null },
    { sub: 5 },
    { nbf: 'now' },
  ])('with a claim of another kind is 1002: %j', async (claims) => {
    expectRefusal(await read(signAs({ alg: 'HS256', typ: 'JWT' }, hmac('sha256'), claims)), 401, '1002');
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
    // The last of 43 characters carries two bits that belong to no byte.
    const twin = ALPHABET[ALPHABET.indexOf(last) ^ 1] ?? '';
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

  it('in another spelling that we signed as it stands is 1002 as well, in the head and in the claims', async () => {
    const encode = (text: string) => Buffer.from(text).toString('base64url');
    const now = Math.floor(Date.now() / 1_000);
    const own = { sub: shop.id, key: shop.keyId, permissions: ['READ_PAYMENTS'], iss: 'turnpike', aud: 'sandbox' };
    // Pads with a space where needed, so that the last character has spare bits.
    const padded = (value: object) => {
      const text = JSON.stringify(value);
      return encode(text.length % 3 === 0 ? `${text} ` : text);
    };
    const header = padded({ alg: 'HS256', typ: 'JWT' });
    const payload = padded({ ...own, jti: 'spelled', iat: now, exp: now + 600 });
    const signed = (input: string) => `${input}.${hmac('sha256')(input).toString('base64url')}`;
    dataOf(await read(signed(`${header}.${payload}`)));
    for (const respell of RESPELLINGS) {
      expect(Buffer.from(respell(header), 'base64')).toEqual(Buffer.from(header, 'base64'));
      expectRefusal(await read(signed(`${respell(header)}.${payload}`)), 401, '1002');
      expectRefusal(await read(signed(`${header}.${respell(payload)}`)), 401, '1002');
    }
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
