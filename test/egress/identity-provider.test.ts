// The client of a provider of identities, against a real one that is slow, down or hostile: each is a result, in
// bounded time and memory, and holds nobody else.

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createIdentityProvider, type ProviderClient } from '../../src/egress/identity-provider.ts';
import { clientOf, startProvider, visit, type TestProvider } from '../support/oidc/provider.ts';

const BASE = 'http://gateway.example';
const ASKED = { state: 'a state', nonce: 'a nonce', verifier: 'v'.repeat(43), isAnew: false };

let provider: TestProvider;
let client: ProviderClient;
let warned: object[];

beforeEach(async () => {
  provider = await startProvider();
  provider.serve({ url: BASE });
  provider.visitor = { subject: 'ann' };
  warned = [];
  client = open();
});
afterEach(async () => {
  await client.close();
  await provider.stop();
});

function open(issuer = provider.issuer): ProviderClient {
  const settings = clientOf({ issuer });
  return createIdentityProvider({
    ...{ issuer, name: settings.OIDC_NAME, clientId: settings.OIDC_CLIENT_ID },
    ...{ clientSecret: settings.OIDC_CLIENT_SECRET, redirectUri: `${BASE}/auth/oidc/callback` },
    clock: { now: () => new Date() },
    log: { warn: (fields) => void warned.push(fields) },
    deadlineMs: 2_000,
  });
}

/** The query that the browser comes back with. */
async function comeBack(): Promise<string> {
  const question = await client.begin(ASKED);
  if (question.kind !== 'at') throw new Error(question.kind);
  return (await visit(provider, question.url)).search;
}
const finish = async (query: string) => client.finish({ ...ASKED, query, signedInAfter: null });
const discoveries = () => provider.asked.get('/.well-known/openid-configuration');

it('turns the code of the provider into an identity', async () => {
  expect(await finish(await comeBack())).toEqual({
    kind: 'identity',
    identity: { issuer: provider.issuer, subject: 'ann', label: expect.stringMatching(/^ann/) },
  });
  expect(warned).toEqual([]);
});

describe('what the provider says of itself', () => {
  it('is asked once for many, and kept', async () => {
    expect(discoveries()).toBeUndefined();
    const all = await Promise.all(Array.from({ length: 20 }, () => client.begin(ASKED)));
    expect(new Set(all.map(({ kind }) => kind))).toEqual(new Set(['at']));
    await client.begin(ASKED);
    expect(discoveries()).toBe(1);
  });

  it('counts for nothing if it names another issuer', async () => {
    provider.tamper = (metadata) => ({ ...metadata, issuer: 'https://other.example' });
    expect(await client.begin(ASKED)).toEqual({ kind: 'unverified' });
  });

  it('leads to no identity of another issuer, in whose name it signs', async () => {
    provider.serve({ url: BASE }, 'https://other.example');
    const { issuer } = provider;
    provider.tamper = (said) => ({ ...said, issuer, authorization_response_iss_parameter_supported: false });
    const query = (await comeBack()).replace(/&iss=[^&]*/, '');
    expect(await finish(query)).toEqual({ kind: 'unverified' });
    expect(warned).toEqual([
      expect.objectContaining({ reason: expect.stringContaining('unexpected JWT claim value') }),
    ]);
  });

  it('leads nowhere else in the internal network', async () => {
    const query = await comeBack();
    await client.close();
    const elsewhere = await startProvider();
    provider.tamper = (metadata) => ({ ...metadata, token_endpoint: `${elsewhere.issuer}/token` });
    client = open();
    expect(await client.finish({ ...ASKED, query, signedInAfter: null })).toEqual({ kind: 'unavailable' });
    expect(elsewhere.asked.size).toBe(0);
    await elsewhere.stop();
  });

  it('is not read beyond 256 KiB', async () => {
    provider.tamper = (metadata) => ({ ...metadata, more: 'x'.repeat(300_000) });
    expect(await client.begin(ASKED)).toEqual({ kind: 'unavailable' });
  });
});

describe('a provider that does not answer', () => {
  it('is given up on in time, and then left alone for a while', async () => {
    provider.delayMs = 60_000;
    const began = performance.now();
    expect(await client.begin(ASKED)).toEqual({ kind: 'unavailable' });
    expect(await client.begin(ASKED)).toEqual({ kind: 'unavailable' });
    expect(performance.now() - began).toBeLessThan(10_000);
    expect(discoveries()).toBe(1);
  });

  it('holds at most fifty questions', async () => {
    const query = await comeBack();
    provider.delayMs = 60_000;
    const all = Array.from({ length: 60 }, () => finish(query));
    const first = await Promise.race(all.slice(50));
    expect(first).toEqual({ kind: 'unavailable' });
    await Promise.all(all);
    expect(provider.asked.get('/token')).toBeLessThanOrEqual(50);
  });

  it('holds at most twenty who want to leave, while it has said nothing', async () => {
    provider.delayMs = 60_000;
    const all = Array.from({ length: 30 }, () => client.begin(ASKED));
    expect(await Promise.race(all.slice(20))).toEqual({ kind: 'unavailable' });
    await Promise.all(all);
    expect(discoveries()).toBe(1);
  });

  it('is unavailable when it is down', async () => {
    const query = await comeBack();
    await provider.stop();
    expect(await finish(query)).toEqual({ kind: 'unavailable' });
    provider = await startProvider();
  });
});

it('no secret and no code stands in what is logged', async () => {
  const query = await comeBack();
  await finish(`${query.replace(/code=[^&]*/, 'code=wrong-code')}`);
  expect(warned).toHaveLength(1);
  expect(JSON.stringify(warned)).not.toMatch(/wrong-code|both of them know/);
});
