// The sandbox's two EVM networks: the same account and addresses, but two chains and two books.

import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { verifyCustody } from '../../../src/cli/wallet/verify-custody.ts';
import type { Network } from '../../../src/values/assets.ts';
import { verifyLedger } from '../../../src/domain/ledger/verify.ts';
import { chainUrlFile } from '../../../src/sandbox/paths.ts';
import { createDevChain, type DevChain } from '../../../src/sandbox/evm/dev-chain.ts';
import { newMerchant, rest, type Json, type TestMerchant } from '../../support/clients.ts';
import { dataOf } from '../../support/expectations.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { until, untilPasses } from '../../support/until.ts';

const ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';
const NETWORKS = ['ETH', 'POLYGON'] as const;
const COINS = { ETH: 'ETH', POLYGON: 'POL' } as const;
/** A payout of the sandbox completes within 30 s; a busy machine gets more. */
const LONG = 90_000;

let gateway: TestGateway;
let shop: TestMerchant;

beforeAll(async () => {
  gateway = await startTestGateway({ SANDBOX_NETWORKS: 'ETH,POLYGON' });
  shop = await newMerchant(gateway);
});
afterAll(() => gateway.stop());

async function order(network: Network, fields: object = {}): Promise<{ orderId: string; address: string }> {
  const body = { amount: '25', currency: 'USDT', network, ...fields };
  return dataOf(await shop.rest('POST', '/payments', body), 201) as { orderId: string; address: string };
}
const deposit = async (orderId: string, body: object = {}) =>
  dataOf(await shop.rest('POST', `/sandbox/payments/${orderId}/deposit`, body));
const read = async (orderId: string) => dataOf(await shop.rest('GET', `/payments/${orderId}`));
const balances = async (merchant = shop): Promise<Json[]> =>
  dataOf(await merchant.rest('GET', '/wallet/balance')).balances as Json[];

/** Withdraws and waits until it is completed; returns the record. */
async function withdraw(merchant: TestMerchant, fields: object): Promise<Json> {
  const asked = dataOf(await merchant.rest('POST', '/wallet/withdraw', { address: ADDRESS, ...fields }), 201);
  return until(async () => {
    const record = dataOf(await merchant.rest('GET', `/wallet/withdrawals/${String(asked.withdrawalId)}`));
    return record.status === 'COMPLETED' && record;
  }, LONG);
}

/** A network's chain through its node, as seen from outside the gateway. */
async function outside(network: Network): Promise<DevChain> {
  const { dataDir } = gateway.config;
  const rpcUrl = (await readFile(chainUrlFile(dataDir, network), 'utf8')).trim();
  return createDevChain({ dataDir, network, rpcUrl, log: pino({ level: 'silent' }) });
}

/** The book keeps its rules, and equals what each network's chain holds. */
async function auditAll(): Promise<void> {
  expect((await verifyLedger(gateway.deps.db)).faults).toEqual([]);
  for (const { adapter } of gateway.deps.chains.values())
    expect(await verifyCustody(gateway.deps.db, adapter)).toMatchObject({ fault: null, unknown: null });
}

describe('the sandbox', () => {
  it('has two EVM networks of its own, each with its coin and tokens', async () => {
    const { items } = dataOf(await rest(gateway)('GET', '/currencies')) as { items: Json[] };
    const taken = items.filter(({ available }) => available).map(({ currency, network }) => `${currency}/${network}`);
    expect(taken.sort()).toEqual(['ETH/ETH', 'POL/POLYGON', 'USDC/ETH', 'USDC/POLYGON', 'USDT/ETH', 'USDT/POLYGON']);
    for (const item of items.filter(({ network }) => network === 'POLYGON')) expect(item.confirmations).toBe(2);
  });

  it('knows Polygon by its test network’s chain id, and says it in payment URIs', async () => {
    const { orderId } = await order('POLYGON');
    const { body } = await shop.graphql(`{ checkout(id: "${orderId}") { paymentUri networkName } }`);
    expect(body.data.checkout).toEqual({
      ...{ networkName: 'Polygon', paymentUri: expect.stringMatching(/^ethereum:0x\w{40}@80002\/transfer\?/) },
    });
  });

  it.each(NETWORKS)('an order on %s is paid there, in a token and in the coin', async (network) => {
    for (const currency of ['USDT', 'USDC', COINS[network]]) {
      const { orderId } = await order(network, { currency, amount: '0.5' });
      expect(await deposit(orderId)).toMatchObject({ status: 'SUCCEEDED', network, currency, amountConfirmed: '0.5' });
    }
  });

  it('addresses of both come from one account, each once', async () => {
    await order('ETH');
    const rows = await gateway.sql<{ account: string; network: string }>(
      `select distinct derivation_account as account, network from payment order by network`,
    );
    expect(rows).toEqual(NETWORKS.map((network) => ({ account: 'evm', network })));
    const [twice] = await gateway.sql('select address_key from payment group by 1 having count(*) > 1');
    expect(twice).toBeUndefined();
  });

  it('blocks are mined and replaced on the network that is named, and on no other', async () => {
    const { orderId } = await order('POLYGON');
    expect(await deposit(orderId, { confirmations: 0 })).toMatchObject({ status: 'CONFIRMING', confirmations: 1 });
    const on = (name: string, input: object) =>
      shop.graphql(
        `mutation ($input: ${name[0]?.toUpperCase() ?? ''}${name.slice(1)}Input!) {
        ${name}(input: $input) { network tip } }`,
        { input },
      );
    const tipOf = async (network: Network) => (await gateway.deps.chains.get(network)?.adapter.tip())?.height ?? -1;
    const before = await tipOf('POLYGON');
    const mined = await on('mineBlocks', { network: 'ETH', count: 3 });
    expect(mined.body.data.mineBlocks).toMatchObject({ network: 'ETH' });
    expect(await tipOf('POLYGON')).toBe(before);
    expect(await read(orderId)).toMatchObject({ status: 'CONFIRMING', confirmations: 1 });

    const { body } = await on('simulateReorg', { network: 'MATIC', depth: 1 });
    expect(body.data.simulateReorg).toEqual({ network: 'POLYGON', tip: before + 1 });
    await untilPasses(async () =>
      expect(await read(orderId)).toMatchObject({ status: 'PENDING', amountReceived: '0' }),
    );
    expect(await deposit(orderId)).toMatchObject({ status: 'SUCCEEDED', exception: null });
  });
});

describe('money', () => {
  it(
    'is paid out on the network that it is on, out of swept deposits',
    async () => {
      const merchant = await newMerchant(gateway);
      for (const network of NETWORKS) {
        const body = { amount: '100', currency: 'USDT', network };
        const { orderId } = dataOf(await merchant.rest('POST', '/payments', body), 201);
        dataOf(await merchant.rest('POST', `/sandbox/payments/${String(orderId)}/deposit`));
      }
      for (const network of NETWORKS) {
        const { adapter } = gateway.deps.chains.get(network) ?? {};
        if (adapter?.model !== 'ACCOUNT') throw new Error(`${network} has no accounts`);
        const holds = async () => (await adapter.balances([ADDRESS.toLowerCase()], 'USDT')).get(ADDRESS.toLowerCase());
        const before = (await holds()) ?? 0n;
        const { txHash } = await withdraw(merchant, { currency: 'USDT', network, amount: 'max' });
        expect(await holds()).toBe(before + 99_000_000n);
        expect(await adapter.txState(txHash)).toMatchObject({ kind: 'mined', succeeded: true });
      }
      for (const balance of await balances(merchant)) expect(balance).toMatchObject({ available: '0', reserved: '0' });
      await auditAll();
    },
    LONG,
  );

  it(
    'that an order’s customer sends on the other network is the merchant’s there, and can be withdrawn',
    async () => {
      const merchant = await newMerchant(gateway);
      const body = { amount: '10', currency: 'USDT', network: 'ETH' };
      const { orderId, address } = dataOf(await merchant.rest('POST', '/payments', body), 201);
      const polygon = await outside('POLYGON');
      await polygon.deposit({ address: String(address), currency: 'USDC', amount: 10_000_000n, confirmations: 1 });
      const usdc = await until(async () => {
        const found = (await balances(merchant)).find(({ available }) => available !== '0');
        return found;
      });
      expect(usdc).toEqual({ currency: 'USDC', network: 'POLYGON', available: '9.9', pending: '0', reserved: '0' });
      expect(dataOf(await merchant.rest('GET', `/payments/${String(orderId)}`))).toMatchObject({
        ...{ status: 'PENDING', amountReceived: '0', transactions: [] },
      });
      await auditAll();

      await withdraw(merchant, { currency: 'USDC', network: 'POLYGON', amount: '9.9' });
      expect(await balances(merchant)).toMatchObject([{ network: 'POLYGON', available: '0', reserved: '0' }]);
      expect(dataOf(await merchant.rest('POST', `/sandbox/payments/${String(orderId)}/deposit`)).status).toBe(
        'SUCCEEDED',
      );
      await auditAll();
    },
    LONG,
  );
});
