// The HTTP client against misbehaving receivers: they can only answer, in time and within size limits.

import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  createHttpClient,
  type HttpClient,
  type HttpClientOptions,
  type PostResult,
} from '../../src/egress/http-client.ts';
import { runningMs } from '../support/running-time.ts';
import { closeReceivers, nobody, receive, receiveBytes } from '../dispatch/receivers.fixture.ts';

const opened: HttpClient[] = [];

function egress(options: Partial<HttpClientOptions> = {}): HttpClient {
  const created = createHttpClient({ allowPrivate: true, deadlineMs: 20_000, ...options });
  opened.push(created);
  return created;
}

const post = (url: string, options: Partial<HttpClientOptions> = {}): Promise<PostResult> => {
  return egress(options).post({ url, headers: { 'X-PGW-Attempt': '1' }, body: '{"a":1}' });
};

const reasonOf = (result: PostResult): string => (result.kind === 'failure' ? result.reason : String(result.status));

afterEach(async () => {
  await closeReceivers();
  await Promise.all(opened.splice(0).map((one) => one.close()));
});

describe('a response', () => {
  it('is a result with its status, the start of its body and its duration', async () => {
    const receiver = await receive((_request, response) => response.writeHead(201).end('{ "status": "ok" }'));
    const result = await post(`${receiver.url}/hook?x=1`);
    expect(result).toMatchObject({ kind: 'response', status: 201, headers: {}, bodyStart: '{ "status": "ok" }' });
    expect(Number.isInteger(result.durationMs) && result.durationMs >= 0).toBe(true);
    expect(receiver.requests[0]).toMatchObject({ method: 'POST', url: '/hook?x=1' });
    expect(receiver.requests[0]?.headers).toMatchObject({
      'x-pgw-attempt': '1',
      'accept-encoding': 'identity',
      'content-length': '7',
    });
  });

  it('arrives byte for byte as the body that was given', async () => {
    let received = '';
    const receiver = await receive((request, response) => {
      request.setEncoding('utf8').on('data', (chunk: string) => (received += chunk));
      request.on('end', () => response.end());
    });
    await egress().post({ url: receiver.url, headers: {}, body: Buffer.from('{"é":"😀"}') });
    expect(received).toBe('{"é":"😀"}');
  });

  it.each([500, 404, 410, 429, 204, 304])('of %i is an outcome, not an error', async (status) => {
    const receiver = await receive((_request, response) => response.writeHead(status, { 'Retry-After': '120' }).end());
    expect(await post(receiver.url)).toMatchObject({
      kind: 'response',
      status,
      headers: { retryAfter: '120' },
      bodyStart: '',
    });
  });

  it.each([301, 302, 303, 307, 308])('that redirects (%i) is not followed', async (status) => {
    const target = await receive((_request, response) => response.end());
    const receiver = await receive((_request, response) => response.writeHead(status, { Location: target.url }).end());
    expect(await post(receiver.url)).toMatchObject({ kind: 'response', status });
    expect(target.connections()).toBe(0);
  });

  it('comes over a connection that is kept for the next', async () => {
    const receiver = await receive((_request, response) => response.end('ok'));
    const client = egress();
    for (let i = 0; i < 10; i += 1) await client.post({ url: receiver.url, headers: {}, body: 'x' });
    expect(receiver.requests).toHaveLength(10);
    // Two and not one: undici frees a connection a moment after it reports the end of the response.
    expect(receiver.connections()).toBeLessThanOrEqual(2);
  });

  it('never takes more than the allowed sockets to one origin', async () => {
    const receiver = await receive((_request, response) => setImmediate(() => response.end('ok')));
    const client = egress({ socketsPerOrigin: 2 });
    const results = await Promise.all(
      Array.from({ length: 20 }, () => client.post({ url: receiver.url, headers: {}, body: 'x' })),
    );
    expect(results.map(reasonOf)).toEqual(new Array(20).fill('200'));
    expect(receiver.connections()).toBe(2);
  });
});

describe('the text that is kept', () => {
  it('is the first 1 KiB', async () => {
    const receiver = await receive((_request, response) => response.end('a'.repeat(5_000)));
    expect(await post(receiver.url)).toMatchObject({ bodyStart: 'a'.repeat(1024) });
  });

  it('leaves out a character that the limit cuts in two', async () => {
    const receiver = await receive((_request, response) => response.end('a' + 'é'.repeat(1_000)));
    expect(await post(receiver.url)).toMatchObject({ bodyStart: 'a' + 'é'.repeat(511) });
  });

  it('holds no NUL and no unpaired surrogate, whatever the bytes', async () => {
    const bytes = Buffer.from([0x61, 0, 0xff, 0xed, 0xa0, 0x80, 0x62]);
    const receiver = await receive((_request, response) => response.end(bytes));
    const result = await post(receiver.url);
    const text = result.kind === 'response' ? result.bodyStart : '';
    expect(text).toMatch(/^a\ufffd+b$/);
    expect(text.isWellFormed()).toBe(true);
  });

  it('is not inflated: a gzip bomb stays as small as it was sent', async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000));
    const receiver = await receive((_request, response) => {
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(bomb);
    });
    const result = await post(receiver.url);
    expect(result).toMatchObject({ kind: 'response', status: 200 });
    expect(result.kind === 'response' && Buffer.byteLength(result.bodyStart)).toBeLessThanOrEqual(3 * 1024);
  });
});

describe('a response without end', () => {
  it('is read up to the limit and then abandoned, and its status stands', async () => {
    let sent = 0;
    const receiver = await receiveBytes((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10000000\r\n\r\n');
      const more = (): void => {
        while (!socket.destroyed && sent < 10_000_000) {
          sent += 16_384;
          if (!socket.write(Buffer.alloc(16_384, 'x'))) return void socket.once('drain', more);
        }
      };
      more();
    });
    const result = await post(receiver.url);
    expect(result).toMatchObject({ kind: 'response', status: 200, bodyStart: 'x'.repeat(1024) });
    // What was sent beyond 64 KiB sits in the kernel's buffers.
    expect(sent).toBeLessThan(9_000_000);
  });

  it.each([
    ['no answer at all', ''],
    ['half a head, then silence', 'HTTP/1.1 200 OK\r\nX: '],
    ['a head, then silence', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n'],
    ['half a body, then silence', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n'],
    ['an informational answer, then silence', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
  ])('is cut at the deadline: %s', async (_name, bytes) => {
    const receiver = await receiveBytes((socket) => socket.write(bytes));
    const posted = post(receiver.url, { deadlineMs: 150 });
    expect(await runningMs(posted)).toBeLessThan(1_500);
    const result = await posted;
    expect(result).toMatchObject({ kind: 'failure', reason: 'timeout' });
    expect(result.durationMs).toBeGreaterThanOrEqual(148);
  });

  it.each([
    ['head', 'HTTP/1.1 200 OK\r\nX: '],
    ['body', 'HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n'],
  ])('is cut at the deadline: a slow drip of the %s', async (_name, bytes) => {
    const receiver = await receiveBytes((socket) => {
      socket.write(bytes);
      const drip = setInterval(() => socket.write('x'), 10);
      socket.once('close', () => {
        clearInterval(drip);
      });
    });
    expect(reasonOf(await post(receiver.url, { deadlineMs: 200 }))).toBe('timeout');
  });

  it('holds up those who wait for its sockets no longer than their own deadline', async () => {
    const receiver = await receive(() => undefined);
    const client = egress({ deadlineMs: 150, socketsPerOrigin: 1 });
    const posts = Array.from({ length: 3 }, () => client.post({ url: receiver.url, headers: {}, body: 'x' }));
    expect((await Promise.all(posts)).map(reasonOf)).toEqual(['timeout', 'timeout', 'timeout']);
    await client.close();
  });

  it('is cut: a flood of informational answers', async () => {
    const receiver = await receiveBytes((socket) => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100)));
    expect(reasonOf(await post(receiver.url))).toBe('network');
  });
});

describe('a broken receiver is a network failure', () => {
  it.each([
    ['a connection that is reset', (socket: { resetAndDestroy(): unknown }) => socket.resetAndDestroy()],
    ['a connection that is closed', (socket: { end(): unknown }) => socket.end()],
    ['something else than HTTP', (socket: { end(text: string): unknown }) => socket.end('220 mail ESMTP\r\n')],
    [
      'a body shorter than announced',
      (socket: { end(text: string): unknown }) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok'),
    ],
    [
      'a head beyond all measure',
      (socket: { write(text: string): unknown }) => socket.write(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(100_000)}\r\n`),
    ],
    [
      'a switch of protocols',
      (socket: { write(text: string): unknown }) => {
        socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n');
      },
    ],
  ])('%s', async (_name, act) => {
    const receiver = await receiveBytes(act);
    const result = await post(receiver.url);
    expect(result).toMatchObject({ kind: 'failure', reason: 'network' });
    expect(result.kind === 'failure' && result.message.length > 0 && result.message.length <= 300).toBe(true);
  });

  it('a port where nobody listens', async () => {
    expect(reasonOf(await post(`http://${await nobody()}/`))).toBe('network');
  });

  it('does not spoil the next request', async () => {
    let broken = true;
    const receiver = await receive((request, response) => {
      if (broken) request.socket.destroy();
      else response.end('ok');
    });
    const client = egress();
    expect(reasonOf(await client.post({ url: receiver.url, headers: {}, body: 'x' }))).toBe('network');
    broken = false;
    expect(reasonOf(await client.post({ url: receiver.url, headers: {}, body: 'x' }))).toBe('200');
  });
});

describe('what the caller does', () => {
  it('an aborted signal rejects with its reason and closes the connection', async () => {
    const controller = new AbortController();
    let onClose: (value?: unknown) => void = () => undefined;
    const closed = new Promise((resolve) => (onClose = resolve));
    const receiver = await receiveBytes((socket) => {
      socket.once('close', onClose);
      controller.abort(new Error('shutting down'));
    });
    const request = { url: receiver.url, headers: {}, body: 'x', signal: controller.signal };
    await expect(egress().post(request)).rejects.toThrow('shutting down');
    await closed;
    await expect(egress().post(request)).rejects.toThrow('shutting down');
  });

  it.each([
    ['X-A', 'a\r\nX-B: b'],
    ['X-A', 'a\nb'],
    ['X-A', 'a\0'],
    ['X-A', 'é'],
    ['X A', 'a'],
    ['X-A\r\nX-B', 'a'],
    ['', 'a'],
    ['Host', 'other.example'],
  ])('a header %j: %j is refused before anything is sent', async (name, value) => {
    const receiver = await receive((_request, response) => response.end());
    const posted = egress().post({ url: receiver.url, headers: { [name]: value }, body: 'x' });
    await expect(posted).rejects.toThrow(TypeError);
    expect(receiver.connections()).toBe(0);
  });

  it('close waits for what is in flight and refuses what comes after', async () => {
    const receiver = await receive((_request, response) => setImmediate(() => response.end('ok')));
    const client = egress();
    const request = { url: receiver.url, headers: {}, body: 'x' };
    const posted = client.post(request);
    await client.close();
    expect(reasonOf(await posted)).toBe('200');
    await expect(client.post(request)).rejects.toThrow('closed');
  });
});
