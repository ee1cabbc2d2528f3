// Joining many outputs into one, for a payout that needs them and in quiet times, on a real litecoind.

import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { parseAmount } from '../../../src/values/amount.ts';
import { describeWithLitecoind } from '../../support/litecoind.ts';
import { createUtxoSetup, LITE, type UtxoSetup } from './setup.fixture.ts';

/** Pays this many orders of a merchant in one transaction, each the same amount, until they are credited. */
async function payMany(stage: UtxoSetup, merchantId: string, count: number, units: bigint): Promise<void> {
  const coins = `0.${units.toString().padStart(8, '0')}`;
  const outputs: Record<string, string> = {};
  for (let nth = 0; nth < count; nth += 1) outputs[(await stage.order(merchantId)).address] = coins;
  await stage.node('sendmany', '', outputs);
  await stage.litecoin.mine(2);
  await stage.settle(stage.watcher());
}

const sweeps = (stage: UtxoSetup) =>
  stage.setup.sql<{ status: string; inputs: number; cost: string }>(
    `select status, cost::text, (select count(*)::int from spent_output s where (s.sender_key, s.nonce) = (t.sender_key, t.nonce))
       as inputs from transfer t where purpose = 'SWEEP' order by nonce`,
  );

const heldReason = async (stage: UtxoSetup, id: string) =>
  (await stage.setup.sql<{ held_reason: string | null }>('select held_reason from payout where id = $1', [id]))[0]
    ?.held_reason;

describeWithLitecoind('a payout that needs more outputs than one transaction can spend', () => {
  let stage: UtxoSetup;

  beforeAll(async () => {
    stage = await createUtxoSetup();
  });
  afterAll(() => stage.stop());
  afterEach(() => stage.audit());

  it('is paid out of them brought together, at our cost, and nobody behind it waits', async () => {
    stage.pass(1);
    const shop = await stage.setup.merchant();
    await payMany(stage, shop, 620, LITE / 100n);
    const [large, small] = [await stage.outside(), await stage.outside()];
    const first = await stage.withdraw(shop, '6.1', large);
    const second = await stage.withdraw(shop, '0.03', small);
    const sender = stage.sender();
    await stage.settle(sender);
    expect(await sweeps(stage)).toMatchObject([{ status: 'BROADCAST', inputs: 500 }]);
    expect(await heldReason(stage, first.id)).toBe('MISSING_FUNDS');
    expect(await stage.payout(second.id)).toMatchObject({ status: 'BROADCAST' });
    await stage.finish(sender);
    for (const { id } of [first, second]) expect(await stage.payout(id)).toMatchObject({ status: 'COMPLETED' });
    expect(await stage.received(large)).toBe((LITE * 61n) / 10n);
    expect(await stage.received(small)).toBe((LITE * 3n) / 100n);
    const [swept] = await sweeps(stage);
    expect(swept).toMatchObject({ status: 'CONFIRMED' });
    const [booked] = await stage.setup.sql<{ units: string }>(
      `select sum(p.amount)::text as units from ledger_transaction t join posting p on p.transaction_id = t.id
       where t.reference like 'cost/LTC/%'`,
    );
    expect(BigInt(booked?.units ?? 0)).toBeGreaterThan(BigInt(swept?.cost ?? 0));
  }, 300_000);
});

describeWithLitecoind('in quiet times', () => {
  let stage: UtxoSetup;
  let shop: string;

  beforeAll(async () => {
    stage = await createUtxoSetup({ minFeeRate: 5n });
    shop = await stage.setup.merchant();
    await payMany(stage, shop, 130, LITE / 100n);
  });
  afterAll(() => stage.stop());
  beforeEach(() => stage.pass(1));
  afterEach(() => stage.audit());

  it('nothing is brought together while a byte costs more than is said', async () => {
    await stage.settle(stage.sender({ consolidateBelow: 4n }));
    expect(await sweeps(stage)).toEqual([]);
  });

  it('many outputs are, once, and for no more than a hundredth of them; few are not', async () => {
    const sender = stage.sender({ consolidateBelow: 5n });
    await stage.finish(sender);
    const made = await sweeps(stage);
    expect(made).toMatchObject([{ status: 'CONFIRMED', inputs: 110 }]);
    expect(BigInt(made[0]?.cost ?? 0)).toBeLessThan((110n * LITE) / 100n / 100n);
    await stage.finish(stage.sender({ consolidateBelow: 5n }));
    expect(await sweeps(stage)).toHaveLength(1);
    // It is spent like any other.
    const address = await stage.outside();
    const { id } = await stage.withdraw(shop, '1.2', address);
    await stage.finish();
    expect(await stage.payout(id)).toMatchObject({ status: 'COMPLETED' });
  });

  it('what was brought together in a block that is replaced is brought together again, and booked once', async () => {
    const [before] = await sweeps(stage);
    await payMany(stage, shop, 130, LITE / 50n);
    const sender = stage.sender({ consolidateBelow: 5n });
    await stage.settle(sender);
    await stage.litecoin.mine(2);
    await stage.settle(sender, stage.watcher());
    const [row] = await stage.setup.sql<{ tx_hash: string }>(
      `select tx_hash from transfer where purpose = 'SWEEP' order by nonce desc limit 1`,
    );
    const { blockhash } = await stage.node<{ blockhash: string }>('getrawtransaction', row?.tx_hash, true);
    await stage.node('invalidateblock', blockhash);
    await stage.litecoin.mine(1);
    await stage.finish(sender);
    const made = await sweeps(stage);
    expect(made).toHaveLength(2);
    expect(made[0]).toEqual(before);
    expect(made[1]).toMatchObject({ status: 'CONFIRMED' });
  });
});

describeWithLitecoind('"max" out of outputs that are not worth what spending them costs', () => {
  let stage: UtxoSetup;

  beforeAll(async () => {
    // A byte costs 50 base units, so spending one of our outputs costs about 3,400.
    stage = await createUtxoSetup({ minesOnDemand: false, minFeeRate: 50n });
  });
  afterAll(() => stage.stop());
  afterEach(() => stage.audit());

  it('is what can be sent: it is paid, and the rest stays theirs; asked for by amount, it waits as too expensive', async () => {
    stage.pass(180);
    const shop = await stage.setup.merchant();
    await payMany(stage, shop, 1, LITE / 100n);
    await payMany(stage, shop, 300, 5_000n);
    const { available } = await stage.setup.balance(shop, 'LTC');
    expect(available).toBe(990_000n + 300n * 4_950n);
    const address = await stage.outside();
    const { id, amount } = await stage.withdraw(shop, 'max', address);
    const units = parseAmount(amount, 8) ?? 0n;
    expect(units).toBeGreaterThan(950_000n);
    expect(units).toBeLessThan(LITE / 100n);
    await stage.finish();
    expect(await stage.payout(id)).toMatchObject({ status: 'COMPLETED' });
    expect(await stage.received(address)).toBe(units);
    expect(await stage.setup.balance(shop, 'LTC')).toMatchObject({ available: available - units });
    const rest = await stage.withdraw(shop, '0.01', address);
    await stage.finish();
    expect(await stage.payout(rest.id)).toMatchObject({ status: 'REQUESTED' });
    expect(await heldReason(stage, rest.id)).toBe('TOO_EXPENSIVE');
    // The operator can add what is missing.
    const [hot] = await stage.setup.sql<{ key: string }>(`select address_key as key from sender where role = 'HOT'`);
    const wallet = stage.adapter.addressFor(hot?.key ?? '') ?? '';
    await stage.litecoin.deposit({ address: wallet, currency: 'LTC', amount: LITE, confirmations: 2 });
    await stage.settle(stage.watcher());
    await stage.finish();
    expect(await stage.payout(rest.id)).toMatchObject({ status: 'COMPLETED' });
  });
});
