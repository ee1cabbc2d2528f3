// Freezes and fee payouts on other kinds of chain: outputs (Litecoin), and transactions that expire (TRON, Solana).

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ChainAdapter } from '../../src/chain/adapter.ts';
import type { Deps } from '../../src/domain/deps.ts';
import { readGatewayFunds, withdrawFees } from '../../src/domain/operator/fees.ts';
import { freezePayouts, unfreezePayouts } from '../../src/domain/operator/freezes.ts';
import type { Setup } from '../domain/book.fixture.ts';
import { operatorOf } from '../domain/operator/operate.fixture.ts';
import { describeWithLitecoind } from '../support/litecoind.ts';
import { newKey } from '../doubles/solana/accounts.ts';
import { createSolanaPayoutSetup } from './solana-setup.fixture.ts';
import { createTronPayoutSetup, TRX } from './tron-setup.fixture.ts';
import { createUtxoSetup, LITE, type UtxoSetup } from './utxo/setup.fixture.ts';

interface Place {
  readonly deps: Deps;
  readonly adapter: ChainAdapter;
  readonly setup: Setup;
}

const funds = async ({ deps }: Place, currency: string) =>
  (await readGatewayFunds(operatorOf(deps))).find((one) => one.currency === currency);
const signedOf = ({ setup }: Place, id: string) => setup.sql('select 1 from transfer where payout_id = $1', [id]);

/** Requests all fees, lets the signer look while the network is frozen, then lifts the freeze. */
async function payFees(
  place: Place,
  { currency, coldAddress }: { currency: string; coldAddress: string },
  { look, carryOut }: { look(): Promise<unknown>; carryOut(id: string): Promise<void> },
): Promise<bigint> {
  const { deps, adapter } = place;
  const operator = operatorOf(deps);
  const payout = await withdrawFees(operator, { adapter, coldAddress }, { currency, amount: 'max' });
  const freeze = await freezePayouts(operator, { network: adapter.network, reason: 'a drill' });
  await look();
  expect(await signedOf(place, payout.id)).toEqual([]);
  await unfreezePayouts(operator, freeze.id);
  await carryOut(payout.id);
  expect(await place.setup.sql('select status from payout where id = $1', [payout.id])).toEqual([
    { status: 'COMPLETED' },
  ]);
  expect(await funds(place, currency)).toMatchObject({ fees: 0n, reserved: 0n, withdrawable: 0n });
  return payout.amount;
}

describe.each([
  ['TRON', createTronPayoutSetup, ['USDT', 'TRX']],
  ['Solana', createSolanaPayoutSetup, ['USDT', 'SOL']],
] as const)('on %s', (_, open, currencies) => {
  it.each(currencies)('fees of %s wait while they are frozen, and leave once', async (currency) => {
    const stage = await open();
    try {
      const shop = await stage.setup.merchant();
      const amount = currency === 'SOL' ? 40_000_000_000n : 400n * TRX;
      await stage.pay(await stage.order(shop, currency), currency, amount);
      const address = 'stranger' in stage ? stage.stranger() : newKey().address;
      const steps = {
        look: () => stage.sender().processNext(),
        carryOut: (id: string) => stage.carryOut(id, stage.sender()),
      };
      const paid = await payFees(stage, { currency, coldAddress: address }, steps);
      expect(paid).toBe(amount / 100n);
      expect(await stage.holds(address, currency)).toBe(paid);
      await stage.audit();
    } finally {
      await stage.stop();
    }
  });
});

describeWithLitecoind('on Litecoin', () => {
  let stage: UtxoSetup;
  beforeAll(async () => {
    stage = await createUtxoSetup();
  });
  afterAll(() => stage.stop());

  it('fees wait while they are frozen, and leave once', async () => {
    const shop = await stage.setup.merchant();
    await stage.pay(await stage.order(shop), 20n * LITE);
    const address = await stage.outside();
    const steps = { look: () => stage.sender().processNext(), carryOut: () => stage.finish() };
    const paid = await payFees(stage, { currency: 'LTC', coldAddress: address }, steps);
    expect(paid).toBe(LITE / 5n);
    expect(await stage.received(address)).toBe(paid);
    await stage.audit();
  });
});
