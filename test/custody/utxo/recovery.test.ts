// Recovery without the journal where money lies in outputs: the transaction that spent a payout's inputs is checked for
// what it paid, and a payout is paid once.

import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { accountPaths } from '../../../src/custody/keys/account-keys.ts';
import { createSeedSigner } from '../../../src/custody/keys/signer.ts';
import type { Worker } from '../../../src/loop.ts';
import { describeWithLitecoind } from '../../support/litecoind.ts';
import { createRestorable, type Book, type Restorable } from '../recovery/restored/book.fixture.ts';
import { createUtxoSetup, LITE, type UtxoSetup } from './setup.fixture.ts';

jest.setTimeout(120_000);

const FEE = 10_000n;
const ORDERS = 3;

interface Held {
  readonly outpoint: string;
  readonly amount: bigint;
  readonly path: string;
}

describeWithLitecoind('what neither the book nor the journal has', () => {
  let stage: UtxoSetup;
  let restorable: Restorable;
  let book: Book;
  let shop: string;
  /** Deposits of 5 each. */
  let held: Held[];
  let signer: Worker;
  let hot: string;

  beforeEach(async () => {
    stage = await createUtxoSetup();
    const { deps, seed, setup, adapter } = stage;
    const keys = createSeedSigner(seed);
    restorable = await createRestorable({ deps, signer: keys, url: setup.url, network: 'LTC' });
    ({ book } = restorable);
    shop = await setup.merchant();
    held = [];
    const paths = accountPaths(adapter.accountPath);
    for (let index = 0; index < ORDERS; index += 1) {
      const txHash = await stage.pay(await stage.order(shop), 5n * LITE);
      const [row] = await book.sql<{ ordinal: number }>('select ordinal from deposit where tx_hash = $1', [txHash]);
      const outpoint = `${txHash}:${String(row?.ordinal)}`;
      held.push({ outpoint, amount: 5n * LITE, path: paths.deposit(index) });
    }
    hot = adapter.addressOf(await keys.publicKey(paths.wallet(0))).address;
    signer = book.sender();
    await stage.settle(signer, book.watcher);
  });
  afterEach(async () => {
    await restorable.stop();
    await stage.stop();
  });

  /** Spends our outputs with change to the hot wallet, like the lost server or another holder of the seed. */
  async function spend(inputs: readonly Held[], outputs: readonly { to: string; amount: bigint }[]): Promise<string> {
    const { adapter, seed } = stage;
    const keys = createSeedSigner(seed);
    const spent = await Promise.all(
      inputs.map(async ({ path, ...output }) => {
        const publicKey = await keys.publicKey(path);
        return { ...output, addressKey: adapter.addressOf(publicKey).key, publicKey };
      }),
    );
    const rest = [...outputs].reduce(
      (sum, { amount }) => sum - amount,
      inputs.reduce((sum, one) => sum + one.amount, -FEE),
    );
    const unsigned = adapter.buildSpend(spent, [...outputs, { to: hot, amount: rest }]);
    const signatures = unsigned.toSign.map((part, nth) => keys.sign(inputs[nth]?.path ?? '', part.message));
    const { raw, txHash } = unsigned.finish(await Promise.all(signatures));
    await adapter.broadcast(raw);
    await stage.litecoin.mine(1);
    return txHash;
  }

  const withdraw = (address: string, amount = '2') =>
    book.withdraw({ merchantId: shop, currency: 'LTC', amount, address });

  /** A payout whose transaction no node has seen, and one of the outputs that it spends. */
  async function waiting(address: string): Promise<{ id: string; taken: Held; free: Held[] }> {
    const chain = stage.deps.chains.get('LTC');
    if (!chain) throw new Error('There is no chain');
    const adapter = { ...stage.adapter, broadcast: () => Promise.resolve('sent' as const) };
    const { id } = await withdraw(address);
    await stage.settle(book.sender({ chain: { ...chain, adapter } }));
    const rows = await book.sql<{ outpoint: string }>('select outpoint from spent_output');
    const spent = new Set(rows.map(({ outpoint }) => outpoint));
    const [taken] = held.filter(({ outpoint }) => spent.has(outpoint));
    if (!taken) throw new Error('It spends nothing');
    return { id, taken, free: held.filter(({ outpoint }) => !spent.has(outpoint)) };
  }

  async function blocks(count: number): Promise<void> {
    for (let block = 0; block < count; block += 1) {
      stage.pass(1);
      await stage.settle(signer, book.watcher);
      await stage.litecoin.mine(1);
    }
    await stage.settle(signer, book.watcher);
  }

  it('and spends what a payout was to spend, and pays nobody, leaves it unpaid until it is signed anew', async () => {
    const outside = await stage.outside();
    const { id, taken } = await waiting(outside);
    const hash = await spend([taken], []);
    await stage.settle(book.watcher);
    const { outcome, said } = await book.recover();
    expect(outcome).toBe('recovered');
    expect(said).toContain(`${hash}: GAS`);
    await blocks(2);
    expect(await book.payout(id)).toMatchObject({ status: 'BROADCAST' });
    expect(await stage.received(outside)).toBe(0n);
    await blocks(10);
    expect(await book.payout(id)).toMatchObject({ status: 'COMPLETED' });
    expect(await stage.received(outside)).toBe(2n * LITE);
    await book.audit();
  });

  it('and spends what a payout was to spend, and pays just that, is its transaction', async () => {
    const outside = await stage.outside();
    const { id, taken } = await waiting(outside);
    const hash = await spend([taken], [{ to: outside, amount: 2n * LITE }]);
    await stage.settle(book.watcher);
    expect(await book.recover()).toMatchObject({ outcome: 'recovered' });
    await blocks(6);
    expect(await book.payout(id)).toMatchObject({ status: 'COMPLETED', tx_hash: hash });
    expect(await stage.received(outside)).toBe(2n * LITE);
    await book.audit();
  });

  it('and paid a payout whose own transaction lost its inputs is the one, once that is beyond doubt', async () => {
    const outside = await stage.outside();
    const { id, taken, free } = await waiting(outside);
    await spend([taken], []);
    const hash = await spend(free.slice(0, 1), [{ to: outside, amount: 2n * LITE }]);
    await stage.settle(book.watcher, signer);
    const { outcome, said } = await book.recover();
    expect(outcome).toBe('halted');
    expect(said).toContain(`${hash} may have paid ${id}`);
    await blocks(6);
    expect(await book.recover()).toMatchObject({ outcome: 'recovered' });
    await blocks(8);
    expect(await book.payout(id)).toMatchObject({ status: 'COMPLETED', tx_hash: hash });
    expect(await stage.received(outside)).toBe(2n * LITE);
    await book.audit();
  });

  it("and paid the recipients of two payouts is the operator's to explain", async () => {
    const recipients = [await stage.outside(), await stage.outside()];
    const ids: string[] = [];
    for (const to of recipients) ids.push((await withdraw(to)).id);
    const hash = await spend(
      held.slice(0, 1),
      recipients.map((to) => ({ to, amount: 2n * LITE })),
    );
    await stage.settle(book.watcher, signer);
    const { outcome, said } = await book.recover();
    expect(outcome).toBe('halted');
    expect(said).toContain(`${hash} may have paid one of ${ids.sort().join(', ')}`);
    expect(said).toContain('freeze the others that it may also have paid');
    await blocks(3);
    for (const to of recipients) expect(await stage.received(to)).toBe(2n * LITE);
  });
});
