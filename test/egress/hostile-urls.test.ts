// Attacks by a webhook's URL and by the DNS behind it, against a real name server and real sockets.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Agent, request } from 'undici';
import { createHttpClient, type HttpClientOptions, type PostResult } from '../../src/egress/http-client.ts';
import { createDnsResolver } from '../../src/egress/dns.ts';
import { createPinnedConnector } from '../../src/egress/connector.ts';
import { ERRORS } from '../../src/values/errors.ts';
import { checkWebhookUrl } from '../../src/values/internet/webhook-url.ts';
import { AUTHORITY, EXPIRED_CERTIFICATE, RECEIVER_CERTIFICATE, SELF_SIGNED_CERTIFICATE } from '../support/tls.ts';
import { serveDns, type DnsServer, type DnsZone } from './dns-server.fixture.ts';
import { ANSWERS, URLS, zoneOf } from './hostile-table.fixture.ts';
import { runningMs } from '../support/running-time.ts';
import { closeReceivers, receive, receiveBytes, receiveTls } from '../dispatch/receivers.fixture.ts';

const opened: { close(): Promise<void> }[] = [];

afterEach(async () => {
  await closeReceivers();
  await Promise.all(opened.splice(0).map((one) => one.close()));
});

async function dnsOf(zone: DnsZone): Promise<DnsServer> {
  const server = await serveDns(zone);
  opened.push(server);
  return server;
}

type Post = (url: string) => Promise<PostResult>;

/** A client as in live, except for its name server and a deadline that a slow machine does not reach. */
async function clientBehind(zone: DnsZone, options: Partial<HttpClientOptions> = {}): Promise<Post> {
  const { address } = await dnsOf(zone);
  const { deadlineMs = 20_000 } = options;
  const resolver = createDnsResolver({ servers: [address], timeoutMs: deadlineMs });
  const egress = createHttpClient({ allowPrivate: false, deadlineMs, resolver, ...options });
  opened.push(egress);
  return (url) => egress.post({ url, headers: {}, body: '{}' });
}

const reasonOf = (result: PostResult): string => (result.kind === 'failure' ? result.reason : String(result.status));
/** The URL as a test title: encoded, and cut to a readable length. */
const NAMED = URLS.map(([url, configured]) => [encodeURI(url).slice(0, 70), configured, url] as const);
const loopback: DnsZone = zoneOf({ a: [{ a: '127.0.0.1' }] });

describe('a hostile URL', () => {
  it(`is one of ${URLS.length + ANSWERS.length}, at least sixty`, () => {
    expect(URLS.length).toBeGreaterThanOrEqual(60);
    expect(new Set(URLS.map(([url]) => url)).size).toBe(URLS.length);
  });

  it.each(NAMED)(
    '%s is %s when it is configured, and nothing connects when it is sent to',
    async (_, configured, text) => {
      const receiver = await receive((_request, response) => response.end());
      const url = text.replaceAll('{port}', String(receiver.port));
      const verdict = checkWebhookUrl(url, { allowPrivate: false });
      expect(verdict.ok ? 'taken' : ERRORS[verdict.error].code).toBe(configured);
      const post = await clientBehind(loopback);
      expect(reasonOf(await post(url))).toBe('refused-address');
      expect(receiver.connections()).toBe(0);
    },
  );
});

describe('a harmless name', () => {
  it.each(ANSWERS)(
    'with $name in the DNS is taken when it is configured, and $reason when it is sent to',
    async (row) => {
      const receiver = await receive((_request, response) => response.end());
      const url = `http://hooks.test:${receiver.port}/`;
      expect(checkWebhookUrl(url, { allowPrivate: false })).toMatchObject({ ok: true });
      const post = await clientBehind(zoneOf(row), row.reason === 'timeout' ? { deadlineMs: 300 } : {});
      expect(reasonOf(await post(url))).toBe(row.reason);
      expect(receiver.connections()).toBe(0);
    },
  );

  it.each([`${'a'.repeat(64)}.test`, `${'a.'.repeat(130)}test`, 'a..test', '-.test', '*.test', 'a_b.test'])(
    'that no DNS knows, %s, is a failure and no crash',
    async (name) => {
      const post = await clientBehind(zoneOf({ a: 'NXDOMAIN', aaaa: 'NXDOMAIN' }));
      expect(reasonOf(await post(`http://${name}/`))).toBe('dns');
    },
  );

  it('whose server never answers is a dns failure once the resolver gives up', async () => {
    const { address } = await dnsOf(zoneOf({ a: 'SILENCE', aaaa: 'SILENCE' }));
    const resolve = createDnsResolver({ servers: [address], timeoutMs: 150 });
    await expect(resolve('hooks.test')).rejects.toMatchObject({ code: 'ETIMEOUT' });
  });

  it('is reached though the server answers for one family only', async () => {
    const receiver = await receive((_request, response) => response.end());
    const post = await clientBehind(zoneOf({ a: [{ a: '127.0.0.1' }], aaaa: 'SILENCE' }), { allowPrivate: true });
    expect(reasonOf(await post(`http://hooks.test:${receiver.port}/`))).toBe('200');
  });

  it('is reached at the end of a chain of aliases, and over TCP', async () => {
    const receiver = await receive((_request, response) => response.end());
    const records = [{ cname: 'a.test' }, { cname: 'b.test' }, { a: '127.0.0.1' }];
    const zone: DnsZone = (name, type) => (type === 'AAAA' ? [] : name === 'tcp.test' ? { overTcp: records } : records);
    const post = await clientBehind(zone, { allowPrivate: true });
    expect(reasonOf(await post(`http://udp.test:${receiver.port}/`))).toBe('200');
    expect(reasonOf(await post(`http://tcp.test:${receiver.port}/`))).toBe('200');
  });

  it('does not wait for fifty names whose servers never answer', async () => {
    const receiver = await receive((_request, response) => response.end());
    const zone: DnsZone = (name, type) => (name.startsWith('silent') ? 'SILENCE' : loopback(name, type, 1));
    const post = await clientBehind(zone, { allowPrivate: true, deadlineMs: 1_200 });
    const patient = await clientBehind(zone, { allowPrivate: true });
    const silent = Array.from({ length: 50 }, (_, nth) => post(`http://silent${nth}.test/`));
    const posted = patient(`http://hooks.test:${receiver.port}/`);
    expect(await runningMs(posted)).toBeLessThan(1_000);
    expect(await posted).toMatchObject({ status: 200 });
    expect(new Set((await Promise.all(silent)).map(reasonOf))).toEqual(new Set(['timeout']));
  });

  it('with a thousand addresses has us try eight', async () => {
    const { address } = await dnsOf(
      zoneOf({ a: Array.from({ length: 1_000 }, (_, n) => ({ a: `127.1.${n >> 8}.${n & 255}` })) }),
    );
    const asked: string[] = [];
    const connect = createPinnedConnector({
      isAllowed: (ip) => asked.push(ip) > 0,
      resolve: createDnsResolver({ servers: [address], timeoutMs: 20_000 }),
      timeoutMs: 20_000,
    });
    const error = await new Promise<Error | null>((resolve) => {
      connect({ hostname: 'hooks.test', protocol: 'http:', port: '1024' }, (...[failure]) => resolve(failure));
    });
    expect(asked).toHaveLength(1_000);
    expect((error?.cause as AggregateError).errors).toHaveLength(8);
  });
});

describe('a name that changes its answer between check and connect', () => {
  // Loopback stands for both: 127.0.0.1 is the public address, 127.0.0.2 the private one.
  const isAllowed = (ip: string): boolean => ip === '127.0.0.1';
  const rebinding: DnsZone = (_name, type, nth) => (type === 'A' ? [{ a: nth === 1 ? '127.0.0.1' : '127.0.0.2' }] : []);

  async function sides() {
    const outside = await receive((_request, response) => response.end());
    const inside = await receive((_request, response) => response.end(), { host: '127.0.0.2', port: outside.port });
    return { outside, inside, url: `http://hooks.test:${outside.port}/` };
  }

  async function agentBehind(zone: DnsZone) {
    const server = await dnsOf(zone);
    const resolve = createDnsResolver({ servers: [server.address], timeoutMs: 20_000 });
    const agent = new Agent({
      connect: createPinnedConnector({ isAllowed, resolve, timeoutMs: 20_000 }),
      connections: 1,
      allowH2: false,
    });
    opened.push(agent);
    const get = async (url: string, reset: boolean): Promise<number> => {
      const { statusCode, body } = await request(url, { dispatcher: agent, reset });
      await body.dump();
      return statusCode;
    };
    return { get, questions: server.questions };
  }

  it('is asked once for each connection: the answer that was judged is the one connected to', async () => {
    const { outside, inside, url } = await sides();
    const { get, questions } = await agentBehind(rebinding);
    expect(await get(url, true)).toBe(200);
    expect([...questions].sort()).toEqual(['A hooks.test', 'AAAA hooks.test']);
    expect([outside.connections(), inside.connections()]).toEqual([1, 0]);
  });

  it('is refused by its second answer and never reaches the private side', async () => {
    const { inside, url } = await sides();
    let a = '127.0.0.1';
    const { get } = await agentBehind((_name, type) => (type === 'A' ? [{ a }] : []));
    await get(url, true);
    a = '127.0.0.2';
    for (let nth = 0; nth < 3; nth += 1)
      await expect(get(url, true)).rejects.toMatchObject({ reason: 'refused-address' });
    expect(inside.connections()).toBe(0);
  });

  it('gains nothing by a connection that is kept: it stays at the address that was judged', async () => {
    const { outside, inside, url } = await sides();
    const { get, questions } = await agentBehind(rebinding);
    expect([await get(url, false), await get(url, false)]).toEqual([200, 200]);
    expect([outside.connections(), inside.connections(), questions.length]).toEqual([1, 0, 2]);
  });
});

describe('a redirect', () => {
  it.each(['http://inside.test:{port}/', 'http://127.0.0.1:{port}/', '//inside.test:{port}/', 'file:///etc/passwd'])(
    'to %s is recorded as it came and not followed: its name is never looked up',
    async (location) => {
      const inside = await receive((_request, response) => response.end());
      const headers = { Location: location.replace('{port}', String(inside.port)), Refresh: `0; url=${inside.url}` };
      const receiver = await receive((_request, response) => response.writeHead(307, headers).end());
      const asked: string[] = [];
      const post = await clientBehind((name, type, nth) => loopback((asked.push(name), name), type, nth), {
        allowPrivate: true,
      });
      expect(reasonOf(await post(`http://hooks.test:${receiver.port}/`))).toBe('307');
      expect(new Set(asked)).toEqual(new Set(['hooks.test']));
      expect(inside.connections()).toBe(0);
    },
  );
});

describe('what reaches the receiver', () => {
  it.each([
    ['/hook?x=1#fragment', '/hook?x=1'],
    ['#/inside', '/'],
    ['?x', '/?x'],
    ['/a/../../b/./c', '/b/c'],
    ['/%2e%2e/b', '/b'],
    ['/%0d%0aX-Injected:%201', '/%0d%0aX-Injected:%201'],
    ['/é?q=ü€', '/%C3%A9?q=%C3%BC%E2%82%AC'],
    ['//inside.test/', '//inside.test/'],
    ['/http://inside.test/', '/http://inside.test/'],
    ['/"<>`{}|^', '/%22%3C%3E%60%7B%7D|%5E'],
    ['/a@b;c=d?e=@f:80', '/a@b;c=d?e=@f:80'],
  ])('of %j is the path %j, and the host that was judged', async (suffix, path) => {
    const receiver = await receive((_request, response) => response.end());
    const post = await clientBehind(loopback, { allowPrivate: true });
    expect(reasonOf(await post(`http://HOOKS.test:${receiver.port}${suffix}`))).toBe('200');
    const [came] = receiver.requests;
    expect([came?.url, came?.headers.host]).toEqual([path, `hooks.test:${receiver.port}`]);
    expect(Object.keys(came?.headers ?? {}).sort()).toEqual([
      'accept-encoding',
      'connection',
      'content-length',
      'host',
    ]);
  });
});

describe('a receiver that does not end', () => {
  it.each([
    ['its head', 'HTTP/1.1 200 OK\r\nX: '],
    ['its body', 'HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n'],
  ])('and drips %s byte by byte is cut at the deadline, the look-up counted', async (_name, head) => {
    const receiver = await receiveBytes((socket) => {
      socket.write(head);
      const drip = setInterval(() => socket.write('x'), 20);
      socket.once('close', () => clearInterval(drip));
    });
    const slow: DnsZone = (_asked, type) => ({ afterMs: 200, records: type === 'A' ? [{ a: '127.0.0.1' }] : [] });
    const post = await clientBehind(slow, { allowPrivate: true, deadlineMs: 500 });
    const posted = post(`http://hooks.test:${receiver.port}/`);
    expect(await runningMs(posted)).toBeLessThan(2_000);
    expect(reasonOf(await posted)).toBe('timeout');
    expect((await posted).durationMs).toBeGreaterThanOrEqual(498);
  });

  it.each([
    ['the body', 'HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n', 'x', '200'],
    ['chunks of one byte', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', '1\r\nx\r\n', '200'],
    ['a chunk extension', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;', 'x', 'network'],
    ['the zeros of a chunk size', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', '0', 'network'],
    ['line breaks before the head', '\r\n', '\r\n', 'network'],
    ['a reason phrase', 'HTTP/1.1 200 ', 'x', 'network'],
    ['a header', 'HTTP/1.1 200 OK\r\nX: ', 'x', 'network'],
    ['blanks in a header', 'HTTP/1.1 200 OK\r\nX: ', ' ', 'network'],
    ['blanks in a trailer', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: ', ' ', 'network'],
  ])('and floods us with %s is cut by what it sent, not by the clock', async (_name, head, part, expected) => {
    const flood = Buffer.from(part.repeat(16_384));
    const receiver = await receiveBytes((socket) => {
      socket.write(head);
      const more = (): void => {
        while (!socket.destroyed) if (!socket.write(flood)) return void socket.once('drain', more);
      };
      more();
    });
    const post = await clientBehind(loopback, { allowPrivate: true, deadlineMs: 20_000 });
    expect(reasonOf(await post(`http://hooks.test:${receiver.port}/`))).toBe(expected);
  });

  it('leaves those alone who answer often: the budget is that of one response', async () => {
    const receiver = await receive((_request, response) => response.end('x'.repeat(60_000)));
    const post = await clientBehind(loopback, { allowPrivate: true });
    for (let nth = 0; nth < 30; nth += 1)
      expect(reasonOf(await post(`http://hooks.test:${receiver.port}/`))).toBe('200');
    expect(receiver.connections()).toBeLessThanOrEqual(2);
  });
});

describe('TLS', () => {
  const options = { allowPrivate: true, ca: AUTHORITY };

  it('is verified for the name of the URL, whatever the DNS calls it on the way', async () => {
    const receiver = await receiveTls(RECEIVER_CERTIFICATE, (_request, response) => response.end());
    const zone: DnsZone = (_name, type) => (type === 'A' ? [{ cname: 'receiver.test' }, { a: '127.0.0.1' }] : []);
    const post = await clientBehind(zone, options);
    expect(reasonOf(await post(`https://receiver.test:${receiver.port}/`))).toBe('200');
    expect(reasonOf(await post(`https://hooks.test:${receiver.port}/`))).toBe('tls');
    expect(receiver.requests).toHaveLength(1);
  });

  it.each([
    ['expired', EXPIRED_CERTIFICATE],
    ['self-signed', SELF_SIGNED_CERTIFICATE],
  ])('refuses a certificate that is %s', async (_name, certificate) => {
    const receiver = await receiveTls(certificate, (_request, response) => response.end());
    const post = await clientBehind(loopback, options);
    expect(reasonOf(await post(`https://receiver.test:${receiver.port}/`))).toBe('tls');
    expect(receiver.requests).toHaveLength(0);
  });

  it('is verified even where the environment switches that off for the process', async () => {
    const receiver = await receiveTls(SELF_SIGNED_CERTIFICATE, (_request, response) => response.end());
    const script = `
      const { createHttpClient } = await import(process.argv[1]);
      const egress = createHttpClient({ allowPrivate: true, deadlineMs: 20_000, resolver: async () => ['127.0.0.1'] });
      console.log((await egress.post({ url: process.argv[2], headers: {}, body: '' })).reason);
      await egress.close();`;
    const file = new URL('../../src/egress/http-client.js', import.meta.url).href;
    const run = promisify(execFile)(
      process.execPath,
      ['--input-type=module', '-e', script, file, `https://receiver.test:${receiver.port}/`],
      { env: { NODE_TLS_REJECT_UNAUTHORIZED: '0' } },
    );
    expect((await run).stdout.trim()).toBe('tls');
    expect(receiver.requests).toHaveLength(0);
  });
});
