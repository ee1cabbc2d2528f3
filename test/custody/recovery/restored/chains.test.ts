// A restored database on the chains whose transactions expire (TRON's double, litesvm) and where money lies in outputs
// (litecoind): payouts made after the backup are not paid again, and after recovery each was paid once.

import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { createSeedSigner } from '../../../../src/custody/keys/signer.ts';
import type { Worker } from '../../../../src/loop.ts';
import { newKey } from '../../../doubles/solana/accounts.ts';
import { describeWithLitecoind } from '../../../support/litecoind.ts';
import { createRestorable, JOURNALS, type Book, type JournalFate, type Restorable } from './book.fixture.ts';
import { createSolanaPayoutSetup } from '../../solana-setup.fixture.ts';
import { createTronPayoutSetup, TRX } from '../../tron-setup.fixture.ts';
import { createUtxoSetup, LITE } from '../../utxo/setup.fixture.ts';

jest.setTimeout(300_000);

/** A chain with a shop that has money on it. */
interface Scenario {
  readonly restorable: Restorable;
  readonly shop: string;
  readonly currency: string;
  /** A recipient outside the gateway, and what mined blocks paid it. */
  readonly recipient: string;
  received(): Promise<bigint>;
  /** Base units of one whole unit. */
  readonly unit: bigint;
  /** Lets workers go on while blocks are made. */
  goOn(...workers: Worker[]): Promise<void>;
  stop(): Promise<void>;
}

let scenario: Scenario;
afterEach(async () => {
  await scenario.restorable.stop();
  await scenario.stop();
});

async function onTron(): Promise<Scenario> {
  const stage = await createTronPayoutSetup();
  const { deps, signer, setup } = stage;
  const shop = await setup.merchant();
  await stage.pay(await stage.order(shop, 'USDT'), 'USDT', 300n * TRX);
  const recipient = stage.stranger();
  return {
    restorable: await createRestorable({ deps, signer, url: setup.url, network: 'TRON' }),
    ...{ shop, recipient, currency: 'USDT', unit: TRX, stop: stage.stop },
    received: () => stage.holds(recipient, 'USDT'),
    goOn: (...workers) => goOn(stage.settle, () => stage.mine(10), workers),
  };
}

async function onSolana(): Promise<Scenario> {
  const stage = await createSolanaPayoutSetup();
  const { deps, signer, setup } = stage;
  const shop = await setup.merchant();
  await stage.pay(await stage.order(shop, 'USDC'), 'USDC', 300_000_000n);
  const recipient = newKey().address;
  return {
    restorable: await createRestorable({ deps, signer, url: setup.url, network: 'SOL' }),
    ...{ shop, recipient, currency: 'USDC', unit: 1_000_000n, stop: stage.stop },
    received: () => stage.holds(recipient, 'USDC'),
    goOn: (...workers) => goOn(stage.settle, () => stage.mine(40), workers),
  };
}

async function onLitecoin(): Promise<Scenario> {
  const stage = await createUtxoSetup();
  const { deps, seed, setup } = stage;
  const signer = createSeedSigner(seed);
  const shop = await setup.merchant();
  for (let count = 0; count < 3; count += 1) await stage.pay(await stage.order(shop), 100n * LITE);
  const recipient = await stage.outside();
  return {
    restorable: await createRestorable({ deps, signer, url: setup.url, network: 'LTC' }),
    ...{ shop, recipient, currency: 'LTC', unit: LITE, stop: stage.stop },
    received: () => stage.received(recipient),
    goOn: (...workers) => goOn(stage.settle, () => stage.litecoin.mine(1), workers),
  };
}

async function goOn(settle: (...workers: Worker[]) => Promise<void>, mine: () => unknown, workers: Worker[]) {
  for (let round = 0; round < 6; round += 1) {
    await settle(...workers);
    await mine();
  }
  await settle(...workers);
}

async function isPaidOnce(open: () => Promise<Scenario>, fate: JournalFate): Promise<void> {
  scenario = await open();
  const { restorable, shop: merchantId, currency, recipient: address, unit, received } = scenario;
  const { book } = restorable;
  const withdrawal = (amount: string, id?: string) => ({
    ...{ merchantId, currency, amount, address },
    ...(id !== undefined && { id }),
  });
  const signer = book.sender();
  const work = () => scenario.goOn(signer, book.watcher);
  await book.withdraw(withdrawal('10'));
  await work();
  const waiting = await book.withdraw(withdrawal('20'));
  await restorable.backUp();
  await work();
  const lost = await book.withdraw(withdrawal('30', 'lost'));
  await work();
  expect(await book.payout(lost.id)).toMatchObject({ status: 'COMPLETED' });
  expect(await received()).toBe(60n * unit);

  const copy: Book = await restorable.restore(fate);
  const next = copy.sender();
  // It signs nothing while it is behind, and has to read more than the workers of a test get turns for.
  expect(await next.processNext()).toBe(false);
  while (await copy.watcher.processNext()) continue;
  await scenario.goOn(next, copy.watcher);
  const again = await copy.withdraw(withdrawal('30', 'lost'));
  await scenario.goOn(next, copy.watcher);
  expect(await copy.isHalted()).toBe(true);
  for (const { id } of [waiting, again])
    expect(await copy.payout(id)).toMatchObject({ status: 'REQUESTED', held_reason: 'NETWORK_HALTED' });
  expect(await received()).toBe(60n * unit);

  expect(await copy.recover({ acceptMissingJournal: fate === 'lost' })).toMatchObject({ outcome: 'recovered' });
  await scenario.goOn(next, copy.watcher);
  expect(await received()).toBe(60n * unit);
  const paid = fate === 'present' ? lost.id : again.id;
  for (const id of [waiting.id, paid])
    expect(await copy.payout(id)).toMatchObject({
      status: 'COMPLETED',
      tx_hash: (await book.payout(id === waiting.id ? id : lost.id))?.tx_hash,
    });
  await copy.sql('delete from idempotency');
  await expect(copy.withdraw(withdrawal('30', 'lost'))).rejects.toMatchObject({ errorName: 'DUPLICATE_WITHDRAWAL' });
  await copy.audit();
  await copy.withdraw(withdrawal('5'));
  await scenario.goOn(next, copy.watcher);
  expect(await received()).toBe(65n * unit);
  await copy.audit();
}

const WHAT = '%s: nothing is paid until it is recovered, and everything once afterwards';

describe('a restored dump on TRON, whose journal is', () => {
  it.each(JOURNALS)(WHAT, (fate) => isPaidOnce(onTron, fate));
});

describe('a restored dump on Solana, whose journal is', () => {
  it.each(JOURNALS)(WHAT, (fate) => isPaidOnce(onSolana, fate));
});

describeWithLitecoind('a restored dump on Litecoin, whose journal is', () => {
  it.each(JOURNALS)(WHAT, (fate) => isPaidOnce(onLitecoin, fate));
});
