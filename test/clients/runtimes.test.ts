// The packed TypeScript SDK where it is not Node that runs it: Deno and Bun, and, for what needs no key, a browser.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installPack, programIn, type Command, type Newcomer } from '../sdk/packages/newcomer.fixture.ts';
import { expectPaidOrder, expectVerifiedWebhook } from '../sdk/packages/paid-order.fixture.ts';
import { newMerchant } from '../support/clients.ts';
import { dataOf } from '../support/expectations.ts';
import { borrowGateway, type BorrowedGateway } from '../support/gateway/borrowed-gateway.ts';
import { launch, look } from '../web/browser.fixture.ts';
import { FOLDER } from './run-client.fixture.ts';

const isArm = process.arch === 'arm64';
const DENO = join(FOLDER, `node_modules/@deno/linux-${isArm ? 'arm64' : 'x64'}-glibc/deno`);
const BUN = join(FOLDER, `node_modules/@oven/bun-linux-${isArm ? 'aarch64' : 'x64'}/bin/bun`);
const RUNTIMES: readonly (readonly [string, Command])[] = [
  ['Deno', [DENO, 'run', '--allow-net', '--allow-env', '--allow-read']],
  ['Bun', [BUN]],
];

let gateway: BorrowedGateway;
const folder = mkdtempSync(join(tmpdir(), 'turnpike-runtimes-'));
beforeAll(async () => {
  gateway = await borrowGateway();
  await installPack(folder);
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await gateway.stop();
});

describe.each(RUNTIMES)('the SDK in %s', (name, command) => {
  const newcomer: Newcomer = {
    ...{ name, needs: command[0], fence: 'js', folder: 'sdk/typescript' },
    install: async () => undefined,
    program: async (_, program, code) => [...command, programIn(folder, `${program}.mjs`, code)],
  };

  it('leads from nothing to a paid order', () => expectPaidOrder(newcomer, folder, gateway));
  it('receives a webhook and verifies it', () => expectVerifiedWebhook(newcomer, folder, gateway));
});

describe('the SDK in a browser', () => {
  it('shows an invoice and chooses its coin, from a page of a shop', async () => {
    const { rest: call } = await newMerchant(gateway);
    const { invoiceId } = dataOf(await call('POST', '/invoices', { amount: '49.90', currency: 'EUR' }), 201);
    const script = `import { Turnpike } from '/index.js';
      const { checkout } = new Turnpike({ baseUrl: '${gateway.url}' });
      const before = await checkout.invoice('${String(invoiceId)}');
      const { payments } = await checkout.choose(before.id, { currency: 'USDT', network: 'ETH' });
      document.title = [before.status, payments.length, (await checkout.currencies()).length > 1].join(' ');`;
    const page = `<!doctype html><title>Shop</title><link rel="icon" href="data:,"><script type="module">${script}</script>`;
    const pack = join(folder, 'node_modules/@turnpike/sdk/dist/esm');
    const shop = createServer(({ url = '/' }, response) => {
      const isPage = url === '/';
      response.writeHead(200, { 'content-type': isPage ? 'text/html' : 'text/javascript' });
      response.end(isPage ? page : readFileSync(join(pack, url)));
    }).listen(0, '127.0.0.1');
    await once(shop, 'listening');
    const browser = await launch();
    try {
      const { page: tab } = await look(browser, `http://127.0.0.1:${(shop.address() as AddressInfo).port}/`);
      await tab.waitForFunction(`document.title !== 'Shop'`);
      expect(await tab.title()).toBe('OPEN 1 true');
    } finally {
      await browser.close();
      shop.close();
    }
  });
});
