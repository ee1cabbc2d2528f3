// Tests the helper for random stories: what it prints for a failure is a test that fails in the same way.

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import ts from 'typescript';
import { asLiteral, asTest } from './literal.ts';
import { holdStories, longList, StoryFailed } from './story.ts';

type Step = { readonly kind: 'pay'; readonly amount: bigint } | { readonly kind: 'wait'; readonly minutes: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('pay'), amount: fc.bigInt(0n, 10n ** 21n) }),
  fc.record({ kind: fc.constant('wait'), minutes: fc.integer() }),
);
const steps = fc.array(step, { maxLength: 30, size: 'max' });

/** Fails on purpose: at most one payment may be more than a thousand. */
async function planted(name: string, made: readonly Step[]): Promise<void> {
  const large = made.filter((one) => one.kind === 'pay' && one.amount > 1_000n);
  if (large.length >= 2) throw new Error(`${name.length > 0 ? 'somebody' : 'nobody'} paid ${large.length} times`);
}

/** The failure of a property that must fail. */
async function failureOf(holding: Promise<void>): Promise<StoryFailed> {
  const error: unknown = await holding.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof StoryFailed)) throw new Error('it did not fail as a story does', { cause: error });
  return error;
}

/** The test in a message: from `it(` to the end of its statement. */
function testIn(message: string): string {
  const found = /^it\([\s\S]*?\n {2}\)?.*\);$/m.exec(message);
  if (!found) throw new Error(`there is no test in: ${message}`);
  return found[0];
}

/** Compiles a TypeScript expression, which must be valid, and evaluates it with these names. */
function run(code: string, names: Readonly<Record<string, unknown>>): unknown {
  const compilerOptions = { target: ts.ScriptTarget.ES2024, module: ts.ModuleKind.ESNext, strict: true };
  const { outputText, diagnostics } = ts.transpileModule(`const made = ${code}`, {
    compilerOptions,
    reportDiagnostics: true,
  });
  expect(diagnostics?.map(({ messageText }) => messageText)).toEqual([]);
  // eslint-disable-next-line @typescript-eslint/no-implied-eval -- what is printed to be pasted is run as it would be
  const compiled = new Function(...Object.keys(names), `${outputText}; return made;`) as (
    ...given: unknown[]
  ) => unknown;
  return compiled(...Object.values(names));
}

/** The language's own types that a printed test needs: reading all of them takes seconds. */
const LANGUAGE = `interface Array<T> { readonly [nth: number]: T }
  interface ReadonlyArray<T> { readonly [nth: number]: T }
  interface Promise<T> { readonly value: T }
  ${['Boolean', 'CallableFunction', 'Function', 'IArguments', 'NewableFunction', 'Number', 'Object', 'RegExp', 'String']
    .map((name) => `interface ${name} {}`)
    .join('\n')}
`;

/** The compiler's errors for a piece of TypeScript, in its strictest mode. */
function faultsOf(code: string): string[] {
  const target = ts.ScriptTarget.ES2024;
  const options: ts.CompilerOptions = { target, strict: true, noEmit: true, noLib: true, types: [] };
  const host = ts.createCompilerHost(options);
  host.getSourceFile = (name) => ts.createSourceFile(name, LANGUAGE + code, target);
  const program = ts.createProgram(['pasted.ts'], options, host);
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
}

/** Runs a test as jest would. */
async function runTest(code: string, story: unknown): Promise<string> {
  let title = '';
  let body: Promise<unknown> | undefined;
  const collect = (name: string, test: () => Promise<unknown>) => {
    title = name;
    body = test();
  };
  run(code, { it: collect, story });
  await body;
  return title;
}

const failing = (fields: { seed?: number; shrinkForMs?: number } = {}) =>
  holdStories({ title: "nobody's coins", of: [fc.string(), steps], story: planted, numRuns: 1_000, ...fields });

describe('a story that fails', () => {
  it('is printed as the smallest test that fails, which fails in the same way', async () => {
    const { message, cause } = await failureOf(failing());
    const code = testIn(message);
    expect(code).toMatch(/^it\('nobody\\'s coins \(seed -?\d+\)', \(\) =>\n {2}story\('', \[\n?[\s\S]*\]\)\);$/);
    expect(code.match(/kind: 'pay', amount: 1_001n/g)).toHaveLength(2);
    expect(code).not.toContain('wait');
    await expect(runTest(code, planted)).rejects.toThrow((cause as Error).message);
    expect(message).toContain('nobody paid 2 times');
  });

  it('is printed as TypeScript that has the types of the story', async () => {
    const code = testIn((await failureOf(failing({ seed: 7, shrinkForMs: -1 }))).message);
    const step = `{ readonly kind: 'pay'; readonly amount: bigint } | { readonly kind: 'wait'; readonly minutes: number }`;
    const declared = `declare function it(title: string, test: () => Promise<void>): void;
      declare function story(name: string, made: readonly (${step})[]): Promise<void>;\n`;
    expect(faultsOf(declared + code)).toEqual([]);
    expect(faultsOf(declared + code.replace("kind: 'pay'", "kind: 'none'"))).toHaveLength(1);
  });

  it('is printed with its seed and path, and told again by the seed', async () => {
    const first = await failureOf(failing({ seed: 7 }));
    expect(first.message).toMatch(/\{ seed: 7, path: "[\d:]+" \}/);
    const second = await failureOf(failing({ seed: 7 }));
    expect(testIn(second.message)).toBe(testIn(first.message));
  });

  it('is printed as it is when there is no time to make it smaller', async () => {
    const { message } = await failureOf(failing({ seed: 7, shrinkForMs: -1 }));
    expect(message).toContain('it was made smaller 0 times');
    await expect(runTest(testIn(message), planted)).rejects.toThrow('paid');
  });

  it('is cut down to the steps that matter, whatever else makes it smaller', async () => {
    const twice = async (made: readonly Step[]) => {
      const paid = made.filter(({ kind }) => kind === 'pay').length;
      if (paid >= 2) throw new Error(`${paid} payments`);
    };
    const of = [fc.noShrink(longList(step, 60))] as const;
    const { message } = await failureOf(holdStories({ title: 'one payment', of, story: twice, numRuns: 100 }));
    const code = testIn(message);
    expect(code.match(/kind: 'pay'/g)).toHaveLength(2);
    expect(code).not.toContain('wait');
    expect(message).toMatch(/2 payments$/);
  });

  it('is printed over several lines when it is long, and is a test still', async () => {
    const tooMuch = async (made: readonly Step[]) => {
      if (made.length >= 12) throw new Error(`${made.length} steps`);
    };
    const { message } = await failureOf(holdStories({ title: 'few steps', of: [steps], story: tooMuch, numRuns: 200 }));
    const code = testIn(message);
    expect(Math.max(...code.split('\n').map((line) => line.length))).toBeLessThanOrEqual(120);
    await expect(runTest(code, tooMuch)).rejects.toThrow('12 steps');
  });
});

describe('a long list', () => {
  it('is as often long as short', () => {
    const lengths = fc.sample(longList(fc.nat(), 50), 400).map((list) => list.length);
    const share = (from: number) => lengths.filter((length) => length > from && length <= from + 10).length / 400;
    for (const from of [0, 10, 20, 30, 40]) expect(share(from)).toBeGreaterThan(0.1);
    expect(Math.min(...lengths)).toBeGreaterThanOrEqual(1);
  });
});

describe('stories that hold', () => {
  it('are told as often as is asked', async () => {
    let told = 0;
    const story = async (count: number) => void (told += count);
    await holdStories({ title: 'all is well', of: [fc.constant(1)], story, numRuns: 77 });
    expect(told).toBe(77);
  });
});

describe('a value written down', () => {
  const scalar = fc.oneof(
    ...[fc.bigInt(), fc.integer(), fc.double(), fc.string({ unit: 'binary' }), fc.boolean()],
    ...[fc.constantFrom(null, undefined, '\u2028', 'it\'s "so" \\ `${1}`\n'), fc.date({ noInvalidDate: true })],
    fc.uint8Array(),
  );
  const key = fc.oneof(fc.constantFrom('__proto__', 'constructor', 'a-b', '0', 'größe', 'kind'), fc.string());
  const few = { maxLength: 3 };
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      ...[scalar, fc.array(tie('value'), few), fc.dictionary(key, tie('value'), { maxKeys: 3, noNullPrototype: true })],
      fc.array(tie('value'), few).map((all) => new Set(all)),
      fc.array(fc.tuple(key, tie('value')), few).map((all) => new Map(all)),
    ),
  }));

  it('is read as an equal one', () => {
    // eslint-disable-next-line @typescript-eslint/no-implied-eval -- the literals are JavaScript too, and this is quick
    const read = (text: string) => (new Function(`return (${text})`) as () => unknown)();
    fc.assert(
      fc.property(value, (any) => expect(read(asLiteral(any))).toEqual(any)),
      { numRuns: 300 },
    );
  });

  it.each([
    [1_234_567n, '1_234_567n'],
    [-1_000, '-1_000'],
    [-0, '-0'],
    [1.5, '1.5'],
    [[], '[]'],
    [{ kind: 'pay', amount: 5n }, "{ kind: 'pay', amount: 5n }"],
  ])('%p as the formatter would have it', (any, text) => {
    expect(asLiteral(any)).toBe(text);
  });

  it('is refused when it cannot be made again', () => {
    expect(() => asLiteral(() => 1)).toThrow('cannot be written');
    expect(() => asTest('t', [new URL('http://localhost')])).toThrow('plain objects');
  });
});
