// Values that are known to break programs: as text, as JSON, and as the bytes of a body.

import fc from 'fast-check';

const nested = (depth: number, open: string, close: string) => open.repeat(depth) + close.repeat(depth);

const NUMBERS_AS_TEXT = [
  ...[
    '0',
    '-1',
    '-0',
    '+1',
    '01',
    '.5',
    '5.',
    '1e3',
    '1E-7',
    '0x10',
    '0b1',
    '1_000',
    '1,5',
    '1 000',
    'NaN',
    'Infinity',
  ],
  ...['1.1234567', '1.1234567890123456789', '0.0000000000000000001', '999999999999999999999', '1'.repeat(400)],
  ...[
    '１２.５',
    '٣',
    '१२',
    '5\u200b',
    '5\n',
    ' 5',
    '5 ',
    '2147483648',
    '-2147483649',
    '9007199254740993',
    'max',
    'MAX',
  ],
];

const DATES = [
  ...[
    '2026-02-30',
    '2026-13-01',
    '2026-00-10',
    '2026-1-1',
    '0000-01-01',
    '9999-12-31',
    '-000001-01-01',
    '+275760-09-14',
  ],
  ...['2026-11-22T25:00:00Z', '2026-11-22T23:59:60Z', '2026-11-22T10:00:00', '2026-11-22T10:00:00+99:99', '2026-W47'],
  ...['2026-11-22T10:00:00.1234567890Z', '2026-11-22t10:00:00z', '1969-12-31', '1970-01-01', 'tomorrow', '1763769600'],
  ...['2026-11-22T00:00:00+14:00', '9999-12-31T23:59:59.999Z', '2026-11-22 10:00', 'infinity', '-infinity', 'epoch'],
];

const TEXTS = [
  ...[
    '',
    ' ',
    '\t\n',
    '\0',
    'a\0b',
    '\ud800',
    'x\udfffy',
    '\udc00\ud800',
    '\u202egpj',
    '\ufeff',
    '\u0085',
    '😀'.repeat(50),
  ],
  ...[
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    'null',
    'undefined',
    'true',
    '[object Object]',
  ],
  ...[
    "' or 1=1 --",
    '$1',
    '{{7*7}}',
    '${7*7}',
    '<script>alert(1)</script>',
    '=cmd()',
    '@sum(1)',
    '%00',
    '%s%n',
    '\\u0000',
    '\\',
  ],
  ...[
    '../../etc/passwd',
    '..%2f',
    'ord_',
    'ord_0',
    'evt_zzzzzzzzzzzzzzzzzzzzzzzzzz',
    'whk_é',
    'pk_live_0',
    'sk_live_0',
    'mer_',
  ],
  ...[
    'http://[::1',
    'http://a:b@c',
    'javascript:alert(1)',
    'http://\0',
    'https://例え.jp/',
    'ftp://a',
    'http://0x7f.1',
    '//a',
    'http://a:99999',
  ],
  ...['a@b', 'a@b.c', '@', 'ä@ö.de', `${'a'.repeat(250)}@example.com`, 'a@example.com\n', '"a b"@example.com'],
  ...[
    '0.0.0.0/33',
    '1.2.3',
    '01.2.3.4',
    '::1',
    '1.2.3.4/',
    '256.1.1.1',
    '0x0'.padEnd(42, '0'),
    '0x',
    '0X52908400098527886E0F7030069857D2E4169EE7',
  ],
  ...[
    'a'.repeat(256),
    'a'.repeat(5_000),
    'ß'.repeat(200),
    'PENDING,EXPIRED',
    'pending',
    'BTC',
    'SOL',
    'DOGE',
    'ERC20',
    'Eth',
    'ETH\u0000',
  ],
];

/** Text that PostgreSQL or UTF-8 cannot carry. */
const UNSTORABLE = ['\0', 'a\0b', '\ud800', 'x\udfffy', '\udc00\ud800'];

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...UNSTORABLE) },
  { weight: 4, arbitrary: fc.constantFrom(...NUMBERS_AS_TEXT) },
  { weight: 3, arbitrary: fc.constantFrom(...DATES) },
  { weight: 6, arbitrary: fc.constantFrom(...TEXTS) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 30 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 60 }) },
  // Includes halves of surrogate pairs.
  {
    weight: 1,
    arbitrary: fc
      .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 12 })
      .map((units) => String.fromCharCode(...units)),
  },
);

/** Objects with such names as own properties, as only JSON can express them. */
const POLLUTED = [
  '{"__proto__":{"isAdmin":true}}',
  '{"constructor":{"prototype":{"x":1}}}',
  '{"toString":1}',
  '{"then":1}',
  '{"length":-1}',
];

export const hostileJson: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 8, arbitrary: hostileText },
  { weight: 4, arbitrary: fc.constantFrom(0, 1, -1, 1.5, 25, 1e21, 1e308, 5e-324, 2 ** 31, 2 ** 53, -(2 ** 63), -0) },
  { weight: 3, arbitrary: fc.constantFrom<unknown>(null, true, false, [], {}, [[]], [null], [{}], { a: null }) },
  { weight: 2, arbitrary: fc.constantFrom(...POLLUTED).map((text) => JSON.parse(text) as unknown) },
  { weight: 2, arbitrary: fc.array(hostileText, { maxLength: 4 }) },
  { weight: 1, arbitrary: fc.constantFrom(50, 2_000).map((depth) => JSON.parse(nested(depth, '[', ']')) as unknown) },
  { weight: 1, arbitrary: fc.array(fc.integer(), { minLength: 101, maxLength: 300 }) },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
);

/** A change to the bytes of a good body. */
export interface BodyBend {
  readonly name: string;
  bend(body: Buffer): Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

const onText = (bend: (text: string) => string) => (body: Buffer) => Buffer.from(bend(body.toString()));
const instead = (text: string) => () => Buffer.from(text);

const BODY_BENDS: readonly BodyBend[] = [
  { name: 'nothing', bend: instead('') },
  { name: 'cut short', bend: (body) => body.subarray(0, body.length >> 1) },
  { name: 'a byte order mark', bend: (body) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), body]) },
  { name: 'invalid UTF-8', bend: onBytes('ff') },
  { name: 'a surrogate in UTF-8', bend: onBytes('eda080') },
  { name: 'an overlong NUL', bend: onBytes('c080') },
  { name: 'UTF-16', bend: (body) => Buffer.from(body.toString(), 'utf16le') },
  { name: 'a key twice', bend: onText((text) => text.replace(/^\{("[^"]*":)/, '{$1"first",$1')) },
  { name: '__proto__ by its side', bend: onText((text) => text.replace(/^\{/, '{"__proto__":{"amount":"1"},')) },
  { name: 'constructor by its side', bend: onText((text) => text.replace(/^\{/, '{"constructor":{"prototype":{}},')) },
  { name: 'a comma too many', bend: onText((text) => text.replace(/\}$/, ',}')) },
  { name: 'a comment', bend: onText((text) => text.replace(/^\{/, '{/* */')) },
  { name: 'single quotes', bend: onText((text) => text.replaceAll('"', "'")) },
  { name: 'something after it', bend: onText((text) => `${text} ${text}`) },
  { name: 'numbers for texts', bend: onText((text) => text.replace(/"(\d+(\.\d+)?)"/g, '$1')) },
  { name: 'NaN', bend: onText((text) => text.replace(/"(\d+(\.\d+)?)"/g, 'NaN')) },
  ...['null', '[]', '"text"', '1', 'true', '{', '[{}]', '\0', 'undefined', '{"a":1e999}', '{"\\ud800":1}'].map(
    (text) => ({
      name: `the body ${text}`,
      bend: instead(text),
    }),
  ),
  { name: 'deep arrays', bend: instead(nested(20_000, '[', ']')) },
  { name: 'deep objects', bend: instead('{"a":'.repeat(10_000) + '1' + '}'.repeat(10_000)) },
  { name: 'a megabyte', bend: onText((text) => text.replace(/^\{/, `{"padding":"${'x'.repeat(1_000_000)}",`)) },
  {
    name: 'just below the limit',
    bend: onText((text) => text.replace(/^\{/, `{"padding":"${'x'.repeat(102_000 - text.length)}",`)),
  },
  { name: 'many keys', bend: instead(`{${Array.from({ length: 8_000 }, (_, index) => `"k${index}":1`).join(',')}}`) },
  ...[
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'json',
    '',
  ].map((type) => ({
    name: `the type ${type}`,
    bend: (body: Buffer) => body,
    headers: { 'content-type': type },
  })),
  ...[
    'application/json; charset=utf-16',
    'application/json;charset="x"',
    'APPLICATION/JSON',
    'application/json, text/html',
    'application/vnd.api+json',
  ].map((type) => ({ name: `the type ${type}`, bend: (body: Buffer) => body, headers: { 'content-type': type } })),
  { name: 'an encoding it is not in', bend: (body) => body, headers: { 'content-encoding': 'gzip' } },
];

function onBytes(hex: string): (body: Buffer) => Buffer {
  return (body) => {
    const at = body.lastIndexOf('"');
    return at < 0
      ? Buffer.from(hex, 'hex')
      : Buffer.concat([body.subarray(0, at), Buffer.from(hex, 'hex'), body.subarray(at)]);
  };
}

export const bodyBend: fc.Arbitrary<BodyBend> = fc.constantFrom(...BODY_BENDS).map(withName);

function withName(bend: BodyBend): BodyBend {
  return { ...bend, [fc.toStringMethod]: () => `<${bend.name}>` } as BodyBend;
}
