// A network whose node misbehaves goes out of service, says so, and comes back by itself.

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { startAnvil, type Anvil } from '../../../src/sandbox/evm/anvil.ts';
import { startOddNode, type Answer } from '../../chain/evm/node.fixture.ts';
import { newMerchant, rest, send, type Json, type TestMerchant } from '../../support/clients.ts';
import { dataOf, expectRefusal } from '../../support/expectations.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { untilPasses } from '../../support/until.ts';

const NOWHERE = '0x00000000000000000000000000000000000000c2';
/** What decimals() returns for a token with 6 and one with 18. */
const word = (value: number) => `0x${value.toString(16).padStart(64, '0')}`;

let anvil: Anvil;
let node: { url: string; stop(): Promise<void> };
let gateway: TestGateway;
let shop: TestMerchant;
/** Wrong answers of the node, by method. */
let lies: Readonly<Record<string, unknown>> = {};
/** How many times it will next deny having such a block, and how many times it has. */
let slips = 0;
let slipped = 0;

const RIGHT = { eth_call: word(6) };

beforeAll(async () => {
  anvil = await startAnvil({ log: pino({ level: 'silent' }), chainId: 80_002 });
  const answer: Answer = ({ method }) => {
    // A node that is not a development chain: it is followed as it is.
    if (method === 'web3_clientVersion') return { result: 'bor/v2' };
    if (method === 'eth_chainId' && slips > 0) {
      slips -= 1;
      slipped += 1;
      return { error: { code: -32000, message: 'header not found' } };
    }
    return method in lies ? { result: lies[method] } : undefined;
  };
  lies = { eth_chainId: '0x89' };
  node = await startOddNode(anvil.url, answer);
  gateway = await startTestGateway({
    SANDBOX_NETWORKS: 'ETH',
    POLYGON_RPC_URL: node.url,
    POLYGON_CHAIN_ID: '80002',
    POLYGON_USDT_CONTRACT: NOWHERE,
  });
  shop = await newMerchant(gateway);
});
afterAll(async () => {
  await gateway.stop();
  await node.stop();
  await anvil.stop();
});

const available = async (): Promise<Record<string, boolean>> => {
  const { items } = dataOf(await rest(gateway)('GET', '/currencies')) as { items: Json[] };
  const own = items.filter(({ network }) => network === 'POLYGON' || network === 'ETH');
  return Object.fromEntries(own.map(({ currency, network, available: is }) => [`${currency}/${network}`, is]));
};
const pay = (currency: string, network: string) => shop.rest('POST', '/payments', { amount: '1', currency, network });
const metric = async (network: string) => {
  const { text } = await send({ method: 'GET', url: `${gateway.url}/metrics` });
  return new RegExp(`^turnpike_network_available\\{network="${network}"\\} (\\d)$`, 'm').exec(text)?.[1];
};
const saidOf = (reason: RegExp) =>
  gateway.logged.filter(({ network, reason: said }) => network === 'POLYGON' && reason.test(String(said)));

async function expectOut(reason: RegExp): Promise<void> {
  await untilPasses(async () => {
    expect(await available()).toMatchObject({ 'POL/POLYGON': false, 'USDT/POLYGON': false, 'USDT/ETH': true });
    expect(saidOf(reason)).toHaveLength(1);
    expect([await metric('POLYGON'), await metric('ETH')]).toEqual(['0', '1']);
  });
  expectRefusal(await pay('POL', 'POLYGON'), 503, '3007');
  const withdrawal = { currency: 'POL', network: 'POLYGON', amount: '1', address: NOWHERE };
  expectRefusal(await shop.rest('POST', '/wallet/withdraw', withdrawal), 503, '3007');
  expect((await pay('USDT', 'ETH')).status).toBe(201);
}

async function expectIn(): Promise<void> {
  await untilPasses(async () => {
    expect(await available()).toMatchObject({ 'POL/POLYGON': true, 'USDT/POLYGON': true, 'USDC/POLYGON': false });
    expect(await metric('POLYGON')).toBe('1');
  });
  expect((await pay('POL', 'POLYGON')).status).toBe(201);
}

it('a node on another chain at the start takes nothing, and the gateway runs without it', async () => {
  await expectOut(/on chain 137, expected 80002/);
});

it('a node without the token, or with one of other decimals, is out of service', async () => {
  lies = {};
  await expectOut(/no token at .*USDT/);
  lies = { eth_call: word(18) };
  await expectOut(/has 18 decimals, USDT has 6/);
});

it('the right node is in service without a restart, and the network begins where it is', async () => {
  lies = RIGHT;
  await expectIn();
  const [cursor] = await gateway.sql(`select network from chain_cursor where network = 'POLYGON'`);
  expect(cursor).toBeDefined();
});

it('a node that changes to another chain, or falls silent, goes out of service and comes back', async () => {
  lies = { ...RIGHT, eth_chainId: '0x38' };
  await expectOut(/on chain 56, expected 80002/);
  lies = RIGHT;
  await expectIn();
  lies = { ...RIGHT, eth_chainId: 'what?' };
  await expectOut(/malformed/);
  lies = RIGHT;
  await expectIn();
});

it('a node that slips once stays in service, and one that says it twice does not', async () => {
  const before = slipped;
  slips = 1;
  await untilPasses(() => Promise.resolve(expect(slipped).toBe(before + 1)));
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(saidOf(/header not found/)).toEqual([]);
  slips = 1_000;
  await expectOut(/header not found/);
  slips = 0;
  await expectIn();
});

it('its payments wait meanwhile, and are paid when it is back', async () => {
  const { orderId, address } = dataOf(await pay('POL', 'POLYGON'), 201);
  lies = { ...RIGHT, eth_chainId: '0x38' };
  await untilPasses(async () => expect(await available()).toMatchObject({ 'POL/POLYGON': false }));
  const [payer] = await ask<string[]>('eth_accounts');
  await ask('eth_sendTransaction', { from: payer, to: address, value: '0xde0b6b3a7640000', gas: '0x5208' });
  await ask('anvil_mine', '0x1e');
  lies = RIGHT;
  await untilPasses(async () => {
    const payment = dataOf(await shop.rest('GET', `/payments/${String(orderId)}`));
    expect(payment).toMatchObject({ status: 'SUCCEEDED', requiredConfirmations: 30, exception: null });
  });
});

async function ask<T = unknown>(method: string, ...params: unknown[]): Promise<T> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const answer = await fetch(anvil.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  return ((await answer.json()) as { result: T }).result;
}
