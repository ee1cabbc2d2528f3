// The check of a growing book: sealed step by step, with nothing read again behind the seal but once a week, and with
// nothing missed that commits late.

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { checkBook, type BookCheckOptions } from '../../../src/domain/ledger/check-book.ts';
import { until } from '../../support/until.ts';
import { createSetup, minutesLater, openChain, type DataChain, type Setup } from '../book.fixture.ts';
import * as book from '../payouts/book.fixture.ts';

const BALANCES = 'every balance is the sum of its postings';
const WEEK = 7 * 24 * 60;

let setup: Setup;
let chain: DataChain;
let shop: string;
let minute = 0;

beforeEach(async () => {
  minute = 0;
  setup = await createSetup();
  chain = await openChain(setup);
  shop = await setup.merchant();
});
afterEach(() => setup.stop());

const deposit = async () => book.deposit(chain, await setup.order(shop), 1_000_000n);

/** The check, a minute later or more. */
async function check(minutes = 1, options: BookCheckOptions = {}) {
  minute += minutes;
  setup.setNow(minutesLater(minute));
  const { faults, checked } = await checkBook(setup.deps, options);
  return { checked, faults: faults.map(({ name }) => name) };
}

/** Up to which posting the book is sealed, and which is the last. */
async function seal(): Promise<{ sealed: number; last: number }> {
  const [row] = await setup.sql<{ sealed: string; last: string }>(
    'select posting_id as sealed, (select coalesce(max(id), 0) from posting) as last from ledger_checkpoint',
  );
  return { sealed: Number(row?.sealed), last: Number(row?.last) };
}

/** Runs a statement that the book's triggers refuse. */
async function tamper(statement: string): Promise<void> {
  const client = new Client({ connectionString: setup.url });
  await client.connect();
  await client.query('set session_replication_role = replica');
  await client.query(statement);
  await client.end();
}

const GOOD = { faults: [] };

/**
 * Checks until all is sealed. Other databases of the cluster have transactions, too, and a seal waits for those that
 * were under way when its place was chosen.
 */
async function checkUntilSealed(options: BookCheckOptions = {}): Promise<void> {
  await until(async () => {
    expect(await check(61, options)).toMatchObject(GOOD);
    const { sealed, last } = await seal();
    return sealed === last;
  });
}

describe('a good book', () => {
  it('is checked as a whole first, then what is new, and as a whole again after a week; the seal follows', async () => {
    await deposit();
    expect(await check()).toEqual({ checked: 'WHOLE', ...GOOD });
    await deposit();
    expect(await check()).toEqual({ checked: 'RECENT', ...GOOD });
    await checkUntilSealed();
    await deposit();
    expect(await check(WEEK)).toEqual({ checked: 'WHOLE', ...GOOD });
    expect(await check()).toEqual({ checked: 'RECENT', ...GOOD });
    await checkUntilSealed();
  });

  it('is checked by one process at a time, and not more often for there being several', async () => {
    const other = await setup.another();
    await check();
    expect(await checkBook(other)).toEqual({ faults: [], checked: null });
    minute += 2;
    setup.setNow(minutesLater(minute));
    const both = await Promise.all([checkBook(setup.deps), checkBook(other), checkBook(setup.deps)]);
    expect(both.map(({ checked }) => checked).filter((checked) => checked !== null)).toEqual(['RECENT']);
  });

  it('with much that is new is sealed by a check of the whole', async () => {
    for (let nth = 0; nth < 3; nth += 1) await deposit();
    const options = { mostRecent: 4 };
    // Where to seal it has to be chosen first.
    expect(await check(1, options)).toEqual({ checked: null, ...GOOD });
    expect(await check(1, options)).toEqual({ checked: 'WHOLE', ...GOOD });
    await checkUntilSealed(options);
    for (let nth = 0; nth < 3; nth += 1) await deposit();
    expect(await check(61, options)).toEqual({ checked: 'WHOLE', ...GOOD });
    for (let nth = 0; nth < 3; nth += 1) await deposit();
    // Not again within the hour.
    expect(await check(1, options)).toEqual({ checked: null, ...GOOD });
    expect(await check(60, options)).toEqual({ checked: 'WHOLE', ...GOOD });
  });
});

describe('a posting that commits late', () => {
  it('holds the seal back, so that one with a lower id than the newest is not missed', async () => {
    await deposit();
    await checkUntilSealed();
    // What a transaction of the book does, step by step: it locks accounts, posts, and commits last.
    const late = new Client({ connectionString: setup.url });
    await late.connect();
    const accounts = await setup.sql<{ id: string }>(
      `insert into ledger_account (owner, purpose, currency, network)
       values ('gateway', 'custody', 'ETH', 'ETH'), ('gateway', 'capital', 'ETH', 'ETH') returning id`,
    );
    const [source, destination] = accounts.map(({ id }) => id);
    await late.query('begin');
    await late.query(`insert into ledger_transaction (id, reference, created_at) values ('ltx_late', 'late', now())`);
    await late.query('update ledger_account set balance = balance - 5 where id = $1', [source]);
    await late.query('update ledger_account set balance = balance + 5 where id = $1', [destination]);
    const text = `insert into posting (transaction_id, source_id, destination_id, amount) values ('ltx_late', $1, $2, 5)`;
    await late.query(text, [source, destination]);
    await deposit();
    for (let times = 0; times < 3; times += 1) expect(await check()).toEqual({ checked: 'RECENT', ...GOOD });
    expect((await seal()).sealed).toBe(2);
    await late.query('commit');
    await late.end();
    await checkUntilSealed();
    expect((await seal()).sealed).toBe(5);
    expect(await check(WEEK)).toEqual({ checked: 'WHOLE', ...GOOD });
  });
});

describe('a fault', () => {
  it('that is new is found each time until it is mended, by every process, and the seal waits for it', async () => {
    await deposit();
    await checkUntilSealed();
    await tamper(`update ledger_account set balance = balance + 1 where purpose = 'available'`);
    const other = await setup.another();
    for (let times = 0; times < 3; times += 1) {
      expect((await check()).faults).toContain(BALANCES);
      expect(await checkBook(other)).toMatchObject({ faults: [{ name: BALANCES }, {}], checked: null });
    }
    const { sealed } = await seal();
    await deposit();
    expect((await check()).faults).toContain(BALANCES);
    expect((await seal()).sealed).toBe(sealed);
    await tamper(`update ledger_account set balance = balance - 1 where purpose = 'available'`);
    await checkUntilSealed();
    expect((await seal()).sealed).toBeGreaterThan(sealed);
  });

  it('behind the seal is found by the weekly check, and from then on each hour until it is mended', async () => {
    await deposit();
    await checkUntilSealed();
    await tamper('update posting set amount = amount + 1 where id = 1');
    expect(await check(10)).toEqual({ checked: 'RECENT', ...GOOD });
    expect((await check(WEEK)).faults).toContain(BALANCES);
    await tamper('update posting set amount = amount - 1 where id = 1');
    expect(await check(61)).toEqual({ checked: 'WHOLE', ...GOOD });
  });

  it('of an order, a deposit or a payout is found among what changed, however old the rest is', async () => {
    await deposit();
    await checkUntilSealed();
    const payouts = book.withNetwork(setup.deps);
    await book.withdraw(payouts, shop, '0.1');
    await tamper(`update payout set amount = amount + 1`);
    expect((await check()).faults).toEqual(['what is reserved is what open payouts need']);
  });
});

describe('a book that was restored into another cluster', () => {
  it('is sealed again, though the transactions of that cluster are counted from the start', async () => {
    await deposit();
    await check();
    await setup.sql('update ledger_checkpoint set next_xmax = 9000000000000');
    await checkUntilSealed();
  });
});
