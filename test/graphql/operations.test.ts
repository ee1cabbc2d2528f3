// The operations of the REST API over GraphQL, and how GraphQL over HTTP reports errors.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PERMISSIONS } from '../../src/values/permission.ts';
import { graphql, newEmail, newMerchant, rest, send, USDT_PAYMENT } from '../support/clients.ts';
import type { Answer, GraphQL, Json, TestMerchant } from '../support/clients.ts';
import { dataOf, expectGraphQLError, FULL_PAYMENT_KEYS, id, ISO } from '../support/expectations.ts';
import { borrowUnsignedGateway, type BorrowedGateway } from '../support/gateway/borrowed-gateway.ts';

let gateway: BorrowedGateway;
let shop: TestMerchant;
let nobody: GraphQL;

beforeAll(async () => {
  // Payouts of other test files would mine blocks between two looks at the chain here.
  gateway = await borrowUnsignedGateway();
  shop = await newMerchant(gateway);
  nobody = graphql(gateway);
});
afterAll(() => gateway.stop());

const FIELDS = FULL_PAYMENT_KEYS.map((key) => (key === 'orderId' ? 'id' : key)).join(' ');
const FULL = FIELDS.replace('transactions', 'transactions { txHash amount status confirmations blockNumber seenAt }');
const CREATE = `mutation ($input: CreatePaymentInput!) { createPayment(input: $input) { ${FULL} } }`;

const target = () => ({ method: 'POST', url: `${gateway.url}/graphql` });

/** The data of an answer without errors. */
function read(answer: Answer): Json {
  expect({ status: answer.status, errors: answer.body.errors }).toEqual({ status: 200, errors: undefined });
  expect(answer.headers['content-type']).toMatch(/^application\/graphql-response\+json/);
  return answer.body.data;
}
const create = async (fields: object = {}) =>
  read(await shop.graphql(CREATE, { input: { ...USDT_PAYMENT, ...fields } })).createPayment;

describe('operations', () => {
  it('createPayment, payment, payments and cancelPayment answer what REST answers, with id for orderId', async () => {
    const created = await create({ merchantOrderId: 'by GraphQL', metadata: { a: 'b' } });
    const { id: orderId, ...fields } = created;
    expect(dataOf(await shop.rest('GET', `/payments/${orderId}`))).toEqual({ orderId, ...fields });
    const payment = await shop.graphql(`query ($id: ID!) { payment(id: $id) { ${FULL} } }`, { id: orderId });
    expect(read(payment).payment).toEqual(created);
    const list = await shop.graphql(`{ payments(first: 1, filter: { merchantOrderId: "by GraphQL" }) {
      edges { cursor node { ${FULL} } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`);
    const { edges, pageInfo } = read(list).payments;
    expect(edges).toEqual([{ cursor: expect.any(String), node: created }]);
    expect(pageInfo).toEqual({
      ...{ hasNextPage: false, hasPreviousPage: false },
      ...{ startCursor: edges[0].cursor, endCursor: edges[0].cursor },
    });
    const canceled = await shop.graphql(`mutation ($id: ID!) { cancelPayment(id: $id) { ${FULL} } }`, { id: orderId });
    const { updatedAt } = read(canceled).cancelPayment;
    expect(read(canceled).cancelPayment).toEqual({ ...created, status: 'CANCELED', updatedAt });
  });

  it('lists page by the same cursors as REST, forwards, without gaps or repeats', async () => {
    const merchant = await newMerchant(gateway);
    const ids: string[] = [];
    for (let n = 0; n < 7; n += 1)
      ids.unshift(dataOf(await merchant.rest('POST', '/payments', USDT_PAYMENT), 201).orderId as string);
    const query =
      'query ($after: String) { payments(first: 3, after: $after) { nodes { id } pageInfo { endCursor } } }';
    const seen: string[] = [];
    let after: string | null = null;
    for (let page = 0; page < 3; page += 1) {
      const { nodes, pageInfo } = read(await merchant.graphql(query, { after })).payments;
      seen.push(...(nodes as { id: string }[]).map((node) => node.id));
      after = pageInfo.endCursor as string;
    }
    expect(seen).toEqual(ids);
    expectGraphQLError(await shop.graphql(query, { after }), 200, 'BAD_USER_INPUT', '2001');
  });

  it('registerMerchant, createMerchant and createAccessToken need no token', async () => {
    const input = { email: newEmail(), companyName: 'Shop', password: 'correct horse battery' };
    const registered = await nobody(
      `mutation ($input: RegisterMerchantInput!) { registerMerchant(input: $input) {
        merchantId merchant { id email companyName createdAt } apiKey { keyId secret permissions } } }`,
      { input },
    );
    const { merchantId, merchant, apiKey } = read(registered).registerMerchant;
    expect(merchant).toEqual({
      ...{ id: merchantId, email: input.email, companyName: 'Shop', createdAt: expect.stringMatching(ISO) },
    });
    expect(apiKey.permissions).toEqual(['CREATE_PAYMENTS', 'READ_PAYMENTS']);
    const created = await nobody(
      `mutation ($input: CreateMerchantInput!) { createMerchant(input: $input) { merchantId apiKey { keyId secret } } }`,
      { input: { email: newEmail(), companyName: 'Shop' } },
    );
    const { apiKey: key } = read(created).createMerchant;
    const token = await nobody(
      `mutation ($keyId: ID!, $secret: String!) { createAccessToken(keyId: $keyId, secret: $secret) {
        accessToken tokenType expiresIn expiresAt permissions } }`,
      key,
    );
    expect(read(token).createAccessToken).toEqual({
      ...{ accessToken: expect.any(String), tokenType: 'Bearer', expiresIn: 86_400, permissions: PERMISSIONS },
      expiresAt: expect.stringMatching(ISO),
    });
  });

  it('simulateDeposit pays, mineBlocks confirms, simulateReorg takes it back, walletBalances shows it', async () => {
    const merchant = await newMerchant(gateway);
    const { orderId } = dataOf(await merchant.rest('POST', '/payments', USDT_PAYMENT), 201);
    const pay = `mutation ($input: SimulateDepositInput!) { simulateDeposit(input: $input) { status } }`;
    const mine = `mutation ($input: MineBlocksInput!) { mineBlocks(input: $input) { network tip } }`;
    const reorg = `mutation ($input: SimulateReorgInput!) { simulateReorg(input: $input) { network tip } }`;
    const statusOf = async () => dataOf(await merchant.rest('GET', `/payments/${orderId}`)).status as string;
    const balances = async () =>
      read(await merchant.graphql('{ walletBalances { currency network available pending reserved } }')).walletBalances;

    const first = await merchant.graphql(pay, { input: { paymentId: orderId, amount: '25', confirmations: 0 } });
    expect(read(first).simulateDeposit).toEqual({ status: 'CONFIRMING' });
    const asset = { currency: 'USDT', network: 'ETH', reserved: '0' };
    expect(await balances()).toEqual([{ ...asset, available: '0', pending: '25' }]);

    const { tip } = read(await merchant.graphql(reorg, { input: { network: 'erc20', depth: 1 } })).simulateReorg;
    expect(await statusOf()).toBe('PENDING');
    read(await merchant.graphql(pay, { input: { paymentId: orderId, confirmations: 0 } }));
    const mined = read(await merchant.graphql(mine, { input: { network: 'eth', count: 3 } })).mineBlocks;
    expect(mined).toEqual({ network: 'ETH', tip: (tip as number) + 4 });
    expect(await statusOf()).toBe('SUCCEEDED');
    expect(await balances()).toEqual([{ ...asset, available: '24.75', pending: '0' }]);
  });

  it.each([
    ['mineBlocks', 'MineBlocksInput', { network: 'ETH', count: 0 }, 'input.count'],
    ['simulateReorg', 'SimulateReorgInput', { network: 'ETH', depth: 0 }, 'input.depth'],
    ['simulateReorg', 'SimulateReorgInput', { network: 'ETH', depth: 1_000 }, null],
  ])('%s refuses %s %j (2001)', async (name, type, input, path) => {
    const answer = await shop.graphql(`mutation ($input: ${type}!) { ${name}(input: $input) { tip } }`, { input });
    const { extensions } = expectGraphQLError(answer, 200, 'BAD_USER_INPUT', '2001');
    if (path) expect(extensions.details).toMatchObject([{ path }]);
  });

  it('a network without a test chain is 3007, and none at all 3001', async () => {
    const mine = 'mutation ($n: String!) { mineBlocks(input: { network: $n, count: 1 }) { tip } }';
    expectGraphQLError(await shop.graphql(mine, { n: 'BTC' }), 200, 'UNAVAILABLE', '3007');
    expectGraphQLError(await shop.graphql(mine, { n: 'nowhere' }), 200, 'BAD_USER_INPUT', '3001');
  });

  it('an Idempotency-Key is honoured, across REST and GraphQL', async () => {
    const key = { 'idempotency-key': 'by GraphQL' };
    const first = await shop.graphql(CREATE, { input: USDT_PAYMENT }, key);
    const again = await shop.graphql(CREATE, { input: USDT_PAYMENT }, key);
    expect(read(again)).toEqual(read(first));
    expect(again.headers['idempotent-replayed']).toBe('true');
    const byRest = await shop.rest('POST', '/payments', USDT_PAYMENT, key);
    expect(dataOf(byRest, 201).orderId).toBe(read(first).createPayment.id);
    const other = { input: { ...USDT_PAYMENT, amount: '26' } };
    expectGraphQLError(await shop.graphql(CREATE, other, key), 200, 'BAD_USER_INPUT', '2002');
    const two =
      'mutation { a: mineBlocks(input: { network: "ETH", count: 1 }) { tip } b: cancelPayment(id: "x") { id } }';
    expectGraphQLError(await shop.graphql(two, {}, key), 400, 'BAD_USER_INPUT', '2001');
  });

  it('an Idempotency-Key goes with one mutation field, also where two are in fragments (2001)', async () => {
    const key = { 'idempotency-key': 'in fragments' };
    const makes = (selection: string) => `mutation ($input: CreatePaymentInput!) { ${selection} }
      fragment A on Mutation { a: createPayment(input: $input) { id } ... on Mutation { __typename } }`;
    const b = 'b: createPayment(input: $input) { id }';
    for (const selection of [`...A ${b}`, `...A ... on Mutation { ${b} }`, `... { ...A ... { ${b} } }`]) {
      const refused = await shop.graphql(makes(selection), { input: USDT_PAYMENT }, key);
      expectGraphQLError(refused, 400, 'BAD_USER_INPUT', '2001');
    }
    const neighbours = `mutation A($input: CreatePaymentInput!) { ${b} } mutation B { logout }`;
    const named = await send({
      ...target(),
      headers: { ...key, authorization: `Bearer ${shop.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: neighbours, variables: { input: USDT_PAYMENT }, operationName: 'A' }),
    });
    expectGraphQLError(named, 400, 'BAD_USER_INPUT', '2001');
    const one = await shop.graphql(makes('__typename ...A'), { input: USDT_PAYMENT }, key);
    expect(one.headers['idempotent-replayed']).toBeUndefined();
    expect(read(one)).toMatchObject({ __typename: 'Mutation', a: { id: expect.stringMatching(id('ord')) } });
  });
});

describe('what fails before execution answers its status', () => {
  it.each(['{', 'query {', '{ payments { nodes { id } }', '}'])('%s does not parse: 400, 2008', async (query) => {
    expectGraphQLError(await shop.graphql(query), 400, 'GRAPHQL_PARSE_FAILED', '2008');
  });

  it.each([
    '{ nothing }',
    '{ payments { nodes } }',
    'mutation { createPayment { id } }',
    '{ payment(id: "x") { id secret } }',
    'query A { walletBalances { available } } fragment F on Payment { id }',
  ])('%s is not valid: 400, 2001', async (query) => {
    expectGraphQLError(await shop.graphql(query), 400, 'GRAPHQL_VALIDATION_FAILED', '2001');
  });

  it('a document that is too deep or has too many aliases is not valid: 400, 2001', async () => {
    const aliases = (count: number) => `{ ${Array.from({ length: count }, (_, n) => `a${n}: __typename`).join(' ')} }`;
    expectGraphQLError(await shop.graphql(aliases(101)), 400, 'GRAPHQL_VALIDATION_FAILED', '2001');
    read(await shop.graphql(aliases(100)));
    const depth = (levels: number) =>
      `{ __schema { types { ${'fields { type { '.repeat(levels)} name ${'} } '.repeat(levels)} } } }`;
    expectGraphQLError(await shop.graphql(depth(10)), 400, 'GRAPHQL_VALIDATION_FAILED', '2001');
    const tokens = `{ ${'__typename '.repeat(2_001)} }`;
    expectGraphQLError(await shop.graphql(tokens), 400, 'GRAPHQL_PARSE_FAILED', '2008');
  });

  it('a batch is not valid, nor is a request without a query: 400, 2001', async () => {
    const headers = { authorization: `Bearer ${shop.token}`, 'content-type': 'application/json' };
    const body = '[{"query":"{__typename}"},{"query":"{__typename}"}]';
    const answer = await send({ ...target(), headers, body });
    expectGraphQLError(answer, 400, 'GRAPHQL_VALIDATION_FAILED', '2001');
    expectGraphQLError(await send({ ...target(), headers, body: '{}' }), 400, 'BAD_USER_INPUT', '2001');
  });

  it('a subscription by POST is refused with 400, as an answer without data has to be', async () => {
    const answer = await shop.graphql('subscription { paymentUpdated { id } }');
    expectGraphQLError(answer, 400, 'BAD_USER_INPUT', '2001');
    expect(answer.body).not.toHaveProperty('data');
    const query = 'subscription ($no: Boolean!) { paymentUpdated @skip(if: $no) { id } }';
    expectGraphQLError(await shop.graphql(query, { no: true }), 400, 'GRAPHQL_VALIDATION_FAILED', '2001');
  });

  it.each([
    ['application/json, application/graphql-response+json', 'application/json'],
    ['application/graphql-response+json, application/json', 'application/graphql-response+json'],
    ['application/graphql-response+json;q=0, application/json', 'application/json'],
    ['application/json;q=0.5, application/graphql-response+json;q=0.1', 'application/json'],
    ['*/*', 'application/json'],
  ])('a bad token is told in the type that is asked for: %s', async (accept, type) => {
    const headers = { authorization: 'Bearer rubbish', 'content-type': 'application/json', accept };
    const answer = await send({ ...target(), headers, body: '{"query":"{ __typename }"}' });
    expectGraphQLError(answer, 401, 'UNAUTHENTICATED', '1002');
    expect(answer.headers['content-type']).toBe(`${type}; charset=utf-8`);
  });

  it('another method than GET and POST is 405 (2005)', async () => {
    const answer = await send({ ...target(), method: 'PUT' });
    expectGraphQLError(answer, 405, 'BAD_REQUEST', '2005');
    expect(answer.headers.allow).toBe('GET, POST');
  });

  it('a bad token is 401, whatever the document asks (1002), and none is fine until a field needs one', async () => {
    const wrong = await graphql(gateway, 'rubbish')('{ __typename }');
    expectGraphQLError(wrong, 401, 'UNAUTHENTICATED', '1002');
    read(await nobody('{ __typename }'));
  });

  it('malformed JSON is 400 (2008), other media types 415 (2007), 512 KB are 413 (2006)', async () => {
    const post = (body: string | Buffer, type = 'application/json') =>
      send({ ...target(), headers: { 'content-type': type }, body });
    expectGraphQLError(await post('{"query":'), 400, 'BAD_REQUEST', '2008');
    const latin = Buffer.from('{"query":"{ __typename #é \\n}"}', 'latin1');
    expectGraphQLError(await post(latin), 400, 'BAD_REQUEST', '2008');
    expectGraphQLError(await post('{ __typename }', 'application/graphql'), 415, 'BAD_REQUEST', '2007');
    expectGraphQLError(await post(' '.repeat(524_289)), 413, 'BAD_REQUEST', '2006');
  });

  it('a mutation does not go by GET', async () => {
    const query = encodeURIComponent('mutation { cancelPayment(id: "x") { id } }');
    const headers = { authorization: `Bearer ${shop.token}`, 'apollo-require-preflight': '1' };
    const answer = await send({ method: 'GET', url: `${gateway.url}/graphql?query=${query}`, headers });
    expect(answer.status).toBe(405);
  });
});

describe('what fails in a resolver answers 200', () => {
  it('no token is 1001, a missing permission 1004 and its name', async () => {
    expectGraphQLError(await nobody('{ walletBalances { available } }'), 200, 'UNAUTHENTICATED', '1001');
    const poor = await newMerchant(gateway, ['READ_PAYMENTS']);
    const error = expectGraphQLError(await poor.graphql('{ walletBalances { available } }'), 200, 'FORBIDDEN', '1004');
    expect(error.message).toBe('Missing permission: READ_WALLET');
  });

  it('payment is null with a 2004 error where there is none, and so is one of another merchant', async () => {
    const other = await newMerchant(gateway);
    const { orderId } = dataOf(await rest(gateway, other.token)('POST', '/payments', USDT_PAYMENT), 201);
    for (const missing of [orderId, 'ord_00000000000000000000000000000000', 'x', '\u0000']) {
      const answer = await shop.graphql('query ($id: ID!) { payment(id: $id) { id } }', { id: missing });
      const error = expectGraphQLError(answer, 200, 'NOT_FOUND', '2004');
      expect(answer.body.data).toEqual({ payment: null });
      expect(error.path).toEqual(['payment']);
    }
  });

  it('validation lists every fault by its path in the variables (2001)', async () => {
    const input = { amount: '1e3', currency: '', network: 'ETH', customerEmail: 'nobody', metadata: { a: 1 } };
    const answer = await shop.graphql(CREATE, { input });
    const { extensions } = expectGraphQLError(answer, 200, 'BAD_USER_INPUT', '2001');
    const paths = (extensions.details as { path: string }[]).map((fault) => fault.path).sort();
    expect(paths).toEqual(['input.amount', 'input.currency', 'input.customerEmail', 'input.metadata.a']);
  });

  it('variables of a wrong type are listed together with the others (2001)', async () => {
    const input = { amount: 25, currency: 'USDT', customerEmail: 'nobody', extra: true };
    const answer = await shop.graphql(CREATE, { input });
    const { extensions } = expectGraphQLError(answer, 400, 'BAD_USER_INPUT', '2001');
    const paths = (extensions.details as { path: string }[]).map((fault) => fault.path).sort();
    expect(paths).toEqual(['input.amount', 'input.customerEmail', 'input.extra', 'input.network']);
  });

  it('without a token nothing is told about the variables: 1001 comes first', async () => {
    const answer = await nobody(CREATE, { input: { amount: 25 } });
    expectGraphQLError(answer, 401, 'UNAUTHENTICATED', '1001');
  });

  it('each field fails for itself: what can be answered is', async () => {
    const answer = await shop.graphql('{ a: payment(id: "x") { id } b: payments(first: 1) { nodes { id } } }');
    expectGraphQLError(answer, 200, 'NOT_FOUND', '2004');
    expect(answer.body.data).toMatchObject({ a: null, b: { nodes: expect.any(Array) } });
  });

  it("a caller's request id is in the header and in every error", async () => {
    const answer = await shop.graphql('{ payment(id: "x") { id } }', {}, { 'x-request-id': 'graphql-1' });
    const error = expectGraphQLError(answer, 200, 'NOT_FOUND', '2004');
    expect(error.extensions).toEqual({ code: 'NOT_FOUND', errorCode: '2004', requestId: 'graphql-1' });
  });
});

describe('a request that is odd', () => {
  const CHANGE = 'mutation ($name: String) { updateSettings(input: { companyName: $name }) { companyName } }';

  it.each(['text/html', 'application/json; charset=utf-16', '*/*;q=0', 'nonsense'])(
    'a mutation is answered when it was done, though nothing but %s be accepted',
    async (accept) => {
      const answer = await shop.graphql(CHANGE, { name: `Accepts ${accept}` }, { accept });
      expect([answer.status, answer.body.data]).toEqual([
        200,
        { updateSettings: { companyName: `Accepts ${accept}` } },
      ]);
    },
  );

  it('a name that no operation has is the fault of who sent it, and nothing is done', async () => {
    const query = 'mutation Rename { updateSettings(input: { companyName: "Nameless" }) { companyName } }';
    const answer = await send({
      ...target(),
      headers: { authorization: `Bearer ${shop.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query, operationName: 'Nothing' }),
    });
    expect([answer.status, answer.body.errors[0].extensions.code]).toEqual([400, 'OPERATION_RESOLUTION_FAILURE']);
    expect(dataOf(await shop.rest('GET', '/merchant/settings')).companyName).not.toBe('Nameless');
  });

  it('a mutation by GET is 405 with 2005, and not done', async () => {
    const query = encodeURIComponent('mutation { updateSettings(input: { companyName: "By GET" }) { companyName } }');
    const headers = { authorization: `Bearer ${shop.token}`, 'apollo-require-preflight': 'true' };
    const answer = await send({ method: 'GET', url: `${gateway.url}/graphql?query=${query}`, headers });
    expect([answer.status, answer.headers['allow']]).toEqual([405, 'POST']);
    expect(answer.body.errors[0].extensions).toEqual({
      ...{ code: 'BAD_REQUEST', errorCode: '2005', requestId: answer.headers['x-request-id'] },
    });
    expect(dataOf(await shop.rest('GET', '/merchant/settings')).companyName).not.toBe('By GET');
  });

  it('a GET of another media type is 415 with 2007', async () => {
    const headers = { 'content-type': 'application/graphql', 'apollo-require-preflight': 'true' };
    const answer = await send({ method: 'GET', url: `${gateway.url}/graphql?query={__typename}`, headers });
    expect([answer.status, answer.body.errors[0].extensions.errorCode]).toEqual([415, '2007']);
  });

  it.each(['a b', '['])('a Host of "%s" is 400, and no fault of ours', async (host) => {
    const answer = await send({ ...target(), headers: { host, 'content-type': 'application/json' }, body: '{}' });
    expect([answer.status, answer.body.errors[0].extensions.errorCode]).toEqual([400, '2008']);
  });
});
