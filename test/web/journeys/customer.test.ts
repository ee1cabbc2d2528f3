// A customer pays an order on a phone: the coin and the network, a part and then the rest, the receipt. Without
// Chromium this is left to CI, which has it.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { newMerchant, type TestMerchant } from '../../support/clients.ts';
import { dataOf } from '../../support/expectations.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { until } from '../../support/until.ts';
import { executablePath, launch, PHONE } from '../browser.fixture.ts';
import { setOut, type Journey } from './journey.fixture.ts';

/** Taps of today's best way. */
const TAPS = {
  order: 0,
  network: 1,
  pay: 1,
  address: 1,
  amount: 1,
  part: 0,
  rest: 1,
  complete: 0,
  receipt: 1,
  saved: 1,
};

let gateway: TestGateway;
let shop: TestMerchant;
let browser: Browser;
let journey: Journey;
let invoice: string;

if (executablePath !== undefined)
  describe('a customer on a phone', () => {
    beforeAll(async () => {
      gateway = await startTestGateway({ SANDBOX_NETWORKS: 'ETH,POLYGON' });
      shop = await newMerchant(gateway);
      browser = await launch();
      dataOf(await shop.rest('PUT', '/merchant/settings', { companyName: 'Blue Kettle Tea' }));
      const order = {
        amount: '49.90',
        currency: 'EUR',
        description: 'Two tins of Assam',
        merchantInvoiceId: 'BK-10045',
      };
      const returnUrl = 'https://shop.example/thanks';
      invoice = dataOf(await shop.rest('POST', '/invoices', { ...order, returnUrl }), 201).invoiceId as string;
      journey = await setOut(browser, {
        ...{ name: 'customer', clicks: TAPS, url: `${gateway.url}/pay/${invoice}` },
        options: {
          viewport: PHONE,
          hasTouch: true,
          isMobile: true,
          permissions: ['clipboard-read', 'clipboard-write'],
        },
      });
    });
    afterAll(async () => {
      await browser.close();
      await gateway.stop();
    });
    it('chooses a coin and a network', choose);
    it('copies the address and the amount into their wallet, and sends a part', payPart);
    it('sends the rest, and stays for the receipt', payRest);
    it('needed no more taps than before, and nothing went wrong', () => journey.end());
  });

const heading = (text: string): Promise<void> => journey.page.locator('#status .heading').getByText(text).waitFor();

/** The wallet sends what it was given, or a part of it. */
async function send(body: object): Promise<void> {
  const { payments } = dataOf(await shop.rest('GET', `/invoices/${invoice}`)) as { payments: { orderId: string }[] };
  dataOf(await shop.rest('POST', `/sandbox/payments/${payments.at(-1)?.orderId ?? ''}/deposit`, body));
}

const copied = (): Promise<string> => journey.page.evaluate<string>('navigator.clipboard.readText()');

async function choose(): Promise<void> {
  const { page, press, step } = journey;
  await heading('Choose a coin to pay with');
  await step('order');
  await press(page.locator('#coin-USDT'));
  await heading('Choose the network');
  await step('network');
  await press(page.locator('#on-ETH'));
  await heading('Waiting for your payment');
  await step('pay');
}

async function payPart(): Promise<void> {
  const { page, press, step } = journey;
  await press(page.locator('#copy-address'));
  const address = await page.locator('#address').innerText();
  await until(async () => (await copied()) === address);
  await step('address', { isNew: false });
  await press(page.locator('#copy-sum'));
  await until(async () => (await copied()) === '53.91896');
  await step('amount', { isNew: false });
  await send({ amount: '20' });
  await heading('Part of the amount has arrived');
  await step('part');
}

async function payRest(): Promise<void> {
  const { page, press, step } = journey;
  await press(page.locator('#copy-sum'));
  await until(async () => (await copied()) === '33.91896');
  await step('rest', { isNew: false });
  await send({});
  await heading('Payment complete');
  await page.locator('.return .count').waitFor();
  await step('complete');
  await press(page.locator('.stay'));
  await step('receipt');
  await page.evaluate('window.print = () => document.title = "printed"');
  await press(page.getByText('Save receipt'));
  await until(async () => (await page.title()) === 'printed');
  expect(await page.locator('.receipt').innerText()).toContain('BK-10045');
  await step('saved', { isNew: false });
}
