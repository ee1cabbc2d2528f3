// A known document skips Apollo's pipeline, and no client can tell: the same request gets the same answer, byte for
// byte, and its effect happens once each time.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buildSchema, parse } from 'graphql';
import { pino } from 'pino';
import type { OperationContext } from '../../src/access/caller.ts';
import { registerGraphQL } from '../../src/server/graphql/http.ts';
import { createHttpServer } from '../../src/server/http-server.ts';
import { documentKey } from '../../src/graphql/document-cache.ts';
import { createEngine, type Operation } from '../../src/graphql/engine.ts';
import { createFastPath } from '../../src/server/graphql/fast-path.ts';
import { createLargeBodies } from '../../src/server/admission/large-bodies.ts';
import { borrowGateway, type BorrowedGateway } from '../support/gateway/borrowed-gateway.ts';
import { newMerchant, send, USDT_PAYMENT, type Answer, type Json, type TestMerchant } from '../support/clients.ts';
import { dataOf } from '../support/expectations.ts';
import { until } from '../support/until.ts';

let gateway: BorrowedGateway;
let shop: TestMerchant;
beforeAll(async () => {
  gateway = await borrowGateway();
  shop = await newMerchant(gateway);
  const { orderId } = dataOf(await shop.rest('POST', '/payments', USDT_PAYMENT), 201);
  await shop.rest('POST', `/sandbox/payments/${orderId}/deposit`, { amount: USDT_PAYMENT.amount });
  await until(async () => {
    const { transactions } = dataOf(await shop.rest('GET', `/payments/${orderId}`));
    return (transactions as Json[]).length > 0;
  });
});
afterAll(() => gateway.stop());

type Headers = Readonly<Record<string, string>>;

function ask(body: object, headers: Headers = {}): Promise<Answer> {
  const own = { authorization: `Bearer ${shop.token}`, 'content-type': 'application/json', 'x-request-id': 'the-same' };
  const all = { ...own, ...headers };
  return send({ method: 'POST', url: `${gateway.url}/graphql`, headers: all, body: JSON.stringify(body) });
}

/** An answer without the time at which it was given. */
function comparable({ status, headers, text }: Answer) {
  const { date: _, 'ratelimit-remaining': __, 'ratelimit-reset': ___, ...kept } = headers;
  return { status, headers: kept, text };
}

/**
 * Asks three times: a new document, the known document, and again. Returns the answer, which must be the same each
 * time.
 */
async function thrice(body: object, headers?: Headers) {
  const [first, ...again] = [await ask(body, headers), await ask(body, headers), await ask(body, headers)];
  for (const answer of again) expect(comparable(answer)).toEqual(comparable(first));
  return first;
}

let nth = 0;
/** A query with an unused name. */
const fresh = (selection: string, variables = '') => `query Q${process.pid}_${(nth += 1)}${variables} ${selection}`;
const countOf = async () =>
  (await gateway.sql<{ n: number }>('select count(*)::int as n from payment where merchant_id = $1', [shop.id]))[0]?.n;

describe('the same request again', () => {
  it.each([
    undefined,
    '*/*',
    'application/json',
    'application/graphql-response+json',
    'application/graphql-response+json, application/json;q=0.9',
    'text/html',
  ])('has the same type and bytes for Accept: %s', async (accept) => {
    const query = fresh('{ payments(first: 2) { nodes { id transactions { txHash explorerUrl } } } }');
    const answer = await thrice({ query }, accept === undefined ? {} : { accept });
    expect(answer.status).toBe(200);
    const [payment] = answer.body.data.payments.nodes;
    expect(payment.transactions).toEqual([{ txHash: expect.any(String), explorerUrl: null }]);
  });

  it('is told of errors as before, of resolvers, of variables and of names', async () => {
    const query = fresh('{ payment(id: $id) { id } }', '($id: ID!)');
    const { orderId } = dataOf(await shop.rest('POST', '/payments', USDT_PAYMENT), 201);
    const found = await thrice({ query, variables: { id: orderId } });
    expect(found.body).toEqual({ data: { payment: { id: orderId } } });
    const missing = await thrice({ query, variables: { id: 'ord_none' } });
    expect(missing.body).toMatchObject({ data: { payment: null }, errors: [{ extensions: { errorCode: '2004' } }] });
    const without = await thrice({ query });
    expect(without.body).toMatchObject({ errors: [{ extensions: { errorCode: '2001' } }] });
    const misnamed = await thrice({ query, variables: { id: orderId }, operationName: 'Other' });
    expect(misnamed.body.errors).toHaveLength(1);
    const name = /Q\w+/.exec(query)?.[0];
    expect((await thrice({ query, variables: { id: orderId }, operationName: name })).body).toEqual(found.body);
    for (const odd of [{ variables: [] }, { variables: 'x' }, { extensions: { a: 1 } }, { operationName: 5 }])
      await thrice({ query, variables: { id: orderId }, ...odd });
  });

  it('is refused without a token and without the permission, as ever', async () => {
    const query = fresh('{ payments { nodes { id } } }');
    expect((await thrice({ query })).status).toBe(200);
    expect((await thrice({ query }, { authorization: 'Bearer none' })).status).toBe(401);
    const other = await newMerchant(gateway, ['READ_WALLET']);
    const answer = await thrice({ query }, { authorization: `Bearer ${other.token}` });
    expect(answer.body).toMatchObject({ errors: [{ extensions: { errorCode: '1004' } }] });
  });

  it('does what it asks once each time, also where one of two fields fails', async () => {
    const query = `mutation M${process.pid}($ok: CreatePaymentInput!, $bad: CreatePaymentInput!) {
      a: createPayment(input: $ok) { id } b: createPayment(input: $bad) { id } }`;
    for (const bad of [USDT_PAYMENT, { ...USDT_PAYMENT, currency: 'NONE' }, { ...USDT_PAYMENT, currency: 'NONE' }]) {
      const before = (await countOf()) ?? 0;
      const { body } = await ask({ query, variables: { ok: USDT_PAYMENT, bad } });
      const isBad = bad !== USDT_PAYMENT;
      expect(await countOf()).toBe(before + (isBad ? 1 : 2));
      expect(body.errors?.length ?? 0).toBe(isBad ? 1 : 0);
    }
  });

  it('with an Idempotency-Key is the same answer, marked as repeated, and one effect', async () => {
    const query = `mutation K${process.pid}($input: CreatePaymentInput!) { createPayment(input: $input) { id } }`;
    const once = () => ask({ query, variables: { input: USDT_PAYMENT } }, { 'idempotency-key': `key-${process.pid}` });
    const before = (await countOf()) ?? 0;
    const answers = [await once(), await once(), await once()];
    expect(await countOf()).toBe(before + 1);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers.map(({ headers }) => headers['idempotent-replayed'])).toEqual([undefined, 'true', 'true']);
    const two = `mutation T${process.pid}($input: CreatePaymentInput!) {
      a: createPayment(input: $input) { id } b: createPayment(input: $input) { id } }`;
    expect((await ask({ query: two, variables: { input: USDT_PAYMENT } })).status).toBe(200);
    const refused = await thrice(
      { query: two, variables: { input: USDT_PAYMENT } },
      { 'idempotency-key': `two-${process.pid}` },
    );
    expect(refused.body).toMatchObject({ errors: [{ extensions: { errorCode: '2001' } }] });
    expect(await countOf()).toBe(before + 3);
  });
});

const engineOf = (schema: string) =>
  createEngine({ schema: buildSchema(schema), introspection: true, refusalOfVariables: () => null });

describe('what was answered before', () => {
  it('is executed at once, with the context of the request and no copy of it, whatever its variables', async () => {
    const asked: OperationContext[] = [];
    const given: OperationContext[] = [];
    const server = createHttpServer({
      ...{ log: pino({ level: 'silent' }), trustProxy: [], httpsOnly: false, tls: null },
      onAnswered: ({ request }) => void given.push(request.context as OperationContext),
    });
    const execute = ({ context }: Operation) => {
      asked.push(context);
      return Promise.resolve({ data: { a: 'answered' } });
    };
    const { stop } = await registerGraphQL(server, {
      engine: { ...engineOf('type Query { a(b: Int): String }'), execute },
      enterLarge: () => Promise.resolve(),
      largeBodies: createLargeBodies(),
      identify: () => Promise.resolve({ idempotencyKey: null } as OperationContext),
    });
    const query = 'query ($b: Int) { a(b: $b) }';
    const bodies = [{ query }, { query }, { query, variables: { b: 2 } }, { query, extensions: { a: 1 } }];
    for (const payload of bodies) {
      const answer = await server.inject({ method: 'POST', url: '/graphql', payload });
      expect(answer.json()).toEqual({ data: { a: 'answered' } });
    }
    await server.close();
    await stop();
    expect(asked.map((context, nth) => context === given[nth])).toEqual([false, true, true, false]);
  });
});

describe('what is kept', () => {
  const context = { idempotencyKey: null } as OperationContext;
  const newPath = () => {
    const asked: string[] = [];
    const engine = engineOf('type Query { a: String } type Subscription { a: String }');
    const path = createFastPath({
      ...engine,
      execute: ({ operation }) => {
        asked.push(operation.name?.value ?? '');
        return Promise.resolve({ data: {} });
      },
    });
    path.learnType('a/b', 'type/of-it');
    const keep = (text: string) => engine.documents.keep(documentKey(text), parse(text));
    const answer = (body: unknown, headers: object = { accept: 'a/b' }, method = 'POST') =>
      path.answer({ method, body, headers } as never, context);
    return { keep, asked, answer };
  };

  it('is executed at once, for a plain POST alone', async () => {
    const { keep, asked, answer } = newPath();
    keep('query A { a }');
    const query = 'query A { a }';
    expect(await answer({ query })).toEqual({ type: 'type/of-it', body: '{"data":{}}\n' });
    expect(await answer({ query, variables: null, operationName: 'A' })).not.toBeNull();
    for (const body of [{ query: 'query B { a }' }, { query, extensions: {} }, { query, operationName: '' }, null, []])
      expect(await answer(body)).toBeNull();
    expect(await answer({ query }, { accept: 'c/d' })).toBeNull();
    expect(await answer({ query }, { accept: 'a/b' }, 'GET')).toBeNull();
    expect(asked).toEqual(['A', 'A']);
  });

  it('is neither a subscription, nor one operation of several, nor more than fits', async () => {
    const { keep, answer } = newPath();
    for (const text of ['subscription S { a }', 'query A { a } query B { b }']) {
      keep(text);
      expect(await answer({ query: text })).toBeNull();
    }
    // About 450 KB each, of eight megabytes; one of twice that size is not kept.
    const texts = Array.from({ length: 40 }, (_, index) => `query Q${index} { ${'a '.repeat(890)} }`);
    const large = `{ ${'a '.repeat(1_990)} }`;
    for (const text of [...texts, large]) keep(text);
    const kept = [];
    for (const query of texts) if (await answer({ query })) kept.push(query);
    expect(await answer({ query: large })).toBeNull();
    expect(kept.length).toBeGreaterThan(15);
    expect(kept.length).toBeLessThan(20);
    expect(kept).toEqual(texts.slice(-kept.length));
  });
});
