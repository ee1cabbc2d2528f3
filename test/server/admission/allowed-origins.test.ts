// Which web pages may call a sandbox, and under which host names it answers: no page that a developer merely visits may
// use it.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { request } from 'node:http';
import { createOriginRules } from '../../../src/server/admission/allowed-origins.ts';
import { newMerchant, type TestMerchant } from '../../support/clients.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { connectAs } from '../graphql/ws/setup.fixture.ts';

const OWN = { ownUrls: ['https://pay.example/', 'https://till.example/pay'], allowedHosts: ['turnpike.internal'] };
const SANDBOX = { ...OWN, corsOrigins: ['https://shop.example'], corsLoopback: true };
const sandbox = createOriginRules({ ...SANDBOX, refusesPages: true, refusesHosts: true });
const live = createOriginRules({
  ...OWN,
  corsOrigins: [],
  corsLoopback: false,
  refusesPages: false,
  refusesHosts: false,
});

const OURS = [
  ...['http://localhost', 'http://localhost:5173', 'https://shop.localhost:8443', 'http://127.0.0.1:3000'],
  ...['http://127.255.0.9', 'http://[::1]:8080', 'https://pay.example', 'https://till.example', 'https://shop.example'],
];
const FOREIGN = [
  ...['https://evil.example', 'http://localhost.evil.example', 'http://127.0.0.1.evil.example', 'http://notlocalhost'],
  ...['null', '', 'file://', 'http://128.0.0.1', 'http://[::2]', 'https://shop.example.evil', 'http://shop.example'],
  ...['http://localhost/path', 'http://user@localhost', 'ftp://localhost', 'chrome-extension://abc'],
];
const HOSTS = [
  ...[
    'localhost',
    'LOCALHOST:3000',
    'localhost.',
    'shop.localhost:81',
    '127.0.0.1:3000',
    '[::1]:3000',
    '10.1.2.3:3000',
  ],
  ...['192.168.0.5', '[2001:db8::1]', 'pay.example', 'PAY.example:8443', 'till.example', 'turnpike.internal:3000'],
];
const REBOUND = ['evil.example', 'evil.example:3000', 'localhost.evil.example', 'turnpike', 'xpay.example', '127.evil'];

describe('a sandbox', () => {
  it.each(OURS)('lets a page of %s call and connect', (origin) => {
    const headers = { origin, host: 'localhost:3000' };
    expect([sandbox.refusalOfCall(headers), sandbox.refusalOfSocket(headers)]).toEqual([null, null]);
    expect(sandbox.isNamed(origin)).toBe(true);
  });

  it.each(FOREIGN)('lets no page of "%s" call or connect', (origin) => {
    const headers = { origin, host: 'localhost:3000' };
    const refused = expect.objectContaining({ errorName: 'ADDRESS_NOT_ALLOWED' });
    expect([sandbox.refusalOfCall(headers), sandbox.refusalOfSocket(headers)]).toEqual([refused, refused]);
    expect(sandbox.isNamed(origin)).toBe(false);
  });

  it.each(HOSTS)('is called %s, and a page that came from there is its own', (host) => {
    const headers = { host, origin: `http://${host.toLowerCase()}` };
    for (const asked of [{ host }, headers])
      expect([sandbox.refusalOfCall(asked), sandbox.refusalOfSocket(asked)]).toEqual([null, null]);
  });

  it.each(REBOUND)('is not called %s, whoever asks', (host) => {
    for (const asked of [{ host }, { host, origin: `http://${host}` }, { host, origin: 'http://localhost:3000' }]) {
      const refused = expect.objectContaining({ errorName: 'ADDRESS_NOT_ALLOWED' });
      expect([sandbox.refusalOfCall(asked), sandbox.refusalOfSocket(asked)]).toEqual([refused, refused]);
    }
  });
});

describe('live', () => {
  it('refuses no call for its page or name, and sockets of pages that are not its own', () => {
    const foreign = { origin: 'https://evil.example', host: 'pay.example' };
    expect([live.refusalOfCall(foreign), live.isNamed(foreign.origin)]).toEqual([null, false]);
    expect(live.refusalOfCall({ host: 'anything.example' })).toBeNull();
    expect(live.refusalOfSocket(foreign)).not.toBeNull();
    expect(live.refusalOfSocket({ origin: 'https://pay.example', host: 'inside' })).toBeNull();
    expect(live.refusalOfSocket({ origin: 'http://localhost:3000', host: 'pay.example' })).not.toBeNull();
  });
});

describe('on a started sandbox', () => {
  let gateway: TestGateway;
  let shop: TestMerchant;
  beforeAll(async () => {
    gateway = await startTestGateway();
    shop = await newMerchant(gateway);
  });
  afterAll(() => gateway.stop());

  /** `fetch` does not let us set the Host or Origin header. */
  function ask(method: string, path: string, headers: Record<string, string>, body = ''): Promise<[number, string]> {
    const own = { authorization: `Bearer ${shop.token}`, 'content-type': 'application/json', ...headers };
    return new Promise((resolve, reject) => {
      const call = request(gateway.url + path, { method, headers: own }, (answer) => {
        let said = '';
        answer.setEncoding('utf8').on('data', (part: string) => (said += part));
        answer.once('end', () => resolve([answer.statusCode ?? 0, said]));
      });
      call.once('error', reject).end(body);
    });
  }

  const CALLS: [string, string, string, string][] = [
    ['a read by REST', 'GET', '/api/v1/payments', ''],
    ['a read that needs no token', 'GET', '/api/v1/currencies', ''],
    ['a change by REST', 'POST', '/api/v1/merchant', '{"companyName":"Evil"}'],
    ['GraphQL', 'POST', '/graphql', '{"query":"{ merchant { id } }"}'],
    ['an event stream', 'POST', '/graphql/stream', '{"query":"{ merchant { id } }"}'],
    ['the payment page', 'GET', '/pay/nothing', ''],
    ['an unknown path', 'GET', '/nothing', ''],
  ];

  it.each(CALLS)('%s is for programs and for pages of this machine, for no others', async (_n, method, path, body) => {
    const [plain] = await ask(method, path, {}, body);
    expect(plain).not.toBe(403);
    expect((await ask(method, path, { origin: 'http://localhost:5173' }, body))[0]).toBe(plain);
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { host: 'evil.example:3000' },
      { host: 'evil.example', origin: 'http://evil.example' },
    ]) {
      const [status, said] = await ask(method, path, headers, body);
      expect({ status, is1003: said.includes('"1003"') }).toEqual({ status: 403, is1003: true });
    }
  });

  it('neither does a web socket open for them', async () => {
    const url = `${gateway.url.replace('http', 'ws')}/graphql`;
    for (const headers of [
      { origin: 'https://evil.example' },
      { host: 'evil.example' },
      { host: 'evil.example', origin: 'http://evil.example' },
    ])
      await expect(connectAs(url, shop.token, { headers })).rejects.toThrow('403');
    const client = await connectAs(url, shop.token, { headers: { origin: 'http://localhost:5173' } });
    client.socket.close();
  });

  it.each(['/healthz', '/readyz', '/metrics'])('%s answers under every name, for what watches it', async (path) => {
    expect((await ask('GET', path, { host: 'turnpike-1.internal:3000' }))[0]).toBe(200);
  });
});
