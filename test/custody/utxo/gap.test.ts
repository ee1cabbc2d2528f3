// Outputs at addresses of orders that a restored database has lost, on litecoind: each is spent only once it is final
// and an operator has credited it.

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { listOutputs } from '../../../src/cli/wallet/outputs.ts';
import type { Config } from '../../../src/config/config.ts';
import { createSeedSigner } from '../../../src/custody/keys/signer.ts';
import { openWallets } from '../../../src/custody/keys/wallets.ts';
import { findSpendable, sumSpendable } from '../../../src/database/queries/payouts/utxos.ts';
import { describeWithLitecoind } from '../../support/litecoind.ts';
import { createRestorable, type Book, type Restorable } from '../recovery/restored/book.fixture.ts';
import { createUtxoSetup, LITE, type UtxoSetup } from './setup.fixture.ts';

describeWithLitecoind('an output at an address of a lost order', () => {
  let stage: UtxoSetup;
  let restorable: Restorable;
  let copy: Book;
  let shop: string;
  let known: string;
  let lost: string;
  let outside: string;

  beforeAll(async () => {
    stage = await createUtxoSetup();
    const { deps, seed, setup } = stage;
    restorable = await createRestorable({ deps, signer: createSeedSigner(seed), url: setup.url, network: 'LTC' });
    shop = await setup.merchant();
    outside = await stage.outside();
    const order = await stage.order(shop);
    known = order.id;
    await stage.pay(order, 5n * LITE);
    await restorable.backUp();
    const lostOrder = await stage.order(shop);
    lost = lostOrder.address;
    for (const amount of [30n, 8n]) await stage.pay(lostOrder, amount * LITE);
    copy = await restorable.restore('present');
    await goOn();
    expect(await copy.recover()).toMatchObject({ outcome: 'recovered' });
    await goOn();
  });
  afterAll(async () => {
    await restorable.stop();
    await stage.stop();
  });

  async function goOn(): Promise<void> {
    const signer = copy.sender();
    for (let round = 0; round < 4; round += 1) {
      await stage.settle(signer, copy.watcher);
      await stage.litecoin.mine(1);
    }
    await stage.settle(signer, copy.watcher);
  }

  const withdraw = (amount: string) => copy.withdraw({ merchantId: shop, currency: 'LTC', amount, address: outside });
  const spendable = async (confirmations = 2) => {
    const found = await findSpendable(copy.deps.db.em, 'LTC', { hotKey: 'none', confirmations }, { limit: 10 });
    return found.filter(({ index }) => index === 1).map(({ amount }) => amount / LITE);
  };
  const arrival = async (amount: string): Promise<string> => {
    const { out } = await copy.ledger('suspense');
    return (
      new RegExp(`^  arrival (\\d+)  \\S+  ${amount} LTC on LTC by \\w+, index 1 of ltc$`, 'm').exec(out)?.[1] ?? ''
    );
  };
  const credit = (amount: string, id: string) =>
    copy.ledger(
      ...['suspense', 'credit', '--payment', known, '--currency', 'LTC', '--amount', amount],
      ...['--arrival', id, '--note', 'a lost order'],
    );
  const balance = async () => {
    const [row] = await copy.sql<{ balance: string }>(
      `select balance::text from ledger_account where purpose = 'suspense'`,
    );
    return BigInt(row?.balance ?? 0);
  };

  it('is not spent before it is credited', async () => {
    const { id } = await withdraw('4');
    await goOn();
    expect(await copy.payout(id)).toMatchObject({ status: 'COMPLETED' });
    expect([await spendable(), await balance()]).toEqual([[], 38n * LITE]);
    await copy.audit();
  });

  it('is spent by the payout that needs it, and what was not credited is left', async () => {
    expect(await credit('30', await arrival('30'))).toMatchObject({ code: 0, err: '' });
    expect([await spendable(), await spendable(1_000), await balance()]).toEqual([[30n], [], 8n * LITE]);
    const { em } = copy.deps.db;
    const wallets = await openWallets(createSeedSigner(stage.seed), { adapter: stage.adapter, account: 'ltc' });
    const lines: string[] = [];
    const config = { environment: 'sandbox', confirmations: new Map([['LTC', 2]]) } as unknown as Config;
    const say = (line: string) => void lines.push(line);
    await listOutputs({ config, db: copy.deps.db, adapter: stage.adapter, wallets, say });
    expect(lines).toContain(`    ${lost}  30 LTC in 1 output`);
    expect(await sumSpendable(em, 'LTC', { hotKey: 'none', confirmations: 2 }, 20n * LITE)).toMatchObject({
      ...{ count: 1, units: 30n * LITE },
    });
    await copy.audit();
    const { id } = await withdraw('29');
    await goOn();
    expect(await copy.payout(id)).toMatchObject({ status: 'COMPLETED', failure: null });
    expect(await stage.received(outside)).toBe(33n * LITE);
    expect(await spendable()).toEqual([]);
    await copy.audit();
    expect(await copy.sql(`select amount::text, spent from funding where purpose = 'suspense' order by id`)).toEqual([
      { amount: String(30n * LITE), spent: true },
      { amount: String(8n * LITE), spent: false },
    ]);
    await credit('8', await arrival('8'));
    expect([await spendable(), await balance()]).toEqual([[8n], 0n]);
    await copy.audit();
  });

  it('counts no more when its block leaves the chain, and is spent when another block has it', async () => {
    const txHash = await stage.pay({ address: lost }, 7n * LITE);
    await goOn();
    expect(await credit('7', await arrival('7'))).toMatchObject({ code: 0 });
    expect(await spendable()).toEqual([8n, 7n]);
    const { blockhash } = await stage.node<{ blockhash: string }>('getrawtransaction', txHash, true);
    await stage.node('invalidateblock', blockhash);
    await stage.node('generateblock', await stage.outside(), []);
    const height = await stage.node<number>('getblockcount');
    await stage.node('generateblock', await stage.outside(), []);
    for (let more = 0; more < 8; more += 1) await stage.node('generateblock', await stage.outside(), []);
    expect(await stage.node<number>('getblockcount')).toBeGreaterThan(height);
    await stage.settle(copy.watcher);
    expect([await spendable(), await balance()]).toEqual([[8n], -7n * LITE]);
    await copy.audit();
    await stage.litecoin.mine(1);
    await stage.settle(copy.watcher);
    expect([await spendable(), await balance()]).toEqual([[8n], 0n]);
    await stage.litecoin.mine(1);
    await stage.settle(copy.watcher);
    expect(await spendable()).toEqual([8n, 7n]);
    const { id } = await withdraw('14');
    await goOn();
    expect(await copy.payout(id)).toMatchObject({ status: 'COMPLETED', failure: null });
    await copy.audit();
  });
});
