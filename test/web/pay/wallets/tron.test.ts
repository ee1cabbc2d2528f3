// A wallet for TRON in the browser, found by TIP-6963: the page of a payment on the main network, as a customer gets
// it, and a provider that writes down what it is asked for. No node of TRON's is needed, as the wallet has its own.

import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import type { Checkout } from '../../../../web/pay/checkout.ts';
import { DESKTOP, executablePath, launch, look, type Look } from '../../browser.fixture.ts';
import { pageOf } from '../checkout.fixture.ts';

const TEST_MS = 60_000;
const TO = 'TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE';
const USDT = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
const PAYER = 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8';
const MAIN = '00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc';

/** A provider as wallets announce theirs. `asked` is what came of it, in order. */
const walletAt = (genesis: string, result: boolean) => `{
  const asked = (window.asked = []);
  const tronWeb = {
    defaultAddress: { base58: '${PAYER}' },
    trx: {
      getBlock: async (height) => ({ blockID: height === 0 ? '${genesis}' : '' }),
      sign: async (transaction) => (asked.push(['sign', transaction]), { ...transaction, signature: ['00'] }),
      sendRawTransaction: async (transaction) => (asked.push(['send', transaction]), { result: ${result} }),
    },
    transactionBuilder: {
      sendTrx: async (...given) => (asked.push(['sendTrx', ...given]), { made: 1 }),
      triggerSmartContract: async (...given) => (asked.push(['trigger', ...given]), { transaction: { made: 2 } }),
    },
  };
  const provider = { tronWeb: false, request: async ({ method }) => {
    asked.push([method]);
    provider.tronWeb = tronWeb;
  } };
  const info = { uuid: '1', name: 'TRON Wallet', icon: 'data:image/png;base64,', rdns: 'test.tron' };
  const announce = () => dispatchEvent(new CustomEvent('TIP6963:announceProvider', { detail: { info, provider } }));
  addEventListener('TIP6963:requestProvider', announce);
}`;

const token = {
  ...{ network: 'TRON', networkName: 'TRON', currency: 'USDT', tokenContract: USDT },
  ...{ address: TO, paymentUri: TO, amount: '25.5', amountDue: '25.5' },
} as const;
const coin = { ...token, currency: 'TRX', tokenContract: null, amountDue: '3.000001' };

let browser: Browser;
let server: Server;
let seen: Look | null = null;
let shown: Partial<Checkout> = token;

/** Opens the payment with a wallet in the browser, and asks the wallet to pay it. */
async function askToPay(checkout: Partial<Checkout>, genesis = MAIN, result = true): Promise<Page> {
  shown = checkout;
  const { port } = server.address() as AddressInfo;
  seen = await look(browser, `http://127.0.0.1:${port}/pay/ord_1`, { viewport: DESKTOP });
  await seen.page.addInitScript({ content: walletAt(genesis, result) });
  await seen.page.reload();
  await seen.page.getByText('Pay with TRON Wallet').click();
  return seen.page;
}

const asked = (page: Page) => page.evaluate<unknown[]>('window.asked');
const outcome = (page: Page, text: string) => page.locator('#browser-wallets .outcome').getByText(text).waitFor();

if (executablePath !== undefined)
  describe('a wallet for TRON', () => {
    beforeAll(async () => {
      browser = await launch();
      server = createServer((request, response) => {
        const script = /^\/pay\/assets\/([\w/-]+\.js)$/.exec(request.url ?? '')?.[1];
        if (script !== undefined)
          void readFile(new URL(`../../../../web/pay/${script}`, import.meta.url)).then((body) =>
            response.setHeader('content-type', 'text/javascript').end(body),
          );
        else if (request.url?.startsWith('/pay/') === true) {
          const now = new Date();
          const times = { createdAt: now.toISOString(), expiresAt: new Date(now.getTime() + 1_800_000).toISOString() };
          response.setHeader('content-type', 'text/html; charset=utf-8').end(pageOf({ ...shown, ...times }, { now }));
        } else response.writeHead(404).end();
      }).listen(0, '127.0.0.1');
    }, TEST_MS);
    afterEach(async () => {
      await seen?.close();
      seen = null;
    });
    afterAll(async () => {
      await browser?.close();
      server.closeAllConnections();
      server.close();
    });

    it('calls the contract of a token with the address and the base units', payToken, TEST_MS);
    it('sends the coin in base units', payCoin, TEST_MS);
    it('makes nothing on another chain, whatever it calls itself', beElsewhere, TEST_MS);
    it('that did not get its transaction taken says so', beRefused, TEST_MS);
  });

async function payToken(): Promise<void> {
  const page = await askToPay(token);
  await outcome(page, 'Sent.');
  const parameters = [
    { type: 'address', value: TO },
    { type: 'uint256', value: '25500000' },
  ];
  expect(await asked(page)).toEqual([
    ['eth_requestAccounts'],
    ['trigger', USDT, 'transfer(address,uint256)', { feeLimit: 100_000_000 }, parameters, PAYER],
    ['sign', { made: 2 }],
    ['send', { made: 2, signature: ['00'] }],
  ]);
}

async function payCoin(): Promise<void> {
  const page = await askToPay(coin);
  await outcome(page, 'Sent.');
  expect((await asked(page))[1]).toEqual(['sendTrx', TO, 3_000_001, PAYER]);
}

async function beElsewhere(): Promise<void> {
  // The first block of a test network.
  const page = await askToPay(token, '0000000000000000d698d4192c56cb6be724a558448e2684802de4d6cd8690dc');
  await outcome(page, 'Your wallet is not on TRON.');
  expect(await asked(page)).toEqual([['eth_requestAccounts']]);
}

async function beRefused(): Promise<void> {
  const page = await askToPay(coin, MAIN, false);
  await outcome(page, 'The wallet could not send it. Try again, or pay another way.');
  expect(await page.getByText('Pay with TRON Wallet').count()).toBe(1);
}
