// REST requests generated from the OpenAPI document: valid ones, and ones with one or two faults.

import fc from 'fast-check';
import type { DocumentedOperation } from '../../test/docs/openapi-document.fixture.ts';
import { wrongAccess, type Access } from './callers.ts';
import { goodFields, weightOf } from './good-values.ts';
import { bodyBend, hostileJson, hostileText, type BodyBend } from './hostile-values.ts';
import type { Json } from '../state/http.ts';

/** `fresh` is a new key, `again` repeats an earlier request, `other` has the key of one; a text is sent as the key. */
export type Idempotency = null | 'fresh' | 'again' | 'other' | { readonly text: string };

export interface RestPlan {
  readonly kind: 'rest';
  readonly operation: DocumentedOperation;
  readonly shop: number;
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: readonly (readonly [string, unknown])[];
  readonly body: Readonly<Record<string, unknown>> | null;
  readonly access: Access;
  readonly idempotency: Idempotency;
  readonly bytes: BodyBend | null;
  readonly method: string | null;
  /** Appended to the path unchanged. */
  readonly tail: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly isBent: boolean;
}

interface Field {
  readonly name: string;
  readonly isRequired: boolean;
}

interface Inputs {
  readonly path: readonly Field[];
  readonly query: readonly Field[];
  readonly body: readonly Field[] | null;
}

/** The inputs of an operation, according to the document. */
export function inputsOf(document: Json, { node, body }: DocumentedOperation): Inputs {
  const parameters = (node.parameters as Json[]).filter((parameter) => parameter.$ref === undefined);
  const those = (where: string) =>
    parameters
      .filter((parameter) => parameter.in === where)
      .map((parameter) => ({ name: parameter.name as string, isRequired: parameter.required as boolean }));
  const schema =
    body?.$ref === undefined ? body : document.components.schemas[(body.$ref as string).split('/').at(-1) ?? ''];
  const fields = Object.keys((schema?.properties ?? {}) as object).map((name) => ({
    name,
    isRequired: ((schema?.required ?? []) as string[]).includes(name),
  }));
  return { path: those('path'), query: those('query'), body: body === null ? null : fields };
}

/** A request that should succeed. */
export function goodRest(document: Json, operation: DocumentedOperation): fc.Arbitrary<RestPlan> {
  const { id, isIdempotent } = operation;
  const { path, query, body } = inputsOf(document, operation);
  const idempotency: fc.Arbitrary<Idempotency> = isIdempotent
    ? fc.oneof(
        { weight: 6, arbitrary: fc.constant(null) },
        { weight: 2, arbitrary: fc.constant('fresh' as const) },
        { weight: 2, arbitrary: fc.constant('again' as const) },
      )
    : fc.constant(null);
  return fc.record({
    kind: fc.constant('rest' as const),
    operation: fc.constant(named(operation)),
    shop: fc.nat(2),
    params: goodFields(id, path),
    query: goodFields(id, query).map((values) => Object.entries(values).flatMap(spread)),
    body: body === null ? fc.constant(null) : goodFields(id, body),
    access: fc.constant('full' as const),
    idempotency,
    bytes: fc.constant(null),
    method: fc.constant(null),
    tail: fc.constant(''),
    headers: fc.oneof(
      { weight: 5, arbitrary: fc.constant({}) },
      { weight: 1, arbitrary: fc.uuid().map((id) => ({ 'x-request-id': id })) },
    ),
    isBent: fc.constant(false),
  });
}

/** A list becomes a repeated parameter. */
const spread = ([name, value]: [string, unknown]): (readonly [string, unknown])[] =>
  Array.isArray(value) ? value.map((item: unknown) => [name, item] as const) : [[name, value]];

function named(operation: DocumentedOperation): DocumentedOperation {
  return { ...operation, [fc.toStringMethod]: () => operation.id } as DocumentedOperation;
}

type Bend = (plan: RestPlan) => RestPlan;

/** A good request that is bent in one or two ways. */
export function bentRest(document: Json, operation: DocumentedOperation): fc.Arbitrary<RestPlan> {
  const inputs = inputsOf(document, operation);
  return fc
    .tuple(goodRest(document, operation), fc.array(bendOf(inputs), { minLength: 1, maxLength: 2 }))
    .map(([plan, bends]) => bends.reduce<RestPlan>((bent, bend) => bend(bent), { ...plan, isBent: true }));
}

const ODD_NAMES = [
  'nonsense',
  '__proto__',
  'constructor',
  'id',
  'merchantId',
  'status',
  'input',
  '',
  ' amount',
  'amount\0',
  'first',
];
const ODD_HEADERS: readonly Readonly<Record<string, string>>[] = [
  ...['', 'a b', 'x'.repeat(65), 'é', '../..', '"'].map((text) => ({ 'x-request-id': text })),
  { 'x-forwarded-for': '203.0.113.9, 10.0.0.1' },
  { 'x-forwarded-for': `${'1.1.1.1, '.repeat(500)}1.1.1.1` },
  { 'x-forwarded-proto': 'https' },
  { host: 'evil.example' },
  { accept: 'application/xml' },
  { 'accept-encoding': 'gzip;q=0, *;q=0' },
  { 'x-http-method-override': 'DELETE' },
  { 'if-none-match': '*' },
  { range: 'bytes=0-1' },
  { expect: '100-continue' },
  { cookie: `a=${'b'.repeat(4_000)}` },
];
const ODD_TAILS = [
  '/',
  '//',
  '?',
  '?&&=&',
  '?%ff=%zz',
  '?limit=%',
  '?limit=1&limit=2',
  '?cursor=%00',
  '?a[]=1&a[b]=2',
  '?__proto__=1',
  '/..',
  '/%2e%2e',
  ';a=b',
  '#x',
  '?limit=1;startDate=x',
  '%20',
  '%00',
  '%',
  '%zz',
  '%c0%af',
];

function bendOf({ path, query, body }: Inputs): fc.Arbitrary<Bend> {
  const one = (fields: readonly Field[]) => fc.constantFrom(...fields.map(({ name }) => name));
  const bends: { weight: number; arbitrary: fc.Arbitrary<Bend> }[] = [
    { weight: 2, arbitrary: wrongAccess.map((access) => (plan) => ({ ...plan, access })) },
    { weight: 2, arbitrary: extraQuery(query) },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom('GET', 'PUT', 'POST', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS', 'TRACE', 'QUERY')
        .map((method) => (plan) => ({ ...plan, method })),
    },
    { weight: 1, arbitrary: fc.constantFrom(...ODD_TAILS).map((tail) => (plan) => ({ ...plan, tail })) },
    { weight: 1, arbitrary: fc.constantFrom(...ODD_HEADERS).map((headers) => (plan) => ({ ...plan, headers })) },
    { weight: 1, arbitrary: oddIdempotency.map((idempotency) => (plan) => ({ ...plan, idempotency })) },
  ];
  if (path.length > 0)
    bends.push({
      weight: 4,
      arbitrary: fc
        .tuple(one(path), hostileText)
        .map(([name, value]) => (plan) => ({ ...plan, params: { ...plan.params, [name]: value } })),
    });
  if (body !== null) bends.push({ weight: 4, arbitrary: bodyBend.map((bytes) => (plan) => ({ ...plan, bytes })) });
  if (body !== null && body.length > 0) {
    bends.push({
      weight: 10,
      arbitrary: fc.tuple(one(body), hostileJson).map(([name, value]) => withBody(name, value)),
    });
    bends.push({ weight: 1, arbitrary: one(body).map((name) => withBody(name, undefined)) });
    bends.push({
      weight: 2,
      arbitrary: fc.tuple(fc.constantFrom(...ODD_NAMES), hostileJson).map(([name, value]) => withBody(name, value)),
    });
  }
  return fc.oneof(...bends);
}

const oddIdempotency: fc.Arbitrary<Idempotency> = fc.oneof(
  fc.constant('other' as const),
  fc
    .constantFrom('', ' ', 'x'.repeat(255), 'x'.repeat(256), 'é', '\t', '__proto__', '"quoted"', 'a,b', '\u007f')
    .map((text) => ({ text })),
);

function extraQuery(query: readonly Field[]): fc.Arbitrary<Bend> {
  const names = fc.constantFrom(...query.map(({ name }) => name), ...ODD_NAMES);
  return fc
    .array(fc.tuple(names, hostileText), { minLength: 1, maxLength: 3 })
    .map((more) => (plan) => ({ ...plan, query: [...plan.query, ...more] }));
}

/** Sets an own field of the body, whatever its name; undefined removes it. */
function withBody(name: string, value: unknown): Bend {
  return (plan) => {
    const body = { ...plan.body };
    if (value === undefined) delete body[name];
    else Object.defineProperty(body, name, { value, enumerable: true, configurable: true, writable: true });
    return { ...plan, body };
  };
}

export { weightOf };
