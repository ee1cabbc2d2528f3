// TRON through the whole gateway, whose TRON node is the double: an order is paid, succeeds, the shop gets its webhook,
// and the money is withdrawn. The test mines the double's blocks.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifyLedger } from '../../../src/domain/ledger/verify.ts';
import { startTronDouble, type TronDouble } from '../../doubles/tron/double.ts';
import { wallet } from '../../cli/wallet/run.fixture.ts';
import { newMerchant, type TestMerchant } from '../../support/clients.ts';
import { dataOf } from '../../support/expectations.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { until } from '../../support/until.ts';
import { executablePath } from '../../web/browser.fixture.ts';
import { expectPayableInBrowser } from '../../web/pay/payable-page.fixture.ts';

const DEADLINE_MS = 90_000;
const TRX = 1_000_000n;

let double: TronDouble;
let gateway: TestGateway;
let shop: TestMerchant;

beforeAll(async () => {
  double = await startTronDouble();
  gateway = await startTestGateway({
    SANDBOX_NETWORKS: 'ETH',
    TRON_RPC_URL: double.url,
    TRON_API_KEY: 'the key of a host',
    TRON_CHAIN_ID: String(double.chainId),
    TRON_USDT_CONTRACT: double.contracts.get('USDT') ?? '',
    TRON_USDC_CONTRACT: double.contracts.get('USDC') ?? '',
    TRON_USDT_NETWORK_FEE: '1.5',
  });
  shop = await newMerchant(gateway);
  await until(async () => (await currency('USDT')).available === true);
});
afterAll(async () => {
  await gateway.stop();
  await double.stop();
});

async function currency(code: string): Promise<Record<string, unknown>> {
  const { items } = dataOf(await shop.rest('GET', '/currencies')) as { items: Record<string, unknown>[] };
  return items.find((item) => item.network === 'TRON' && item.currency === code) ?? {};
}

interface Created {
  readonly orderId: string;
  readonly address: string;
}

const create = async (code: string, amount: string, network = 'TRC20') =>
  dataOf(await shop.rest('POST', '/payments', { amount, currency: code, network }), 201) as unknown as Created;

const payment = async (id: string) => dataOf(await shop.rest('GET', `/payments/${id}`)) as Record<string, unknown>;

/** Waits until a call returns a status, while blocks come. */
async function untilStatus(path: string, status: string): Promise<Record<string, unknown>> {
  return until(async () => {
    double.chain.mine();
    const found = dataOf(await shop.rest('GET', path)) as Record<string, unknown>;
    return found.status === status ? found : null;
  }, DEADLINE_MS);
}

describe('TRON', () => {
  it('is offered with its contracts, decimals and confirmations', async () => {
    expect(await currency('USDT')).toMatchObject({
      ...{ decimals: 6, confirmations: 20, available: true },
      contract: double.contracts.get('USDT'),
    });
    expect(await currency('TRX')).toMatchObject({ decimals: 6, contract: null, available: true });
    expect(double.asked.every(({ headers }) => headers['tron-pro-api-key'] === 'the key of a host')).toBe(true);
  });

  if (executablePath !== undefined)
    it(
      'its page shows the bare address as a code, since wallets take no other, and where to send USDT',
      async () => {
        const { orderId } = await create('USDT', '25.500001');
        await expectPayableInBrowser(gateway, { id: orderId, network: 'TRON', choice: 'TRON (TRC20)' });
      },
      DEADLINE_MS,
    );

  it.each([
    ['USDT', '25.5', 25_500_000n],
    ['USDC', '3', 3_000_000n],
    ['TRX', '120.000001', 120_000_001n],
  ])(
    'an order in %s is paid and succeeds after twenty blocks',
    async (code, amount, units) => {
      const { orderId, address } = await create(code, amount);
      expect(address).toMatch(/^T[1-9A-HJ-NP-Za-km-z]{33}$/);
      const txHash = double.pay({ to: address, currency: code, amount: units });
      double.chain.mine(5);
      await until(async () => (await payment(orderId)).confirmations === 5);
      expect(await payment(orderId)).toMatchObject({ status: 'CONFIRMING', requiredConfirmations: 20 });
      double.chain.mine(14);
      await until(async () => (await payment(orderId)).confirmations === 19);
      expect(await payment(orderId)).toMatchObject({ status: 'CONFIRMING' });
      double.chain.mine();
      const paid = await untilStatus(`/payments/${orderId}`, 'SUCCEEDED');
      expect(paid).toMatchObject({ network: 'TRON', amountConfirmed: amount, exception: null });
      expect(paid.transactions).toMatchObject([{ txHash, amount, status: 'CONFIRMED' }]);
    },
    60_000,
  );

  it('a payment that a fork throws out is taken back, and counts when it comes again', async () => {
    const { orderId, address } = await create('USDT', '7');
    double.pay({ to: address, currency: 'USDT', amount: 7n * TRX });
    double.chain.mine(3);
    await until(async () => (await payment(orderId)).status === 'CONFIRMING');
    double.chain.fork(3);
    await until(async () => (await payment(orderId)).status === 'PENDING');
    double.pay({ to: address, currency: 'USDT', amount: 7n * TRX });
    double.chain.mine(25);
    const paid = await untilStatus(`/payments/${orderId}`, 'SUCCEEDED');
    expect((paid.transactions as { status: string }[]).map(({ status }) => status).sort()).toEqual([
      'CONFIRMED',
      'ORPHANED',
    ]);
  });

  it('worthless tokens of the same amount pay nothing', async () => {
    const { orderId, address } = await create('TRX', '5');
    double.pay({ to: address, currency: 'TRX', amount: 5n * TRX, asset: true });
    double.chain.mine(25);
    const { height } = double.chain.tip();
    await until(async () => {
      const [row] = await gateway.sql<{ height: string }>(`select height from chain_cursor where network = 'TRON'`);
      return Number(row?.height) === height;
    });
    expect(await payment(orderId)).toMatchObject({ status: 'PENDING', amountReceived: '0' });
  });

  it.each([
    ['a slip of the pen', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6u'],
    ['the hex form', '41a614f803b6fd780986a42c78ec9c7f77e6ded13c'],
    ['an address of Ethereum', '0x52908400098527886E0F7030069857D2E4169EE7'],
  ])('a withdrawal to %s is refused with 4002', async (_what, address) => {
    const answer = await shop.rest('POST', '/wallet/withdraw', {
      currency: 'USDT',
      network: 'TRON',
      amount: '1',
      address,
    });
    expect(answer.status).toBe(400);
    expect(answer.body.error.code).toBe('4002');
  });

  it('what was paid is withdrawn, once the gas wallet has TRX', async () => {
    const address = 'TSeJkUh4Qv67VNFwY8LaAxERygNdy6NQZK';
    const request = { currency: 'USDT', network: 'TRON', amount: '20', address };
    const asked = dataOf(await shop.rest('POST', '/wallet/withdraw', request), 201) as Record<string, unknown>;
    expect(asked).toMatchObject({ status: 'REQUESTED', networkFee: '1.5' });
    const [gas] = await gateway.sql<{ key: string }>(
      `select address_key as key from sender where network = 'TRON' and role = 'GAS'`,
    );
    double.pay({ to: gas?.key ?? '', currency: 'TRX', amount: 1_000n * TRX });
    const done = await untilStatus(`/wallet/withdrawals/${String(asked.withdrawalId)}`, 'COMPLETED');
    expect(double.chain.find(String(done.txHash))?.outcome).toMatchObject({ contractRet: 'SUCCESS' });
    const adapter = gateway.deps.chains.get('TRON')?.adapter;
    const balances = adapter?.model === 'ACCOUNT' ? await adapter.balances([address], 'USDT') : null;
    expect(balances?.get(address)).toBe(20n * TRX);
    expect((await verifyLedger(gateway.deps.db)).faults).toEqual([]);
  });

  it('the seed gives every address and the wallets, and sweeps are shown before they are made', async () => {
    const operator = {
      ...{ DATA_DIR: gateway.config.dataDir, DATABASE_URL: gateway.config.databaseUrl ?? '', SANDBOX_NETWORKS: 'ETH' },
      ...{ TRON_RPC_URL: double.url, TRON_CHAIN_ID: String(double.chainId) },
      TRON_USDT_CONTRACT: double.contracts.get('USDT') ?? '',
    };
    const [row] = await gateway.sql<{ count: number }>(
      `select ((select count(*) from payment) + (select count(*) from sender where role <> 'DEPOSIT'))::int as count`,
    );
    const verified = await wallet('verify', operator);
    expect(verified).toEqual({ code: 0, out: `${String(row?.count)} addresses match\n`, err: '' });
    const paid = await gateway.sql<{ address: string }>(
      `select p.address from payment p where p.network = 'TRON' and p.currency = 'TRX' and p.status = 'SUCCEEDED'`,
    );
    const { code, out, err } = await wallet('sweep --dry-run', operator);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(new RegExp(`${paid[0]?.address ?? ''}  120\\.000001 TRX  sweep costs up to [\\d.]+ TRX`));
  });

  it('nothing went wrong meanwhile', () => {
    const errors = gateway.logged.filter(({ level }) => Number(level) >= 50);
    expect(errors).toEqual([]);
  });
});
