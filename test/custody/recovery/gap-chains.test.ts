// Money paid to orders that a restored database has lost, on TRON's double and litesvm: it is swept with the key of its
// index once it is credited, and not before.

import { afterEach, expect, it, jest } from '@jest/globals';
import type { ChainPayoutSetup } from '../chain-payout-setup.fixture.ts';
import { createRestorable, type Book, type Restorable } from './restored/book.fixture.ts';
import { createSolanaPayoutSetup } from '../solana-setup.fixture.ts';
import { createTronPayoutSetup } from '../tron-setup.fixture.ts';
import { newKey } from '../../doubles/solana/accounts.ts';

jest.setTimeout(300_000);

const UNIT = 1_000_000n;

interface Scenario {
  readonly stage: ChainPayoutSetup;
  readonly currency: string;
  readonly recipient: string;
  mine(): void;
}

let scenario: Scenario;
let restorable: Restorable;
afterEach(async () => {
  await restorable.stop();
  await scenario.stage.stop();
});

async function onTron(): Promise<Scenario> {
  const stage = await createTronPayoutSetup();
  const { chain } = stage.double;
  // No block is dated ahead of our clock.
  const mine = () => {
    stage.mine(10);
    stage.setup.setNow(new Date(Math.max(stage.deps.clock.now().getTime(), chain.tip().time)));
  };
  return { stage, currency: 'USDT', recipient: stage.stranger(), mine };
}

async function onSolana(): Promise<Scenario> {
  const stage = await createSolanaPayoutSetup();
  return { stage, currency: 'USDC', recipient: newKey().address, mine: () => stage.mine(40) };
}

async function goOn(its: Book, worker = its.sender()): Promise<void> {
  for (let round = 0; round < 6; round += 1) {
    await scenario.stage.settle(worker, its.watcher);
    scenario.mine();
  }
  await scenario.stage.settle(worker, its.watcher);
}

it.each([
  ['TRON', onTron],
  ['Solana', onSolana],
])('on %s it is swept once it is credited', async (_name, open) => {
  scenario = await open();
  const { stage, currency, recipient } = scenario;
  const { deps, signer, setup, adapter } = stage;
  const { network } = adapter;
  restorable = await createRestorable({ deps, signer, url: setup.url, network });
  const shop = await setup.merchant();
  const known = await stage.order(shop, currency);
  await stage.pay(known, currency, 5n * UNIT);
  await restorable.backUp();
  const lost = await stage.order(shop, currency);
  for (const amount of [30n, 8n]) await stage.pay(lost, currency, amount * UNIT);

  const copy = await restorable.restore('present');
  const signing = copy.sender();
  // It signs nothing while it is behind, and has to read more than the workers of a test get turns for.
  expect(await signing.processNext()).toBe(false);
  while (await copy.watcher.processNext()) continue;
  await goOn(copy, signing);
  expect(await copy.recover()).toMatchObject({ outcome: 'recovered' });
  const withdraw = (amount: string) => copy.withdraw({ merchantId: shop, currency, amount, address: recipient });
  const small = await withdraw('4');
  await goOn(copy, signing);
  expect(await copy.payout(small.id)).toMatchObject({ status: 'COMPLETED' });
  expect(await stage.holds(lost.addressKey, currency)).toBe(38n * UNIT);
  await copy.audit();

  const { out } = await copy.ledger('suspense');
  const [, arrival = ''] = new RegExp(`arrival (\\d+) {2}\\S+ {2}30 ${currency} on ${network} `).exec(out) ?? [];
  const options = ['--payment', known.id, '--currency', currency, '--amount', '30', '--note', 'a lost order'];
  expect(await copy.ledger('suspense', 'credit', ...options, '--arrival', arrival)).toMatchObject({ code: 0, err: '' });
  await copy.audit();
  const large = await withdraw('30');
  await goOn(copy, signing);
  expect(await copy.payout(large.id)).toMatchObject({ status: 'COMPLETED', failure: null });
  expect(await stage.holds(recipient, currency)).toBe(34n * UNIT);
  expect(await stage.holds(lost.addressKey, currency)).toBe(0n);
  await expect(withdraw('1')).rejects.toMatchObject({ errorName: 'INSUFFICIENT_FUNDS' });
  expect(await copy.sql(`select purpose, balance::text from ledger_account where purpose = 'suspense'`)).toEqual([
    { purpose: 'suspense', balance: String(8n * UNIT) },
  ]);
  await copy.audit();
});
