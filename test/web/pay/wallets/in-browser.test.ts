// Wallets in the customer's browser: one that announces itself by EIP-6963 and has an account on the gateway's own
// chain pays, and none that is elsewhere, refuses or lies is believed.

import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import type { Browser, Page } from 'playwright-core';
import { startAnvil, type Anvil } from '../../../../src/sandbox/evm/anvil.ts';
import { newMerchant, USDT_PAYMENT, type TestMerchant } from '../../../support/clients.ts';
import { dataOf } from '../../../support/expectations.ts';
import { startTestGateway, type TestGateway } from '../../../support/gateway/gateway.ts';
import { axeFindings, DESKTOP, executablePath, launch, look, shoot, type Look } from '../../browser.fixture.ts';
import { ask } from '../../../sandbox/evm/probe.fixture.ts';

const WAIT = { timeout: 60_000 };
const TEST_MS = 180_000;
const ACCOUNT = '0x00000000000000000000000000000000000ca5e5';

interface Call {
  readonly method: string;
  readonly params?: readonly unknown[];
}

/** How the wallet answers; throwing `{ code }` is what wallets do. */
type Answer = (call: Call) => unknown;

let gateway: TestGateway;
let shop: TestMerchant;
let anvil: Anvil;
let browser: Browser;
let seen: Look | null = null;

/** Announces itself as a wallet does, before and whenever it is asked. Its calls are answered by the test. */
const ANNOUNCE = `{
  const icon = 'data:image/svg+xml,' + encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg"><circle r="9"/></svg>');
  const info = { uuid: '350670db-19fa-4704-a166-e52e178b59d2', name: 'Test <b>Wallet</b>', icon, rdns: 'test.wallet' };
  const request = async (call) => {
    const { result, error } = await answerOfWallet(call);
    if (error) throw error;
    return result;
  };
  const announce = () =>
    dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: Object.freeze({ info, provider: { request } }) }));
  addEventListener('eip6963:requestProvider', announce);
  announce();
}`;

/** Opens a payment's page with the wallet in the browser. */
async function visit(id: string, answer: Answer): Promise<{ page: Page; calls: string[] }> {
  await seen?.close();
  seen = await look(browser, `${gateway.url}/pay/${id}`, { viewport: DESKTOP });
  const { page } = seen;
  const calls: string[] = [];
  await page.exposeFunction('answerOfWallet', async (call: Call) => {
    calls.push(call.method);
    try {
      return { result: await answer(call) };
    } catch (error) {
      return { error };
    }
  });
  await page.addInitScript({ content: ANNOUNCE });
  await page.reload();
  return { page, calls };
}

async function newPayment(body: object): Promise<string> {
  return dataOf(await shop.rest('POST', '/payments', { ...USDT_PAYMENT, ...body }), 201).orderId as string;
}

const ether = { currency: 'ETH', amount: '0.25' };
const fail = (code: number): never => {
  throw { code, message: 'refused' } as unknown as Error;
};

/** The chain answers, as the wallet of an account there would ask it. */
const onChain: Answer = ({ method, params = [] }) =>
  method === 'eth_requestAccounts' ? [ACCOUNT] : ask({ rpcUrl: anvil.url }, method, ...params);

const button = (page: Page) => page.locator('#browser-wallets button');
const outcome = (page: Page, text: string) => page.locator('#browser-wallets .outcome').getByText(text).waitFor(WAIT);

if (executablePath !== undefined)
  describe('a wallet in the browser', () => {
    beforeAll(async () => {
      anvil = await startAnvil({ log: pino({ level: 'silent' }) });
      gateway = await startTestGateway({ ETH_RPC_URL: anvil.url });
      shop = await newMerchant(gateway);
      browser = await launch();
      await ask({ rpcUrl: anvil.url }, 'anvil_setBalance', ACCOUNT, '0x56bc75e2d63100000');
      await ask({ rpcUrl: anvil.url }, 'anvil_impersonateAccount', ACCOUNT);
    }, TEST_MS);
    afterEach(async () => {
      const faults = seen?.faults ?? [];
      await seen?.close();
      seen = null;
      expect(faults).toEqual([]);
    }, TEST_MS);
    afterAll(async () => {
      await browser?.close();
      await gateway?.stop();
      await anvil?.stop();
    }, TEST_MS);

    it('pays exactly what is due, and is not offered twice', pay, TEST_MS);
    it('asks for the rest, once a part has come', payTheRest, TEST_MS);
    it('a token is paid by a call of its contract', payToken, TEST_MS);
    it('on another chain it is switched first, and sends nothing if it stays there', beElsewhere, TEST_MS);
    it('that refuses, or fails, is said so, and may be asked again', refuse, TEST_MS);
    it('that hesitates until the payment has ended sends nothing', hesitate, TEST_MS);
    it('a flood of wallets, and hostile ones, are six buttons of text', flood, TEST_MS);
  });

async function pay(): Promise<void> {
  const id = await newPayment(ether);
  const { page, calls } = await visit(id, onChain);
  await button(page).getByText('Pay with Test <b>Wallet</b>').waitFor(WAIT);
  expect(await page.evaluate(`document.querySelector('#browser-wallets img').naturalWidth > 0`)).toBe(true);
  expect(await axeFindings(page)).toEqual([]);
  await shoot(page, 'wallet-desktop');
  await button(page).click();
  await page
    .locator('#status .heading')
    .getByText(/Payment seen|Payment complete/)
    .waitFor(WAIT);
  expect(calls).toEqual(['eth_requestAccounts', 'eth_chainId', 'eth_sendTransaction']);
  const payment = dataOf(await shop.rest('GET', `/payments/${id}`));
  expect([payment.amountReceived, (payment.transactions as unknown[]).length]).toEqual(['0.25', 1]);
}

async function payTheRest(): Promise<void> {
  const id = await newPayment(ether);
  const { page } = await visit(id, onChain);
  dataOf(await shop.rest('POST', `/sandbox/payments/${id}/deposit`, { amount: '0.1' }));
  await page.locator('#status .heading').getByText('Part of the amount has arrived').waitFor(WAIT);
  await button(page).click();
  await page
    .locator('#status .heading')
    .getByText(/Payment seen|Payment complete/)
    .waitFor(WAIT);
  expect(dataOf(await shop.rest('GET', `/payments/${id}`)).amountReceived).toBe('0.25');
}

async function payToken(): Promise<void> {
  const id = await newPayment({});
  const sent: unknown[] = [];
  const { page } = await visit(id, (call) => {
    if (call.method !== 'eth_sendTransaction') return onChain(call);
    sent.push(...(call.params ?? []));
    return `0x${'1'.repeat(64)}`;
  });
  await button(page).click();
  await outcome(page, 'Sent. It shows here as soon as the network has seen it.');
  expect(await button(page).count()).toBe(0);
  const { data } = (
    await shop.graphql('query ($id: ID!) { checkout(id: $id) { address tokenContract isMainNetwork } }', { id })
  ).body as { data: { checkout: { address: string; tokenContract: string; isMainNetwork: boolean } } };
  const { address, tokenContract, isMainNetwork } = data.checkout;
  expect(isMainNetwork).toBe(false);
  expect(sent).toEqual([
    {
      ...{ from: ACCOUNT, to: tokenContract, value: '0x0', chainId: '0x7a69' },
      data: `0xa9059cbb${address.slice(2).toLowerCase().padStart(64, '0')}${(25_000_000).toString(16).padStart(64, '0')}`,
    },
  ]);
}

async function beElsewhere(): Promise<void> {
  const id = await newPayment(ether);
  let chainId = '0x1';
  let switches: Answer = () => null;
  const { page, calls } = await visit(id, (call) => {
    if (call.method === 'eth_chainId') return chainId;
    if (call.method === 'wallet_switchEthereumChain') return switches(call);
    return onChain(call);
  });
  // It says that it has switched, and has not.
  await button(page).click();
  await outcome(page, 'Your wallet is not on Ethereum. Switch it to this network, or pay another way.');
  // It does not know the chain.
  switches = () => fail(4902);
  await button(page).click();
  await outcome(page, 'Your wallet is not on Ethereum.');
  expect(calls).not.toContain('eth_sendTransaction');
  switches = ({ params }) => {
    expect(params).toEqual([{ chainId: '0x7a69' }]);
    chainId = '0x7a69';
    return null;
  };
  await button(page).click();
  await page
    .locator('#status .heading')
    .getByText(/Payment seen|Payment complete/)
    .waitFor(WAIT);
}

async function refuse(): Promise<void> {
  const id = await newPayment(ether);
  let sends: Answer = () => fail(4001);
  const { page } = await visit(id, (call) => (call.method === 'eth_sendTransaction' ? sends(call) : onChain(call)));
  await button(page).click();
  await outcome(page, 'Nothing was sent.');
  sends = () => fail(-32_000);
  await button(page).click();
  await outcome(page, 'The wallet could not send it. Try again, or pay another way.');
  sends = onChain;
  await button(page).click();
  await page
    .locator('#status .heading')
    .getByText(/Payment seen|Payment complete/)
    .waitFor(WAIT);
}

async function hesitate(): Promise<void> {
  const id = await newPayment(ether);
  let unlock = (): void => undefined;
  const unlocked = new Promise<void>((resolve) => (unlock = resolve));
  const { page, calls } = await visit(id, async (call) => {
    if (call.method === 'eth_chainId') await unlocked;
    return await onChain(call);
  });
  await button(page).click();
  await outcome(page, 'Confirm the payment in your wallet.');
  dataOf(await shop.rest('POST', `/sandbox/payments/${id}/expire`));
  await page.locator('#status .heading').getByText('This payment has expired').waitFor(WAIT);
  unlock();
  // A call more, or none: what comes next would have come by then.
  await page.waitForTimeout(500);
  expect(calls).toEqual(['eth_requestAccounts', 'eth_chainId']);
}

async function flood(): Promise<void> {
  const { page } = await visit(await newPayment(ether), onChain);
  await button(page).waitFor(WAIT);
  await page.evaluate(`for (let nth = 0; nth < 1000; nth += 1) {
    const info = { uuid: 'x' + nth, name: '<img src=x onerror=alert(1)>'.repeat(9), icon: 'https://evil.example/' + nth };
    for (const detail of [null, {}, { info }, { info, provider: {} }, { info: { uuid: 1 }, provider: { request() {} } },
      { info: { ...info, icon: undefined }, provider: { request() {} } }, { info, provider: { request() {} } }])
      dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }));
  }`);
  expect(await button(page).count()).toBe(6);
  expect(await page.locator('#browser-wallets img').count()).toBe(1);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(DESKTOP.width);
}
