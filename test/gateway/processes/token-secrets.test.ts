// Rotating the secret that signs access tokens without clients noticing: TOKEN_SECRETS=old, then old,new, then new,old,
// then new. Each step is a start of the program on one database, as an operator does it.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { jwtVerify } from 'jose';
import { deriveSecrets } from '../../../src/values/secrets/keys.ts';
import { connectAs } from '../../server/graphql/ws/setup.fixture.ts';
import { graphql, newMerchant, rest, type TestMerchant } from '../../support/clients.ts';
import { dataOf, expectGraphQLError, expectRefusal } from '../../support/expectations.ts';
import { openApiProcesses, type ApiProcesses, type Face } from './api-processes.fixture.ts';

const LONG = 60_000;
const OLD = 'what signed tokens before it was changed';
const NEW = 'what signs tokens from now on and later';

let setup: ApiProcesses;
let shop: TestMerchant;
let before: Face;
let prepared: Face;
let overlap: Face;
let after: Face;
let former: string;
let present: string;

beforeAll(async () => {
  setup = await openApiProcesses();
  const launch = (secrets: string) => setup.launch({ TOKEN_SECRETS: secrets });
  [shop, before, prepared, overlap, after] = await Promise.all([
    newMerchant(setup.gateway),
    launch(OLD),
    launch(`${OLD},${NEW}`),
    launch(`${NEW},${OLD}`),
    launch(NEW),
  ]);
  [former, present] = [await tokenOf(before), await tokenOf(overlap)];
}, LONG);
afterAll(() => setup.stop());

async function tokenOf(face: Face): Promise<string> {
  const { keyId, secret } = shop;
  return dataOf(await rest(face)('POST', '/auth/token', { keyId, secret })).accessToken as string;
}

const read = (face: Face, token: string) => rest(face, token)('GET', '/payments');

describe('while the old secret is listed after the new one', () => {
  it('a token that it signed is as good as before, over REST, GraphQL and the web socket', async () => {
    dataOf(await read(overlap, former));
    expect((await graphql(overlap, former)('{ payments { items: nodes { id } } }')).status).toBe(200);
    const { socket } = await connectAs(`${overlap.url.replace('http', 'ws')}/graphql`, former);
    socket.close();
  });

  it('new tokens are signed by the new one: a process that knows only that accepts them', async () => {
    const { tokenKey } = deriveSecrets(NEW);
    await expect(jwtVerify(present, tokenKey)).resolves.toMatchObject({ payload: { sub: shop.id } });
    await expect(jwtVerify(present, deriveSecrets(OLD).tokenKey)).rejects.toThrow(/signature verification failed/);
    dataOf(await read(overlap, present));
    dataOf(await read(after, present));
  });

  it('a process that lists the new one second believes it already, and signs by the old one', async () => {
    dataOf(await read(prepared, present));
    await expect(jwtVerify(await tokenOf(prepared), deriveSecrets(OLD).tokenKey)).resolves.toBeDefined();
    // A process that does not know the new secret rejects it: so it is listed second everywhere before it becomes first
    // anywhere.
    expectRefusal(await read(before, present), 401, '1002');
  });

  it('what is signed by neither is refused (1002)', async () => {
    const deployment = await tokenOf(setup.gateway);
    dataOf(await read(setup.gateway, deployment));
    for (const face of [before, prepared, overlap, after]) expectRefusal(await read(face, deployment), 401, '1002');
  });
});

describe('once the old secret is removed', () => {
  it('what it signed is refused (1002), over REST, GraphQL and the web socket', async () => {
    expectRefusal(await read(after, former), 401, '1002');
    expectGraphQLError(await graphql(after, former)('{ __typename }'), 401, 'UNAUTHENTICATED', '1002');
    await expect(connectAs(`${after.url.replace('http', 'ws')}/graphql`, former)).rejects.toThrow();
  });

  it('the same key gets a new token, and the digests of API secrets are what they were', async () => {
    dataOf(await read(after, await tokenOf(after)));
  });
});
