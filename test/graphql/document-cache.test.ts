// The memory used for callers' documents is bounded, whatever they send.

import { describe, expect, it } from '@jest/globals';
import { buildSchema, parse } from 'graphql';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createLoad, type Caller, type OperationContext } from '../../src/access/caller.ts';
import { createDocumentCache } from '../../src/graphql/document-cache.ts';
import { createKnownCallers } from '../../src/server/admission/known-callers.ts';
import { createEngine } from '../../src/graphql/engine.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** The megabytes that the work's result occupies. */
async function keptMegabytes(work: () => unknown): Promise<number> {
  collect();
  const before = process.memoryUsage().heapUsed;
  const kept = await work();
  collect();
  const after = process.memoryUsage().heapUsed;
  expect(kept).toBeDefined();
  return (after - before) / 1e6;
}

describe('validated documents', () => {
  const newDocument = () => parse('{ a }');
  const document = newDocument();
  /** The size of a document whose key is one character. */
  const BYTES = 3 * 500 + 2 * ('{ a }'.length + 1);

  it('are kept as long as they fit; the one that was not asked for longest is the first to go', () => {
    const kept = createDocumentCache(20 * BYTES);
    const keys = [...'abcdefghijklmnopqrstuv'];
    const documents = new Map(keys.map((key) => [key, newDocument()] as const));
    const keep = (key: string) => kept.keep(key, documents.get(key) ?? document);
    keys.slice(0, 20).forEach(keep);
    expect(kept.get('a')).toBe(documents.get('a'));
    expect(kept.bytes()).toBe(20 * BYTES);
    keep('u');
    keep('v');
    const isKept = (key: string) => kept.get(key) === documents.get(key);
    expect(['a', 'b', 'c', 'd', 'u', 'v'].map(isKept)).toEqual([true, false, false, true, true, true]);
    expect(kept.bytes()).toBe(20 * BYTES);
    kept.keep('d', document);
    expect(kept.get('d')).toBe(document);
    kept.delete('d');
    expect([kept.get('d'), kept.bytes()]).toEqual([undefined, 19 * BYTES]);
  });

  it('are kept while they are small: large ones cannot drive out the others', () => {
    const kept = createDocumentCache(32 * BYTES);
    kept.keep('a', document);
    const large = parse(`{ ${'a '.repeat(5)} }`);
    for (const key of 'bcdefghijk') kept.keep(key, large);
    expect([kept.get('a'), kept.get('k'), kept.bytes()]).toEqual([document, undefined, BYTES]);
  });

  it('that are used outlast any number of documents that are sent once', () => {
    const kept = createDocumentCache(20 * BYTES);
    const used = ['a', 'b', 'c'];
    for (const key of used) kept.keep(key, document);
    for (let n = 0; n < 10_000; n += 1) {
      kept.keep(String.fromCodePoint(0x4e00 + (n % 9_000)), newDocument());
      // Each is used once in the time in which the cache is filled anew.
      if (n % 15 === 0) for (const key of used) expect(kept.get(key)).toBe(document);
    }
    expect(kept.bytes()).toBe(20 * BYTES);
  });

  it('take a few megabytes, however many different ones come', async () => {
    const schema = buildSchema('type Query { thing(id: ID): Thing } type Thing { id: ID }');
    const taken = await keptMegabytes(async () => {
      const engine = createEngine({ schema, introspection: true, refusalOfVariables: () => null });
      for (let n = 0; n < 120; n += 1) {
        const context = { idempotencyKey: null, load: createLoad() } as unknown as OperationContext;
        const query = `{ ${Array.from({ length: 40 }, (_, i) => `t${i}: thing(id: "${n}") { ${'...{id}'.repeat(9)} }`).join(' ')} }`;
        const prepared = await engine.prepare({ query }, context);
        if ('errors' in prepared) throw new Error(prepared.errors.join());
        await engine.admit(prepared, {}, context);
        expect(context.load).toHaveProperty('calls', 40);
      }
      return engine;
    });
    expect(taken).toBeLessThan(20);
  });
});

describe('callers that were known', () => {
  const caller = { merchantId: 'mer_1', keyId: 'pk_1' } as Caller;
  const asked = (authorization: string, known: Caller | null = null) =>
    ({ headers: { authorization }, ip: '192.0.2.1', context: { caller: known, ip: '192.0.2.1' } }) as never;

  it('are known by their bearer, however it is written, and by nothing that was not good', () => {
    const callers = createKnownCallers();
    callers.learn(asked('Bearer good', caller), 200);
    callers.learn(asked('Bearer bad'), 200);
    expect(callers.of(asked('bearer    good'))).toBe(callers.of(asked('Bearer good')));
    expect(callers.of(asked('Bearer good'))).not.toBe('192.0.2.1');
    expect(['Bearer bad', 'Bearer ', 'Basic good'].map((header) => callers.of(asked(header)))).toEqual([
      ...['192.0.2.1', '192.0.2.1', '192.0.2.1'],
    ]);
  });

  it('are forgotten once their token is good no more', () => {
    const callers = createKnownCallers();
    callers.learn(asked('Bearer good', caller), 200);
    callers.learn(asked('Bearer good'), 503);
    expect(callers.of(asked('Bearer good'))).toBe('mer_1');
    callers.learn(asked('Bearer good'), 401);
    expect(callers.of(asked('Bearer good'))).toBe('192.0.2.1');
    // Once the caller of a request is known, what was learned before is not consulted.
    expect(callers.of(asked('Bearer good', caller))).toBe('mer_1');
  });

  it('are one for all keys of a merchant', () => {
    const callers = createKnownCallers();
    callers.learn(asked('Bearer one', caller), 200);
    callers.learn(asked('Bearer two', { ...caller, keyId: 'pk_2' }), 200);
    callers.learn(asked('Bearer owner', { ...caller, keyId: null }), 200);
    callers.learn(asked('Bearer other', { ...caller, merchantId: 'mer_2' }), 200);
    const [one, two, owner, other] = ['one', 'two', 'owner', 'other'].map((name) =>
      callers.of(asked(`Bearer ${name}`)),
    );
    expect([two, owner]).toEqual([one, one]);
    expect(other).not.toBe(one);
  });

  it('take no more memory for blanks around it, nor for very long ones', async () => {
    const taken = await keptMegabytes(() => {
      const callers = createKnownCallers();
      for (let n = 0; n < 3_000; n += 1) {
        callers.learn(asked(`Bearer${' '.repeat(10_000 + n)}good`, caller), 200);
        callers.learn(asked(`Bearer${' '.repeat(10_000)}good${'x'.repeat(100)}${n}`, caller), 200);
        callers.learn(asked(`Bearer ${'x'.repeat(10_000)}${n}`, caller), 200);
      }
      return callers;
    });
    expect(taken).toBeLessThan(4);
  });
});
