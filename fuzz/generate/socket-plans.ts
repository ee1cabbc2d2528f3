// Messages to web sockets that the protocol does not know.

import fc from 'fast-check';
import { hostileJson, hostileText } from './hostile-values.ts';
import type { Frames } from '../send/sockets.ts';

export interface SocketPlan {
  readonly kind: 'socket';
  readonly frames: Frames;
}

const say = (message: object) => JSON.stringify(message);
const subscribe = (payload: unknown, id: unknown = '1') => say({ type: 'subscribe', id, payload });

const INITS = [
  say({ type: 'connection_init' }),
  say({ type: 'connection_init', payload: {} }),
  say({ type: 'connection_init', payload: { authorization: 'Bearer nonsense' } }),
  say({ type: 'connection_init', payload: { authorization: ['Bearer', 1] } }),
  say({ type: 'connection_init', payload: 'text' }),
  say({ type: 'connection_init', payload: null }),
  '{"type":"connection_init","payload":{"__proto__":{"authorization":"x"}}}',
];

const FRAMES = [
  ...[
    '',
    ' ',
    'null',
    '[]',
    '1',
    '"text"',
    '{}',
    '{',
    '{"type":1}',
    '{"type":"__proto__"}',
    '{"type":"nothing"}',
    '\0',
  ],
  ...[
    '{"type":"ping"}',
    '{"type":"ping","payload":5}',
    '{"type":"pong"}',
    '{"type":"complete","id":"none"}',
    '{"type":"complete"}',
  ],
  subscribe({ query: '{ __typename }' }),
  subscribe({ query: '{ __typename }' }, ''),
  subscribe({ query: '{ __typename }' }, 5),
  subscribe({ query: '{ __typename }' }, '__proto__'),
  subscribe({ query: 'subscription { paymentUpdated { id } }' }, 'open'),
  subscribe({ query: 'subscription { eventAdded(after: -1) { id } }' }, 'open'),
  subscribe({ query: 'subscription { checkoutUpdated(id: "ord_\\u0000") { id } }' }, '2'),
  subscribe({ query: '{' }, '3'),
  subscribe({ query: '{ __typename }', variables: [] }, '4'),
  subscribe({ query: '{ __typename }', variables: 'text' }, '5'),
  subscribe({ query: '{ __typename }', operationName: 5 }, '6'),
  subscribe({ query: 5 }),
  subscribe({}),
  subscribe(null),
  subscribe('text'),
  say({ type: 'subscribe', id: '1' }),
  subscribe({ query: `# ${'x'.repeat(70_000)}` }),
  subscribe({ query: `${'{ a '.repeat(5_000)}` }, '7'),
  `{"type":"subscribe","id":"8","payload":${'['.repeat(10_000)}${']'.repeat(10_000)}}`,
];

const frame: fc.Arbitrary<string | Buffer> = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom<string | Buffer>(...FRAMES) },
  { weight: 2, arbitrary: hostileText },
  { weight: 2, arbitrary: hostileJson.map((payload) => subscribe(payload)) },
  {
    weight: 2,
    arbitrary: fc.tuple(hostileText, hostileJson).map(([query, variables]) => subscribe({ query, variables }, '9')),
  },
  {
    weight: 1,
    arbitrary: hostileJson.map((value) => say({ type: 'subscribe', id: value, payload: { query: '{ __typename }' } })),
  },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)) },
  { weight: 1, arbitrary: fc.constantFrom(...INITS) },
);

export const socketPlan: fc.Arbitrary<SocketPlan> = fc
  .tuple(fc.option(fc.constantFrom(...INITS), { freq: 6 }), fc.array(frame, { maxLength: 6 }))
  .map(([init, frames]) => ({ kind: 'socket', frames: init === null ? frames : [init, ...frames] }));
