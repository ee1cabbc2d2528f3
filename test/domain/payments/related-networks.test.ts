// Money sent to an order's address on another network of the same account: the merchant gets it, and the order is not
// affected.

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readBalances } from '../../../src/domain/ledger/ledger.ts';
import { bookDifference, creditFromSuspense } from '../../../src/domain/ledger/suspense.ts';
import { verifyLedger } from '../../../src/domain/ledger/verify.ts';
import { NETWORKS } from '../../../src/values/assets.ts';
import { audit } from '../audit.fixture.ts';
import {
  createSetup,
  minutesLater,
  openChain,
  pay,
  START,
  type DataChain,
  type Order,
  type Setup,
} from '../book.fixture.ts';

/** Without a setting, the other network's default of confirmations applies there; the order itself needs two. */
const CONFIRMATIONS = NETWORKS.POLYGON.confirmations;

const SIGNED = { operator: 'Ada', note: 'an exchange paid on the wrong network' };

let setup: Setup;
let ethereum: DataChain;
let polygon: DataChain;
let shop: string;
let order: Order;

beforeEach(async () => {
  setup = await createSetup();
  setup.setNow(START);
  ethereum = await openChain(setup, 1_000, 'ETH');
  polygon = await openChain(setup, 50, 'POLYGON');
  shop = await setup.merchant();
  order = await setup.order(shop);
});
afterEach(async () => {
  await audit(setup);
  expect((await verifyLedger(setup.deps.db)).faults).toEqual([]);
});
afterEach(() => setup.stop());

const balanceOn = async (network: string, currency = 'USDT') => {
  const all = await readBalances(setup.deps.db.em, shop);
  const found = all.find((balance) => balance.network === network && balance.currency === currency);
  const { available = 0n, pending = 0n } = found ?? {};
  return { available, pending };
};

describe('money on another network than the order’s', () => {
  it('is pending there, and credited there less the fee once that network has confirmed it', async () => {
    await polygon.mine(pay(order, 1_000_000n));
    expect(await balanceOn('POLYGON')).toEqual({ available: 0n, pending: 1_000_000n });
    await polygon.mineEmpty(CONFIRMATIONS - 2);
    expect(await balanceOn('POLYGON')).toEqual({ available: 0n, pending: 1_000_000n });
    await polygon.mineEmpty(1);
    expect(await balanceOn('POLYGON')).toEqual({ available: 990_000n, pending: 0n });
    expect(await balanceOn('ETH')).toEqual({ available: 0n, pending: 0n });
  });

  it('is no payment of the order, though it is of its currency and amount', async () => {
    await polygon.mine(pay(order, 1_000_000n));
    await polygon.mineEmpty(CONFIRMATIONS);
    expect(await setup.read(order)).toMatchObject({ status: 'PENDING', amountReceived: '0', transactions: [] });
    expect(await setup.reportedEvents(order)).toEqual(['payment.created PENDING']);
    await ethereum.timeOut(minutesLater(31));
    expect(await setup.read(order)).toMatchObject({ status: 'EXPIRED', amountConfirmed: '0' });
  });

  it('is not confirmed by the blocks of the order’s network, nor the order by those of the other', async () => {
    await polygon.mine(pay(order, 5_000_000n));
    await ethereum.mine(pay(order, 400_000n));
    await ethereum.mineEmpty(CONFIRMATIONS);
    expect(await balanceOn('POLYGON')).toEqual({ available: 0n, pending: 5_000_000n });
    expect(await setup.read(order)).toMatchObject({ status: 'PARTIALLY_PAID', amountConfirmed: '0.4' });

    await ethereum.mine(pay(order, 600_000n));
    await polygon.mineEmpty(CONFIRMATIONS);
    expect(await balanceOn('POLYGON')).toEqual({ available: 4_950_000n, pending: 0n });
    expect(await setup.read(order)).toMatchObject({ status: 'CONFIRMING', amountReceived: '1', confirmations: 1 });
    await ethereum.mineEmpty(1);
    expect(await setup.read(order)).toMatchObject({ status: 'SUCCEEDED', exception: null, amountConfirmed: '1' });
  });

  it('is taken back when it is gone for good there, and the order keeps what it has', async () => {
    await ethereum.mine(pay(order, 1_000_000n));
    await ethereum.mineEmpty(1);
    await polygon.mine(pay(order, 1_000_000n));
    await polygon.mineEmpty(CONFIRMATIONS);
    await polygon.rollBack(CONFIRMATIONS + 1);
    expect(await balanceOn('POLYGON')).toEqual({ available: 990_000n, pending: 0n });
    await polygon.mineEmpty(CONFIRMATIONS + 1);
    expect(await balanceOn('POLYGON')).toEqual({ available: 0n, pending: 0n });
    expect(await setup.read(order)).toMatchObject({ status: 'SUCCEEDED', exception: null, amountConfirmed: '1' });
  });

  it('is seen in the mempool, too', async () => {
    const transfer = pay(order, 7n, { currency: 'POL', ordinal: 0 });
    await polygon.mempool([transfer]);
    expect(await balanceOn('POLYGON', 'POL')).toEqual({ available: 0n, pending: 7n });
    await polygon.mine(transfer);
    await polygon.mineEmpty(CONFIRMATIONS);
    expect(await balanceOn('POLYGON', 'POL')).toEqual({ available: 7n, pending: 0n });
  });

  it('the same transaction hash on both networks is two deposits', async () => {
    const transfer = pay(order, 1_000_000n);
    await ethereum.mine(transfer);
    await polygon.mine(transfer);
    await ethereum.mineEmpty(1);
    await polygon.mineEmpty(CONFIRMATIONS);
    expect([await balanceOn('ETH'), await balanceOn('POLYGON')]).toEqual([
      { available: 990_000n, pending: 0n },
      { available: 990_000n, pending: 0n },
    ]);
  });
});

describe('money in suspense on another network', () => {
  it('is credited there to the merchant of the order that the address belongs to', async () => {
    const found = { network: 'POLYGON', currency: 'USDC', book: 0n, chain: 1_000_000n, difference: 1_000_000n };
    expect(await bookDifference(setup.deps, { ...found, at: polygon.tip, balance: 0n })).toBe(true);
    const request = { paymentId: order.id, currency: 'USDC', amount: '1', ...SIGNED };
    await expect(creditFromSuspense(setup.deps, request)).rejects.toMatchObject({ errorName: 'INSUFFICIENT_FUNDS' });
    await creditFromSuspense(setup.deps, { ...request, network: 'POLYGON' });
    expect(await balanceOn('POLYGON', 'USDC')).toEqual({ available: 990_000n, pending: 0n });
  });

  it('is impossible on a network of another account', async () => {
    await expect(
      creditFromSuspense(setup.deps, {
        ...{ paymentId: order.id, network: 'TRON', currency: 'USDT', amount: '1', ...SIGNED },
      }),
    ).rejects.toMatchObject({ errorName: 'UNSUPPORTED_ASSET' });
  });
});
