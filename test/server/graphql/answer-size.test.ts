// The maximum size of a query's answer: exceeding it is reported with advice, over every transport, before the whole
// answer is made.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buildSchema, executeSync, getOperationAST, parse } from 'graphql';
import { readFileSync } from 'node:fs';
import { createLoad, type OperationContext } from '../../../src/access/caller.ts';
import { createEngine } from '../../../src/graphql/engine.ts';
import { isTooLarge, measuredField, measureFields } from '../../../src/graphql/measured-fields.ts';
import { createAnswerBudget, MOST_ANSWER_BYTES, sizeOfLeaf, takeBytes } from '../../../src/values/answer-budget.ts';
import { newMerchant, send, type Answer, type TestMerchant } from '../../support/clients.ts';
import { dataOf } from '../../support/expectations.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { connectAs } from './ws/setup.fixture.ts';

let gateway: TestGateway;
let shop: TestMerchant;

/** Ninety-nine aliases, each about as long as allowed. */
const NAMES = Array.from({ length: 99 }, (_, n) => `${'n'.repeat(90)}${n}`);

/** A page of them is 3 MB, whose characters take three bytes each. */
const PAYMENTS = 100;
const METADATA = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`key${n}`, '€'.repeat(500)]));

beforeAll(async () => {
  // A window that lasts as long as the tests, so that what is left of it only falls.
  gateway = await startTestGateway({ RATE_LIMIT_PER_SECOND: '1' });
  shop = await newMerchant(gateway);
  const payment = { amount: '1', currency: 'USDT', network: 'ERC20', metadata: METADATA };
  for (let n = 0; n < PAYMENTS; n += 10)
    await Promise.all(
      Array.from({ length: 10 }, async () => dataOf(await shop.rest('POST', '/payments', payment), 201)),
    );
});
afterAll(() => gateway.stop());

const pages = (count: number, fields = 'metadata', directive = '') =>
  `query ($on: Boolean = true) { ${Array.from({ length: count }, (_, n) => `p${n}: payments(first: 100) { nodes { ${fields} ${directive} } }`).join(' ')} ...F @include(if: $on) } fragment F on Query { __typename }`;
const plainPages = (count: number) =>
  `{ ${Array.from({ length: count }, (_, n) => `p${n}: payments(first: 100) { nodes { metadata } }`).join(' ')} }`;

function expectTooLarge({ status, body, text }: Answer): void {
  expect(status).toBe(200);
  expect(text.length).toBeLessThan(1_000);
  expect(body).toMatchObject({ data: null, errors: [{ extensions: { code: 'BAD_USER_INPUT', errorCode: '2001' } }] });
  expect(body.errors).toHaveLength(1);
  expect(body.errors[0].message).toMatch(/10 MB.*`first`, then `after`/);
}

describe('a query whose answer', () => {
  it('is below 10 MB is answered, one above it 2001, the first time and when it was seen before', async () => {
    for (let n = 0; n < 2; n += 1) {
      const whole = await shop.graphql(plainPages(3));
      expect([whole.status, whole.body.data.p2.nodes.length]).toEqual([200, PAYMENTS]);
      expect(Buffer.byteLength(whole.text)).toBeLessThan(MOST_ANSWER_BYTES);
      expect(Buffer.byteLength(whole.text)).toBeGreaterThan(0.9 * MOST_ANSWER_BYTES);
      expectTooLarge(await shop.graphql(plainPages(4)));
      expectTooLarge(await shop.graphql(plainPages(99)));
    }
  });

  it('is made by graphql-js, because of a directive, is measured as well', async () => {
    expect((await shop.graphql(pages(3, 'metadata @include(if: $on)'))).body.data.p2.nodes).toHaveLength(PAYMENTS);
    expectTooLarge(await shop.graphql(pages(4, 'metadata @include(if: $on)')));
    expectTooLarge(await shop.graphql(pages(50, 'id metadata @include(if: $on)')));
  });

  it('has an error is measured once, whichever stage makes it in the end', async () => {
    const query = plainPages(2).replace('{ p0', '{ none: payment(id: "ord_none") { id } p0');
    for (let n = 0; n < 2; n += 1) {
      const { body } = await shop.graphql(query);
      expect([body.errors.length, body.errors[0].extensions.errorCode]).toEqual([1, '2004']);
      expect([body.data.none, body.data.p1.nodes.length]).toEqual([null, PAYMENTS]);
    }
  });

  it('is large counts a call for each megabyte begun, by every way it is made or comes', async () => {
    const left = async (query = '{ __typename }') => Number((await shop.graphql(query)).headers['ratelimit-remaining']);
    let before = await left();
    const calls = async (query?: string) => {
      const now = await left(query);
      const counted = before - now;
      before = now;
      return counted;
    };
    expect(await calls()).toBe(1);
    // 3.1 MB and 9.3 MB: as new documents, as known ones, and by graphql-js; and an aborted answer counts as much as
    // was made of it.
    expect([await calls(plainPages(1)), await calls(plainPages(1)), await calls(pages(1))]).toEqual([4, 4, 4]);
    expect([await calls(plainPages(3)), await calls(plainPages(4)), await calls(plainPages(4))]).toEqual([10, 10, 10]);
    expect(await calls('{ payments(first: 2) { nodes { metadata } } }')).toBe(1);
    const client = await connectAs(`${gateway.url.replace('http', 'ws')}/graphql`, shop.token);
    await client.run(plainPages(1));
    client.socket.close();
    expect(await calls()).toBe(1 + 4);
  });

  it('would be too large by web socket or event stream is told the same', async () => {
    const client = await connectAs(`${gateway.url.replace('http', 'ws')}/graphql`, shop.token);
    const { type, payload } = await client.run(plainPages(4));
    expect([type, payload.data, payload.errors.length]).toEqual(['next', null, 1]);
    expect(payload.errors[0].extensions.errorCode).toBe('2001');
    expect((await client.run(plainPages(1))).payload.data.p0.nodes).toHaveLength(PAYMENTS);
    client.socket.close();
    const streamed = await send({
      method: 'POST',
      url: `${gateway.url}/graphql/stream`,
      headers: { authorization: `Bearer ${shop.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: plainPages(4) }),
    });
    expect(streamed.text).toMatch(/"errorCode":"2001"/);
    expect(streamed.text.length).toBeLessThan(1_000);
  });

  it('is too large is given up early: a hundred pages take no more work than a few', async () => {
    // The gateway runs in this process: its work is counted, however long it waits for its turn.
    const leastWork = async (query: string) => {
      const took: number[] = [];
      for (let n = 0; n < 3; n += 1) {
        const before = process.cpuUsage();
        await shop.graphql(query);
        const { user, system } = process.cpuUsage(before);
        took.push(user + system);
      }
      return Math.min(...took);
    };
    const few = await leastWork(plainPages(4));
    expect(await leastWork(plainPages(99))).toBeLessThan(8 * few);
  });
});

describe('what is measured', () => {
  it.each([
    ['the compiled stage', ''],
    ['graphql-js', '@include(if: true)'],
  ])('is the name of the type as well, by %s', async (_name, directive) => {
    const schema = buildSchema('type Query { all: [Thing!]! } type Thing { id: ID! }');
    const all = schema.getQueryType()?.getFields()['all'];
    if (!all) throw new Error('No field');
    all.resolve = () => Array.from({ length: 2_000 }, () => ({ id: 'x' }));
    measureFields(schema);
    const engine = createEngine({ schema, introspection: true, refusalOfVariables: () => null });
    const run = async (names: readonly string[]) => {
      const document = parse(`{ all { id ${directive} ${names.map((name) => `${name}: __typename`).join(' ')} } }`);
      const context = { load: createLoad() } as unknown as OperationContext;
      const operation = getOperationAST(document);
      if (!operation) throw new Error('No operation');
      const result = await engine.execute(await engine.admit({ document, operation }, {}, context));
      return {
        size: JSON.stringify(result).length,
        left: MOST_ANSWER_BYTES - (context.load?.budget.left ?? 0),
        context,
      };
    };
    const fits = await run(NAMES.slice(0, 40));
    expect(isTooLarge(fits.context)).toBe(false);
    expect(fits.left / fits.size).toBeCloseTo(1, 1);
    expect(isTooLarge((await run(NAMES)).context)).toBe(true);
  });

  const described = (fields: string, left = MOST_ANSWER_BYTES) => {
    const text = readFileSync(new URL('../../../../schema/schema.graphql', import.meta.url), 'utf8');
    const schema = buildSchema(text);
    // Each field is measured once, even with two schemas.
    measureFields(buildSchema(text));
    measureFields(schema);
    const load = { ...createLoad(), budget: createAnswerBudget(left) };
    const document = parse(`{ __schema { types { fields { type { ofType { fields { ${fields} } } } } } } }`);
    const result = executeSync({ schema, document, contextValue: { load }, fieldResolver: measuredField });
    return { errors: result.errors?.length ?? 0, size: JSON.stringify(result).length, taken: left - load.budget.left };
  };

  it.each(['name', 'description', '__typename', 'isDeprecated', 'args { name }', 'type { name __typename }'])(
    'is what the schema says of itself: %s',
    (field) => {
      const times = (count: number) =>
        described(
          NAMES.slice(0, count)
            .map((name) => `${name}: ${field}`)
            .join(' '),
        );
      // As often as makes an answer that is large and fits, however large the schema is.
      const { size, taken, errors } = times(Math.floor((5_000_000 / times(10).size) * 10));
      expect(size).toBeGreaterThan(4_000_000);
      expect([errors, taken / size]).toEqual([0, expect.closeTo(1, 1)]);
    },
  );

  it('and once it is too much, the rest of it is not made', () => {
    const { errors, size } = described(NAMES.map((name) => `${name}: type { name }`).join(' '), 100_000);
    expect(errors).toBeGreaterThan(0);
    expect([errors < 10, size < 300_000]).toEqual([true, true]);
  });

  it('is what texts take as JSON, and what is written around them', () => {
    expect([sizeOfLeaf('abc'), sizeOfLeaf('\u0001'.repeat(1_000)), sizeOfLeaf('ü'.repeat(1_000))]).toEqual([
      5, 6_002, 2_002,
    ]);
    for (const text of ['', '"', '\\', '\u0001', '\n', '\u007f', 'ü', '€'.repeat(255), '😀', '\ud800', ' !#[]~'])
      expect(sizeOfLeaf(text)).toBe(Buffer.byteLength(JSON.stringify(text)));
    expect([sizeOfLeaf({ a: 'ü' }), sizeOfLeaf(12), sizeOfLeaf(null), sizeOfLeaf(new Date(0))]).toEqual([10, 6, 6, 26]);
  });

  it('is refused for good once it was too much', () => {
    const budget = createAnswerBudget(10);
    takeBytes(budget, 10);
    expect(() => takeBytes(budget, 1)).toThrow('10 MB');
    expect(() => takeBytes(budget, 0)).toThrow('10 MB');
  });
});
