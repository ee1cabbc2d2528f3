// The payment page in a customer's browser, against a real gateway and chain. Without Chromium this is left to CI,
// which has it.

import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { openAdapter } from '../../../src/chain/open-adapter.ts';
import { accountKey } from '../../../src/custody/keys/account-keys.ts';
import type { Chain } from '../../../src/domain/deps.ts';
import type { Network } from '../../../src/values/assets.ts';
import { newMerchant, USDT_PAYMENT, type Json, type TestMerchant } from '../../support/clients.ts';
import { dataOf } from '../../support/expectations.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { until } from '../../support/until.ts';
import { axeFindings, DESKTOP, executablePath, launch, look, PHONE, shoot, type Look } from '../browser.fixture.ts';
import { dropSocket, lookAway, loseSocket, sleep, stopClock, takeClock, type Scene } from './connections.fixture.ts';
import { paymentsInAllStates } from './states.fixture.ts';
import { expectPayable } from './payable-page.fixture.ts';
import { png } from '../png.fixture.ts';
import { startSocketCutter, type SocketCutter } from '../socket-cutter.fixture.ts';

const WAIT = { timeout: 60_000 };
const TEST_MS = 180_000;

let gateway: TestGateway;
let shop: TestMerchant;
let browser: Browser;
let logos: Server;
let cutter: SocketCutter;
let seen: Look | null = null;
/** Failures of the page that the test itself causes. */
let forgiven: RegExp | null = null;

async function newPayment(changes: object = {}): Promise<string> {
  const body = { ...USDT_PAYMENT, productName: 'Two tins of Assam', merchantOrderId: 'BK-10045', ...changes };
  const returnUrl = 'https://shop.example/thanks';
  return dataOf(await shop.rest('POST', '/payments', { returnUrl, ...body }), 201).orderId as string;
}

async function deposit(id: string, body: object = {}): Promise<void> {
  dataOf(await shop.rest('POST', `/sandbox/payments/${id}/deposit`, body));
}

async function mine(count: number): Promise<void> {
  const answer = await shop.graphql(`mutation { mineBlocks(input: { network: "ETH", count: ${count} }) { tip } }`);
  expect(answer.body.errors).toBeUndefined();
}

const expire = async (id: string) => dataOf(await shop.rest('POST', `/sandbox/payments/${id}/expire`));
const settings = async (body: Json) => dataOf(await shop.rest('PUT', '/merchant/settings', body));

/** Opens a payment's page; any failure in it fails the test. */
async function visit(
  id: string,
  options: Parameters<typeof look>[2] = {},
  query = '',
  through: { readonly url: string } = gateway,
): Promise<Page> {
  await seen?.close();
  seen = await look(browser, `${through.url}/pay/${id}${query}`, options);
  return seen.page;
}

const heading = (page: Page, text: string) => page.locator('#status .heading').getByText(text).waitFor(WAIT);

it('CI has a browser', () => {
  expect(executablePath !== undefined || process.env['CI'] !== 'true').toBe(true);
});

if (executablePath !== undefined)
  describe('in Chromium', () => {
    beforeAll(async () => {
      gateway = await startTestGateway();
      shop = await newMerchant(gateway);
      browser = await launch();
      cutter = await startSocketCutter(gateway.url);
      logos = createServer((request, response) => {
        if (request.url === '/logo.png') response.end(png([200, 60, 40], 30_000));
        else
          response.setHeader('content-type', 'image/png').end('<svg onload="alert(1)"><script>alert(2)</script></svg>');
      }).listen(0, '127.0.0.1');
      await settings({ companyName: 'Blue Kettle Tea' });
    }, TEST_MS);
    afterEach(async () => {
      const faults = seen?.faults ?? [];
      await seen?.close();
      const held = faults.filter((fault) => forgiven?.test(fault) !== true);
      [seen, forgiven] = [null, null];
      expect(held).toEqual([]);
    }, TEST_MS);
    afterAll(async () => {
      await browser.close();
      await cutter.stop();
      logos.closeAllConnections();
      logos.close();
      await gateway.stop();
    }, TEST_MS);

    it('a customer pays in two parts, watches the confirmations, and is shown the way back', payInParts, TEST_MS);
    it('a payment expires with a way back, and money that comes late is explained', payLate, TEST_MS);
    it('offline it says so, and back again it is right', goOffline, TEST_MS);
    it(
      'a web socket that is lost for a while is made up for by asking, and followed again',
      () => loseSocket(scene),
      TEST_MS,
    );
    it('after a web socket that was dropped, the next one says how things stand', () => dropSocket(scene), TEST_MS);
    it(
      'a page that comes back from behind another is right, though its web socket hangs',
      () => lookAway(scene),
      TEST_MS,
    );
    it('a page whose machine slept is right when it wakes', () => sleep(scene), TEST_MS);
    it('without a script there are address, amount, code, state and languages', payWithoutScript, TEST_MS);
    it(
      'at 320 px coins and tokens are paid exactly: whole address, every decimal, a code that reads',
      payable,
      TEST_MS,
    );
    it('everything is reached and copied by keyboard', payByKeyboard, TEST_MS);
    it('in every language nothing is wider than 320 px, and axe finds nothing', readLanguages, TEST_MS);
    it('in every state, light on a phone and dark on a desktop, axe finds nothing', lookAtStates, TEST_MS);
    it('hostile texts, addresses and logos do nothing', beHostile, TEST_MS);
    it('the first view, logo included, is within 60 KiB, and waits for nothing else to be seen', weigh, TEST_MS);
  });

async function payInParts(): Promise<void> {
  const id = await newPayment();
  const page = await visit(id);
  await heading(page, 'Waiting for your payment');
  await page
    .locator('.clock time')
    .getByText(/^\d\d:\d\d$/)
    .waitFor(WAIT);
  const code = await page.locator('.qr path').last().getAttribute('d');
  await deposit(id, { amount: '10' });
  await heading(page, 'Part of the amount has arrived');
  expect(await page.locator('#sum').innerText()).toBe('15');
  expect(await page.locator('.qr path').last().getAttribute('d')).not.toBe(code);
  expect(await page.locator('.wallets > .button').getAttribute('href')).toContain('uint256=15000000');
  await deposit(id, { amount: '15', confirmations: 0 });
  await heading(page, 'Payment seen');
  // It may have been seen before its block was.
  await page.locator('progress[value="1"]').waitFor(WAIT);
  expect(await page.locator('#address').count()).toBe(0);
  await mine(2);
  await heading(page, 'Payment complete');
  // Else it would lead there by itself.
  await page.locator('.stay').click();
  const back = page.locator('.return a');
  expect(await back.innerText()).toBe('Return to shop.example');
  expect(await back.getAttribute('href')).toBe('https://shop.example/thanks');
  expect(await page.title()).toContain('Payment complete');
}

async function payLate(): Promise<void> {
  await settings({ latePaymentPolicy: 'MANUAL' });
  const id = await newPayment();
  await settings({ latePaymentPolicy: 'ACCEPT' });
  const page = await visit(id);
  await heading(page, 'Waiting for your payment');
  await expire(id);
  await heading(page, 'This payment has expired');
  expect(await page.locator('.return a').innerText()).toBe('Return to shop.example');
  expect(await page.locator('#address').count()).toBe(0);
  await deposit(id, { amount: '25' });
  await page.getByText('We received 25 USDT afterwards.').waitFor(WAIT);
  await page.getByText(`Your money is not lost: contact Blue Kettle Tea and quote ${id}.`).waitFor(WAIT);
}

async function goOffline(): Promise<void> {
  const id = await newPayment();
  const page = await visit(id);
  await heading(page, 'Waiting for your payment');
  // The browser itself reports that it gets no connection.
  forgiven = /ERR_INTERNET_DISCONNECTED/;
  await page.context().setOffline(true);
  await page.locator('#offline').waitFor(WAIT);
  await deposit(id, { amount: '25' });
  await heading(page, 'Waiting for your payment');
  const from = performance.now();
  await page.context().setOffline(false);
  await heading(page, 'Payment complete');
  console.log(`back from offline, the page was right after ${Math.round(performance.now() - from)} ms`);
  await page.locator('#offline').waitFor({ ...WAIT, state: 'hidden' });
}

const scene: Scene = {
  get cutter() {
    return cutter;
  },
  ...{ newPayment, deposit, heading },
  visit: (id) => visit(id, {}, '', cutter),
  forgive: (faults) => void (forgiven = faults),
};

async function payWithoutScript(): Promise<void> {
  const id = await newPayment();
  const page = await visit(id, { javaScriptEnabled: false });
  await heading(page, 'Waiting for your payment');
  expect(await page.locator('#address').innerText()).toMatch(/^0x[0-9a-fA-F]{40}$/);
  expect(await page.locator('#sum').innerText()).toBe('25');
  expect(await page.locator('.of-address .qr').isVisible()).toBe(true);
  await page.getByText('With amount', { exact: true }).click();
  expect(await page.locator('.of-address .qr').isVisible()).toBe(false);
  expect(await page.locator('.of-amount .qr').isVisible()).toBe(true);
  expect(await page.locator('button:visible').count()).toBe(0);
  await page.locator('.languages summary').click();
  await page.locator('.languages a[lang=ar]').click();
  await heading(page, 'في انتظار دفعتك');
  expect(await page.locator('html').getAttribute('dir')).toBe('rtl');
  expect(await page.locator('#address').getAttribute('dir')).toBe('ltr');
  await deposit(id);
  await heading(page, 'اكتملت الدفعة'); // By itself: it reloads every ten seconds.
  await shoot(page, 'no-script-ar');
}

async function payable(): Promise<void> {
  const precise = await newPayment({ currency: 'ETH', amount: '0.012345678901234567' });
  await expectPayable(browser, gateway, { id: precise, network: 'Ethereum (ETH)', choice: 'Ethereum (ETH)' });
  const token = await newPayment({ amount: '1999.990001' });
  await expectPayable(browser, gateway, { id: token, network: 'Ethereum (ETH)', choice: 'Ethereum (ERC20)' });
  // No Bitcoin node runs here, and the page needs none: the payment is inserted directly.
  const adapter = openAdapter('BTC', {
    ...{ nodes: [{ url: 'http://127.0.0.1:9' }], contracts: new Map<string, string>() },
    ...{ chainId: null, trace: false, taproot: true },
  });
  const chain = { adapter, requiredConfirmations: 2, account: 'btc', networkFees: new Map<string, bigint>() };
  (gateway.deps.chains as Map<Network, Chain>).set('BTC', chain);
  const { xpub } = accountKey(new Uint8Array(64).fill(7), "m/86'/0'/0'");
  const { address, key } = adapter.derive(xpub, 0);
  const bitcoin = await newPayment();
  await gateway.sql(
    `update payment set network = 'BTC', currency = 'BTC', amount = 1234567, address = $2, address_key = $3 where id = $1`,
    [bitcoin, address, key],
  );
  await expectPayable(browser, gateway, { id: bitcoin, network: 'Bitcoin (BTC)', choice: null });
}

async function payByKeyboard(): Promise<void> {
  const id = await newPayment();
  const page = await visit(id, { permissions: ['clipboard-read', 'clipboard-write'] });
  // "Copied" is shown for two seconds, which do not pass here.
  await takeClock(page);
  await stopClock(page);
  const reached: string[] = [];
  for (let step = 0; step < 12; step += 1) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate(`(() => {
      const { outlineStyle } = getComputedStyle(document.activeElement);
      return [document.activeElement.id || document.activeElement.textContent.trim(), outlineStyle].join(' ');
    })()`);
    reached.push(String(focused));
    if (String(focused).startsWith('copy-')) await page.keyboard.press('Enter');
    if (String(focused).startsWith('copy-address')) await page.getByText('Copied').first().waitFor(WAIT);
    if (String(focused).startsWith('copy-sum')) break;
  }
  expect(reached).toEqual([
    ...['English solid', 'way-code solid', 'code-address solid', 'copy-address solid', 'copy-sum solid'],
  ]);
  await page.locator('#copy-sum').getByText('Copied').waitFor(WAIT);
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe('25');
  expect(await page.locator('#announcer').innerText()).toBe('Copied');
  await page.locator('.languages summary').focus();
  await page.keyboard.press('Enter');
  await page.locator('.languages a[lang=de]').waitFor(WAIT);
  await page.keyboard.press('Escape');
  await page.locator('.languages a[lang=de]').waitFor({ ...WAIT, state: 'hidden' });
}

async function readLanguages(): Promise<void> {
  const id = await newPayment({ test: true });
  const page = await visit(id, { viewport: { width: 320, height: 640 } });
  for (const code of ['en', 'es', 'pt', 'fr', 'de', 'tr', 'ar', 'zh', 'ja']) {
    await page.goto(`${gateway.url}/pay/${id}?lang=${code}`);
    expect(await page.locator('html').getAttribute('lang')).toBe(code);
    expect([code, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([code, 320]);
    await page.locator('[data-part=help] summary').click();
    expect([code, await axeFindings(page)]).toEqual([code, []]);
    await shoot(page, `language-${code}-320`);
    expect(seen?.faults).toEqual([]);
  }
}

async function lookAtStates(): Promise<void> {
  const { port } = logos.address() as AddressInfo;
  await settings({ logoUrl: `http://127.0.0.1:${port}/logo.png` });
  const looks = [
    ['phone', { viewport: PHONE, colorScheme: 'light' }],
    ['desktop', { viewport: DESKTOP, colorScheme: 'dark' }],
  ] as const;
  const stage = { gateway, shop, newPayment, deposit, expire, settings };
  const states = await paymentsInAllStates(stage);
  for (const [device, options] of looks) {
    const page = await visit(await newPayment(), options);
    for (const { name, id, heading: text, says } of states) {
      await page.goto(`${gateway.url}/pay/${id}`);
      await heading(page, text);
      const told = (await page.locator('main').innerText()).replaceAll('\u00a0', ' ');
      for (const words of says) expect([name, told]).toEqual([name, expect.stringContaining(words)]);
      // Payers who are sent to the merchant are told what to quote there; all find it below.
      if (says.includes('quote')) expect(told).toContain(`contact Blue Kettle Tea and quote ${id}`);
      expect(await page.locator('.reference code').innerText()).toBe(id);
      expect([name, device, await axeFindings(page)]).toEqual([name, device, []]);
      await shoot(page, `${name}-${device}`);
      expect(seen?.faults).toEqual([]);
    }
  }
  expect(await seen?.page.evaluate(`document.querySelector('.logo').naturalWidth`)).toBe(96);
  const nothing = await visit('ord_00000000000000000000000000000000');
  expect(await axeFindings(nothing)).toEqual([]);
  await shoot(nothing, 'not-found-phone');
  seen?.faults.splice(0, 1); // The answer is 404, which the browser reports.
}

async function beHostile(): Promise<void> {
  const attack = `"><img src=x onerror=alert(1)><script>alert(2)</script>\u202e</title>'\``;
  const { port } = logos.address() as AddressInfo;
  await settings({ companyName: attack, logoUrl: `http://127.0.0.1:${port}/hostile.png`, accentColor: '#000000' });
  const id = await newPayment({
    productName: attack,
    merchantOrderId: attack.slice(0, 60),
    metadata: { note: attack },
    returnUrl: `https://evil.example/?"><script>alert(3)</script>`,
  });
  const page = await visit(id);
  await heading(page, 'Waiting for your payment');
  await deposit(id);
  await heading(page, 'Payment complete');
  await page.locator('.stay').click();
  expect(await page.locator('main img, main script, header script').count()).toBe(0);
  expect(await page.locator('.return a').innerText()).toBe('Return to evil.example');
  await page.locator('.logo').waitFor({ ...WAIT, state: 'hidden' });
  expect(await page.evaluate(`document.querySelector('.logo').naturalWidth`)).toBe(1);
  await shoot(page, 'hostile-phone');
  // What is not an image is not shown; the browser reports that, and nothing else.
  expect(seen?.faults).toEqual([expect.stringContaining('404')]);
  seen?.faults.splice(0);
  await settings({ companyName: 'Blue Kettle Tea', logoUrl: null, accentColor: null });
}

async function weigh(): Promise<void> {
  const { port } = logos.address() as AddressInfo;
  await settings({ logoUrl: `http://127.0.0.1:${port}/logo.png` });
  const id = await newPayment();
  const page = await visit(id); // A first visit warms the server, as for all customers but the first.
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.setCacheDisabled', { cacheDisabled: true });
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  let bytes = 0;
  const urls: string[] = [];
  session.on('Network.responseReceived', ({ response }) => urls.push(new URL(response.url).pathname));
  session.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
  await page.reload({ waitUntil: 'networkidle' });
  // Everything is loaded before it is visible if drawing is late.
  const paint = await until(() =>
    page.evaluate<number | null>(
      `(([first]) => first ? Math.round(first.startTime) : null)(performance.getEntriesByName('first-contentful-paint'))`,
    ),
  );
  console.log(`first view: ${bytes} bytes for ${urls.join(', ')}; painted after ${paint} ms at a quarter of the speed`);
  expect(urls).toEqual(expect.arrayContaining([`/pay/${id}`, '/pay/assets/client.js', `/pay/${id}/logo`]));
  expect(bytes).toBeGreaterThan(30_000); // The logo alone.
  expect(bytes).toBeLessThan(60 * 1024);
  // How long it takes depends on the machine; that nothing blocks rendering depends on the page.
  expect(
    await page.evaluate(
      `performance.getEntriesByType('resource').filter((one) => one.renderBlockingStatus === 'blocking').map((one) => one.name)`,
    ),
  ).toEqual([]);
}
