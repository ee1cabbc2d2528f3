// Money that arrives at addresses of lost orders: in suspense until it is final and an operator says whose it is; from
// then on it can be swept, through reorganisations too.

import { beforeEach, describe, expect, it } from '@jest/globals';
import { addGap } from '../../../src/database/queries/chain/gap.ts';
import { readGapArrivals } from '../../../src/database/queries/chain/gap-arrivals.ts';
import { findHolders } from '../../../src/database/queries/ledger/holdings.ts';
import { inTransaction } from '../../../src/domain/deps.ts';
import { bookDifference, creditFromSuspense, writeOffSuspense } from '../../../src/domain/ledger/suspense.ts';
import { verifyLedger } from '../../../src/domain/ledger/verify.ts';
import { newHash, pay, type Order } from '../book.fixture.ts';
import { chain, deps, order, readOpen, shop, setup } from '../own-book.fixture.ts';
import * as book from '../payouts/book.fixture.ts';

const GAP = { index: 70, key: `0x${'7'.repeat(40)}` };
const lost = { addressKey: GAP.key } as Order;

beforeEach(() => watch());

const watch = () => inTransaction(deps, (em) => addGap(em, 'evm', [GAP]));
const suspense = async () => {
  const [row] = await setup.sql<{ balance: string }>(
    `select balance::text from ledger_account where purpose = 'suspense' and currency = 'USDT'`,
  );
  return BigInt(row?.balance ?? 0);
};
const held = async () => {
  const rows = await setup.sql<{ units: string }>(`select units::text from holding where payment_id = 'gap_evm_70'`);
  return rows.map(({ units }) => BigInt(units));
};
const swept = () => findHolders(deps.db.em, 'ETH', 'USDT', 10);
const arrivals = async () => (await readGapArrivals(deps.db.em)).map(({ id, amount }) => ({ id, amount }));
const theOnly = async () => (await arrivals())[0]?.id ?? '';

const signed = { operator: 'Ada', note: 'the customer has the page with the address' };
const named = (id: string) => ({ id, confirmationsOn: () => 2 });
const credit = (amount: string, id?: string, its = deps, currency = 'USDT') => {
  const arrival = id === undefined ? null : named(id);
  return creditFromSuspense(its, { paymentId: order.id, currency, amount, arrival, ...signed });
};
const writeOff = (amount: string, id?: string) => {
  const arrival = id === undefined ? null : named(id);
  return writeOffSuspense(deps, { network: 'ETH', currency: 'USDT', amount, arrival, ...signed });
};

async function arrive(amount: bigint, txHash = newHash()): Promise<void> {
  await chain.mine(pay(lost, amount, { txHash }));
  await chain.mineEmpty(1);
}

describe('an arrival in the gap', () => {
  it('cannot be swept; once it is credited it can, from where it lies', async () => {
    await arrive(5_000_000n);
    expect([await suspense(), await held(), await swept()]).toEqual([5_000_000n, [], []]);
    const id = await theOnly();
    await credit('5', id);
    expect(await setup.balance(shop)).toMatchObject({ available: 4_950_000n });
    expect([await suspense(), await held(), await readOpen()]).toEqual([0n, [5_000_000n], []]);
    expect(await swept()).toEqual([{ addressKey: GAP.key, index: 70 }]);
    expect(await arrivals()).toEqual([]);
    const movements = await setup.sql('select kind, funding_id::text as id, payment_id from suspense_movement');
    expect(movements).toEqual([{ kind: 'CREDIT', id, payment_id: order.id }]);
  });

  it('is written off as a gain, and can be swept too', async () => {
    await arrive(5_000_000n);
    await writeOff('5', await theOnly());
    expect([await suspense(), await held(), await readOpen()]).toEqual([0n, [5_000_000n], []]);
  });

  it('is moved by nobody who does not name it; of what else is in suspense they have all', async () => {
    await arrive(5_000_000n);
    await expect(credit('1')).rejects.toThrow('5 USDT came to addresses of lost orders: name the arrival');
    await expect(writeOff('1')).rejects.toThrow('name the arrival');
    await arrive(2_000_000n);
    const [first, second] = await arrivals();
    await credit('2', second?.id);
    expect(await arrivals()).toEqual([first]);
    expect([await suspense(), await held()]).toEqual([5_000_000n, [2_000_000n]]);
    const [custody] = await setup.sql<{ balance: string }>(
      `select balance::text from ledger_account where purpose = 'custody' and currency = 'USDT'`,
    );
    const balance = BigInt(custody?.balance ?? 0);
    const found = { network: 'ETH', currency: 'USDT', book: -balance, chain: 1_000_000n - balance };
    expect(await bookDifference(deps, { ...found, difference: 1_000_000n, balance, at: chain.tip })).toBe(true);
    await expect(credit('1.5')).rejects.toMatchObject({ errorName: 'INSUFFICIENT_FUNDS' });
    await credit('0.4');
    await writeOff('0.6');
    expect([await suspense(), await held()]).toEqual([5_000_000n, [2_000_000n]]);
  });

  it.each([
    ['before it has its confirmations', 'INSUFFICIENT_FUNDS', async () => {
      await chain.rollBack(1);
      return credit('5', await theOnly());
    }], // prettier-ignore
    ['in part', 'VALIDATION', async () => credit('4', await theOnly())],
    ['as another currency', 'VALIDATION', async () => credit('5', await theOnly(), deps, 'USDC')],
    ['as a loss', 'VALIDATION', async () => writeOff('-5', await theOnly())],
    ['by an invalid number', 'NOT_FOUND', () => credit('5', '1e3')],
    ['by the number of nothing', 'NOT_FOUND', () => credit('5', '999')],
    ['by the number of capital', 'NOT_FOUND', async () => {
      const [row] = await setup.sql<{ id: string }>(
        `insert into funding (network, tx_hash, ordinal, address_key, currency, amount, block_height, block_hash)
         values ('ETH', 'c', 0, '0xaa', 'USDT', 5000000, 1, 'c') returning id::text`,
      );
      return credit('5', row?.id);
    }], // prettier-ignore
  ] as const)('is not credited %s (%s)', async (_how, errorName, work) => {
    await arrive(5_000_000n);
    await expect(work()).rejects.toMatchObject({ errorName });
    expect([await suspense(), await held()]).toEqual([5_000_000n, []]);
    expect(await setup.sql('select 1 from suspense_movement')).toEqual([]);
  });

  it('is credited once, however many do it at once', async () => {
    await arrive(5_000_000n);
    await arrive(5_000_000n);
    const id = await theOnly();
    const elsewhere = book.withNetwork(await setup.another());
    const work = (nth: number) => credit('5', id, nth % 2 === 0 ? deps : elsewhere);
    expect(await book.countThrough(6, work, 'NOT_FOUND')).toBe(1);
    expect([await suspense(), await held()]).toEqual([5_000_000n, [5_000_000n]]);
  });
});

describe('a reorganisation', () => {
  it('takes back what nobody named, and leaves nothing to explain', async () => {
    await arrive(5_000_000n);
    await chain.rollBack(2);
    expect([await suspense(), await arrivals(), await readOpen()]).toEqual([0n, [], []]);
  });

  it('takes what was credited from what can be swept; mined again, it can be swept again', async () => {
    const txHash = newHash();
    await arrive(5_000_000n, txHash);
    const id = await theOnly();
    await credit('5', id);
    await chain.rollBack(2);
    expect([await suspense(), await held(), await swept()]).toEqual([-5_000_000n, [0n], []]);
    expect((await verifyLedger(deps.db)).faults).toEqual([]);
    await expect(credit('5', id)).rejects.toMatchObject({ errorName: 'NOT_FOUND' });
    await chain.mineEmpty(1);
    await arrive(5_000_000n, txHash);
    expect([await suspense(), await held(), await readOpen()]).toEqual([0n, [5_000_000n], []]);
    expect(await arrivals()).toEqual([]);
    expect(await setup.balance(shop)).toMatchObject({ available: 4_950_000n });
  });
});

describe('an address in the gap', () => {
  it('begins with what transactions of ours did there before it was known', async () => {
    const key = `0x${'8'.repeat(40)}`;
    await setup.sql(
      `insert into transfer (id, network, purpose, sender_key, sender_path, recipient_key, currency, amount, nonce, gas,
         max_per_gas, max_cost, raw, tx_hash, status, block_height, block_hash, cost, turn, created_at)
       values ('trf_1', 'ETH', 'GAS', '0xbb', '', $1, 'ETH', 100, 0, 1, 1, 0, '', 'h1', 'CONFIRMED', 0, '', 9, 1, now()),
         ('trf_2', 'ETH', 'SWEEP', $1, '', '0xaa', 'USDT', 5000000, 0, 1, 1, 0, '', 'h2', 'CONFIRMED', 0, '', 30, 1, now())`,
      [key],
    );
    const add = () => inTransaction(deps, (em) => addGap(em, 'evm', [GAP, { index: 71, key }]));
    await add();
    const kept = () =>
      setup.sql(`select currency, units::text from holding where payment_id = 'gap_evm_71' order by currency`);
    const figures = [
      { currency: 'ETH', units: '70' },
      { currency: 'USDT', units: '-5000000' },
    ];
    expect(await kept()).toEqual(figures);
    await add();
    expect(await kept()).toEqual(figures);
  });

  it('that is given to an order after all is that order’s', async () => {
    const own = await setup.order(shop, { address: GAP.key, address_key: GAP.key, derivation_index: 70 });
    await chain.mine(pay(own, 3_000_000n));
    await chain.mineEmpty(1);
    expect([await suspense(), await held()]).toEqual([0n, []]);
    expect(await swept()).toEqual([{ addressKey: GAP.key, index: 70 }]);
    expect(await setup.balance(shop)).toMatchObject({ available: 2_970_000n });
  });
});
