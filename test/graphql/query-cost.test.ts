// The cost limit of an operation, over HTTP and sockets.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { getIntrospectionQuery, Kind, parse, type OperationDefinitionNode } from 'graphql';
import { ROUTES } from '../../src/rest/routes/routes.ts';
import { buildGatewaySchema } from '../../src/resolvers/schema.ts';
import type { Services } from '../../src/resolvers/services.ts';
import { costOf, COSTS, QUERY_LIMITS } from '../../src/graphql/query-limits.ts';
import { newMerchant, type TestMerchant } from '../support/clients.ts';
import { expectGraphQLError } from '../support/expectations.ts';
import { startTestGateway, type TestGateway } from '../support/gateway/gateway.ts';
import { connectAs } from '../server/graphql/ws/setup.fixture.ts';

// The executable schema, whose fields are marked where their lists are short.
const schema = buildGatewaySchema({} as Services, 'sandbox');

function cost(text: string): number {
  const { definitions } = parse(text);
  const operation = definitions.find((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  const find = (name: string) =>
    definitions.find((definition) => definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === name);
  return costOf(schema, operation as OperationDefinitionNode, find as Parameters<typeof costOf>[2]);
}

describe('the cost of an operation', () => {
  it.each([
    ['one for a field', '{ payment(id: "x") { id status } }', 1 + 2],
    ['the items of a page times what is asked of each', '{ payments(first: 7) { nodes { id } } }', 1 + 7 * 2],
    ['20 items where no number is given', '{ payments { nodes { id } } }', 1 + 20 * 2],
    ['or null', '{ payments(first: null) { nodes { id } } }', 1 + 20 * 2],
    ['100 where a variable gives it', 'query ($n: Int = 1) { payments(first: $n) { nodes { id } } }', 1 + 100 * 2],
    ['100 where more are asked for', '{ payments(first: 2000000000) { nodes { id } } }', 1 + 100 * 2],
    ['a page once, whatever its lists are called', '{ events(first: 10) { items { id } hasMore } }', 1 + 10 * 3],
    ['20 items of a list without pages', '{ apiKeys { keyId permissions } }', 1 + 20 * 2],
    ['5 of a list in an item', '{ payment(id: "x") { transactions { txHash amount } } }', 1 + 1 + 5 * 2],
    [
      '2 of one that mostly has one',
      '{ invoice(id: "x") { payments { transactions { value } } } }',
      1 + 1 + 2 * (1 + 2),
    ],
    ['fragments wherever they are', '{ ...f ...f } fragment f on Query { payments(first: 1) { nodes { id } } }', 2 * 3],
    [
      'fragments in a page',
      '{ payments(first: 3) { ...f } } fragment f on PaymentConnection { nodes { id } }',
      1 + 3 * 2,
    ],
    ['inline fragments', '{ ... on Query { payments(first: 1) { ... { nodes { id } } } } }', 3],
    ['nothing for a fragment in itself', '{ ...f } fragment f on Query { ...f __typename }', 1],
    ['nothing for what does not exist', '{ nothing { at { all } } }', 0],
    ['a flat sum for the schema', '{ __schema { types { name } } a: __type(name: "Query") { name } }', 3_300],
  ])('is %s', (_name, text, expected) => {
    expect(cost(text)).toBe(expected);
  });

  it('of every documented REST call is below the limit, and of the introspection that tools send', () => {
    const costs = ROUTES.map(({ method, path, document }) => ({ call: `${method} ${path}`, cost: cost(document) }));
    const dearest = costs.reduce((a, b) => (a.cost > b.cost ? a : b));
    expect(dearest.cost).toBeLessThan(QUERY_LIMITS.cost);
    expect(dearest).toEqual({ call: 'GET /events', cost: 19_901 });
    expect(cost(getIntrospectionQuery())).toBe(COSTS.introspection['__schema']);
  });
});

describe('an operation that costs too much', () => {
  let gateway: TestGateway;
  let shop: TestMerchant;
  beforeAll(async () => {
    gateway = await startTestGateway();
    shop = await newMerchant(gateway);
  });
  afterAll(() => gateway.stop());

  const lists = (count: number, first = '100') => {
    const fields = Array.from({ length: count }, (_, n) => `a${n}: payments(first: ${first}) { ...f }`).join(' ');
    return `query ($n: Int) { ${fields} b: payments(first: $n) { ...f } }
      fragment f on PaymentConnection { nodes { id status amount } pageInfo { hasNextPage } }`;
  };
  // (1 + 100 × (nodes 4 + pageInfo 2)) = 601 for each list.
  const MOST = 33;

  it('is refused before it runs, over HTTP and by socket, with its cost and the limit', async () => {
    const socket = await connectAs(`${gateway.url.replace('http', 'ws')}/graphql`, shop.token);
    const fits = lists(MOST - 1);
    expect(cost(fits)).toBe(MOST * 601);
    const answer = await shop.graphql(fits, { n: 1 });
    expect({ status: answer.status, errors: answer.body.errors }).toEqual({ status: 200, errors: undefined });
    expect((await socket.run(fits, { n: 1 })).type).toBe('next');

    const error = expectGraphQLError(await shop.graphql(lists(MOST)), 400, 'GRAPHQL_VALIDATION_FAILED', '2001');
    expect(error.message).toContain('The operation costs 20,434, and 20,000 is the most');
    const refused = await socket.run(lists(MOST));
    expect(refused.type).toBe('error');
    expect(refused.payload).toMatchObject([
      { message: error.message, extensions: { code: 'GRAPHQL_VALIDATION_FAILED', errorCode: '2001' } },
    ]);
    socket.socket.close();
  });

  it('one that is nested too deeply to be read is refused as one that cannot be, over HTTP and by socket', async () => {
    const nested = `{ payment(id: ${'['.repeat(10_000)}`;
    expectGraphQLError(await shop.graphql(nested), 400, 'GRAPHQL_PARSE_FAILED', '2008');
    const socket = await connectAs(`${gateway.url.replace('http', 'ws')}/graphql`, shop.token);
    const refused = await socket.run(nested);
    expect(refused.payload).toMatchObject([{ extensions: { code: 'GRAPHQL_PARSE_FAILED', errorCode: '2008' } }]);
    socket.socket.close();
  });

  it('smaller pages make it cheaper', async () => {
    const answer = await shop.graphql(lists(98, '1'), { n: 1 });
    expect({ status: answer.status, errors: answer.body.errors }).toEqual({ status: 200, errors: undefined });
  });

  it('a page that is too large is still refused by its path', async () => {
    const answer = await shop.graphql('{ payments(first: 101) { nodes { id } } }');
    const { extensions } = expectGraphQLError(answer, 200, 'BAD_USER_INPUT', '2001');
    expect(extensions.details).toMatchObject([{ path: 'first' }]);
  });

  it('the introspection that tools send is answered, over and over in one document it is not', async () => {
    const answer = await shop.graphql(getIntrospectionQuery());
    expect({ status: answer.status, errors: answer.body.errors }).toEqual({ status: 200, errors: undefined });
    const many = Array.from({ length: 7 }, (_, n) => `a${n}: __schema { types { name } }`).join(' ');
    expectGraphQLError(await shop.graphql(`{ ${many} }`), 400, 'GRAPHQL_VALIDATION_FAILED', '2001');
  });
});
