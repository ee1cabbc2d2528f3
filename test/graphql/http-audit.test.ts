// GraphQL over HTTP, audited with the suite of the specification's reference implementation (the npm package
// graphql-http).

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { serverAudits } from 'graphql-http';
import { graphql, send } from '../support/clients.ts';
import { expectGraphQLError } from '../support/expectations.ts';
import { borrowGateway, type BorrowedGateway } from '../support/gateway/borrowed-gateway.ts';

let gateway: BorrowedGateway;
beforeAll(async () => {
  gateway = await borrowGateway();
});
afterAll(() => gateway.stop());

/**
 * What we do not pass: each sends a GET that a page of any origin could make a browser send. A client that sends
 * a header that such a page cannot set (`apollo-require-preflight`) is answered. All three are MAY.
 */
const REFUSED_AGAINST_FORGERY = ['5A70', 'D6D5', '6A70'];

const audits = serverAudits({ url: () => `${gateway.url}/graphql`, fetchFn: fetch });

describe('the audit of GraphQL over HTTP', () => {
  it('has 61 checks, every MUST and all the others but three are passed', async () => {
    const results = [];
    for (const audit of audits) results.push(await audit.fn());
    const failed = results.filter((result) => result.status !== 'ok');
    const told = failed.map(({ id, name }) => ({ id, name }));
    expect(told).toEqual(REFUSED_AGAINST_FORGERY.map((id) => ({ id, name: expect.stringMatching(/^MAY /) })));
    expect(results).toHaveLength(61);
  });
});

describe('a request that a foreign page could have sent', () => {
  const ask = (headers: Record<string, string>, query = '{ __typename }') =>
    send({ method: 'GET', url: `${gateway.url}/graphql?query=${encodeURIComponent(query)}`, headers });

  it('is refused in our form, and answered with a header that no such page can set', async () => {
    expectGraphQLError(await ask({}), 400, 'BAD_USER_INPUT', '2001');
    expectGraphQLError(await ask({ accept: 'application/json' }), 400, 'BAD_USER_INPUT', '2001');
    const answer = await ask({ 'apollo-require-preflight': '1' });
    expect({ status: answer.status, body: answer.body }).toEqual({
      status: 200,
      body: { data: { __typename: 'Query' } },
    });
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
    'by POST as %s is 415 (2007)',
    async (type) => {
      const body = '{"query":"{ __typename }"}';
      const answer = await send({
        method: 'POST',
        url: `${gateway.url}/graphql`,
        headers: { 'content-type': type },
        body,
      });
      expectGraphQLError(answer, 415, 'BAD_REQUEST', '2007');
    },
  );
});

describe('what is wrong with an operation', () => {
  const JSON_ONLY = { accept: 'application/json' };

  it.each([
    ['does not parse', '{', 'GRAPHQL_PARSE_FAILED', '2008'],
    ['is not valid', '{ nothing }', 'GRAPHQL_VALIDATION_FAILED', '2001'],
    ['lacks a variable', 'query ($id: ID!) { checkout(id: $id) { id } }', 'BAD_USER_INPUT', '2001'],
    ['is not there', 'fragment f on Query { __typename }', 'GRAPHQL_VALIDATION_FAILED', '2001'],
  ])('that %s: 200 for who takes application/json alone, 400 for all others', async (_name, query, code, errorCode) => {
    const ask = graphql(gateway);
    const plain = await ask(query, undefined, JSON_ONLY);
    expectGraphQLError(plain, 200, code, errorCode);
    expect(plain.headers['content-type']).toMatch(/^application\/json/);
    for (const accept of [
      'application/graphql-response+json',
      '*/*',
      'application/graphql-response+json, application/json',
    ])
      expectGraphQLError(await ask(query, undefined, { accept }), 400, code, errorCode);
  });

  it('does not hide what is wrong with the request: its status stays', async () => {
    const bad = await graphql(gateway, 'rubbish')('{ __typename }', undefined, JSON_ONLY);
    expectGraphQLError(bad, 401, 'UNAUTHENTICATED', '1002');
    const refund = 'mutation ($input: RefundPaymentInput!) { refundPayment(input: $input) { id } }';
    expectGraphQLError(await graphql(gateway)(refund, {}, JSON_ONLY), 401, 'UNAUTHENTICATED', '1001');
    const two = 'mutation { a: cancelPayment(id: "x") { id } b: cancelPayment(id: "y") { id } }';
    const keyed = await graphql(gateway)(two, {}, { ...JSON_ONLY, 'idempotency-key': 'k' });
    expectGraphQLError(keyed, 400, 'BAD_USER_INPUT', '2001');
  });
});
