// The inputs of a documented operation that have bounds, and values at those bounds and past them.

import * as checks from '../../../src/values/checks.ts';
import { rate } from '../../../src/resolvers/operation/rate-checks.ts';
import type { DocumentedOperation, Json } from '../../docs/openapi-document.fixture.ts';

export interface BoundedInput {
  /** As in faults: dotted, with indices. */
  readonly path: string;
  readonly where: 'query' | 'body';
  readonly schema: Json;
  /** The body with nothing but this input. */
  bodyWith(value: Json): object;
}

const KEYWORDS = ['minLength', 'maxLength', 'pattern', 'minimum', 'maximum', 'minItems', 'maxItems', 'enum', 'not'];
const MORE_KEYWORDS = ['uniqueItems', 'maxProperties', 'propertyNames'];
const isBounded = (schema: Json) => [...KEYWORDS, ...MORE_KEYWORDS].some((keyword) => keyword in schema);

/** Every query parameter and field of a body that has bounds, those within objects and lists included. */
export function boundedInputsOf(document: Json, operation: DocumentedOperation): BoundedInput[] {
  const resolve = (schema: Json): Json => {
    const whole = schema.oneOf ? { ...schema, ...schema.oneOf[0] } : schema;
    const name = (whole.$ref as string | undefined)?.split('/').at(-1);
    return name === undefined ? whole : { ...document.components.schemas[name], ...whole };
  };

  function fieldsOf(schema: Json, at: string, wrap: (value: Json) => object): BoundedInput[] {
    const properties = Object.entries((resolve(schema).properties ?? {}) as Record<string, Json>);
    return properties.flatMap(([name, own]) => {
      const path = at === '' ? name : `${at}.${name}`;
      return inputsOf(resolve(own), path, (value) => wrap({ [name]: value }));
    });
  }

  function inputsOf(schema: Json, path: string, bodyWith: (value: Json) => object): BoundedInput[] {
    const isObject = schema.properties !== undefined;
    if (schema.items) schema = { ...schema, items: resolve(schema.items) };
    const own = isBounded(schema) && !isObject ? [{ path, where: 'body' as const, schema, bodyWith }] : [];
    if (isObject) return [...own, ...fieldsOf(schema, path, bodyWith)];
    if (!schema.items) return own;
    return [...own, ...inputsOf(resolve(schema.items), `${path}.0`, (value) => bodyWith([value]))];
  }

  const parameters = (operation.node.parameters as Json[]).filter(({ in: where }) => where === 'query');
  const queries = parameters.flatMap(({ name, schema }): BoundedInput[] => {
    const whole = resolve(schema);
    return isBounded(whole) ? [{ path: name, where: 'query', schema: whole, bodyWith: () => ({}) }] : [];
  });
  return [...queries, ...(operation.body ? fieldsOf(operation.body, '', (value) => value as object) : [])];
}

interface Edges {
  readonly inside: readonly Json[];
  readonly outside: readonly Json[];
}

const patternOf = (check: checks.Check) => String(check.bounds?.['pattern']);
const long = (start: string, length: number) => start + 'a'.repeat(length - start.length);
const AMOUNTS = {
  inside: ['1', '0.1', '999999999999999999'],
  outside: ['01', '1.', '.5', '1e3', '-1', '1,5', ' 1', '9'.repeat(19), '1.0000000000000000000'],
};
const EMAIL = `${'a'.repeat(64)}@${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(58)}.example`;

/** Texts of each pattern that checks have, at its edges and past them. */
const TEXTS: Readonly<Record<string, Edges>> = {
  [patternOf(checks.amount)]: AMOUNTS,
  [patternOf(checks.amountOrMax)]: { inside: [...AMOUNTS.inside, 'max'], outside: [...AMOUNTS.outside, 'maximum'] },
  [patternOf(rate)]: { inside: ['1.123456789012', '1.1234567890120'], outside: ['1.1234567890123', '0', '-1'] },
  [patternOf(checks.email)]: {
    inside: ['a@b.co', 'ü@shop.example', long(EMAIL, 254)],
    outside: ['a', 'a@b', 'a@@b.co', `${'a'.repeat(65)}@b.co`, long(EMAIL, 255)],
  },
  [patternOf(checks.browserUrl)]: {
    inside: ['http://a', long('https://shop.example/', 2_048)],
    outside: ['shop.example', 'ftp://a', 'https://a b', long('https://shop.example/', 2_049)],
  },
  [patternOf(checks.webhookUrl)]: {
    inside: ['http://shop.example', long('https://shop.example/', 2_048)],
    outside: ['shop.example', 'https:shop', 'https://a@b', 'https://a\\b', long('https://shop.example/', 2_049)],
  },
  [patternOf(checks.date)]: {
    inside: ['2026-01-31', '2026-01-31T10:00Z', '2026-01-31T10:00:00.123456789+01:00'],
    outside: ['31.01.2026', '2026-1-31', '2026-01-31T10:00', '2026-01-31 10:00Z'],
  },
  [patternOf(checks.ipRange)]: {
    inside: ['0.0.0.0', '255.255.255.255/32', '10.0.0.0/0'],
    outside: ['256.0.0.1', '01.2.3.4', '10.0.0.0/33', '::1', '10.0.0'],
  },
  [patternOf(checks.colour)]: { inside: ['#00aAfF'], outside: ['#00aaf', '#00aagg', '00aaff', '#00aaff0'] },
  [patternOf(checks.locale)]: { inside: ['de', 'pt-BR', 'zh-Hant-TW-x1'], outside: ['d', 'german', 'de_AT', 'de-'] },
  [patternOf(checks.cursor)]: {
    inside: ['a'.repeat(18), '_-'.repeat(512)],
    outside: ['a'.repeat(17), 'a'.repeat(1_025), `${'a'.repeat(18)}=`],
  },
  [patternOf(checks.method)]: { inside: ['WS', 'A'.repeat(20)], outside: ['get', 'GET ', 'A'.repeat(21)] },
  [patternOf(checks.pathStart)]: {
    inside: ['/', '/api/v1/payments/…', long('/', 1_000)],
    outside: ['api', '/a b', long('/', 1_001)],
  },
  [patternOf(checks.text(1))]: { inside: ['x'], outside: [' '] },
};

/** Values at the bounds of a schema, and values just past them. */
export function edgesOf(schema: Json): Edges {
  const type = [schema.type].flat().find((name: string) => name !== 'null') as string;
  const { inside, outside } = (EDGES[type] ?? EDGES['string'])?.(schema) ?? { inside: [], outside: [] };
  return { inside, outside };
}

/** Values of fields that a list's items need, by name. */
const SAMPLES: Readonly<Record<string, string>> = {
  ...{ currency: 'USDT', network: 'ETH', asset: 'ETH', amount: '1', rate: '1', address: 'x' },
};

const sampleOf = ({ enum: values, properties, required = [] }: Json): Json => {
  if (values) return values[0];
  return properties ? Object.fromEntries((required as string[]).map((name) => [name, SAMPLES[name]])) : 'x';
};

const EDGES: Readonly<Record<string, (schema: Json) => Edges>> = {
  integer: ({ minimum, maximum }) => ({ inside: [minimum, maximum], outside: [minimum - 1, maximum + 1] }),
  number: ({ minimum, maximum }) => ({ inside: [minimum, maximum], outside: [minimum - 0.01, maximum + 0.01] }),
  string({ pattern, minLength, maxLength, not, enum: values }) {
    if (values) return { inside: values, outside: [`${values[0]}x`, 'nonsense'] };
    const own = pattern === undefined ? null : TEXTS[pattern];
    if (own === undefined) throw new Error(`There are no texts for the pattern ${pattern}`);
    // Texts of a pattern of their own have their lengths at its edges.
    const byLength = own === null || pattern === '\\S';
    const least =
      byLength && minLength ? { inside: ['x'.repeat(minLength)], outside: ['x'.repeat(minLength - 1)] } : own;
    const most =
      byLength && maxLength ? { inside: ['x'.repeat(maxLength)], outside: ['x'.repeat(maxLength + 1)] } : own;
    return {
      inside: [...(own?.inside ?? []), ...(least?.inside ?? []), ...(most?.inside ?? [])],
      outside: [
        ...(own?.outside ?? []),
        ...(least?.outside ?? []),
        ...(most?.outside ?? []),
        ...(not ? ['0', '0.00'] : []),
      ],
    };
  },
  array({ minItems = 0, maxItems, uniqueItems, items }) {
    const item = sampleOf(items);
    const of = (length: number) => Array.from({ length }, () => item);
    return {
      inside: maxItems === undefined ? [] : [of(minItems), of(maxItems)],
      outside: [
        ...(minItems > 0 ? [of(minItems - 1)] : []),
        ...(maxItems === undefined ? [] : [of(maxItems + 1)]),
        ...(uniqueItems === true && items.enum ? [[item, item]] : []),
      ],
    };
  },
  object({ maxProperties, propertyNames, additionalProperties }) {
    const of = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, 'x']));
    const named = (length: number) => ({ ['n'.repeat(length)]: 'x' });
    const text = (length: number) => ({ name: 'x'.repeat(length) });
    const [most, longest] = [propertyNames.maxLength as number, additionalProperties.maxLength as number];
    return {
      inside: [{}, of(maxProperties), named(most), text(longest)],
      outside: [of(maxProperties + 1), named(most + 1), text(longest + 1), { name: 1 }],
    };
  },
};
