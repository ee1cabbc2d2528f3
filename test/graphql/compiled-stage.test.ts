// The compiled stage of the engine: with graphql-js behind it, the response is that of graphql-js alone, for any
// document and values, and no root resolver runs twice.

import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  execute,
  getVariableValues,
  GraphQLEnumType,
  GraphQLError,
  GraphQLID,
  GraphQLInt,
  GraphQLBoolean,
  GraphQLInterfaceType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLSchema,
  GraphQLString,
  Kind,
  parse,
  validate,
  type ExecutionResult,
  type GraphQLOutputType,
  type OperationDefinitionNode,
} from 'graphql';
import { GraphQLDateTimeISO, GraphQLJSONObject } from 'graphql-scalars';
import type { OperationContext } from '../../src/access/caller.ts';
import { createCompiledStage, type StageOptions } from '../../src/graphql/compiled-stage.ts';
import { createEngine } from '../../src/graphql/engine.ts';
import { createAnswerBudget, type AnswerBudget } from '../../src/values/answer-budget.ts';

const Mood = new GraphQLEnumType({ name: 'Mood', values: { GOOD: { value: 'good' }, BAD: { value: 'bad' } } });
const Named = new GraphQLInterfaceType({ name: 'Named', fields: { name: { type: GraphQLString } } });
const of = (type: GraphQLOutputType) => ({ type });
const greet = (source: { name?: unknown }) => (source.name === '' ? null : `hello ${String(source.name)}`);
const Item: GraphQLObjectType = new GraphQLObjectType({
  name: 'Item',
  interfaces: [Named],
  fields: () => ({
    id: of(new GraphQLNonNull(GraphQLID)),
    name: of(GraphQLString),
    count: of(GraphQLInt),
    isNew: of(GraphQLBoolean),
    at: of(GraphQLDateTimeISO),
    mood: of(Mood),
    data: of(GraphQLJSONObject),
    tags: of(new GraphQLList(new GraphQLNonNull(GraphQLString))),
    inner: of(Item),
    sure: of(new GraphQLNonNull(Item)),
    items: of(new GraphQLList(Item)),
    shouted: { type: GraphQLString, resolve: (source: { name?: unknown }) => `${String(source.name)}!` },
    greeting: { type: GraphQLString, resolve: greet, extensions: { ofSource: greet } },
    part: {
      type: GraphQLString,
      args: { of: { type: GraphQLInt } },
      resolve: (source: { name?: unknown }, { of: end }: { of?: number }) => String(source.name).slice(0, end),
    },
  }),
});

let value: unknown;
let asked: string[];
const top = (type: GraphQLOutputType) => ({
  type,
  args: { say: { type: GraphQLString }, all: { type: new GraphQLList(GraphQLString) } },
  resolve: (_: unknown, { say }: { say?: string }, __: unknown, { path }: { path: { key: string | number } }) => {
    asked.push(String(path.key));
    if (say === 'throw') throw new GraphQLError('thrown');
    if (say === 'reject') return Promise.reject(new GraphQLError('rejected'));
    return say === 'later' ? Promise.resolve(value) : value;
  },
});
const fields = {
  item: top(Item),
  sureItem: top(new GraphQLNonNull(Item)),
  items: top(new GraphQLList(new GraphQLNonNull(Item))),
  named: top(Named),
  text: { ...top(GraphQLString), resolve: () => 'text' },
};
/** A schema for each stage, because the stage wraps its root resolvers. */
const schemaOf = () =>
  new GraphQLSchema({
    query: new GraphQLObjectType({ name: 'Query', fields }),
    mutation: new GraphQLObjectType({ name: 'Mutation', fields }),
    types: [Item],
  });
const plain = schemaOf();

/** A stage with graphql-js behind it, as in the engine, and what the stage does alone. */
function createStages(options: StageOptions = {}) {
  const schema = schemaOf();
  const stage = createCompiledStage(schema, options);
  return {
    async execute(prepared: Prepared, variableValues: Record<string, unknown>, context: object) {
      const { document, operation } = prepared;
      const { coerced = {} } = getVariableValues(schema, operation.variableDefinitions ?? [], variableValues);
      const done = await stage({ ...prepared, variables: variableValues, coerced, context });
      if ('data' in done) return done;
      return await execute({ schema, document, rootValue: done.answers, variableValues, contextValue: context });
    },
    async isAlone(prepared: Prepared, context: object) {
      return 'data' in (await stage({ ...prepared, variables: {}, coerced: {}, context }));
    },
  };
}

let stages: ReturnType<typeof createStages>;
beforeEach(() => {
  stages = createStages();
  asked = [];
});

type Prepared = ReturnType<typeof prepare>;

function prepare(text: string) {
  const document = parse(text);
  expect(validate(plain, document)).toEqual([]);
  const operation = document.definitions.find(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  return { document, operation: operation as OperationDefinitionNode };
}

const asText = ({ data, errors }: ExecutionResult) => JSON.stringify({ data, errors });

/** Runs a document both ways, checks that the results are equal, and returns them as text. */
async function same(text: string, variables: Record<string, unknown> = {}): Promise<string> {
  const prepared = prepare(text);
  const { document } = prepared;
  asked = [];
  const expected = await execute({ schema: plain, document, variableValues: variables, contextValue: {} });
  const once = asked;
  asked = [];
  const result = await stages.execute(prepared, variables, {});
  expect(asked).toEqual(once);
  expect(asText(result)).toBe(asText(expected));
  return asText(result);
}

/** Whether the stage answers a document without graphql-js. */
function isOwn(text: string): Promise<boolean> {
  return stages.isAlone(prepare(text), {});
}

const ITEM = { id: 'i', name: 'n', count: 1, isNew: true, at: new Date(0), mood: 'good', data: { a: 1 }, tags: ['t'] };
const LEAVES = 'id name count isNew at mood data tags greeting';

describe('what it does by itself', () => {
  it.each([
    `{ item { ${LEAVES} __typename } }`,
    `{ a: item { b: id c: id } text }`,
    `{ items(say: "later") { id inner { id } items { id } } }`,
    `{ item { ...F ... on Item { inner { name } } } } fragment F on Item { id inner { id } }`,
    `mutation { one: item { id } two: items(say: "later") { name } }`,
    `query Q($s: String = "later") { item(say: $s) { id } }`,
  ])('%s', async (text) => {
    value = /items/.test(text) && !/one/.test(text) ? [ITEM, { ...ITEM, inner: ITEM, items: [ITEM, null] }] : ITEM;
    if (/one/.test(text)) value = Object.assign([ITEM], { id: 'both' });
    await same(text);
    expect(await isOwn(text)).toBe(true);
  });
});

describe('what it leaves to graphql-js, with the same answer', () => {
  it.each([
    '{ item { id @skip(if: true) name } }',
    '{ item @include(if: false) { id } }',
    '{ named { name __typename } }',
    '{ item { ... on Named { name } } }',
    '{ item { shouted } }',
    '{ item { part(of: 1) } }',
    '{ item { id } ...Q } fragment Q on Query { text }',
    '{ __schema { queryType { name } } item { id } }',
    '{ __typename item { id } }',
    '{ item { id } item { name } }',
    '{ item { __proto__: id } }',
  ])('%s', async (text) => {
    value = { ...ITEM, __typename: 'Item' };
    await same(text);
    expect(await isOwn(text)).toBe(false);
  });

  it('a few lines of fragments that would make thousands of fields', async () => {
    const levels = Array.from(
      { length: 12 },
      (_, n) => `fragment F${n} on Item { a${n}: inner { ...F${n + 1} } b${n}: inner { ...F${n + 1} } }`,
    );
    const text = `{ item { ...F0 } } ${levels.join(' ')} fragment F12 on Item { id }`;
    value = { inner: null };
    await same(text);
    expect(await isOwn(text)).toBe(false);
  });

  it.each([
    ['a promise', { name: Promise.resolve('later') }],
    ['a promise of an object', { inner: Promise.resolve({ id: 'i' }) }],
    ['a function', { name: () => 'called' }],
    ['a wrong type', { count: 'many' }],
    ['a number too large', { count: 2 ** 40 }],
    ['an unknown choice', { mood: 'ugly' }],
    ['an invalid date', { at: new Date(Number.NaN) }],
    ['a list that is a string', { tags: 'tags' }],
    ['a set instead of a list', { tags: new Set(['a']) }],
    ['null in a list without nulls', { tags: ['a', null] }],
    ['null where there must be something', { id: null }],
    ['the same further down', { inner: { id: 'i', sure: null } }],
    ['a getter that throws', Object.defineProperty({}, 'name', { get: () => { throw new Error('got'); }, enumerable: true })], // prettier-ignore
  ])('%s', async (_, wrong) => {
    value = Object.defineProperties({ ...ITEM }, Object.getOwnPropertyDescriptors(wrong));
    for (const field of ['item', 'sureItem']) await same(`{ ${field} { ${LEAVES} inner { id sure { id } } } text }`);
  });
});

describe('errors of the fields at the top', () => {
  it.each(['throw', 'reject'])('a resolver that does %s is asked once, and told as graphql-js does', async (say) => {
    value = ITEM;
    for (const kind of ['query', 'mutation']) {
      expect(await same(`${kind} { item(say: "${say}") { id } other: item { id } }`)).toContain('"path":["item"]');
      expect(await same(`${kind} { sureItem(say: "${say}") { id } after: item { id } }`)).toContain('"data":null');
    }
  });

  it('of several invalid variables only the first is reported, and no resolver runs', async () => {
    value = ITEM;
    const prepared = prepare('query($s: String!, $t: [String]) { item(say: $s, all: $t) { id } }');
    const engine = createEngine({ schema: schemaOf(), introspection: true, refusalOfVariables: () => null });
    let looks = 0;
    const wrong = new Proxy(Array<number>(50_000).fill(1), {
      get: (list, key) => {
        looks += typeof key === 'string' && /^\d+$/.test(key) ? 1 : 0;
        return Reflect.get(list, key) as unknown;
      },
    });
    for (const variables of [{ s: 1 }, {}, { s: 'right', t: wrong }]) {
      const admitting = engine.admit(prepared, variables, { idempotencyKey: null } as OperationContext);
      await expect(admitting).rejects.toMatchObject({ errorName: 'VALIDATION', details: { length: 1 } });
    }
    expect(looks).toBeLessThan(20);
    expect(asked).toEqual([]);
  });

  it('after which the same document is done as before', async () => {
    const text = '{ item { id } }';
    for (const each of [ITEM, { id: null }, ITEM, null, ITEM]) {
      value = each;
      await same(text);
    }
    value = ITEM;
    expect(await isOwn(text)).toBe(true);
  });

  it('after which, were they of answers that are too large, the same document is done as before', async () => {
    value = ITEM;
    const rooms = new WeakMap<object, AnswerBudget>();
    const bounded = createStages({ budgetOf: (context) => rooms.get(context) ?? null });
    const [prepared, results] = [prepare('{ item { id } }'), [] as boolean[]];
    for (const left of [1, 1, 1, 1, 1, 1, 1_000]) {
      const context = {};
      rooms.set(context, createAnswerBudget(left));
      results.push(await bounded.isAlone(prepared, context));
    }
    expect(results).toEqual([false, false, false, false, false, false, true]);
  });
});

const leaf = fc.oneof(
  ...[fc.string(), fc.integer(), fc.double(), fc.boolean(), fc.constant(null), fc.constant(undefined)],
  ...[fc.date({ noInvalidDate: false }), fc.constantFrom('good', 'bad'), fc.array(fc.string()), fc.constant({ a: 1 })],
  ...[fc.constant(new Error('answered')), fc.constant(() => 'called')],
);
const { tree } = fc.letrec<{ tree: unknown; node: unknown }>((tie) => ({
  tree: fc.oneof({ maxDepth: 3 }, leaf, tie('node'), fc.array(tie('node'), { maxLength: 3 })),
  node: fc.record(
    {
      id: fc.oneof({ weight: 5, arbitrary: fc.string() }, leaf),
      name: fc.oneof({ weight: 5, arbitrary: fc.string() }, leaf),
      count: fc.oneof({ weight: 5, arbitrary: fc.integer() }, leaf),
      isNew: fc.oneof({ weight: 5, arbitrary: fc.boolean() }, leaf),
      at: fc.oneof({ weight: 5, arbitrary: fc.date() }, leaf),
      mood: fc.constantFrom('good', 'bad', null),
      tags: fc.oneof({ weight: 5, arbitrary: fc.array(fc.string()) }, leaf),
      inner: tie('tree'),
      items: tie('tree'),
    },
    { requiredKeys: ['id'] },
  ),
}));

it('any value under any selection', async () => {
  const names = fc.subarray(['id', 'name', 'n: name', 'count', 'isNew', 'at', 'mood', 'tags', 'greeting'], {
    minLength: 1,
  });
  await fc.assert(
    fc.asyncProperty(tree, names, names, fc.constantFrom('item', 'items', 'sureItem'), async (any, a, b, field) => {
      value = any;
      const [one, two] = [a.join(' '), b.join(' ')];
      await same(`{ ${field}(say: "later") { ${one} inner { ${two} } items { ${one} inner { ${two} } } } }`);
    }),
    { numRuns: 500 },
  );
});
