// Payouts from reservation to the last confirmation, on a real development chain.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mortal } from './kills/mortal.fixture.ts';
import { createPayoutSetup, OUTSIDE, type PayoutSetup } from './payout-setup.fixture.ts';

const ETHER = 10n ** 18n;

let stage: PayoutSetup;
let shop: string;

beforeAll(async () => {
  stage = await createPayoutSetup();
});
afterAll(() => stage.stop());
beforeEach(async () => {
  stage.pass(1);
  shop = await stage.setup.merchant();
});
afterEach(() => stage.audit());

const transfers = (purpose: string) =>
  stage.setup.sql<{ status: string; tx_hash: string; nonce: string; payout_id: string }>(
    'select status, tx_hash, nonce, payout_id from transfer where purpose = $1 order by id',
    [purpose],
  );

/** Transactions of a payout that the chain executed. */
async function paid(payoutId: string): Promise<string[]> {
  const rows = await stage.setup.sql<{ hash: string }>('select tx_hash as hash from transfer where payout_id = $1', [
    payoutId,
  ]);
  const receipts = await Promise.all(rows.map(({ hash }) => stage.adapter.receipt(hash)));
  return rows.filter((_, place) => receipts[place]?.succeeded).map(({ hash }) => hash);
}

/** What an action pays to the outside address. */
async function gain(currency: string, action: () => Promise<void>): Promise<bigint> {
  const before = await stage.holds(OUTSIDE, currency);
  await action();
  return (await stage.holds(OUTSIDE, currency)) - before;
}

describe('a withdrawal', () => {
  it('of a token is paid out of swept deposits, largest first and only as many as needed', async () => {
    for (const amount of [10_000_000n, 50_000_000n, 30_000_000n])
      await stage.pay(await stage.order(shop), 'USDT', amount);
    const { id } = await stage.withdraw(shop, 'USDT', '70');
    const got = await gain('USDT', () => stage.settle(stage.sender(), stage.watcher()));
    expect(got).toBe(70_000_000n);
    expect(await stage.payout(id)).toMatchObject({ status: 'COMPLETED' });
    expect(await transfers('SWEEP')).toHaveLength(2);
    expect(await stage.setup.balance(shop)).toMatchObject({ available: 19_100_000n, reserved: 0n });
  });

  it('of the coin is paid out of swept deposits, the whole balance too', async () => {
    await stage.pay(await stage.order(shop, 'ETH'), 'ETH', ETHER);
    await stage.pay(await stage.order(shop, 'ETH'), 'ETH', ETHER / 1_000n);
    const { id } = await stage.withdraw(shop, 'ETH', 'max');
    const got = await gain('ETH', () => stage.settle(stage.sender(), stage.watcher()));
    expect(got).toBe(((ETHER + ETHER / 1_000n) * 99n) / 100n);
    expect(await stage.payout(id)).toMatchObject({ status: 'COMPLETED' });
    expect(await stage.setup.balance(shop, 'ETH')).toMatchObject({ available: 0n, reserved: 0n });
  });

  it('to one of our own deposit addresses is a deposit there', async () => {
    await stage.pay(await stage.order(shop), 'USDT', 20_000_000n);
    const other = await stage.setup.merchant();
    const { addressKey } = await stage.order(other);
    await stage.withdraw(shop, 'USDT', '10', addressKey);
    await stage.settle(stage.sender(), stage.watcher());
    expect(await stage.setup.balance(other)).toMatchObject({ available: 9_900_000n });
  });

  it('to a contract that refuses it fails, and the money is released', async () => {
    await stage.pay(await stage.order(shop, 'ETH'), 'ETH', ETHER);
    const refusing = '0x00000000000000000000000000000000000bad01';
    await stage.node('anvil_setCode', refusing, '0x60006000fd');
    const { id } = await stage.withdraw(shop, 'ETH', '0.5', refusing);
    await stage.settle(stage.sender(), stage.watcher());
    expect(await stage.payout(id)).toMatchObject({ status: 'FAILED', tx_hash: null });
    expect(await stage.setup.balance(shop, 'ETH')).toMatchObject({ available: (ETHER * 99n) / 100n, reserved: 0n });
  });

  it("that was mined and reverted is tried again, and then fails, released, at the chain's cost to us", async () => {
    await stage.pay(await stage.order(shop, 'ETH'), 'ETH', ETHER);
    await stage.dev.mine(6);
    const fickle = '0x00000000000000000000000000000000000bad02';
    const { id } = await stage.withdraw(shop, 'ETH', '0.5', fickle);
    const turncoat = {
      ...stage.dev,
      // The node refuses from the moment that the transaction is on its way.
      sendRaw: async (raw: string) => {
        if ((await stage.payout(id)).status === 'BROADCAST') await stage.node('anvil_setCode', fickle, '0x60006000fd');
        return stage.dev.sendRaw(raw);
      },
    };
    await stage.settle(stage.sender({ devChain: turncoat }), stage.watcher());
    const [sent] = (await transfers('PAYOUT')).filter(({ payout_id }) => payout_id === id);
    expect(sent).toMatchObject({ status: 'FAILED' });
    expect(await stage.payout(id)).toMatchObject({ status: 'FAILED' });
    expect(await stage.setup.balance(shop, 'ETH')).toMatchObject({ available: (ETHER * 99n) / 100n, reserved: 0n });

    // Even if its block left the chain though final, it is not sent again, because it could pay what is released.
    await stage.dev.reorg(8);
    expect(await stage.adapter.receipt(sent?.tx_hash ?? '')).toBeNull();
    await stage.node('anvil_setCode', fickle, '0x');
    await stage.settle(stage.watcher(), stage.sender());
    expect(await stage.holds(fickle, 'ETH')).toBe(0n);
    expect(await stage.payout(id)).toMatchObject({ status: 'FAILED' });
    await stage.withdraw(shop, 'ETH', '0.5', fickle);
    await stage.settle(stage.watcher(), stage.sender());
    expect(await stage.holds(fickle, 'ETH')).toBe(ETHER / 2n);
  });

  it('is paid once by two senders at once, and so are twenty', async () => {
    for (let count = 0; count < 4; count += 1) await stage.pay(await stage.order(shop), 'USDT', 50_000_000n);
    const ids: string[] = [];
    for (let count = 0; count < 20; count += 1) ids.push((await stage.withdraw(shop, 'USDT', '5')).id);
    const senders = [stage.sender(), stage.sender({}, await stage.another())];
    const got = await gain('USDT', async () => {
      await Promise.all(senders.map((sender) => stage.settle(sender, stage.watcher())));
      await stage.settle(...senders, stage.watcher());
    });
    expect(got).toBe(100_000_000n);
    for (const id of ids) {
      expect(await stage.payout(id)).toMatchObject({ status: 'COMPLETED' });
      expect(await paid(id)).toHaveLength(1);
    }
    const twice = await stage.setup.sql(
      `select sender_key, nonce from transfer where status = 'CONFIRMED' group by 1, 2 having count(*) > 1`,
    );
    expect(twice).toEqual([]);
  });

  it('waits, with a warning and without failing, where nobody fills the gas wallet', async () => {
    const bare = await createPayoutSetup();
    try {
      const merchant = await bare.setup.merchant();
      await bare.pay(await bare.order(merchant), 'USDT', 20_000_000n);
      const { id } = await bare.withdraw(merchant, 'USDT', '10');
      const live = bare.sender({ devChain: undefined });
      await bare.settle(live);
      expect(await bare.payout(id)).toMatchObject({ status: 'REQUESTED' });
      // The operator funds the gas wallet, and the payout goes on.
      const [gas] = await bare.setup.sql<{ key: string }>(`select address_key as key from sender where role = 'GAS'`);
      await bare.dev.deposit({ address: gas?.key ?? '', currency: 'ETH', amount: ETHER, confirmations: 1 });
      // It is parked, and looked at again after a while.
      expect(await bare.payout(id)).toMatchObject({ held_reason: 'MISSING_GAS' });
      bare.pass(1);
      for (let round = 0; round < 8; round += 1) {
        await bare.settle(live, bare.watcher());
        await bare.dev.mine(2);
      }
      expect(await bare.payout(id)).toMatchObject({ status: 'COMPLETED' });
      await bare.audit();
    } finally {
      await bare.stop();
    }
  });
});

describe('a refund', () => {
  it('is paid, moves its payment on and is told once', async () => {
    const order = await stage.order(shop);
    await stage.pay(order, 'USDT', 1_000_000n);
    await stage.pay(await stage.order(shop), 'USDT', 1_000_000n);
    const { id } = await stage.refund(shop, order.id);
    expect(await gain('USDT', () => stage.settle(stage.sender(), stage.watcher()))).toBe(1_000_000n);
    expect(await stage.payout(id)).toMatchObject({ status: 'COMPLETED' });
    expect(await stage.setup.read(order)).toMatchObject({ status: 'REFUNDED' });
    expect(
      (await stage.setup.reportedEvents(order)).filter((told) => told.startsWith('payment.refunded')),
    ).toHaveLength(1);
  });

  it('whose block leaves the chain after COMPLETED is sent again as it was, and told once', async () => {
    const order = await stage.order(shop);
    await stage.pay(order, 'USDT', 1_000_000n);
    await stage.pay(await stage.order(shop), 'USDT', 1_000_000n);
    const { id } = await stage.refund(shop, order.id);
    const sender = stage.sender();
    const watcher = stage.watcher();
    await stage.settle(sender, watcher);
    const { tx_hash: hash } = await stage.payout(id);
    await stage.dev.reorg(2);
    expect(await stage.adapter.receipt(hash ?? '')).toBeNull();
    await stage.settle(watcher);
    const held = { ...stage.dev, mine: () => Promise.reject(new Error('not now')) };
    await expect(stage.settle(stage.sender({ devChain: held }))).rejects.toThrow('not now');
    expect(await stage.payout(id)).toMatchObject({ status: 'BROADCAST', tx_hash: hash });
    await stage.settle(sender, watcher);
    expect(await stage.payout(id)).toMatchObject({ status: 'COMPLETED', tx_hash: hash });
    expect(await paid(id)).toEqual([hash]);
    expect(
      (await stage.setup.reportedEvents(order)).filter((told) => told.startsWith('payment.refunded')),
    ).toHaveLength(1);
  });
});

describe('a deep reorganisation', () => {
  it.each([
    ['USDT', '19', 2],
    ['USDT', '19', 4],
    ['USDT', '19', 6],
    ['USDT', '19', 10],
    ['ETH', '0.9', 2],
    ['ETH', '0.9', 4],
    ['ETH', 'max', 7],
  ])('under a payout of %s %s, %d blocks deep, is made good, and it is paid once', async (currency, amount, depth) => {
    const fresh = await createPayoutSetup();
    try {
      const merchant = await fresh.setup.merchant();
      await fresh.pay(await fresh.order(merchant, currency), currency, currency === 'ETH' ? ETHER : 20_000_000n);
      await fresh.dev.mine(3);
      const { id } = await fresh.withdraw(merchant, currency, amount);
      const [sender, watcher] = [fresh.sender(), fresh.watcher()];
      const before = await fresh.holds(OUTSIDE, currency);
      await fresh.settle(sender, watcher);
      const got = (await fresh.holds(OUTSIDE, currency)) - before;
      await fresh.audit();
      await fresh.dev.reorg(depth);
      await fresh.settle(watcher, sender);
      expect(await fresh.payout(id)).toMatchObject({ status: 'COMPLETED' });
      expect((await fresh.holds(OUTSIDE, currency)) - before).toBe(got);
      // Deep reorganisations drop the faucet's funding too: the book reverses it, and it is given anew.
      const [lost] = await fresh.setup.sql<{ count: number }>(
        'select count(*)::int as count from funding where reversed',
      );
      if (depth > 8) expect(lost?.count).toBeGreaterThan(0);
      await fresh.audit();
    } finally {
      await fresh.stop();
    }
  });
});

describe('our own transactions', () => {
  it('are not credited: gas at a deposit address is not a payment', async () => {
    const order = await stage.order(shop, 'USDC');
    await stage.pay(order, 'USDC', 40_000_000n);
    await stage.withdraw(shop, 'USDC', '30');
    await stage.settle(stage.sender(), stage.watcher());
    expect(await stage.holds(order.addressKey, 'ETH')).toBeGreaterThan(0n);
    expect((await stage.setup.read(order)).transactions).toHaveLength(1);
    expect(await stage.setup.balance(shop, 'ETH')).toMatchObject({ available: 0n, pending: 0n });
  });

  it('that get stuck are replaced by ones that offer more, and one of them pays', async () => {
    await stage.pay(await stage.order(shop), 'USDT', 20_000_000n);
    await stage.withdraw(shop, 'USDT', '1');
    await stage.settle(stage.sender(), stage.watcher());
    const { id } = await stage.withdraw(shop, 'USDT', '7');
    const slow = stage.sender({ devChain: undefined, stuckAfterMs: 120_000 });
    await stage.settle(slow);
    const first = await stage.payout(id);
    expect(first).toMatchObject({ status: 'BROADCAST' });
    stage.pass(5);
    await stage.settle(slow);
    const second = await stage.payout(id);
    expect(second.tx_hash).not.toBe(first.tx_hash);
    expect(await stage.adapter.txState(second.tx_hash ?? '')).toEqual({ kind: 'mempool' });
    await stage.dev.mine(2);
    await stage.settle(slow, stage.watcher());
    expect(await stage.payout(id)).toMatchObject({ status: 'COMPLETED', tx_hash: second.tx_hash });
    expect(await paid(id)).toEqual([second.tx_hash]);
    const rows = (await transfers('PAYOUT')).filter(({ payout_id }) => payout_id === id);
    expect(rows.map(({ status, tx_hash }) => [status, tx_hash])).toEqual([
      ['REPLACED', first.tx_hash],
      ['CONFIRMED', second.tx_hash],
    ]);
    expect(new Set(rows.map(({ nonce }) => nonce)).size).toBe(1);
  });
});

/** Every call to the outside, and whether the process dies before or after it took effect. */
const CALLS = ['sendRaw', 'mine', 'deposit', 'fees', 'quote', 'receipt', 'balances', 'nonces', 'tip', 'sign'];

describe('a sender that dies', () => {
  it.each(CALLS.flatMap((call) => [`before ${call}`, `after ${call}`]))(
    '%s leaves a payout that is paid once',
    async (point) => {
      await stage.pay(await stage.order(shop), 'USDT', 20_000_000n);
      const { id } = await stage.withdraw(shop, 'USDT', '19');
      const watcher = stage.watcher();
      const got = await gain('USDT', async () => {
        // Each process dies at the next such call, so that every use of the call is tested as a place of death.
        for (let skip = 0; skip < 6; skip += 1) {
          const { chain, signer, devChain } = dying(point, skip);
          await stage.settle(stage.sender({ chain, signer, devChain })).catch(() => undefined);
        }
        await stage.settle(stage.sender(), watcher);
      });
      expect(got).toBe(19_000_000n);
      expect(await stage.payout(id)).toMatchObject({ status: 'COMPLETED' });
      expect(await paid(id)).toHaveLength(1);
    },
  );

  /** The sender's parts, of which one call fails once it was made `skip` times. */
  function dying(point: string, skip: number) {
    const wrap = mortal(point, skip);
    const chain = stage.deps.chains.get('ETH');
    if (!chain) throw new Error('There is no chain');
    return {
      chain: { ...chain, adapter: wrap(stage.adapter) },
      signer: wrap(stage.signer),
      devChain: wrap(stage.dev),
    };
  }
});
