// A token that starts to take a fee: what was mined with success is never paid again, its asset goes out of service,
// and what the fee took from us is booked as a cost.

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { AccountAdapter, ChainAdapter } from '../../src/chain/adapter.ts';
import { createNodePool } from '../../src/chain/pool/node-pool.ts';
import { setAssetOn } from '../../src/domain/assets/asset-service.ts';
import { compareCustody } from '../../src/domain/ledger/reconciliation.ts';
import { inTransaction } from '../../src/domain/deps.ts';
import { failStuckPayout } from '../../src/domain/operator/payouts.ts';
import { verifyLedger } from '../../src/domain/ledger/verify.ts';
import { chargeTransfers, type TokenFee } from './fee-token.fixture.ts';
import { createPayoutSetup, OUTSIDE, type PayoutSetup } from './payout-setup.fixture.ts';

const UNIT = 1_000_000n;
const TENTH_OF_A_PERCENT: TokenFee = { basisPoints: 10n };

let stage: PayoutSetup;
let shop: string;

beforeEach(async () => {
  stage = await createPayoutSetup();
  shop = await stage.setup.merchant();
});
afterEach(async () => {
  expect((await verifyLedger(stage.deps.db)).faults).toEqual([]);
  const comparison = await compareCustody(stage.deps.db, stage.adapter);
  for (const { currency, book, chain } of comparison?.lines ?? [])
    expect({ currency, chain }).toEqual({ currency, chain: book });
  expect(comparison?.lines).toHaveLength(3);
});
afterEach(() => stage.stop());

const charge = (fee: TokenFee) => chargeTransfers(stage.node, stage.dev.contracts.get('USDT') ?? '', fee);
const assetsOff = () => stage.setup.sql('select currency, network, cause from asset_off');
const OFF = [{ currency: 'USDT', network: 'ETH', cause: 'TRANSFER_FEE' }];

async function costsOf(currency: string): Promise<bigint> {
  const [row] = await stage.setup.sql<{ units: string }>(
    `select balance::text as units from ledger_account where (owner, purpose, currency) = ('gateway', 'costs', $1)`,
    [currency],
  );
  return -BigInt(row?.units ?? 0);
}

const payouts = () =>
  stage.setup.sql<{ id: string; status: string; held: string | null }>(
    'select id, status, held_reason as held from payout order by id',
  );

const transfers = (purpose: string) =>
  stage.setup.sql<{ status: string; lost: string; tx_hash: string }>(
    'select status, lost::text, tx_hash from transfer where purpose = $1 order by id',
    [purpose],
  );

/** The hot wallet has money of its own, so nothing has to be swept. */
async function fillHotWallet(units: bigint): Promise<void> {
  await stage.settle(stage.sender(), stage.watcher());
  const [hot] = await stage.setup.sql<{ key: string }>(`select address_key as key from sender where role = 'HOT'`);
  await stage.dev.deposit({ address: hot?.key ?? '', currency: 'USDT', amount: units, confirmations: 1 });
  await stage.settle(stage.watcher());
}

/** The gas wallet has coin, so sweeps are signed at once. */
async function fillGasWallet(): Promise<void> {
  await stage.settle(stage.sender(), stage.watcher());
  const [gas] = await stage.setup.sql<{ key: string }>(`select address_key as key from sender where role = 'GAS'`);
  await stage.dev.deposit({ address: gas?.key ?? '', currency: 'ETH', amount: 10n ** 18n, confirmations: 1 });
  await stage.settle(stage.watcher());
}

async function runFor(rounds: number): Promise<void> {
  const [sender, watcher] = [stage.sender(), stage.watcher()];
  for (let round = 0; round < rounds; round += 1) {
    await stage.settle(sender, watcher);
    await stage.dev.mine(1);
    stage.pass(2);
  }
}

describe('a payout of a token that takes a fee', () => {
  it.each<[string, TokenFee, bigint, bigint]>([
    ['of what is sent', TENTH_OF_A_PERCENT, 59_940_000n, 0n],
    ['besides', { basisPoints: 10n, onTop: true }, 60_000_000n, 60_000n],
    ['of what was logged whole', { basisPoints: 10n, grossFirst: true }, 59_940_000n, 0n],
  ])('%s is paid once, waits for an operator, and the asset is off', async (_how, fee, arrives, lost) => {
    await stage.pay(await stage.order(shop), 'USDT', 200n * UNIT);
    await fillHotWallet(500n * UNIT);
    await charge(fee);
    const before = await stage.holds(OUTSIDE, 'USDT');
    await stage.withdraw(shop, 'USDT', '50');
    await stage.withdraw(shop, 'USDT', '10');
    await runFor(6);
    // Both were signed before the fee could be known.
    expect((await stage.holds(OUTSIDE, 'USDT')) - before).toBe(arrives);
    expect((await transfers('PAYOUT')).map(({ status }) => status)).toEqual(['UNCLEAR', 'UNCLEAR']);
    for (const payout of await payouts()) expect(payout).toMatchObject({ status: 'BROADCAST', held: 'RESULT_UNCLEAR' });
    expect(await assetsOff()).toEqual(OFF);
    expect(await costsOf('USDT')).toBe(lost);
    await expect(stage.withdraw(shop, 'USDT', '1')).rejects.toMatchObject({ errorName: 'NETWORK_UNAVAILABLE' });
    // Money that has moved is never released, even if a node claims that it failed.
    for (const { id } of await payouts())
      await expect(failStuckPayout({ deps: stage.deps, name: 'Ada' }, { id, reason: 'short' })).rejects.toMatchObject({
        errorName: 'ALREADY_DECIDED',
      });
  });

  it('that was only asked for is parked, and goes on when the asset is put back', async () => {
    await stage.pay(await stage.order(shop), 'USDT', 200n * UNIT);
    await fillHotWallet(500n * UNIT);
    await charge(TENTH_OF_A_PERCENT);
    await stage.withdraw(shop, 'USDT', '50');
    await runFor(2);
    await inTransaction(stage.deps, (em) => setAssetOn(em, { network: 'ETH', currency: 'USDT' }));
    const { id } = await stage.withdraw(shop, 'USDT', '10');
    const { id: third } = await stage.withdraw(shop, 'USDT', '10');
    await stage.setup.sql(
      `insert into asset_off values ('ETH', 'USDT', 'TRANSFER_FEE', 'a test says so', 'test', now())`,
    );
    await runFor(2);
    for (const waiting of (await payouts()).filter((payout) => [id, third].includes(payout.id)))
      expect(waiting).toMatchObject({ status: 'REQUESTED', held: 'ASSET_OFF' });
    await charge({ basisPoints: 0n });
    await inTransaction(stage.deps, (em) => setAssetOn(em, { network: 'ETH', currency: 'USDT' }));
    await runFor(2);
    for (const paid of (await payouts()).filter((payout) => [id, third].includes(payout.id)))
      expect(paid).toMatchObject({ status: 'COMPLETED', held: null });
  });
});

describe('a sweep of a token that takes a fee', () => {
  it('has been made; what did not arrive is booked as a cost, and the asset is off', async () => {
    for (const amount of [60n, 40n]) await stage.pay(await stage.order(shop), 'USDT', amount * UNIT);
    await fillGasWallet();
    await charge(TENTH_OF_A_PERCENT);
    const { id } = await stage.withdraw(shop, 'USDT', '90');
    await runFor(4);
    expect(await assetsOff()).toEqual(OFF);
    const sweeps = (await transfers('SWEEP')).map(({ status, lost }) => `${status} ${lost}`);
    expect(sweeps.sort()).toEqual(['CONFIRMED 40000', 'CONFIRMED 60000']);
    expect(await costsOf('USDT')).toBe(100_000n);
    expect((await payouts()).find((payout) => payout.id === id)).toMatchObject({
      status: 'REQUESTED',
      held: 'ASSET_OFF',
    });

    // Its blocks leave the chain and it is mined again: the loss is booked once.
    await stage.dev.reorg(3);
    await runFor(3);
    expect(await costsOf('USDT')).toBe(100_000n);
  });
});

describe('with two nodes', () => {
  it('one alone takes no asset out of service', async () => {
    await stage.pay(await stage.order(shop), 'USDT', 200n * UNIT);
    await fillHotWallet(500n * UNIT);
    let shown = TENTH_OF_A_PERCENT;
    const liar: AccountAdapter = {
      ...stage.adapter,
      receipt: async (hash) => {
        const receipt = await stage.adapter.receipt(hash);
        const less = (units: bigint) => units - (units * shown.basisPoints) / 10_000n;
        const shrink = <Of extends { amount: bigint }>(one: Of): Of => ({ ...one, amount: less(one.amount) });
        return receipt && { ...receipt, paid: receipt.paid.map(shrink), moves: (receipt.moves ?? []).map(shrink) };
      },
    };
    const pool = createNodePool({ adapters: [liar, stage.adapter] }) as AccountAdapter & ChainAdapter;
    const chain = stage.deps.chains.get('ETH');
    if (!chain) throw new Error('There is no chain');
    const { id } = await stage.withdraw(shop, 'USDT', '50');
    const sender = stage.sender({ chain: { ...chain, adapter: pool } });
    for (let round = 0; round < 4; round += 1) await stage.settle(sender, stage.watcher());
    expect(await assetsOff()).toEqual([]);
    shown = { basisPoints: 0n };
    await stage.settle(sender, stage.watcher());
    expect(await stage.payout(id)).toMatchObject({ status: 'COMPLETED' });
  });
});
