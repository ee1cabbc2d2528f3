// The gateway's own money: how much may leave, that no more does however many ask at once, and how the book records it.

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { postLedger } from '../../../src/database/queries/ledger/post-ledger.ts';
import { addSender } from '../../../src/database/queries/payouts/nonces.ts';
import { inTransaction, type Deps } from '../../../src/domain/deps.ts';
import { withdrawableOf } from '../../../src/domain/ledger/gateway-funds.ts';
import { account, GATEWAY, posting } from '../../../src/domain/ledger/ledger.ts';
import { isOurs, readGatewayFunds, withdrawFees, type ColdPlace } from '../../../src/domain/operator/fees.ts';
import { freezePayouts, unfreezePayouts } from '../../../src/domain/operator/freezes.ts';
import { failStuckPayout } from '../../../src/domain/operator/payouts.ts';
import { bookCost } from '../../../src/domain/ledger/payout-entries.ts';
import { mayPay, mayTransact } from '../../../src/domain/payouts/signing-gate.ts';
import { lockPayout } from '../../../src/domain/payouts/lifecycle.ts';
import { findRefunds, findWithdrawals } from '../../../src/domain/payouts/read-payouts.ts';
import { makeReport } from '../../../src/domain/ledger/reports.ts';
import { verifyLedger } from '../../../src/domain/ledger/verify.ts';
import { assetOf } from '../../../src/values/assets.ts';
import { newId } from '../../../src/values/id.ts';
import { audit } from '../audit.fixture.ts';
import {
  createSetup,
  minutesLater,
  newHash,
  openChain,
  START,
  type DataChain,
  type Order,
  type Setup,
} from '../book.fixture.ts';
import { findWhole, logged, operatorOf } from '../operator/operate.fixture.ts';
import * as book from '../payouts/book.fixture.ts';

const ASSET = assetOf({ currency: 'USDT', network: 'ETH' });
const COLD = '0x52908400098527886E0F7030069857D2E4169EE7';

let setup: Setup;
let chain: DataChain;
let deps: Deps;
let elsewhere: Deps;
let shop: string;
let order: Order;

// A new setup for each test, because a setup has one set of gateway accounts.
beforeEach(async () => {
  setup = await createSetup();
  setup.setNow(START);
  chain = await openChain(setup);
  shop = await setup.merchant();
  order = await setup.order(shop);
  deps = book.withNetwork(setup.deps);
  elsewhere = book.withNetwork(await setup.another());
});
afterEach(async () => {
  await audit(setup);
  expect((await verifyLedger(setup.deps.db)).faults).toEqual([]);
});
afterEach(() => setup.stop());

const operator = (nth = 0) => operatorOf(nth % 2 === 0 ? deps : elsewhere);

function place(coldAddress = COLD): ColdPlace {
  const adapter = deps.chains.get('ETH')?.adapter;
  if (!adapter) throw new Error('the setup knows no such network');
  return { adapter, coldAddress };
}

const withdraw = (amount: string, nth = 0, to = COLD) =>
  withdrawFees(operator(nth), place(to), { currency: 'USDT', amount });

/** Earns fees from a deposit a hundred times as large. */
const earn = (units: bigint) => book.deposit(chain, order, units * 100n);

/** Moves operator funding in, or out again. */
async function fund(units: bigint): Promise<void> {
  const [custody, capital] = [account(GATEWAY, 'custody', ASSET), account(GATEWAY, 'capital', ASSET)];
  const [from, to] = units > 0n ? [custody, capital] : [capital, custody];
  const transaction = { id: newId('ltx'), reference: `capital/${newHash()}`, paymentId: null, at: START };
  await inTransaction(deps, (em) =>
    postLedger(em, transaction, [custody, capital], () => [posting(from, to, units > 0n ? units : -units)]),
  );
}

const pay = (units: bigint) =>
  inTransaction(deps, (em) => bookCost(em, { txHash: newHash(), coin: ASSET, amount: units, turn: 1 }, START));

const funds = async () => (await readGatewayFunds(operator())).find(({ currency }) => currency === 'USDT');
const sign = (id: string) =>
  inTransaction(deps, async (em) => {
    await mayTransact(em, 'ETH');
    const { payout } = await lockPayout(em, id);
    return mayPay(deps, em, payout);
  });

describe('the signer', () => {
  const held = async (id: string) =>
    (await setup.sql<{ reason: string | null }>('select held_reason as reason from payout where id = $1', [id]))[0]
      ?.reason;
  const signerWith = (coldAddress: string | undefined, environment: 'sandbox' | 'live'): Deps => {
    const known = deps.chains.get('ETH');
    if (!known) throw new Error('the setup knows no such network');
    const eth = coldAddress === undefined ? known : { ...known, coldAddress };
    return { ...deps, environment, chains: new Map([['ETH' as const, eth]]) };
  };
  const signs = (signer: Deps, id: string) =>
    inTransaction(deps, async (em) => mayPay(signer, em, (await lockPayout(em, id)).payout));

  it('pays fees to the cold address of its own configuration alone, whoever asked for another', async () => {
    await earn(500_000n);
    const { id } = await withdraw('0.1');
    expect(await signs(signerWith(COLD.toLowerCase(), 'live'), id)).toBe(true);
    expect(await held(id)).toBeNull();
    for (const signer of [signerWith(book.RECIPIENT, 'live'), signerWith(undefined, 'live')]) {
      expect(await signs(signer, id)).toBe(false);
      expect(await held(id)).toBe('NOT_COLD_ADDRESS');
    }
    expect(await signs(signerWith(undefined, 'sandbox'), id)).toBe(true);
  });
});

describe('what may be withdrawn', () => {
  it.each([
    ['the example of the contract: gas is a cost as ever', 500n, -200n, 100n, 400n],
    ['no more than was earned, however much capital there is', 500n, -200n, 10_000n, 500n],
    ['no more than was earned, also where merchants bore more than was paid', 500n, 300n, 0n, 500n],
    ['nothing where more was paid than there is', 500n, -700n, 100n, 0n],
    ['nothing of capital alone', 0n, -10n, 1_000n, 0n],
    ['nothing where fees were taken back after they left', -5n, 0n, 1_000n, 0n],
    ['all where nothing was paid', 500n, 0n, 0n, 500n],
    ['nothing of nothing', 0n, 0n, 0n, 0n],
  ])('is %s', (_, fees, costs, capital, withdrawable) => {
    expect(withdrawableOf({ fees, costs, capital })).toBe(withdrawable);
  });

  it('is what the book says of it, and "max" is all of that', async () => {
    await earn(500_000n);
    await fund(100_000n);
    await pay(200_000n);
    const own = { fees: 500_000n, costs: -200_000n, capital: 100_000n, reserved: 0n, suspense: 0n };
    expect(await funds()).toMatchObject({ ...own, withdrawable: 400_000n });
    expect(await withdraw('max')).toMatchObject({ kind: 'FEES', amount: 400_000n, networkFee: 0n, address: COLD });
    expect(await funds()).toMatchObject({ ...own, fees: 100_000n, reserved: 400_000n, withdrawable: 0n });
  });
});

describe('a payout of fees', () => {
  it('comes through as often as there is money for it, of a hundred at once', async () => {
    await earn(500_000n);
    await pay(170_000n);
    const work = (nth: number) => withdraw(nth % 10 === 0 ? '0.04' : '0.03', nth);
    const through = await book.countThrough(100, work, 'INSUFFICIENT_FUNDS');
    expect(through).toBeGreaterThanOrEqual(8);
    const left = await funds();
    expect(left?.reserved).toBeLessThanOrEqual(330_000n);
    expect(left?.withdrawable).toBeLessThan(30_000n);
    expect((left?.reserved ?? 0n) + (left?.withdrawable ?? 0n)).toBe(330_000n);
  });

  it('is booked when it completed, and no merchant hears or sees anything of it', async () => {
    await earn(500_000n);
    const before = await setup.reportedEvents(order);
    const payout = await withdraw('0.3');
    await book.broadcast(deps, payout);
    await book.complete(deps, payout);
    expect(await funds()).toMatchObject({ fees: 200_000n, reserved: 0n, withdrawable: 200_000n });
    setup.setNow(minutesLater(1));
    const page = { limit: 10, before: null };
    expect((await findWithdrawals(deps, shop, { statuses: null, batchId: null }, page)).nodes).toEqual([]);
    expect((await findRefunds(deps, shop, { paymentId: null, statuses: null }, page)).nodes).toEqual([]);
    expect(await setup.reportedEvents(order)).toEqual(before);
    expect(await setup.sql('select 1 from event where payment_id is null')).toEqual([]);
    expect((await makeReport(deps, shop, {})).totals).toMatchObject([{ fees: '0.5', withdrawn: '0', refunded: '0' }]);
    expect(await setup.balance(shop)).toEqual({ available: 49_500_000n, reserved: 0n, pending: 0n, owed: 0n });
  });

  it('that fails is fees again, also by the operator', async () => {
    await earn(500_000n);
    await book.fail(deps, await withdraw('0.3'));
    expect(await funds()).toMatchObject({ fees: 500_000n, reserved: 0n });
    const { id } = await withdraw('max');
    await findWhole(deps);
    expect(await failStuckPayout(operator(), { id, reason: 'changed my mind' })).toMatchObject({ merchantId: null });
    expect(await funds()).toMatchObject({ fees: 500_000n, reserved: 0n, withdrawable: 500_000n });
    const told = (await logged(setup)).filter(({ action }) => action !== 'FUNDS_READ');
    expect(told.map(({ action, target }) => [action, target]).slice(-2)).toEqual([['FEES_WITHDRAWN', id], ['PAYOUT_FAILED', id]]); // prettier-ignore
  });

  it.each([
    ['one', {}],
    ['of its network', { network: 'ETH' }],
    ['of its currency', { currency: 'USDT' }],
  ])('is held by a freeze, %s, and not by one of a merchant', async (_, scope) => {
    await earn(500_000n);
    await freezePayouts(operator(), { merchantId: shop, reason: 'why' });
    const { id } = await withdraw('0.1');
    const freeze = await freezePayouts(operator(), { ...scope, reason: 'why' });
    expect(freeze.waiting).toBe(1);
    await expect(withdraw('0.1')).rejects.toMatchObject({ errorName: 'PAYOUTS_FROZEN' });
    expect(await sign(id)).toBe(false);
    await unfreezePayouts(operator(), freeze.id);
    expect(await sign(id)).toBe(true);
  });

  it('is frozen by its own id', async () => {
    await earn(500_000n);
    const { id } = await withdraw('0.1');
    await freezePayouts(operator(), { payoutId: id, reason: 'why' });
    expect(await sign(id)).toBe(false);
    expect(await sign((await withdraw('0.1')).id)).toBe(true);
  });

  it('is paid though gas was paid since, its own sweeps among it', async () => {
    await earn(500_000n);
    const { id } = await withdraw('max');
    await pay(50_000n);
    expect((await funds())?.withdrawable).toBe(0n);
    expect(await sign(id)).toBe(true);
  });

  it('fails when what it was earned by was taken back before it was signed', async () => {
    await earn(500_000n);
    const { id } = await withdraw('max');
    await book.loseForGood(chain);
    expect(await sign(id)).toBe(false);
    expect(await book.statusOf(setup, { id })).toBe('FAILED');
    expect(await funds()).toMatchObject({ fees: 0n, reserved: 0n });
  });

  it('fails when the capital that covered its costs was taken back', async () => {
    await earn(500_000n);
    await fund(100_000n);
    await pay(200_000n);
    const { id } = await withdraw('max');
    await fund(-100_000n);
    expect(await sign(id)).toBe(false);
    expect(await book.statusOf(setup, { id })).toBe('FAILED');
    await fund(100_000n);
    expect((await funds())?.withdrawable).toBe(400_000n);
  });

  it.each([
    ['INSUFFICIENT_FUNDS', '0.500001'],
    ['VALIDATION', '0'],
    ['VALIDATION', '-1'],
    ['VALIDATION', '0.0000001'],
    ['VALIDATION', 'all'],
    ['DUST', '0.001'],
  ])('is refused with %s for %s', async (errorName, amount) => {
    await earn(500_000n);
    await expect(withdraw(amount)).rejects.toMatchObject({ errorName });
    expect(await setup.sql('select 1 from payout')).toEqual([]);
    expect((await logged(setup)).filter(({ action }) => action === 'FEES_WITHDRAWN')).toEqual([]);
  });

  it('of "max" is refused where nothing may leave', async () => {
    await earn(500_000n);
    await pay(600_000n);
    await expect(withdraw('max')).rejects.toMatchObject({ errorName: 'INSUFFICIENT_FUNDS' });
  });

  it('is refused to an address of ours: a wallet, one that was issued, a contract, or none', async () => {
    await earn(500_000n);
    const wallet = `0x${'ab'.repeat(20)}`;
    await addSender(deps.db.em, 'ETH', { key: wallet, role: 'HOT', nonce: 0 });
    const contract = '0x2222222222222222222222222222222222222222';
    for (const to of [wallet, order.addressKey, contract, 'nowhere'])
      await expect(withdraw('0.1', 0, to)).rejects.toMatchObject({ errorName: 'BAD_ADDRESS' });
    expect(await isOurs(deps.db.em, { account: 'evm' }, COLD.toLowerCase())).toBe(false);
  });
});
