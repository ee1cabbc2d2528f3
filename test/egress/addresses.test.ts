// Where a webhook may go: only to public addresses, and only to the very address that was checked.

import { afterEach, describe, expect, it } from '@jest/globals';
import { Agent, request } from 'undici';
import {
  createHttpClient,
  type HttpClient,
  type HttpClientOptions,
  type PostResult,
} from '../../src/egress/http-client.ts';
import { ConnectError, createPinnedConnector, type Resolver } from '../../src/egress/connector.ts';
import { AUTHORITY, EXPIRED_CERTIFICATE, RECEIVER_CERTIFICATE, SELF_SIGNED_CERTIFICATE } from '../support/tls.ts';
import { runningMs } from '../support/running-time.ts';
import { closeReceivers, receive, receiveTls } from '../dispatch/receivers.fixture.ts';

const opened: { close(): Promise<void> }[] = [];

afterEach(async () => {
  await closeReceivers();
  await Promise.all(opened.splice(0).map((one) => one.close()));
});

function egress(options: Partial<HttpClientOptions>): HttpClient {
  const created = createHttpClient({ allowPrivate: false, deadlineMs: 30_000, ...options });
  opened.push(created);
  return created;
}

const post = (url: string, options: Partial<HttpClientOptions> = {}): Promise<PostResult> => {
  return egress(options).post({ url, headers: {}, body: '{}' });
};

const reasonOf = (result: PostResult): string => (result.kind === 'failure' ? result.reason : String(result.status));
const answers =
  (...addresses: string[]): Resolver =>
  () =>
    Promise.resolve(addresses);

describe('an address that is not public is refused', () => {
  it.each([
    ...[
      '127.0.0.1',
      '127.1',
      '0x7f.1',
      '2130706433',
      '017700000001',
      '１２７.0.0.1',
      '0.0.0.0',
      '10.0.0.1',
      '100.64.0.1',
    ],
    ...['169.254.169.254', '172.16.0.1', '192.168.0.1', '[::1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]'],
    ...['[::127.0.0.1]', '[64:ff9b::7f00:1]', '[2002:7f00:1::]', '[2001:0:4136:e378:8000:63bf:3fff:fdd2]', '[fe80::1]'],
    ...['[fd00:ec2::254]', '[fec0::1]', 'localhost', 'localhost.', 'hooks.localhost', '①②⑦.0.0.1'],
  ])('as the literal %s', async (host) => {
    const receiver = await receive((_request, response) => response.end());
    const result = await post(`http://${host}:${String(receiver.port)}/`, { resolver: answers('127.0.0.1') });
    expect(reasonOf(result)).toBe('refused-address');
    expect(receiver.connections()).toBe(0);
  });

  it.each([
    [['127.0.0.1']],
    [['169.254.169.254']],
    [['10.0.0.1']],
    [['100.64.0.1']],
    [['::1']],
    [['::ffff:127.0.0.1']],
    [['64:ff9b::7f00:1']],
    [['2002:7f00:1::']],
    [['2001:0:4136:e378:8000:63bf:3fff:fdd2']],
    [['fd00::1']],
    [['fe80::1%lo']],
    [['0.0.0.0']],
    [['not an address']],
    [['1.1.1.1', '127.0.0.1']],
    [['127.0.0.1', '1.1.1.1']],
    [['2606:4700:4700::1111', '1.1.1.1', '::1']],
  ])('as the answer %j to a name', async (addresses) => {
    const receiver = await receive((_request, response) => response.end());
    const result = await post(`http://hooks.example:${String(receiver.port)}/`, { resolver: answers(...addresses) });
    expect(reasonOf(result)).toBe('refused-address');
    expect(receiver.connections()).toBe(0);
  });

  it('without telling the merchant which one, which only the log says', async () => {
    const logged: object[] = [];
    const log = { warn: (fields: object): number => logged.push(fields) };
    const result = await post('http://hooks.example/', { resolver: answers('10.9.8.7'), log });
    expect(JSON.stringify(result)).not.toContain('10.9');
    expect(logged).toEqual([{ host: 'hooks.example', addresses: ['10.9.8.7'] }]);
  });

  it('unless private addresses are allowed', async () => {
    const receiver = await receive((_request, response) => response.end());
    const options = { allowPrivate: true, resolver: answers('127.0.0.1') };
    expect(reasonOf(await post(`http://hooks.example:${String(receiver.port)}/`, options))).toBe('200');
    expect(reasonOf(await post(`http://127.0.0.1:${String(receiver.port)}/`, options))).toBe('200');
  });

  it('a refused port stays refused even then', async () => {
    expect(reasonOf(await post('http://127.0.0.1:22/', { allowPrivate: true }))).toBe('refused-address');
  });
});

describe('the address that was judged is the one connected to', () => {
  // Loopback stands for both: 127.0.0.1 is the public address, 127.0.0.2 the private one.
  const isAllowed = (ip: string): boolean => ip === '127.0.0.1';

  function client(resolve: Resolver, secure = false): (url: string) => Promise<number> {
    const ca = secure ? AUTHORITY : undefined;
    const agent = new Agent({
      connect: createPinnedConnector({ isAllowed, resolve, timeoutMs: 30_000, ca }),
      allowH2: false,
    });
    opened.push(agent);
    return async (url) => {
      const { statusCode, body } = await request(url, { dispatcher: agent, reset: true });
      await body.dump();
      return statusCode;
    };
  }

  /** Answers the n-th question; the last answer repeats. */
  function rebinding(...replies: string[][]): Resolver & { asked: () => number } {
    let asked = 0;
    const resolve = (): Promise<string[]> => Promise.resolve(replies[Math.min(asked++, replies.length - 1)] ?? []);
    return Object.assign(resolve, { asked: () => asked });
  }

  it('a name that turns private after the check reaches the private side never', async () => {
    const outside = await receive((_request, response) => response.end());
    const inside = await receive((_request, response) => response.end(), { host: '127.0.0.2', port: outside.port });
    const resolve = rebinding(['127.0.0.1'], ['127.0.0.2']);
    const get = client(resolve);
    expect(await get(`http://hooks.example:${String(outside.port)}/`)).toBe(200);
    expect([resolve.asked(), outside.connections()]).toEqual([1, 1]);
    await expect(get(`http://hooks.example:${String(outside.port)}/`)).rejects.toThrow(ConnectError);
    expect(inside.connections()).toBe(0);
  });

  it('mixed answers refuse the name, though the first is public', async () => {
    const outside = await receive((_request, response) => response.end());
    const get = client(rebinding(['127.0.0.1', '127.0.0.2']));
    await expect(get(`http://hooks.example:${String(outside.port)}/`)).rejects.toMatchObject({
      reason: 'refused-address',
    });
    expect(outside.connections()).toBe(0);
  });

  it('over TLS as well', async () => {
    const outside = await receiveTls(RECEIVER_CERTIFICATE, (_request, response) => response.end());
    const get = client(rebinding(['127.0.0.1'], ['127.0.0.2']), true);
    expect(await get(`${outside.url}/`)).toBe(200);
    await expect(get(`${outside.url}/`)).rejects.toMatchObject({ reason: 'refused-address' });
  });

  it('the next address is tried when the first does not answer', async () => {
    const second = await receive((_request, response) => response.end(), { host: '127.0.0.3' });
    const resolver = answers('127.0.0.2', '127.0.0.3');
    expect(reasonOf(await post(`http://hooks.example:${String(second.port)}/`, { allowPrivate: true, resolver }))).toBe(
      '200',
    );
  });
});

describe('a name that does not resolve', () => {
  it.each([
    ['an error of the resolver', () => Promise.reject(Object.assign(new Error('x'), { code: 'ENOTFOUND' }))],
    ['no addresses', answers()],
  ])('is a dns failure: %s', async (_name, resolver) => {
    expect(reasonOf(await post('https://hooks.example/', { resolver }))).toBe('dns');
  });

  // However slow the machine's own name servers are, they are given up before the deadline.
  it('is a dns failure of our own resolver too', async () => {
    expect(reasonOf(await post('https://no-such-name.invalid/'))).toBe('dns');
  });

  it('within the deadline is a time-out', async () => {
    const resolver = (): Promise<string[]> => new Promise(() => undefined);
    const posted = post('https://hooks.example/', { resolver, deadlineMs: 100 });
    expect(await runningMs(posted)).toBeLessThan(1_500);
    expect(reasonOf(await posted)).toBe('timeout');
  });

  it('is looked up once for many requests at a time', async () => {
    const receiver = await receive((_request, response) => response.end());
    let asked = 0;
    const resolver: Resolver = async () => {
      asked += 1;
      await new Promise(setImmediate);
      return ['127.0.0.1'];
    };
    const one = egress({ allowPrivate: true, resolver });
    const url = `http://hooks.example:${String(receiver.port)}/`;
    await Promise.all(Array.from({ length: 10 }, () => one.post({ url, headers: {}, body: '{}' })));
    expect(asked).toBe(1);
  });
});

describe('TLS', () => {
  const options = { allowPrivate: true, resolver: answers('127.0.0.1'), ca: AUTHORITY };

  it('is verified for the name of the URL, which is sent as SNI', async () => {
    const names: unknown[] = [];
    const receiver = await receiveTls(RECEIVER_CERTIFICATE, ({ socket }, response) => {
      names.push('servername' in socket ? socket.servername : undefined);
      response.end();
    });
    expect(reasonOf(await post(`${receiver.url}/`, options))).toBe('200');
    expect(reasonOf(await post(`https://receiver.test.:${String(receiver.port)}/`, options))).toBe('200');
    expect(names).toEqual(['receiver.test', 'receiver.test']);
  });

  it.each([
    ['expired', EXPIRED_CERTIFICATE],
    ['self-signed', SELF_SIGNED_CERTIFICATE],
  ])('refuses a certificate that is %s', async (_name, certificate) => {
    const receiver = await receiveTls(certificate, (_request, response) => response.end());
    expect(reasonOf(await post(`${receiver.url}/`, options))).toBe('tls');
    expect(receiver.requests).toHaveLength(0);
  });

  it('refuses a certificate of another name or of an unknown authority', async () => {
    const receiver = await receiveTls(RECEIVER_CERTIFICATE, (_request, response) => response.end());
    const { ca: _ca, ...systemRoots } = options;
    expect(reasonOf(await post(`https://other.test:${String(receiver.port)}/`, options))).toBe('tls');
    expect(reasonOf(await post(`https://127.0.0.1:${String(receiver.port)}/`, options))).toBe('tls');
    expect(reasonOf(await post(`${receiver.url}/`, systemRoots))).toBe('tls');
    expect(receiver.requests).toHaveLength(0);
  });

  it('refuses a receiver that speaks plain HTTP', async () => {
    const receiver = await receive((_request, response) => response.end());
    expect(reasonOf(await post(`https://receiver.test:${String(receiver.port)}/`, options))).toBe('tls');
  });
});
