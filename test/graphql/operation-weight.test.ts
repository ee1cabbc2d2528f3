// How many calls an operation counts as: the root fields that it runs, however they are written, or its cost.

import { describe, expect, it } from '@jest/globals';
import { buildSchema, getOperationAST, parse, validate } from 'graphql';
import { createScales } from '../../src/graphql/operation-weight.ts';
import { COST_OF_A_CALL } from '../../src/values/call-weight.ts';

const schema = buildSchema(`
  type Query { a(id: Int): Thing  b: Thing  list(first: Int): List }
  type Mutation { change(id: Int): Thing }
  type Subscription { added: Thing }
  type List { nodes: [Thing!]! }
  type Thing { id: ID! name: String inner: Thing }
`);

function callsOf(text: string, variables: Record<string, unknown> = {}, weigh = createScales(schema)): number {
  const document = parse(text);
  expect(validate(schema, document)).toEqual([]);
  const operation = getOperationAST(document);
  if (!operation) throw new Error('No operation');
  return weigh(document, operation, variables);
}

const aliases = (count: number, field = 'a(id: 1) { id }') =>
  Array.from({ length: count }, (_, n) => `a${n}: ${field}`).join(' ');

describe('an operation counts as', () => {
  it.each([
    ['a field', '{ a { id } }', 1],
    ['nothing but its type', '{ __typename }', 1],
    ['a look at the schema, by its cost', '{ __schema { queryType { name } } }', 2],
    ['two fields', '{ a { id } b { id } }', 2],
    ['a hundred aliases', `{ ${aliases(100)} }`, 100],
    ['a field that is written twice and run once', '{ a { id } a { name } }', 1],
    ['aliases in a fragment', `{ ...F } fragment F on Query { ${aliases(7)} }`, 7],
    ['a fragment that is used twice', `{ ...F ...F } fragment F on Query { ${aliases(7)} }`, 7],
    [
      'fragments in fragments',
      `{ ...F b { id } } fragment F on Query { ...G x: b { id } } fragment G on Query { y: b { id } }`,
      3,
    ],
    ['an inline fragment', `{ ... on Query { ${aliases(3)} } ... { ${aliases(5)} } }`, 5],
    ['mutations', `mutation { ${aliases(4, 'change(id: 1) { id }')} }`, 4],
    ['a subscription', 'subscription { added { id } }', 1],
    ['what is left out by itself', `{ a @skip(if: true) { id } b @include(if: false) { id } c: b { id } }`, 1],
  ])('%s', (_name, text, calls) => expect(callsOf(text)).toBe(calls));

  it.each([
    [{ yes: true, no: false }, 2],
    [{ yes: false, no: true }, 2],
    [{ yes: true, no: true }, 3],
    [{ yes: false, no: false }, 1],
    [{}, 2],
    [{ yes: null, no: 'true' }, 3],
  ])('what its variables %j let run', (variables, calls) => {
    const text = `query ($yes: Boolean = true, $no: Boolean = false) {
      a @include(if: $yes) { id }  b { id }  ...F @include(if: $no)
    } fragment F on Query { c: b { id } }`;
    const weigh = createScales(schema);
    expect(callsOf(text, variables, weigh)).toBe(calls);
  });

  it('its cost, where that is more calls', () => {
    const page = (first: number) => `list(first: ${first}) { nodes { ${aliases(19, 'name')} } }`;
    expect(callsOf(`{ ${page(100)} }`)).toBe(Math.ceil((1 + 100 * 20) / COST_OF_A_CALL));
    expect(callsOf(`{ ${page(50)} }`)).toBe(1);
    expect(callsOf(`query ($n: Int) { ${page(100).replace('100', '$n')} }`, { n: 1 })).toBe(2);
    const unless = `query ($no: Boolean!) { a { id } ...F @skip(if: $no) } fragment F on Query { ${page(100)} }`;
    expect([callsOf(unless, { no: true }), callsOf(unless, { no: false })]).toEqual([1, 2]);
  });

  it('the same for each of several runs of one document, with the variables of each', () => {
    const weigh = createScales(schema);
    const document = parse('query ($on: Boolean!) { a { id } b @include(if: $on) { id } }');
    const operation = getOperationAST(document);
    if (!operation) throw new Error('No operation');
    const calls = [true, false, true].map((on) => weigh(document, operation, { on }));
    expect(calls).toEqual([2, 1, 2]);
  });
});
