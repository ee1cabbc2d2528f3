// A change of an API key holds within one second in every API process: for calls, web sockets and event streams. And
// which address counts behind proxies.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connectAs } from '../../server/graphql/ws/setup.fixture.ts';
import { openStream } from '../../server/graphql/sse/setup.fixture.ts';
import { newMerchant, rest, type Rest, type TestMerchant } from '../../support/clients.ts';
import { dataOf, expectRefusal } from '../../support/expectations.ts';
import { until, untilPasses } from '../../support/until.ts';
import { openApiProcesses, type ApiProcess, type ApiProcesses } from './api-processes.fixture.ts';
import { runningMsOf } from '../../support/running-time.ts';

const LONG = 60_000;
const WITHIN_MS = 1_000;
const FOLLOW = 'subscription { paymentUpdated { id } }';
const KEYS = '/merchant/api-keys';

let setup: ApiProcesses;
let faces: readonly [ApiProcess, ApiProcess];
let owner: TestMerchant;

beforeAll(async () => {
  setup = await openApiProcesses({ TRUST_PROXY: '127.0.0.1,10.0.0.0/8' });
  faces = await Promise.all([setup.launch(), setup.launch()]);
  owner = await newMerchant(setup.gateway);
}, LONG);
afterAll(() => setup.stop());

interface Key {
  readonly keyId: string;
  readonly secret: string;
}

const ALL = ['READ_PAYMENTS', 'READ_WALLET'];
const make = async (fields: object = {}): Promise<Key> =>
  dataOf(await owner.rest('POST', KEYS, { name: 'Till', permissions: ALL, ...fields }), 201) as Key;

async function tokenOf(key: Key, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const { keyId, secret } = key;
  const answer = await rest(faces[0])('POST', '/auth/token', { keyId, secret }, headers);
  return dataOf(answer).accessToken as string;
}

describe('within one second of the answer, in both processes and whatever is open there', () => {
  it.each([
    ['a revoked key', () => faces[0], 'DELETE', undefined, '1006'],
    ['a narrowed key', () => faces[1], 'PUT', { permissions: ['READ_WALLET'] }, '1004'],
    ['a key with another allow-list', () => faces[0], 'PUT', { ipWhitelist: ['203.0.113.7'] }, '1003'],
  ] as const)(
    '%s is refused, its sockets are closed with 4403 and its streams ended',
    async (_name, faceOf, method, change, code) => {
      const key = await make();
      const token = await tokenOf(key);
      const open = faces.map(async (face) => {
        const socket = await connectAs(`${face.url.replace('http', 'ws')}/graphql`, token);
        socket.subscribe('a', FOLLOW);
        const stream = await openStream(`${face.url}/graphql/stream`, { query: FOLLOW, token });
        expect(stream.status).toBe(200);
        const call: Rest = rest(face, token);
        dataOf(await call('GET', '/payments'));
        // Uses the same process and database, with a key that does not change.
        const ask = () => rest(face, owner.token)('GET', '/payments');
        return { socket, stream, call, ask };
      });
      const clients = await Promise.all(open);
      const by = rest(faceOf(), owner.token);
      dataOf(await by(method, `${KEYS}/${key.keyId}`, change));
      const watched = clients.flatMap(({ socket, stream, call, ask }) => [
        runningMsOf(ask, socket.closed),
        runningMsOf(
          ask,
          until(() => stream.ended()),
        ),
        runningMsOf(
          ask,
          until(async () => {
            const answer = await call('GET', '/payments');
            return answer.status !== 200 && expectRefusal(answer, answer.status, code);
          }),
        ),
      ]);
      const times = await Promise.all(watched);
      expect(times.filter((ms) => ms > WITHIN_MS)).toEqual([]);
      for (const { socket } of clients) expect(await socket.closed).toBe(4403);
    },
    LONG,
  );

  it('a permission given to a key is there for its next token, and lastUsedAt moves whichever process is used', async () => {
    const key = await make({ permissions: ['READ_PAYMENTS'] });
    expectRefusal(await rest(faces[1], await tokenOf(key))('GET', '/wallet/balance'), 403, '1004');
    dataOf(await owner.rest('PUT', `${KEYS}/${key.keyId}`, { permissions: ALL }));
    const lastUsed = async () => {
      const { items } = dataOf(await owner.rest('GET', KEYS)) as { items: { keyId: string; lastUsedAt: string }[] };
      return items.find(({ keyId }) => keyId === key.keyId)?.lastUsedAt ?? '';
    };
    for (const face of faces) {
      const before = await lastUsed();
      const token = await tokenOf(key);
      await untilPasses(async () => dataOf(await rest(face, token)('GET', '/wallet/balance')));
      await untilPasses(async () => expect((await lastUsed()) > before).toBe(true));
    }
  });
});

describe('the address that counts', () => {
  // The socket's own address, 127.0.0.1, and 10.0.0.0/8 are trusted.
  const ALLOWED = '203.0.113.7';
  const CHAINS: readonly (readonly [string, string | undefined, boolean])[] = [
    ['of the one proxy', ALLOWED, true],
    ['of a chain of proxies that are trusted', `${ALLOWED}, 10.1.2.3, 10.9.9.9`, true],
    ['as IPv6 writes it', `::ffff:${ALLOWED}`, true],
    ['as IPv6 writes it, in hexadecimal', '::ffff:cb00:7107', true],
    ['before one that is not trusted: the caller wrote it', `${ALLOWED}, 198.51.100.9`, false],
    ['before one that is not trusted, in a chain', `${ALLOWED}, 198.51.100.9, 10.1.2.3`, false],
    ['after rubbish', `rubbish, ${ALLOWED}`, true],
    ['before rubbish', `${ALLOWED}, rubbish`, false],
    ['before rubbish and a proxy', `${ALLOWED}, unknown, 10.1.2.3`, false],
    ['with a port', `${ALLOWED}:8080`, false],
    ['with leading zeros', '203.0.113.007', false],
    ['as a number', '3405803783', false],
    ['beside another one', '203.0.113.8', false],
    ['of nobody', '', false],
    ['of nobody at all', undefined, false],
  ];

  it.each(CHAINS)('%s: X-Forwarded-For %j', async (_name, forwarded, isAllowed) => {
    const key = await make({ ipWhitelist: [ALLOWED] });
    const [face] = faces;
    const token = await tokenOf(key, { 'x-forwarded-for': ALLOWED });
    const headers: Record<string, string> = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
    const answers = [
      await rest(face)('POST', '/auth/token', { keyId: key.keyId, secret: key.secret }, headers),
      await rest(face, token)('GET', '/payments', undefined, headers),
    ];
    for (const answer of answers) {
      if (isAllowed) dataOf(answer);
      else expectRefusal(answer, 403, '1003');
    }
    const joined = await connectAs(`${face.url.replace('http', 'ws')}/graphql`, token, { headers }).then(
      ({ socket }) => {
        socket.close();
        return true;
      },
      () => false,
    );
    expect(joined).toBe(isAllowed);
    const ask = { query: FOLLOW, token, headers };
    const stream = await openStream(`${face.url}/graphql/stream`, ask);
    expect(stream.status === 200).toBe(isAllowed);
    stream.close();
  });
});
