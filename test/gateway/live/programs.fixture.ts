// For tests of live mode: a gateway with a certificate of its own, and an API process behind a proxy; both started as
// programs.

import { afterAll, beforeAll, expect } from '@jest/globals';
import { PERMISSIONS } from '../../../src/values/permission.ts';
import { graphql, newEmail, rest, type Json, type Rest } from '../../support/clients.ts';
import { dataOf } from '../../support/expectations.ts';
import { openLiveSetup, type LiveProgram, type LiveSetup } from './setup.fixture.ts';

export const LONG = 90_000;
export const PASSWORD = 'three green lamps, unlit';
export const PROXIED = { 'x-forwarded-proto': 'https' };
export const LOGIN =
  'mutation ($email: String!, $password: String!) { login(email: $email, password: $password) { accessToken } }';

export let setup: LiveSetup;
/** With a certificate of its own, and every role. */
export let own: LiveProgram;
/** Behind a proxy, with the api role alone. */
export let proxied: LiveProgram;
export let secure: { readonly url: string };
export let behind: { readonly url: string };

beforeAll(async () => {
  setup = await openLiveSetup();
  own = await setup.launch({ ...setup.variables, ...setup.certificate });
  await own.ready;
  const { KEYSTORE_PATH: _path, KEYSTORE_PASSPHRASE: _passphrase, ...withoutSeed } = setup.variables;
  proxied = await setup.launch({ ...withoutSeed, ROLES: 'api', TRUST_PROXY: '127.0.0.1' });
  await proxied.ready;
  secure = { url: `https://${own.host}` };
  behind = { url: `http://${proxied.host}` };
}, LONG);
afterAll(() => setup.stop());

/** A client behind the proxy that terminates TLS. */
export const through = (token?: string): Rest => {
  const call = rest(behind, token);
  return (method, path, body, headers) => call(method, path, body, { ...PROXIED, ...headers });
};

interface Owner {
  readonly keyId: string;
  readonly secret: string;
  /** A token of a key with every permission, which the owner made. */
  readonly token: string;
}

/** Registers and signs in as the guide says, and makes a key with every permission. */
export async function openAccount(): Promise<Owner> {
  const email = newEmail();
  const account = { email, companyName: 'Blue Kettle Tea', password: PASSWORD };
  const { apiKey } = dataOf(await rest(secure)('POST', '/merchant/register', account), 201) as { apiKey: Json };
  expect(apiKey).toMatchObject({ permissions: ['CREATE_PAYMENTS', 'READ_PAYMENTS'] });
  expect(apiKey.keyId).toMatch(/^pk_live_/);
  expect(apiKey.secret).toMatch(/^sk_live_/);
  const { body } = await graphql(secure)(LOGIN, { email, password: PASSWORD });
  const asOwner = rest(secure, body.data.login.accessToken as string);
  const { keyId, secret } = dataOf(
    await asOwner('POST', '/merchant/api-keys', { name: 'All', permissions: PERMISSIONS }),
    201,
  );
  const { accessToken } = dataOf(await rest(secure)('POST', '/auth/token', { keyId, secret }));
  return { keyId, secret, token: accessToken as string };
}

let known: Promise<Owner> | null = null;
/** One account for tests that do not change it, because registrations are rate-limited. */
export const anybody = (): Promise<Owner> => (known ??= openAccount());
