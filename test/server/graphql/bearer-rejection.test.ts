// A bearer that is no good: passed over by GraphQL operations that need none, as by such calls of REST, and refused by
// every other before anything about them is looked at.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newMerchant, send, type Answer, type TestMerchant } from '../../support/clients.ts';
import { borrowGateway, type BorrowedGateway } from '../../support/gateway/borrowed-gateway.ts';

let gateway: BorrowedGateway;
let shop: TestMerchant;
/** By name: nonsense, of the other environment's form, a key's secret, of a key that is revoked since. */
let bearers: Record<string, string>;

beforeAll(async () => {
  gateway = await borrowGateway();
  shop = await newMerchant(gateway);
  const former = await newMerchant(gateway);
  await gateway.sql('update api_key set revoked_at = now() where key_id = $1', [former.keyId]);
  bearers = { nonsense: 'a.b.c', secret: shop.secret, operator: 'tok_operator_none', revoked: former.token };
});
afterAll(() => gateway.stop());

const JSON_TYPE = { 'content-type': 'application/json', accept: 'application/graphql-response+json' };

interface Asked {
  readonly query?: unknown;
  readonly operationName?: string;
  readonly variables?: object;
}

const post = (bearer: string, body: Asked | string | Asked[], path = '/graphql') =>
  send({
    method: 'POST',
    url: gateway.url + path,
    headers: { ...JSON_TYPE, authorization: `Bearer ${bearer}` },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

const get = (bearer: string, asked: Record<string, string>, path = '/graphql') =>
  send({
    method: 'GET',
    url: `${gateway.url}${path}?${String(new URLSearchParams(asked))}`,
    headers: { ...JSON_TYPE, authorization: `Bearer ${bearer}` },
  });

const exchange = () => ({
  query:
    'mutation ($keyId: ID!, $secret: String!) { createAccessToken(keyId: $keyId, secret: $secret) { accessToken } }',
  variables: { keyId: shop.keyId, secret: shop.secret },
});

function expectRefused(answer: Answer, code = '1002') {
  expect([answer.status, answer.body.errors.map((error: { extensions: object }) => error.extensions)]).toEqual([
    401,
    [expect.objectContaining({ code: 'UNAUTHENTICATED', errorCode: code })],
  ]);
  expect(answer.headers['www-authenticate']).toBe('Bearer');
}

describe('an operation that needs no token', () => {
  it.each(['nonsense', 'secret', 'operator', 'revoked'])('passes over a bearer that is no good: %s', async (which) => {
    const answer = await post(bearers[which] ?? '', exchange());
    expect([answer.status, answer.body.errors]).toEqual([200, undefined]);
    expect(answer.body.data.createAccessToken.accessToken).toEqual(expect.any(String));
  });

  it('by GET, in fragments, by name, and from the cache', async () => {
    const query = `query open { ...all } query closed { merchant { id } }
      fragment all on Query { currencies { currency } ... on Query { __typename } }`;
    for (const answer of [
      await get('a.b.c', { query: '{ currencies { currency } }' }),
      await get('a.b.c', { query, operationName: 'open' }),
      await post('a.b.c', { query, operationName: 'open' }),
      await post('a.b.c', { query, operationName: 'open' }),
    ])
      expect([answer.status, answer.body.errors]).toEqual([200, undefined]);
    expectRefused(await post('a.b.c', { query, operationName: 'closed' }));
  });

  it('over an event stream', async () => {
    const answer = await post('a.b.c', { query: '{ currencies { currency } }' }, '/graphql/stream');
    expect([answer.status, answer.text]).toEqual([200, expect.stringMatching(/"currency":/)]);
    expectRefused(await post('a.b.c', { query: '{ merchant { id } }' }, '/graphql/stream'));
    expectRefused(await get('a.b.c', { query: '{ merchant { id } }' }, '/graphql/stream'));
  });
});

describe('every other request is refused for its bearer first', () => {
  it.each([
    ['a field that needs a token', { query: '{ merchant { id } }' }],
    ['one beside another that needs none', { query: '{ currencies { currency } merchant { id } }' }],
    ['one in a fragment', { query: '{ ...own } fragment own on Query { merchant { id } }' }],
    ['one that a directive leaves out', { query: '{ currencies { currency } merchant @skip(if: true) { id } }' }],
    ['a document that cannot be parsed', { query: '{ currencies {' }],
    ['a document that does not fit', { query: '{ nonsense }' }],
    ['no operation of the name', { query: '{ currencies { currency } }', operationName: 'other' }],
    ['what asks for nothing but whether the token is good', { query: '{ __typename }' }],
    ['no document', {}],
    ['a document that is no text', { query: 5 }],
    ['several at once', [{ query: '{ currencies { currency } }' }]],
    ['a body that is no JSON', '{'],
    ['a body that is too large', `{"query":"${'x'.repeat(600_000)}"}`],
  ])('%s', async (_, body) => {
    expectRefused(await post('a.b.c', body));
  });

  it('by the reason for which it is', async () => {
    expectRefused(await post(bearers['revoked'] ?? '', { query: '{ merchant { id } }' }), '1006');
  });

  it('a good bearer is as good as ever', async () => {
    const answer = await post(shop.token, { query: '{ currencies { currency } merchant { id } }' });
    expect(answer.body.data.merchant.id).toBe(shop.id);
  });
});
