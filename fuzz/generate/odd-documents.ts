// GraphQL documents that no client should send.

import fc from 'fast-check';

export interface DocumentBend {
  readonly name: string;
  /** Turns the good document and the other members of its body into the parsed body to be sent. */
  bend(query: string, body: Readonly<Record<string, unknown>>): unknown;
}

const onQuery =
  (change: (query: string) => string): DocumentBend['bend'] =>
  (query, body) => ({ ...body, query: change(query) });

const aliases = (count: number) =>
  `{ ${Array.from({ length: count }, (_, index) => `a${index}: __typename`).join(' ')} }`;
const deep = (depth: number) =>
  `{ __schema { types { ${'fields { type { '.repeat(depth)} name ${'} } '.repeat(depth)} } } }`;
const text = (query: string) => onQuery(() => query);

const TEXTS: readonly (readonly [string, string])[] = [
  ['no text', ''],
  ['a space', ' '],
  ['an open brace', '{'],
  ['no selection', '{ }'],
  ['an unknown field', '{ nothingOfTheKind }'],
  ['a misspelt field', '{ paymentz { nodes { id } } }'],
  ['the constructor', '{ constructor }'],
  ['__proto__', '{ __proto__ }'],
  ['the type name', '{ __typename }'],
  ['no inner selection', '{ payments }'],
  ['an inner selection of a text', '{ merchant { id { x } } }'],
  ['an unknown argument', '{ payments(nonsense: 1) { nodes { id } } }'],
  ['a variable that is not declared', '{ payment(id: $id) { id } }'],
  ['a variable of another type', 'query ($id: Int!) { payment(id: $id) { id } }'],
  ['a variable of an unknown type', 'query ($id: __proto__) { payment(id: $id) { id } }'],
  ['a variable that is not used', 'query ($a: String) { currencies { name } }'],
  ['a variable of an output type', 'query ($a: Payment) { currencies { name } }'],
  ['101 aliases', aliases(101)],
  ['100 aliases', aliases(100)],
  ['21 levels', deep(10)],
  ['200 levels', deep(100)],
  ['10,000 braces', '{ a '.repeat(10_000)],
  ['10,000 brackets', `{ payment(id: ${'['.repeat(10_000)}`],
  ['more tokens than are taken', `{ ${'currencies { name } '.repeat(800)} }`],
  ['a circle of fragments', '{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }'],
  ['a fragment of itself', '{ ...A } fragment A on Query { merchant { id } ...A }'],
  ['an unknown fragment', '{ ...A }'],
  ['a fragment that is not used', '{ __typename } fragment A on Query { __typename }'],
  ['a fragment of the wrong type', '{ ...A } fragment A on Payment { id }'],
  ['a fragment twice', '{ ...A } fragment A on Query { __typename } fragment A on Query { __typename }'],
  [
    'fragments by the thousand',
    `{ ...F0 } ${Array.from({ length: 300 }, (_, index) => `fragment F${index} on Query { ...F${index + 1} ...F${index + 1} }`).join(' ')} fragment F300 on Query { __typename }`,
  ],
  ['an unknown directive', '{ __typename @nonsense }'],
  ['a directive twice', '{ __typename @skip(if: false) @skip(if: false) }'],
  ['a directive without its argument', '{ __typename @include }'],
  ['everything skipped', '{ merchant @skip(if: true) { id } }'],
  ['@deprecated', '{ __typename @deprecated }'],
  ['@defer', '{ ... @defer { merchant { id } } }'],
  ['@stream', '{ currencies @stream { name } }'],
  ['@oneOf', '{ __typename @oneOf }'],
  ['fields that conflict', '{ a: merchant { id } a: settings { locale } }'],
  ['two operations', 'query A { __typename } query B { merchant { id } }'],
  ['a name twice', 'query A { __typename } query A { __typename }'],
  ['a definition of types', 'type Query { a: Int }'],
  ['an extension of types', 'extend type Query { a: Int }'],
  ['the schema', '{ __schema { queryType { name } } }'],
  ['a type', '{ __type(name: "Payment") { fields { name } } }'],
  ['a type that is none', '{ __type(name: "__proto__") { name } }'],
  ['a great page', '{ payments(first: 100000) { nodes { id } } }'],
  ['a page of none', '{ payments(first: 0) { nodes { id } } }'],
  ['a negative page', '{ events(first: -1, after: -5) { hasMore } }'],
  ['a page beyond integers', '{ payments(first: 99999999999) { nodes { id } } }'],
  ['a page of a text', '{ payments(first: "1") { nodes { id } } }'],
  ['an enum as a text', '{ payments(filter: { status: "PENDING" }) { nodes { id } } }'],
  ['an enum that is none', '{ payments(filter: { status: PAID }) { nodes { id } } }'],
  [
    'an amount as a number',
    'mutation { createPayment(input: { amount: 5, currency: "USDT", network: "ETH" }) { id } }',
  ],
  ['a null for what must be', 'mutation { createPayment(input: null) { id } }'],
  [
    'metadata in the document',
    'mutation { createPayment(input: { amount: "5", currency: "USDT", network: "ETH", metadata: { __proto__: "a", b: {} } }) { id } }',
  ],
  ['a NUL in a text', '{ payment(id: "a\\u0000b") { id } }'],
  ['half a pair in a text', '{ payment(id: "\\ud800") { id } }'],
  ['a code point beyond', '{ payment(id: "\\u{110000}") { id } }'],
  ['a raw NUL', '{ payment(id: "\0") { id } }'],
  ['a block text', '{ payment(id: """\n  a\n""") { id } }'],
  ['a subscription', 'subscription { eventAdded(after: 0) { id } }'],
  ['a subscription of two', 'subscription { eventAdded { id } paymentUpdated { id } }'],
  [
    'a mutation of two',
    'mutation { a: mineBlocks(input: { network: "ETH", count: 1 }) { tip } b: cancelPayment(id: "ord_none") { id } }',
  ],
  ['letters beyond ASCII', '{ mérchant { id } }'],
  ['a comment that never ends', `# ${'x'.repeat(50_000)}`],
  ['a name without end', `{ ${'x'.repeat(50_000)} }`],
  ['a number without end', `{ payments(first: ${'1'.repeat(20_000)}) { nodes { id } } }`],
];

const BENDS: readonly DocumentBend[] = [
  ...TEXTS.map(([name, query]) => ({ name, bend: text(query) })),
  { name: 'the good one twice', bend: onQuery((query) => `${query} ${query}`) },
  { name: 'cut short', bend: onQuery((query) => query.slice(0, query.length >> 1)) },
  { name: 'without its variables', bend: (query) => ({ query }) },
  { name: 'with a name that is none', bend: (query, body) => ({ ...body, query, operationName: 'Nothing' }) },
  { name: 'with a name that is no text', bend: (query, body) => ({ ...body, query, operationName: { a: 1 } }) },
  {
    name: 'a list of documents',
    bend: (query, body) => [
      { ...body, query },
      { ...body, query },
    ],
  },
  { name: 'an empty list', bend: () => [] },
  { name: 'no document', bend: (_, body) => body },
  { name: 'a document that is a number', bend: (_, body) => ({ ...body, query: 5 }) },
  { name: 'a document that is a list', bend: (query, body) => ({ ...body, query: [query] }) },
  { name: 'a document that is null', bend: (_, body) => ({ ...body, query: null }) },
  { name: 'extensions that are a text', bend: (query, body) => ({ ...body, query, extensions: 'x' }) },
  {
    name: 'a persisted query',
    bend: () => ({ extensions: { persistedQuery: { version: 1, sha256Hash: 'a'.repeat(64) } } }),
  },
  { name: 'members nobody knows', bend: (query, body) => ({ ...body, query, nonsense: 1, constructor: {} }) },
  { name: 'null for a body', bend: () => null },
  { name: 'a text for a body', bend: (query) => query },
];

export const documentBend: fc.Arbitrary<DocumentBend> = fc
  .constantFrom(...BENDS)
  .map((bend) => ({ ...bend, [fc.toStringMethod]: () => `<${bend.name}>` }) as DocumentBend);
