// Cost limits of payouts on TRON: the greatest cost in TRX, and a token that takes a fee. On the double.

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createTransactionSender } from '../../../src/custody/send-transactions.ts';
import { defaultBounds } from '../../../src/values/payout-bounds.ts';
import { createTronPayoutSetup, TRX, type TronPayoutSetup } from '../tron-setup.fixture.ts';

let stage: TronPayoutSetup;
let shop: string;

beforeEach(async () => {
  stage = await createTronPayoutSetup();
  shop = await stage.setup.merchant();
});
afterEach(() => stage.audit());
afterEach(() => stage.stop());

const heldOf = async (id: string) =>
  (await stage.setup.sql<{ held: string | null }>('select held_reason as held from payout where id = $1', [id]))[0]
    ?.held;

async function runFor(rounds: number, sender = stage.sender()): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    await stage.settle(sender, stage.watcher);
    stage.mine(10);
  }
  await stage.settle(stage.watcher);
}

describe('a token that takes a fee', () => {
  it('is found out by the sweep, which is booked with its loss; the payout waits unsigned and the asset is off', async () => {
    await stage.pay(await stage.order(shop, 'USDT'), 'USDT', 100n * TRX);
    stage.double.charge('USDT', 10n);
    const id = await stage.withdraw(shop, 'USDT', '50', stage.stranger());
    await runFor(10);
    expect(await stage.setup.sql('select cause from asset_off')).toEqual([{ cause: 'TRANSFER_FEE' }]);
    const sweeps = await stage.setup.sql(`select status, lost::text from transfer where purpose = 'SWEEP'`);
    expect(sweeps).toEqual([{ status: 'CONFIRMED', lost: '100000' }]);
    expect((await stage.transfers()).filter(({ purpose }) => purpose === 'PAYOUT')).toEqual([]);
    expect(await heldOf(id)).toBe('ASSET_OFF');
    await expect(stage.withdraw(shop, 'USDT', '1', stage.stranger())).rejects.toMatchObject({
      errorName: 'NETWORK_UNAVAILABLE',
    });
  });

  it('that is switched on after the sweep makes one payout short, and none is sent again', async () => {
    await stage.pay(await stage.order(shop, 'USDT'), 'USDT', 100n * TRX);
    await stage.carryOut(await stage.withdraw(shop, 'USDT', '5', stage.stranger()), stage.sender());
    stage.double.charge('USDT', 10n);
    const stranger = stage.stranger();
    const id = await stage.withdraw(shop, 'USDT', '50', stranger);
    await runFor(12);
    expect(await stage.holds(stranger, 'USDT')).toBe(49_950_000n);
    expect(await stage.payout(id)).toMatchObject({ status: 'BROADCAST' });
    expect(await heldOf(id)).toBe('RESULT_UNCLEAR');
    expect(await stage.setup.sql('select currency from asset_off')).toEqual([{ currency: 'USDT' }]);
  });
});

describe('a greatest cost', () => {
  it('counts the activation, the sweep and the payout together; above it nothing is signed', async () => {
    await stage.pay(await stage.order(shop, 'USDT'), 'USDT', 100n * TRX);
    const chain = stage.deps.chains.get('TRON');
    if (!chain) throw new Error('There is no chain');
    const senderWith = (maxCost: bigint) => {
      const payoutBounds = { ...defaultBounds('TRON'), maxCost };
      return createTransactionSender(stage.deps, { chain: { ...chain, payoutBounds }, signer: stage.signer });
    };
    const before = await stage.transfers();
    const id = await stage.withdraw(shop, 'USDT', '50', stage.stranger());
    await stage.settle(senderWith(20n * TRX));
    expect([(await stage.payout(id)).status, await heldOf(id)]).toEqual(['REQUESTED', 'TOO_EXPENSIVE']);
    expect(await stage.transfers()).toEqual(before);
    await stage.carryOut(id, senderWith(60n * TRX));
    expect(await stage.payout(id)).toMatchObject({ status: 'COMPLETED' });
    const [spent] = await stage.setup.sql<{ units: string }>(
      'select sum(cost)::text as units from transfer where payout_id = $1 or for_payout_id = $1',
      [id],
    );
    expect(BigInt(spent?.units ?? 0) <= 60n * TRX).toBe(true);
  });
});
