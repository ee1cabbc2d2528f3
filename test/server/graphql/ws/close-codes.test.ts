// The codes with which a running gateway closes sockets, as seen on the wire.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newMerchant, USDT_PAYMENT, type TestMerchant } from '../../../support/clients.ts';
import { dataOf } from '../../../support/expectations.ts';
import { borrowGateway, type BorrowedGateway } from '../../../support/gateway/borrowed-gateway.ts';
import { startTestGateway } from '../../../support/gateway/gateway.ts';
import { until } from '../../../support/until.ts';
import { openRawSocket, type RawSocket } from '../../raw-socket.fixture.ts';
import { runningMs, runningMsOf } from '../../../support/running-time.ts';

let gateway: BorrowedGateway;
let shop: TestMerchant;
let payment: string;

beforeAll(async () => {
  gateway = await borrowGateway();
  shop = await newMerchant(gateway);
  payment = dataOf(await shop.rest('POST', '/payments', USDT_PAYMENT), 201).orderId as string;
});
afterAll(() => gateway.stop());

const url = () => `${gateway.url.replace('http', 'ws')}/graphql`;
const INIT = { type: 'connection_init' };
const subscribe = (id: string) => ({
  ...{ id, type: 'subscribe' },
  payload: { query: 'subscription ($id: ID!) { checkoutUpdated(id: $id) { id } }', variables: { id: payment } },
});
const openAs = async (payload?: object): Promise<RawSocket> => {
  const socket = await openRawSocket(url());
  socket.say({ ...INIT, payload });
  await until(() => socket.heard.some((text) => text.includes('connection_ack')));
  return socket;
};

describe('a socket is closed', () => {
  it.each<[string, number, (socket: RawSocket) => void]>([
    ['a message that is no JSON', 4400, (socket) => socket.frame(1, '{')],
    ['a message of no known type', 4400, (socket) => socket.say({ type: 'start', id: '1' })],
    ['a message that only servers send', 4400, (socket) => [INIT, { type: 'connection_ack' }].forEach(socket.say)],
    ['a subscription without an id', 4400, (socket) => socket.say({ ...subscribe('a'), id: undefined })],
    ['a subscription before connection_init', 4401, (socket) => socket.say(subscribe('a'))],
    ['an invalid token', 4403, (socket) => socket.say({ ...INIT, payload: { authorization: 'Bearer x' } })],
    ['a second connection_init', 4429, (socket) => [INIT, INIT].forEach(socket.say)],
    ['a frame that is not masked', 1002, (socket) => socket.frame(1, '{}', { masked: false })],
    ['an opcode that does not exist', 1002, (socket) => socket.frame(3, '')],
    ['a text that is not UTF-8', 1007, (socket) => socket.frame(1, Buffer.from([0xc3, 0x28]))],
    ['two halves of 40 KiB', 1009, (socket) => sendHalves(socket)],
  ])('after %s with %i', async (_name, code, act) => {
    const socket = await openRawSocket(url());
    expect(socket.head).toMatch(/^HTTP\/1\.1 101 .*sec-websocket-protocol: graphql-transport-ws/is);
    expect(socket.head).toMatch(/^x-request-id: \S+$/im);
    act(socket);
    expect((await socket.closed).code).toBe(code);
    await socket.ended;
  });

  it('when it says nothing for three seconds, with 4408', async () => {
    // With the program's own limits, which the shared gateway's are far above.
    const hasty = await startTestGateway({}, { patience: null });
    try {
      const opened = performance.now();
      const socket = await openRawSocket(hasty.url.replace('http', 'ws') + '/graphql');
      expect(await runningMs(socket.closed)).toBeLessThan(4_000);
      expect((await socket.closed).code).toBe(4408);
      expect(performance.now() - opened).toBeGreaterThanOrEqual(2_900);
    } finally {
      await hasty.stop();
    }
  });

  it('after two subscriptions of one id with 4409', async () => {
    const socket = await openAs();
    [subscribe('a'), subscribe('a')].forEach(socket.say);
    expect((await socket.closed).code).toBe(4409);
  });

  it('at the operation after the hundredth with 4429', async () => {
    const socket = await openAs();
    for (let n = 0; n <= 100; n += 1) socket.say(subscribe(String(n)));
    expect((await socket.closed).code).toBe(4429);
  });

  it('within a second of the revocation of its key, with 4403', async () => {
    const merchant = await newMerchant(gateway);
    const socket = await openAs({ authorization: `Bearer ${merchant.token}` });
    socket.say(subscribe('a'));
    dataOf(await merchant.rest('DELETE', `/merchant/api-keys/${merchant.keyId}`));
    // Other merchants' calls are answered as soon as the gateway and its database get to run.
    expect(await runningMsOf(() => shop.rest('GET', '/payments'), socket.closed)).toBeLessThan(1_000);
    expect((await socket.closed).code).toBe(4403);
  });

  it('and the gateway goes on: others of the same page are answered', async () => {
    const socket = await openAs({ authorization: `Bearer ${shop.token}` });
    socket.say(subscribe('a'));
    socket.say({ type: 'complete', id: 'a' });
    socket.frame(8, Buffer.from([0x03, 0xe8]));
    expect(await socket.closed).toMatchObject({ code: 1000 });
  });
});

describe('an upgrade is refused', () => {
  it('of another path with 404, from a page of another origin with 403', async () => {
    expect((await openRawSocket(url().replace('/graphql', '/other'))).head).toMatch(/^HTTP\/1\.1 404 /);
    expect((await openRawSocket(url(), { origin: 'https://evil.example' })).head).toMatch(/^HTTP\/1\.1 403 /);
  });

  it.each([
    ['of another version', { 'sec-websocket-version': '12' }],
    ['without a key', { 'sec-websocket-key': '' }],
  ])('%s with 400, as any other call: with a request id', async (_, headers) => {
    const { head } = await openRawSocket(url(), { ...headers, 'x-request-id': 'mine' });
    expect(head).toMatch(/^HTTP\/1\.1 400 /);
    expect(head).toContain('X-Request-Id: mine');
    expect(head).toContain('Content-Type: application/json');
  });
});

/** Neither half is too large, but their message is. */
function sendHalves(socket: RawSocket): void {
  socket.frame(1, 'x'.repeat(40 * 1_024), { final: false });
  socket.frame(0, 'x'.repeat(40 * 1_024));
}
