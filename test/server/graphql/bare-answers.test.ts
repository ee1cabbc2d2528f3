// Requests that reach no route: offers of other protocols, tunnels, and upgrades of other paths.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connect } from 'node:net';
import { borrowGateway, type BorrowedGateway } from '../../support/gateway/borrowed-gateway.ts';

let gateway: BorrowedGateway;
beforeAll(async () => {
  gateway = await borrowGateway();
});
afterAll(() => gateway.stop());

/** The whole answer to a head as received; the connection ends with it. */
function ask(start: string, headers: readonly string[]): Promise<string> {
  const { hostname, port, host } = new URL(gateway.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let answer = '';
    socket.on('data', (chunk: Buffer) => (answer += String(chunk)));
    socket.on('error', reject);
    socket.on('close', () => resolve(answer));
    socket.write([start, `Host: ${host}`, 'X-Request-Id: mine', ...headers, '', ''].join('\r\n'));
  });
}

function expectFailure(answer: string, line: string, code: string): void {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${line}\\r\\n`));
  expect(head).toContain('X-Request-Id: mine');
  expect(JSON.parse(body)).toMatchObject({ success: false, error: { code } });
}

describe('what no route sees', () => {
  it('a client that also offers HTTP/2 is answered by HTTP/1.1', async () => {
    const offer = ['Connection: Upgrade, HTTP2-Settings, close', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__'];
    const answer = await ask('GET /api/v1/currencies HTTP/1.1', offer);
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).toContain('"success":true');
  });

  it('a web socket on another path is 404 with 2004', async () => {
    const upgrade = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'];
    expectFailure(await ask('GET /api/v1/payments HTTP/1.1', upgrade), '404 Not Found', '2004');
  });

  it('a tunnel is 405 with 2005', async () => {
    expectFailure(await ask('CONNECT example.com:443 HTTP/1.1', []), '405 Method Not Allowed', '2005');
  });
});
