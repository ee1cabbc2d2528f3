// An asset that is out of service: what is refused and what goes on, depending on why it is off.

import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { setAssetOff, setAssetOn, type AssetOffCause } from '../../../src/domain/assets/asset-service.ts';
import { createAssetsOff } from '../../../src/domain/assets/out-of-service.ts';
import { createPaymentCreator } from '../../../src/domain/payments/create-payment.ts';
import { listCurrencies } from '../../../src/domain/payments/currencies.ts';
import { inTransaction, type Deps } from '../../../src/domain/deps.ts';
import { createPaymentDefaults } from '../../../src/domain/merchants/payment-defaults.ts';
import * as book from '../payouts/book.fixture.ts';
import { chain, order, shop, setup } from '../shop.fixture.ts';

const USDT = { network: 'ETH', currency: 'USDT' } as const;
const ETH = { network: 'ETH', currency: 'ETH' } as const;

let deps: Deps;
let look: () => Promise<void>;

beforeAll(() => {
  const assetsOff = createAssetsOff(setup.deps.db);
  deps = { ...book.withNetwork(setup.deps), assetsOff };
  look = () => assetsOff.look();
});
beforeEach(() => book.deposit(chain, order, 1_000_000n));
afterEach(async () => {
  await inTransaction(deps, (em) => setAssetOn(em, USDT));
  await look();
});

async function takeOff(cause: AssetOffCause): Promise<void> {
  const off = { ...USDT, cause, reason: 'a test says so', createdBy: 'test' };
  await inTransaction(deps, (em) => setAssetOff(em, off, deps.clock.now()));
}

const availability = () =>
  listCurrencies(deps)
    .filter(({ network }) => network === 'ETH')
    .map(({ currency, available }) => `${currency} ${String(available)}`);

const create = (asset: typeof USDT | typeof ETH) =>
  createPaymentCreator(deps, createPaymentDefaults(deps))(shop, { amount: '1', ...asset }, null);

const UNAVAILABLE = { errorName: 'NETWORK_UNAVAILABLE' };

describe('an asset that is off', () => {
  it('because its token takes a fee is not paid out either, at once and without a look', async () => {
    await takeOff('TRANSFER_FEE');
    await expect(book.withdraw(deps, shop, '0.4')).rejects.toMatchObject(UNAVAILABLE);
    await expect(book.refund(deps, order)).rejects.toMatchObject(UNAVAILABLE);
  });

  it('because an operator says so is paid out as ever', async () => {
    await takeOff('OPERATOR');
    await look();
    expect(await book.withdraw(deps, shop, '0.4')).toMatchObject({ status: 'REQUESTED' });
    expect(await book.refund(deps, order, '0.1')).toMatchObject({ status: 'REQUESTED' });
  });

  // These come last: opening the network here voids the book's own orders, as after a restore.
  it.each<AssetOffCause>(['OPERATOR', 'TRANSFER_FEE'])(
    'takes no new order from the next look on (%s)',
    async (cause) => {
      await takeOff(cause);
      await look();
      expect(availability()).toEqual(['ETH true', 'USDT false', 'USDC false']);
      await expect(create(USDT)).rejects.toMatchObject(UNAVAILABLE);
      // Another asset gets as far as asking for an address, which this network cannot give.
      await expect(create(ETH)).rejects.not.toMatchObject(UNAVAILABLE);
      await inTransaction(deps, (em) => setAssetOn(em, USDT));
      await look();
      expect(availability()).toEqual(['ETH true', 'USDT true', 'USDC false']);
    },
  );
});
