// Checks of inputs: what they accept, and the messages for what they reject.

import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import * as checks from '../../src/values/checks.ts';

const passes = (check: checks.Check, values: readonly unknown[]) =>
  expect(values.filter((value) => check(value) !== null)).toEqual([]);
const refuses = (check: checks.Check, values: readonly unknown[]) =>
  expect(values.filter((value) => check(value) === null)).toEqual([]);

const AMOUNTS = ['0', '0.0', '1', '0.1', '01', '1.', '.1', '-1', '1e3', 'max', '1.0000000000000000000', '9'.repeat(19)];
const URLS = ['http://a', 'HTTPS://a.b/c?d#e', 'https://a@b/', 'ftp://a', 'http:a', 'http:///a', 'https://ä/ü', 'x'];
const OTHERS = ['', ' ', 'a@b.co', 'ü@b.co', 'a@b', '#0aF9b2', '#12', 'de', 'pt-BR', 'd', '1.2.3.4', '1.2.3.4/32'];
const DATES = ['2026-01-31', '2026-02-31', '2026-01-31T10:00Z', '2026-1-1', '10.0.0.0/33', '01.2.3.4'];

describe('the bounds of checks, as the documents show them', () => {
  const known: Readonly<Record<string, checks.Check>> = {
    ...{ text: checks.text(5), amount: checks.amount, amountOrZero: checks.amountOrZero, max: checks.amountOrMax },
    ...{ email: checks.email, browserUrl: checks.browserUrl, webhookUrl: checks.webhookUrl, password: checks.password },
    ...{ strongPassword: checks.strongPassword, metadata: checks.metadata, metadataEntry: checks.metadataEntry },
    ...{ whole: checks.whole(1, 3), percent: checks.percent(3), colour: checks.colour, locale: checks.locale },
    ...{ listOf: checks.listOf(1, 3), ipRange: checks.ipRange, key: checks.idempotencyKey, cursor: checks.cursor },
    ...{ date: checks.date },
  };
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const anything = fc.oneof(
    fc.constantFrom(...AMOUNTS, ...URLS, ...OTHERS, ...DATES),
    fc.string({ maxLength: 8 }),
    fc.string({ unit: 'binary', maxLength: 8 }),
    fc.stringMatching(/^[0-9a-z:/@.#-]{1,30}$/),
    ...[fc.emailAddress(), fc.webUrl(), fc.integer({ min: -1, max: 5 }), fc.double({ min: -1, max: 5, noNaN: true })],
    ...[fc.array(fc.integer(), { maxLength: 5 }), fc.dictionary(fc.string(), fc.string())],
  );

  it.each(Object.entries(known))('%s: nothing that it accepts is outside of them', (_, check) => {
    const fits = ajv.compile(check.bounds ?? { const: 'no bounds' });
    fc.assert(
      fc.property(anything, (value) => check(value) !== null || fits(value)),
      { numRuns: 2_000 },
    );
  });

  it.each(['amount', 'amountOrZero', 'max', 'colour', 'locale', 'ipRange', 'key', 'cursor', 'whole', 'listOf'])(
    '%s: all that it refuses is outside of them',
    (name) => {
      const check: checks.Check = known[name] ?? (() => null);
      const fits = ajv.compile(check.bounds ?? {});
      fc.assert(
        fc.property(anything, (value) => check(value) === null || !fits(value)),
        { numRuns: 2_000 },
      );
    },
  );
});

describe('checks', () => {
  it('a text has characters, and not too many', () => {
    passes(checks.text(3), ['a', ' a ', 'äöü']);
    refuses(checks.text(3), ['', ' ', '\t\n', '\u00a0', 'abcd']);
  });

  it('an amount is a decimal above zero', () => {
    passes(checks.amount, ['1', '0.000000000000000001', '25.00']);
    refuses(checks.amount, ['0', '0.0', '-1', '1e3', '01', '', ' 1']);
  });

  it('an e-mail address has one @ and a dotted domain', () => {
    const long = `${'a'.repeat(64)}@${'b'.repeat(63)}.example.com`;
    passes(checks.email, ['a@b.co', 'First.Last+tag@sub.example.co.uk', "o'neil@example.com", 'ü@example.com', long]);
    refuses(checks.email, [
      ...[
        '',
        'a',
        '@',
        'a@',
        '@b.co',
        'a@b',
        'a@b.c',
        'a@@b.co',
        'a@b@c.co',
        'a b@c.co',
        'a@b c.co',
        'a@-b.co',
        'a@b-.co',
      ],
      ...['a@b..co', 'a@.b.co', 'a@b.co.', 'a@[127.0.0.1]', '"a b"@c.co', 'a@b.co\n', 'a\u0000@b.co', 'a\u202e@b.co'],
      ...[`${'a'.repeat(65)}@b.co`, `a@${'b.'.repeat(130)}co`, 'a@exämple.com'],
    ]);
  });

  it('a URL for browsers is http or https, absolute, and names nobody', () => {
    passes(checks.browserUrl, ['https://example.com', 'http://localhost:3000/a?b#c', 'HTTPS://EXAMPLE.COM/']);
    refuses(checks.browserUrl, [
      ...[
        '',
        'example.com',
        '/a',
        '//example.com',
        'ftp://example.com',
        'javascript:alert(1)',
        'data:text/html,x',
        'myapp://done',
      ],
      ...[
        'https://u@example.com',
        'https://u:p@example.com',
        'https://',
        'https://exa mple.com',
        ' https://example.com',
      ],
      ...['java\nscript:alert(1)', 'https://example.com/\u202e', `https://example.com/${'x'.repeat(2_048)}`],
    ]);
  });

  it('a password counts characters, not code units', () => {
    passes(checks.password, ['12345678', '🔑'.repeat(8), '🔑'.repeat(128)]);
    refuses(checks.password, ['1234567', '🔑'.repeat(7), 'x'.repeat(129)]);
  });

  it('a password of live must not be one that everybody tries first', () => {
    const quick = ['12345678', 'password1', 'Password123', 'QWERTYUIOP'];
    passes(checks.passwordIn('sandbox'), quick);
    refuses(checks.passwordIn('live'), [...quick, '1234567']);
    passes(checks.passwordIn('live'), ['three green lamps', '🔑'.repeat(8)]);
  });

  it('metadata is an object of at most 20 texts', () => {
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`n${n}`, '']));
    passes(checks.metadata, [{}, { a: '' }, many(20), { a: 'x'.repeat(500) }, { ['x'.repeat(40)]: 'y' }]);
    refuses(checks.metadata, [null, [], 'a', 1, many(21), { ['x'.repeat(41)]: '' }, { '\u0000': 'a' }]);
    passes(checks.metadataEntry, ['', 'x'.repeat(500), '🔑']);
    refuses(checks.metadataEntry, [1, null, undefined, {}, ['x'], 'x'.repeat(501), '\u0000', '\ud83d']);
  });

  it('a text that PostgreSQL cannot store is known', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const utf8 = Buffer.from(text).toString();
        expect(checks.isStorable(text)).toBe(utf8 === text && !text.includes('\u0000'));
      }),
    );
    expect(checks.isStorable('\ud83d')).toBe(false);
    expect(checks.isStorable('\udc00\ud83d')).toBe(false);
    expect(checks.isStorable('😀')).toBe(true);
  });
});

describe('parseDate', () => {
  it.each([
    ['2026-02-03', 'start', '2026-02-03T00:00:00.000Z'],
    ['2026-02-03', 'end', '2026-02-04T00:00:00.000Z'],
    ['2026-12-31', 'end', '2027-01-01T00:00:00.000Z'],
    ['2028-02-29', 'end', '2028-03-01T00:00:00.000Z'],
    ['2026-02-03T04:05:06.789Z', 'end', '2026-02-03T04:05:06.789Z'],
    ['2026-02-03T04:05Z', 'start', '2026-02-03T04:05:00.000Z'],
    ['2026-02-03T00:30:00+02:00', 'start', '2026-02-02T22:30:00.000Z'],
  ] as const)('%s as %s is %s', (text, bound, instant) => {
    expect(checks.parseDate(text, bound)?.toISOString()).toBe(instant);
  });

  it.each([
    ...[
      '',
      '2026',
      '2026-02',
      '26-02-03',
      '2026-2-3',
      '2026-02-30',
      '2026-13-01',
      '2027-02-29',
      '2026-00-10',
      '2026-01-00',
    ],
    ...['2026-02-03 04:05', '2026-02-03T04:05:06', '2026-02-03T25:00:00Z', '2026-02-03T04:60:00Z', '20260203', 'today'],
    ...['1969-12-31', '+002026-02-03', '2026-02-03Z', '2026-02-03T04:05:06+2', '2026-02-03T00:00:00+99:99'],
  ])('%j is no date', (text) => {
    expect(checks.parseDate(text, 'start')).toBeNull();
    expect(checks.date(text)).not.toBeNull();
  });
});
