// Litecoin through the whole gateway, on a litecoind in regtest that the sandbox runs itself: paid, credited,
// withdrawn.

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { verifyLedger } from '../../../src/domain/ledger/verify.ts';
import { compareCustody } from '../../../src/domain/ledger/reconciliation.ts';
import { newMerchant, rest, type Json, type TestMerchant } from '../../support/clients.ts';
import { dataOf } from '../../support/expectations.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { describeWithLitecoind } from '../../support/litecoind.ts';
import { until } from '../../support/until.ts';
import { executablePath } from '../../web/browser.fixture.ts';
import { expectPayableInBrowser } from '../../web/pay/payable-page.fixture.ts';

const LONG = 90_000;

describeWithLitecoind('a sandbox with Litecoin', () => {
  let gateway: TestGateway;
  let shop: TestMerchant;

  beforeAll(async () => {
    gateway = await startTestGateway({ SANDBOX_NETWORKS: 'LTC' });
    shop = await newMerchant(gateway);
  }, LONG);
  afterAll(() => gateway.stop(), LONG);

  const order = async (amount: string) =>
    dataOf(await shop.rest('POST', '/payments', { amount, currency: 'LTC', network: 'LTC' }), 201);
  const deposit = async (orderId: unknown, body: object = {}) =>
    dataOf(await shop.rest('POST', `/sandbox/payments/${String(orderId)}/deposit`, body));

  it('takes LTC and says so', async () => {
    const { items } = dataOf(await rest(gateway)('GET', '/currencies')) as { items: Json[] };
    const taken = items.filter(({ available }) => available);
    expect(taken).toMatchObject([{ currency: 'LTC', network: 'LTC', decimals: 8, contract: null, confirmations: 2 }]);
  });

  it('an order has an address of its own, a payment URI, and is paid', async () => {
    const { orderId, address } = await order('1.5');
    expect(address).toMatch(/^rltc1q/);
    const { body } = await shop.graphql(`{ checkout(id: "${String(orderId)}") { paymentUri } }`);
    expect(body.data.checkout).toEqual({ paymentUri: `litecoin:${String(address)}?amount=1.5` });
    expect(await deposit(orderId, { confirmations: -1 })).toMatchObject({ status: 'CONFIRMING', confirmations: 0 });
    const mine = `mutation { mineBlocks(input: { network: "LTC", count: 2 }) { network tip } }`;
    expect((await shop.graphql(mine)).body.data.mineBlocks).toMatchObject({ network: 'LTC' });
    expect(dataOf(await shop.rest('GET', `/payments/${String(orderId)}`))).toMatchObject({
      ...{ status: 'SUCCEEDED', amountConfirmed: '1.5' },
    });
  });

  if (executablePath !== undefined)
    it(
      'its page asks for it to the last of eight decimals, with a code that wallets read (BIP-21)',
      async () => {
        const { orderId } = await order('1.50000001');
        await expectPayableInBrowser(gateway, { id: String(orderId), network: 'Litecoin (LTC)', choice: null });
      },
      LONG,
    );

  it('a deposit that a reorganisation drops does not come back', async () => {
    const { orderId } = await order('0.5');
    expect(await deposit(orderId, { confirmations: 0 })).toMatchObject({ status: 'CONFIRMING', confirmations: 1 });
    const reorg = `mutation { simulateReorg(input: { network: "LTC", depth: 1 }) { network tip } }`;
    expect((await shop.graphql(reorg)).body.data.simulateReorg).toMatchObject({ network: 'LTC' });
    await shop.graphql(`mutation { mineBlocks(input: { network: "LTC", count: 3 }) { network tip } }`);
    expect(dataOf(await shop.rest('GET', `/payments/${String(orderId)}`))).toMatchObject({
      ...{ status: 'PENDING', amountReceived: '0', transactions: [{ status: 'ORPHANED' }] },
    });
    expect(await deposit(orderId)).toMatchObject({ status: 'SUCCEEDED' });
  });

  it(
    'what was paid is withdrawn, and the book holds what the chain holds',
    async () => {
      const address = 'rltc1qcr8te4kr609gcawutmrza0j4xv80jy8z8dz7lc';
      const request = { currency: 'LTC', network: 'LTC', amount: 'max', address };
      const asked = dataOf(await shop.rest('POST', '/wallet/withdraw', request), 201);
      const done = await until(async () => {
        const record = dataOf(await shop.rest('GET', `/wallet/withdrawals/${String(asked.withdrawalId)}`));
        return record.status === 'COMPLETED' && record;
      }, LONG);
      expect(done).toMatchObject({ amount: '1.98', address });
      const adapter = gateway.deps.chains.get('LTC')?.adapter;
      if (!adapter) throw new Error('there is no LTC');
      expect(await adapter.txState(String(done.txHash))).toMatchObject({ kind: 'mined' });
      expect((await verifyLedger(gateway.deps.db)).faults).toEqual([]);
      const [line] = (await until(() => compareCustody(gateway.deps.db, adapter))).lines;
      expect(line?.chain).toBe(line?.book);
    },
    LONG,
  );
});
