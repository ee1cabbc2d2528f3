// Documents that are rejected before validation, over every transport, and how many calls parsing one counts as.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { getOperationAST, parse } from 'graphql';
import {
  callsToRead,
  DOCUMENT_LIMITS,
  refusalOfDocument,
  TOKENS_OF_A_CALL,
} from '../../src/graphql/document-limits.ts';
import { refusalOfKey } from '../../src/graphql/idempotency-rule.ts';
import { graphql, send, type Answer } from '../support/clients.ts';
import { expectGraphQLError } from '../support/expectations.ts';
import { startTestGateway, type TestGateway } from '../support/gateway/gateway.ts';
import { connectAs } from '../server/graphql/ws/setup.fixture.ts';

const times = (count: number, text: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => text(n)).join(' ');
const MOST = DOCUMENT_LIMITS.sameName;
/** CPU time of the process, in milliseconds; never less than a minimum, so that ratios make sense. */
function cpuMsOf(work: () => void): number {
  const from = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(from);
  return Math.max(10, (user + system) / 1_000);
}
const refused = (text: string) => refusalOfDocument(parse(text))?.message ?? null;

describe('a document', () => {
  it.each([
    ['by itself', (n: number) => `{ ${times(n, () => 'a{b}')} }`],
    ['under one alias', (n: number) => `{ ${times(n, (i) => `x: a${i % 2}`)} }`],
    ['in inline fragments', (n: number) => `{ ${times(n, () => '... { a }')} }`],
    ['in fragments', (n: number) => `{ ${times(n, (i) => `...F${i}`)} } ${times(n, (i) => `fragment F${i} on Q {a}`)}`],
    ['within fields that are merged', (n: number) => `{ ${times(n / 2, () => 'a { x ... { x } }')} }`],
    ['in an operation that is not asked for', (n: number) => `query A { b } query B { ${times(n, () => 'a')} }`],
    ['in a fragment that nobody uses', (n: number) => `{ b } fragment F on Q { ${times(n, () => 'a')} }`],
  ])('may select the same name so often and no more, %s', (_name, write) => {
    expect(refused(write(MOST))).toBeNull();
    expect(refused(write(MOST + 2))).toMatch(`more than ${MOST} times`);
  });

  it('may select the same name in any number of places', () => {
    expect(refused(`{ ${times(100, (n) => `a${n}: a { id name }`)} }`)).toBeNull();
    expect(refused(`{ ${times(200, () => '...F')} } fragment F on Q { a { id } }`)).toBeNull();
  });

  it('has no long names', () => {
    const name = 'n'.repeat(DOCUMENT_LIMITS.nameLength);
    const all = (long: string) => [
      ...[`{ ${long}: a }`, `{ ${long} }`, `query ${long} { a }`, `query ($${long}: Int) { a(x: $${long}) }`],
      ...[`{ a(${long}: 1) }`, `{ a(x: { ${long}: 1 }) }`, `{ ...${long} } fragment ${long} on Q { a }`],
      ...[`{ a @${long} }`, `{ ... on ${long} { a } }`],
    ];
    expect(all(name).map(refused)).toEqual(all(name).map(() => null));
    for (const text of all(`${name}n`)) expect(refused(text)).toMatch('longer than 100');
  });

  it('of fragments that use each other without end, or very often, is looked at no longer for it', () => {
    expect(refused('{ ...F } fragment F on Q { ...G a } fragment G on Q { ...F }')).toBeNull();
    const levels = times(12, (n) => `fragment F${n} on Q { ${times(12, (i) => `a${i}: a { ...F${n + 1} }`)} }`);
    const as = (text: string) => cpuMsOf(() => expect(refused(text)).toMatch('selects too much'));
    const plain = as(`{ ${times(DOCUMENT_LIMITS.selections + 1, (n) => `a${n}`)} }`);
    // It would have 12 to the power of 12 fields.
    expect(as(`{ ...F0 } ${levels} fragment F12 on Q { b }`)).toBeLessThan(20 * plain);
  });

  it('counts a call for each 500 tokens begun', () => {
    const of = (tokens: number) => callsToRead(parse(`{ ${times(tokens - 2, () => 'a')} }`));
    expect([of(3), of(TOKENS_OF_A_CALL), of(TOKENS_OF_A_CALL + 1), of(2_000)]).toEqual([1, 1, 2, 4]);
  });
});

describe('fragments that use each other twice, on many levels', () => {
  // Few enough fields to be valid, each at the end of a long chain: 16,384 times 165 uses.
  const LEVELS = 14;
  const CHAIN = 165;
  const usesOf = (spreads: number) =>
    times(LEVELS, (n) => `fragment F${n} on Mutation { ${`...F${n + 1} `.repeat(spreads)} }`);
  const chain = times(CHAIN, (n) => `fragment F${LEVELS + n} on Mutation { ...F${LEVELS + n + 1} }`);
  const last = (field: string) => `fragment F${LEVELS + CHAIN} on Mutation { ${field} }`;
  const countOf = (field: string, spreads = 2) => {
    const document = parse(`mutation { ...F0 } ${usesOf(spreads)} ${chain} ${last(field)}`, { maxTokens: 2_000 });
    expect(refusalOfDocument(document)).toBeNull();
    return refusalOfKey(document, getOperationAST(document));
  };

  it('are looked at once for the one field of an Idempotency-Key', () => {
    const count = (spreads: number) => () => {
      expect([countOf('__typename', spreads), countOf('a', spreads)]).toEqual([null, null]);
      expect(countOf('a b', spreads)?.errorName).toBe('VALIDATION');
    };
    const plain = cpuMsOf(count(1));
    expect(cpuMsOf(count(2))).toBeLessThan(20 * plain);
  });

  it('and so are those of all operations of the document', () => {
    const two = parse('mutation A { ...F } mutation B { ...F } fragment F on Mutation { a }');
    expect(refusalOfKey(two, getOperationAST(two, 'A'))?.errorName).toBe('VALIDATION');
  });
});

describe('over the network', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({ RATE_LIMIT_PER_SECOND: '1', RATE_LIMIT_BURST: '100' });
  });
  afterAll(() => gateway.stop());

  const HEAVY = `{ ${times(490, () => 'currencies{name}')} }`;
  const LONG = `{ ${'a'.repeat(95_000)}: __typename }`;
  const left = ({ headers }: Answer) => Number(headers['ratelimit-remaining']);

  it.each([
    ['the same name over and over', HEAVY, 'more than 50 times', 4],
    ['a long name', LONG, 'longer than 100', 1],
  ])('%s is refused over HTTP and by stream, and counted by its tokens', async (_name, query, message, calls) => {
    const before = left(await graphql(gateway)('{ __typename }'));
    const answer = await graphql(gateway)(query);
    expect(expectGraphQLError(answer, 400, 'GRAPHQL_VALIDATION_FAILED', '2001').message).toMatch(message);
    expect(before - left(answer)).toBe(calls);
    const plain = await send({
      method: 'POST',
      url: `${gateway.url}/graphql`,
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ query }),
    });
    expect([plain.status, plain.body.errors.length]).toEqual([200, 1]);
    expect(plain.body.errors[0].extensions).toMatchObject({ errorCode: '2001', requestId: expect.any(String) });
    const streamed = await send({
      method: 'POST',
      url: `${gateway.url}/graphql/stream`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    });
    expect(streamed.text).toMatch(message);
  });

  it('and by web socket', async () => {
    const client = await connectAs(`${gateway.url.replace('http', 'ws')}/graphql`);
    const { type, payload } = await client.run(HEAVY);
    expect([type, payload[0].extensions.errorCode]).toEqual(['error', '2001']);
    expect(payload[0].message).toMatch('more than 50 times');
    client.socket.close();
  });

  it('a document of many tokens counts the same each time, also where it is known, and is refused by its calls', async () => {
    const query = `{ ${times(MOST, () => '...{...{...{...{__typename}}}}')} }`;
    expect(callsToRead(parse(query))).toBe(2);
    const ask = graphql(gateway);
    const first = await ask(query);
    expect(first.body.errors).toBeUndefined();
    const [second, third] = [left(await ask(query)), left(await ask(query))];
    expect(second - third).toBe(2);
    expect(left(first) - second).toBe(2);
    // A document of several operations is validated once and goes through the pipeline each time.
    const several = { query: `query A ${query} query B { __typename }`, operationName: 'A' };
    const askSeveral = () =>
      send({
        method: 'POST',
        url: `${gateway.url}/graphql`,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(several),
      });
    const counted = [left(await askSeveral()), left(await askSeveral()), left(await askSeveral())];
    expect(counted.map((calls) => (counted[0] ?? 0) - calls)).toEqual([0, 2, 4]);
    let refusal = await ask(HEAVY);
    for (let n = 0; n < 60 && refusal.status === 400; n += 1) refusal = await ask(HEAVY);
    const { extensions } = expectGraphQLError(refusal, 429, 'RATE_LIMITED', '9001');
    expect(extensions.requestId).toEqual(expect.any(String));
    expect(Number(refusal.headers['retry-after'])).toBeGreaterThan(0);
  });
});
