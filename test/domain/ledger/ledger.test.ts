// The ledger: balanced, append-only, posted once, and committed together with state and event or not at all.

import { describe, expect, it } from '@jest/globals';
import { postLedger, type AccountRef } from '../../../src/database/queries/ledger/post-ledger.ts';
import { inTransaction } from '../../../src/domain/deps.ts';
import { creditDeposit, reverseDeposit, type CreditedDeposit } from '../../../src/domain/ledger/ledger.ts';
import { assetOf } from '../../../src/values/assets.ts';
import { newId } from '../../../src/values/id.ts';
import { pay, START } from '../book.fixture.ts';
import { chain, order, shop, setup } from '../shop.fixture.ts';

const USDT = { currency: 'USDT', network: 'ETH' } as const;
const account = (owner: string, purpose: string): AccountRef => ({ owner, purpose, ...USDT });

/** Posts a withdrawal directly: the money has left, so we can no longer take it back. */
function payOut(amount: bigint, reference = newId('wdr')): Promise<boolean> {
  const [source, destination] = [account(shop, 'available'), account('gateway', 'custody')];
  return inTransaction(setup.deps, (em) =>
    postLedger(em, { id: newId('ltx'), reference, paymentId: null, at: START }, [source, destination], () => [
      { source, destination, amount },
    ]),
  );
}

async function succeed(): Promise<void> {
  await chain.mineEmpty(1);
  await chain.mine(pay(order, 1_000_000n));
  await chain.mineEmpty(1);
}

async function loseForGood(): Promise<void> {
  await chain.rollBack(2);
  await chain.mineEmpty(2);
}

describe('the book', () => {
  it.each(['ledger_transaction', 'posting'])(
    'is append-only: a row of %s is neither changed, removed nor cleared',
    async (table) => {
      await succeed();
      const refused = `the ledger is append-only`;
      const column = table === 'posting' ? 'amount' : 'reference';
      await expect(setup.sql(`update ${table} set ${column} = ${column}`)).rejects.toThrow(refused);
      await expect(setup.sql(`delete from ${table}`)).rejects.toThrow(refused);
      await expect(setup.sql(`truncate ${table} cascade`)).rejects.toThrow(refused);
    },
  );

  it('takes no posting between two assets, of nothing, or from an account to itself', async () => {
    await succeed();
    const insert = (values: string) =>
      setup.sql(`with a as (insert into ledger_account (owner, purpose, currency, network) values ('${newId('mer')}', 'available', 'ETH', 'ETH') returning id),
        b as (select id from ledger_account where currency = 'USDT' limit 1), t as (select id from ledger_transaction limit 1)
        insert into posting (transaction_id, source_id, destination_id, amount) select t.id, ${values} from a, b, t`);
    await expect(insert('b.id, b.id, 1')).rejects.toThrow(/check/);
    await expect(insert('a.id, b.id, 0')).rejects.toThrow();
    const [foreign] = await setup.sql<{ id: string }>(
      `insert into ledger_account (owner, purpose, currency, network) values ('x', 'available', 'ETH', 'ETH') returning id`,
    );
    await expect(insert(`b.id, ${String(foreign?.id)}, 1`)).rejects.toThrow('two accounts of one asset');
  });

  it('lets nobody have less than nothing', async () => {
    await succeed();
    await expect(payOut(990_001n)).rejects.toThrow(/check constraint/);
    expect(await setup.balance(shop)).toMatchObject({ available: 990_000n });
    expect(await payOut(990_000n)).toBe(true);
  });

  it('posts a reference once, however often and from wherever it is asked to', async () => {
    await succeed();
    const answers = await Promise.all(Array.from({ length: 20 }, () => payOut(10n, 'wdr/only')));
    expect(answers.filter(Boolean)).toHaveLength(1);
    expect(await setup.balance(shop)).toMatchObject({ available: 989_990n });
  });

  it('holds amounts beyond what a float or 64 bits can', async () => {
    const coins = 10n ** 30n + 1n;
    await chain.mine(pay(order, coins, { currency: 'ETH', ordinal: 0 }));
    await chain.mineEmpty(1);
    expect(await setup.balance(shop, 'ETH')).toMatchObject({ available: coins - coins / 100n });
  });

  it('credits of many merchants at once do not wait for each other in a circle', async () => {
    const merchants = await Promise.all(Array.from({ length: 8 }, () => setup.merchant()));
    const both = [setup.deps, await setup.another()];
    const deposits = merchants.map((merchantId): CreditedDeposit => {
      return {
        depositId: newId('dep'),
        paymentId: order.id,
        merchantId,
        asset: assetOf(USDT),
        amount: 1_000n,
        turn: 1,
      };
    });
    const run = (act: typeof creditDeposit) =>
      Promise.all(
        deposits.flatMap((deposit) => both.map((deps) => inTransaction(deps, (em) => act(em, deposit, START)))),
      );
    expect((await run(creditDeposit)).filter(Boolean)).toHaveLength(merchants.length);
    for (const merchantId of merchants) expect(await setup.balance(merchantId)).toMatchObject({ available: 990n });
    expect((await run(reverseDeposit)).filter(Boolean)).toHaveLength(merchants.length);
    for (const merchantId of merchants)
      expect(await setup.balance(merchantId)).toMatchObject({ available: 0n, owed: 0n });
  });
});

describe('a reversal that the balance no longer covers', () => {
  it('takes what there is and leaves the rest owed', async () => {
    await succeed();
    await payOut(700_000n);
    await loseForGood();
    expect(await setup.balance(shop)).toEqual({ available: 0n, reserved: 0n, pending: 0n, owed: 700_000n });
  });

  it('is settled first by later credits', async () => {
    await succeed();
    await payOut(990_000n);
    await loseForGood();
    const [first, second] = [await setup.order(shop), await setup.order(shop)];
    await chain.mine(pay(first, 500_000n));
    await chain.mineEmpty(1);
    expect(await setup.balance(shop)).toMatchObject({ available: 0n, owed: 495_000n });
    await chain.mine(pay(second, 1_000_000n));
    await chain.mineEmpty(1);
    expect(await setup.balance(shop)).toMatchObject({ available: 495_000n, owed: 0n });
  });

  it('and by the very deposit, should it come back', async () => {
    await chain.mineEmpty(1);
    const transfer = pay(order, 1_000_000n);
    await chain.mine(transfer);
    await chain.mineEmpty(1);
    await payOut(990_000n);
    await loseForGood();
    await chain.mine(transfer);
    await chain.mineEmpty(1);
    expect(await setup.balance(shop)).toEqual({ available: 0n, reserved: 0n, pending: 0n, owed: 0n });
    expect(await setup.read(order)).toMatchObject({ status: 'SUCCEEDED' });
  });

  it('is owed in its own asset only', async () => {
    await succeed();
    await payOut(990_000n);
    await loseForGood();
    await chain.mine(pay(order, 1_000n, { currency: 'USDC' }));
    await chain.mineEmpty(1);
    expect(await setup.balance(shop, 'USDC')).toMatchObject({ available: 990n });
    expect(await setup.balance(shop)).toMatchObject({ owed: 990_000n });
  });
});

describe('state, postings and event', () => {
  const TABLES = [
    'deposit',
    'payment',
    'event',
    'ledger_transaction',
    'posting',
    'ledger_account',
    'chain_cursor',
    'chain_block',
  ];

  /** All that is in the database, as text. */
  async function everything(): Promise<unknown[]> {
    const rows = TABLES.map((table) => setup.sql(`select t::text as row from ${table} t order by 1`));
    return Promise.all(rows);
  }

  it.each(['event', 'posting', 'ledger_account', 'chain_block'])(
    'commit together or not at all: the write to %s fails, and nothing is left',
    async (table) => {
      await chain.mine(pay(order, 1_000_000n));
      const before = await everything();
      const signaled = setup.signaled();
      const block = chain.next([pay(await setup.order(shop), 5n)]);
      const created = await everything();
      await setup.sql(
        `create function fail() returns trigger language plpgsql as 'begin raise exception ''planted''; end'`,
      );
      await setup.sql(
        `create trigger planted before insert or update on ${table} for each row execute function fail()`,
      );
      try {
        await expect(chain.apply(block)).rejects.toThrow('planted');
        expect(await everything()).toEqual(created);
        expect(created).not.toEqual(before);
        expect(setup.signaled()).toBe(signaled);
      } finally {
        await setup.sql('drop function fail cascade');
      }
      expect(await chain.apply(block)).toBe('applied');
      expect(await setup.read(order)).toMatchObject({ status: 'SUCCEEDED' });
    },
  );

  it('events are announced after they are committed, and only when there are any', async () => {
    const signaled = setup.signaled();
    await chain.mineEmpty(1);
    expect(setup.signaled()).toBe(signaled);
    await chain.mine(pay(order, 5n));
    expect(setup.signaled()).toBe(signaled + 1);
  });
});
