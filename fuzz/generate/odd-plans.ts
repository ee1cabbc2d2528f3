// Requests that belong to no operation: odd paths, methods and headers.

import fc from 'fast-check';
import { hostileText } from './hostile-values.ts';
import type { WireRequest } from '../state/http.ts';

export interface OddPlan {
  readonly kind: 'odd';
  readonly request: WireRequest;
}

const METHODS = [
  'GET',
  'POST',
  'PUT',
  'DELETE',
  'PATCH',
  'HEAD',
  'OPTIONS',
  'TRACE',
  'CONNECT',
  'PROPFIND',
  'get',
  'G\0T',
  'X'.repeat(300),
];
const PATHS = [
  ...[
    '/api/v1',
    '/api/v1/',
    '/api/v1//payments',
    '/api/v1/payments/',
    '/api/v1/nothing',
    '/api/v2/payments',
    '/API/V1/payments',
  ],
  ...[
    '/api/v1/payments/%',
    '/api/v1/payments/%zz',
    '/api/v1/payments/%00',
    '/api/v1/payments/%ff%fe',
    '/api/v1/payments/a/b/c',
  ],
  ...[
    '/api/v1/../../etc/passwd',
    '/api/v1/payments/..%2f..%2f',
    '/api/v1/payments\\',
    '/api/v1/pay ments',
    '/api/v1/payménts',
    '*',
  ],
  ...[
    `/api/v1/payments/${'x'.repeat(201)}`,
    `/api/v1/payments/${'x'.repeat(10_000)}`,
    `/api/v1/payments?${'a=1&'.repeat(3_000)}`,
  ],
  ...[
    '/api/v1/__proto__',
    '/api/v1/constructor',
    '/__proto__',
    '/graphql/',
    '/graphql/stream/',
    '/graphql/nothing',
    '/graphql?query={',
    '/graphql/stream',
  ],
  ...[
    '/graphql?query={__typename}',
    '/graphql?query=%ff',
    '/graphql?variables={&query={__typename}',
    '/graphql?query=mutation{logout}',
  ],
  ...[
    'http://evil.example/api/v1/currencies',
    '//evil.example/api/v1/currencies',
    '/healthz',
    '/readyz',
    '/metrics',
    '/openapi.json',
    '/docs',
    '/pay/none',
    '/pay/%00',
  ],
];

const HEADS: readonly Readonly<Record<string, string>>[] = [
  {},
  { 'x-big': 'x'.repeat(20_000) },
  { ...Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`x-${index}`, '1'])) },
  { authorization: `Bearer ${'x'.repeat(8_000)}` },
  { authorization: 'Bearer \u0001' },
  { authorization: '' },
  { host: '' },
  { host: 'a b' },
  { 'content-length': '-1' },
  { 'content-length': '5, 6' },
  { 'transfer-encoding': 'nonsense' },
  { 'transfer-encoding': 'chunked', 'content-length': '3' },
  { connection: 'upgrade', upgrade: 'websocket' },
  {
    connection: 'upgrade',
    upgrade: 'WebSocket',
    'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
    'sec-websocket-version': '12',
  },
  { connection: 'upgrade', upgrade: 'h2c' },
  { 'bad name': 'x' },
  { 'content-type': 'application/json' },
  { 'content-type': '\0' },
];

/** Its answer is checked against the rules of every answer, and that of a failure against the envelope too. */
export const oddPlan: fc.Arbitrary<OddPlan> = fc
  .record({
    method: fc.oneof(fc.constantFrom('GET', 'POST'), fc.constantFrom(...METHODS)),
    target: fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom(...PATHS) },
      { weight: 2, arbitrary: hostileText.map((text) => `/api/v1/${text.replaceAll(/[\r\n]/g, '').toWellFormed()}`) },
    ),
    headers: fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: fc.constantFrom(...HEADS) }),
    body: fc.constantFrom(null, null, Buffer.from('{}'), Buffer.from('x')),
  })
  .map((request) => ({ kind: 'odd', request: { ...request, isRaw: true } }));
