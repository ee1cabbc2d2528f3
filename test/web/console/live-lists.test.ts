// Lists of the console in Chromium while changes come faster than anybody reads: they stay current, ask no more than
// once a second, and keep nothing that is not listed.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser, WebSocketRoute } from 'playwright-core';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { until } from '../../support/until.ts';
import { executablePath, launch } from '../browser.fixture.ts';
import { register, type ConsoleLook } from './browser.fixture.ts';

/** Fifty changes a second: an update comes long before the last one was put off for a tenth of a second. */
const EVERY_MS = 20;
const CHANGES = 200;
const LONG = 5_000;
/** What the page may lag behind, and may keep of so many changes. */
const OLDEST_MS = 2_000;
const MOST_KEPT_BYTES = 600_000;

interface Message {
  readonly id?: string;
  readonly type: string;
  readonly payload?: { readonly query?: string; readonly data?: Record<string, Record<string, unknown>> };
}

let gateway: TestGateway;
let browser: Browser;
let look: ConsoleLook;
let socket: WebSocketRoute | undefined;
/** The ids of subscriptions by their root field. */
const subscriptions = new Map<string, string>();
/** A real update by the root field of its subscription. */
const updates = new Map<string, Record<string, unknown>>();

if (executablePath !== undefined)
  describe('with fifty changes a second', () => {
    beforeAll(async () => {
      gateway = await startTestGateway();
      browser = await launch();
      look = await register(browser, gateway);
      await look.page.routeWebSocket('**/graphql', listenIn);
    });
    afterAll(async () => {
      await browser.close();
      await gateway.stop();
    });
    beforeEach(() => {
      subscriptions.clear();
      updates.clear();
    });

    it('payments are read again while it goes on, and not for each', async () => {
      const payment = await open('payments', 'paymentUpdated');
      const asked = countQuestions('query Payments(');
      await flood('paymentUpdated', () => payment);
      expect(asked()).toBeGreaterThanOrEqual(2);
      expect(asked()).toBeLessThan(CHANGES / 10);
    });

    it('5,000 of them leave no more memory behind, and the list is never more than two seconds old', steady, 300_000);

    it('balances are read again while it goes on, and not for each', async () => {
      const payment = await open('wallet', 'paymentUpdated');
      const asked = countQuestions('query Wallet');
      await flood('paymentUpdated', () => payment);
      expect(asked()).toBeGreaterThanOrEqual(2);
      expect(asked()).toBeLessThan(CHANGES / 10);
    });

    it('the page of deliveries does not grow with each', async () => {
      const delivery = await open('webhooks', 'webhookDeliveryUpdated');
      const { page } = look;
      const rows = page.getByRole('table', { name: 'Deliveries' }).getByRole('row');
      await until(async () => (await rows.count()) > 1);
      const asked = countQuestions('query Deliveries(');
      await flood('webhookDeliveryUpdated', (nth) => ({ ...delivery, deliveryId: `dlv_${String(nth)}` }));
      expect(asked()).toBeGreaterThanOrEqual(2);
      expect(asked()).toBeLessThan(CHANGES / 10);
      // Those of the payments that were made here, and none of the others.
      expect(await rows.count()).toBeLessThan(20);
    });
  });

/** Passes everything on, and remembers what is subscribed to and what an update looks like. */
function listenIn(route: WebSocketRoute): void {
  socket = route;
  const server = route.connectToServer();
  route.onMessage((text) => {
    const { id, type, payload }: Message = JSON.parse(String(text));
    const field = /\{\s*(\w+)/.exec(payload?.query ?? '')?.[1];
    if (type === 'subscribe' && id !== undefined && field !== undefined) subscriptions.set(field, id);
    server.send(text);
  });
  server.onMessage((text) => {
    const { type, payload }: Message = JSON.parse(String(text));
    if (type === 'next') for (const [field, update] of Object.entries(payload?.data ?? {})) updates.set(field, update);
    route.send(text);
  });
}

/** Opens a page, pays an order, and returns the update of this subscription that it caused. */
async function open(path: string, field: string): Promise<Record<string, unknown>> {
  await look.page.goto(`${gateway.url}/console/${path}`);
  await until(() => subscriptions.has(field));
  const { createPayment } = await look.operate<{ createPayment: { id: string } }>(
    'mutation ($input: CreatePaymentInput!) { createPayment(input: $input) { id } }',
    { input: { amount: '7', currency: 'USDT', network: 'ETH', callbackUrl: `${gateway.url}/sandbox/none` } },
  );
  await look.operate(`mutation { simulateDeposit(input: { paymentId: "${createPayment.id}" }) { id } }`);
  return until(() => updates.get(field));
}

/** Counts the questions of the page that begin so, from now on. */
function countQuestions(operation: string): () => number {
  let count = 0;
  look.page.on('request', (request) => {
    if (request.postData()?.includes(operation) === true) count += 1;
  });
  return () => count;
}

/** Each change says which it is, and the row of the list shows it. */
async function steady(): Promise<void> {
  const { page } = look;
  const payment = await open('payments', 'paymentUpdated');
  const session = await page.context().newCDPSession(page);
  const usedBytes = async () => {
    await session.send('HeapProfiler.collectGarbage');
    return (await session.send('Runtime.getHeapUsage')).usedSize;
  };
  const sentAt: number[] = [];
  const update = () => {
    sentAt.push(performance.now());
    return { ...payment, merchantOrderId: 'STEADY', productName: `change ${String(sentAt.length)}` };
  };
  let isOver = false;
  const ages: number[] = [];
  const watch = async () => {
    const shown = page.getByRole('row').filter({ hasText: 'STEADY' }).locator('.of');
    while (!isOver) {
      const nth = Number(/\d+/.exec((await shown.textContent()) ?? '')?.[0]);
      // It is old since the one after it was sent.
      const next = sentAt[nth];
      ages.push(next === undefined ? 0 : performance.now() - next);
    }
  };
  const watching = watch();
  // What is compiled and kept once is not counted.
  await flood('paymentUpdated', update, LONG / 5);
  const before = await usedBytes();
  await flood('paymentUpdated', update, LONG);
  isOver = true;
  await watching;
  const kept = (await usedBytes()) - before;
  console.log(`${String(LONG)} changes: ${String(kept)} bytes kept, at most ${Math.max(...ages).toFixed(0)} ms old`);
  expect(ages.length).toBeGreaterThan(100);
  expect(Math.max(...ages)).toBeLessThan(OLDEST_MS);
  expect(kept).toBeLessThan(MOST_KEPT_BYTES);
}

/** Sends the page updates, one after another; ends with the last of them. */
async function flood(
  field: string,
  updateOf: (nth: number) => Record<string, unknown>,
  changes = CHANGES,
): Promise<void> {
  for (let nth = 0; nth < changes; nth += 1) {
    const id = subscriptions.get(field);
    socket?.send(JSON.stringify({ id, type: 'next', payload: { data: { [field]: updateOf(nth) } } }));
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  }
}
