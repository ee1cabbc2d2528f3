// Random histories on a real PostgreSQL: whatever was seen on the way, the book ends as the final chain requires.

import { afterAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Transfer } from '../../src/chain/blocks.ts';
import { postLedger } from '../../src/database/queries/ledger/post-ledger.ts';
import { inTransaction } from '../../src/domain/deps.ts';
import { cancelPayment } from '../../src/domain/payments/read-and-cancel.ts';
import { feeOf } from '../../src/values/amount.ts';
import { newId } from '../../src/values/id.ts';
import { holdStories, longList } from '../support/story/story.ts';
import { audit } from './audit.fixture.ts';
import { newHash, pay, START, type DataChain, type Order, type Setup } from './book.fixture.ts';
import { auditMovements } from './movement-audit.fixture.ts';
import { auditReports } from './report-audit.fixture.ts';
import { createSetups, openChainAbove } from './setups.fixture.ts';

/** `HISTORY_RUNS` sets a larger number of runs. */
const numRuns = Number(process.env['HISTORY_RUNS'] ?? 40);

/** What a transaction pays: which order, how much, in which currency, and the true position of its log. */
interface Payment {
  readonly order: number;
  readonly amount: bigint;
  readonly currency: string;
  readonly ordinal: number;
}

type Action =
  | { readonly kind: 'mine'; readonly transactions: readonly number[] }
  | { readonly kind: 'mempool'; readonly transactions: readonly number[] }
  | { readonly kind: 'reorganise'; readonly depth: number }
  | { readonly kind: 'wait'; readonly minutes: number }
  | { readonly kind: 'cancel'; readonly order: number }
  | { readonly kind: 'payOut'; readonly order: number };

const ORDERS = 3;
const TRANSACTIONS = 6;
const index = fc.nat(ORDERS - 1);
const some = fc.uniqueArray(fc.nat(TRANSACTIONS - 1), { maxLength: 3 });
const payment: fc.Arbitrary<Payment> = fc.record({
  order: index,
  amount: fc.constantFrom(1n, 99n, 400n, 600n, 1_000n, 1_700n),
  currency: fc.constantFrom('USDT', 'USDT', 'USDT', 'USDC'),
  ordinal: fc.integer({ min: 1, max: 3 }),
});
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('mine'), transactions: some }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('mempool'), transactions: some }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('reorganise'), depth: fc.integer({ min: 1, max: 5 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('wait'), minutes: fc.constantFrom(1, 20, 1_500) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel'), order: index }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('payOut'), order: index }) },
);

const setups = createSetups();
afterAll(() => setups.stop());

/** One history while it runs. `mined` is all that the model knows: the transactions in each block of the chain. */
interface History {
  readonly setup: Setup;
  readonly chain: DataChain;
  readonly orders: readonly Order[];
  readonly payments: readonly Payment[];
  readonly hashes: readonly string[];
  readonly mined: number[][];
  readonly paidOut: Map<string, bigint>;
  now: Date;
  highest: number;
}

async function begin(setup: Setup, payments: readonly Payment[]): Promise<History> {
  setup.setNow(START);
  const [one, two] = [await setup.merchant(), await setup.merchant()];
  const columns = { amount: '1000' };
  const orders = [await setup.order(one, columns), await setup.order(one, columns), await setup.order(two, columns)];
  const chain = await openChainAbove(setup);
  const hashes = payments.map(newHash);
  const nothing = { mined: [], paidOut: new Map<string, bigint>() };
  return { setup, chain, orders, payments, hashes, ...nothing, now: START, highest: chain.tip.height };
}

function transferOf({ payments, orders, hashes }: History, nth: number): Transfer {
  const { order, amount, currency, ordinal } = at(payments, nth);
  return pay(at(orders, order), amount, { txHash: at(hashes, nth), currency, ordinal });
}

async function act(history: History, move: Action): Promise<void> {
  const { setup, chain, orders, mined } = history;
  const waiting = (all: readonly number[]) => all.filter((nth) => !mined.flat().includes(nth));
  switch (move.kind) {
    case 'mine': {
      const fresh = waiting(move.transactions);
      await chain.mineAt(history.now, ...fresh.map((nth) => transferOf(history, nth)));
      mined.push(fresh);
      history.highest = Math.max(history.highest, chain.tip.height);
      return;
    }
    case 'mempool':
      return lookAtMempool(history, waiting(move.transactions));
    case 'reorganise': {
      const depth = Math.min(move.depth, mined.length);
      if (depth === 0) return;
      await chain.rollBack(depth);
      mined.splice(-depth);
      return;
    }
    case 'wait':
      history.now = new Date(history.now.getTime() + move.minutes * 60_000);
      setup.setNow(history.now);
      await chain.timeOut(history.now);
      return;
    case 'cancel': {
      const { merchantId, id } = at(orders, move.order);
      await cancelPayment(setup.deps, merchantId, id).catch((error: unknown) => {
        if ((error as { errorName?: string }).errorName !== 'WRONG_STATE') throw error;
      });
      return;
    }
    case 'payOut':
      return payOut(history, at(orders, move.order).merchantId);
  }
}

/** The mempool shows exactly these transactions, each log as its transaction's first. */
async function lookAtMempool(history: History, present: readonly number[]): Promise<void> {
  const hashes = present.map((nth) => at(history.hashes, nth));
  const gone = await history.setup.sql<{ id: string }>(
    `select id from deposit where status = 'PENDING' and block_hash is null and tx_hash <> all($1)`,
    [hashes],
  );
  const transfers = present.map((nth) => ({ ...transferOf(history, nth), ordinal: 1 }));
  await history.chain.mempool(
    transfers,
    gone.map(({ id }) => id),
  );
}

/** Withdraws everything that is available, so that a later reversal is not covered. */
async function payOut(history: History, merchantId: string): Promise<void> {
  const { setup } = history;
  const account = (owner: string, purpose: string) => ({ owner, purpose, currency: 'USDT', network: 'ETH' });
  const [source, destination] = [account(merchantId, 'available'), account('gateway', 'custody')];
  const { available } = await setup.balance(merchantId);
  if (available === 0n) return;
  const transaction = { id: newId('ltx'), reference: newId('wdr'), paymentId: null, at: history.now };
  await inTransaction(setup.deps, (em) =>
    postLedger(em, transaction, [source, destination], () => [{ source, destination, amount: available }]),
  );
  history.paidOut.set(merchantId, (history.paidOut.get(merchantId) ?? 0n) + available);
}

/** Brings the chain to rest: nothing waits any more, and enough blocks make everything final. */
async function comeToRest(history: History): Promise<void> {
  await lookAtMempool(history, []);
  await history.chain.mineEmpty(history.highest + 2 - history.chain.tip.height);
  await history.chain.timeOut(history.now);
}

/** The expected result, computed from the final chain alone. */
async function compare(history: History): Promise<void> {
  const { setup } = history;
  const onChain = history.mined.flat().map((nth) => at(history.payments, nth));
  const sum = (payments: readonly Payment[], of: (amount: bigint) => bigint = (amount) => amount) =>
    payments.reduce((total, { amount }) => total + of(amount), 0n);
  for (const merchantId of new Set(history.orders.map((order) => order.merchantId))) {
    for (const currency of ['USDT', 'USDC']) {
      const his = onChain.filter(
        (one) => one.currency === currency && at(history.orders, one.order).merchantId === merchantId,
      );
      const net =
        sum(his, (amount) => amount - feeOf(amount)) -
        (currency === 'USDT' ? (history.paidOut.get(merchantId) ?? 0n) : 0n);
      const expected = { available: net > 0n ? net : 0n, owed: net < 0n ? -net : 0n, reserved: 0n, pending: 0n };
      expect(await setup.balance(merchantId, currency)).toEqual(expected);
    }
  }
  for (const [nth, order] of history.orders.entries()) {
    const own = sum(onChain.filter((one) => one.order === nth && one.currency === 'USDT'));
    const [row] = await setup.sql<{ amount_confirmed: string; amount_received: string; status: string }>(
      'select amount_received, amount_confirmed, status from payment where id = $1',
      [order.id],
    );
    expect(row).toMatchObject({ amount_received: own.toString(), amount_confirmed: own.toString() });
    expect({ own, succeeded: row?.status === 'SUCCEEDED' }).toEqual({ own, succeeded: own >= 1_000n });
  }
}

function at<Value>(list: readonly Value[], nth: number): Value {
  const value = list[nth];
  if (value === undefined) throw new Error(`there is no ${nth}`);
  return value;
}

/** The observations of these transactions, followed by the checks of the book. */
function story(payments: readonly Payment[], moves: readonly Action[]): Promise<void> {
  return setups.tell(async (setup) => {
    const history = await begin(setup, payments);
    for (const move of moves) await act(history, move);
    await comeToRest(history);
    await compare(history);
    await audit(setup);
    for (const merchantId of new Set(history.orders.map((order) => order.merchantId))) {
      await auditReports(setup, merchantId);
      await auditMovements(setup, merchantId);
    }
  });
}

describe('whatever was seen on the way', () => {
  it(
    'the book ends as the final chain says',
    () => {
      const payments = fc.array(payment, { minLength: TRANSACTIONS, maxLength: TRANSACTIONS });
      const actions = longList(action, 40);
      return holdStories({ title: 'the book ends as the final chain says', of: [payments, actions], story, numRuns });
    },
    Math.max(600_000, numRuns * 5_000),
  );
});
