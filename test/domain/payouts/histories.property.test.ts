// Random histories of payments, withdrawals and refunds on a real PostgreSQL: money that left was there and reserved,
// it left once, and the book ends as the final chain and the payouts require.

import { afterAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { cancelPayment } from '../../../src/domain/payments/read-and-cancel.ts';
import type { Deps } from '../../../src/domain/deps.ts';
import type { PayoutSnapshot } from '../../../src/domain/snapshots/payout.ts';
import { verifyLedger } from '../../../src/domain/ledger/verify.ts';
import { feeOf, formatAmount, parseAmount } from '../../../src/values/amount.ts';
import { holdStories, longList } from '../../support/story/story.ts';
import { audit } from '../audit.fixture.ts';
import { newHash, pay, START, type DataChain, type Order, type Setup } from '../book.fixture.ts';
import * as book from './book.fixture.ts';
import { auditMovements } from '../movement-audit.fixture.ts';
import { auditReports } from '../report-audit.fixture.ts';
import { createSetups, openChainAbove } from '../setups.fixture.ts';

/** `HISTORY_RUNS` sets a larger number of runs. */
const numRuns = Number(process.env['HISTORY_RUNS'] ?? 30);

/** USDT is counted in millionths; the network fee of each payout likewise. */
const DECIMALS = 6;
const NETWORK_FEE = 5_000n;
const ORDERS = 3;
const TRANSACTIONS = 6;

type Action =
  | { readonly kind: 'mine'; readonly transactions: readonly number[] }
  | { readonly kind: 'reorganise'; readonly depth: number }
  | { readonly kind: 'wait'; readonly minutes: number }
  | { readonly kind: 'cancel'; readonly order: number }
  | { readonly kind: 'withdraw'; readonly order: number; readonly amount: bigint | null }
  | { readonly kind: 'refund'; readonly order: number; readonly amount: bigint | null }
  | { readonly kind: 'broadcast' | 'complete' | 'fail' | 'revert'; readonly payout: number };

interface Paid {
  readonly order: number;
  readonly amount: bigint;
}

const index = fc.nat(ORDERS - 1);
const paid: fc.Arbitrary<Paid> = fc.record({
  order: index,
  amount: fc.constantFrom(300_000n, 600_000n, 1_000_000n, 1_700_000n),
});
const amount = fc.constantFrom(null, 1_000n, 100_000n, 250_000n, 600_000n);
const step = (kind: 'broadcast' | 'complete' | 'fail' | 'revert') =>
  fc.record({ kind: fc.constant(kind), payout: fc.nat(7) });
const transactions = fc.uniqueArray(fc.nat(TRANSACTIONS - 1), { maxLength: 3 });
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('mine'), transactions }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('reorganise'), depth: fc.integer({ min: 1, max: 5 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('wait'), minutes: fc.constantFrom(20, 1_500) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel'), order: index }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('withdraw'), order: index, amount }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('refund'), order: index, amount }) },
  { weight: 4, arbitrary: step('broadcast') },
  { weight: 5, arbitrary: step('complete') },
  { weight: 2, arbitrary: step('fail') },
  { weight: 2, arbitrary: step('revert') },
);

const setups = createSetups();
afterAll(() => setups.stop());

/** What the model knows of a payout. */
interface Payout {
  readonly id: string;
  readonly merchantId: string;
  readonly order: Order | null;
  readonly amount: bigint;
  status: string;
  /** Whether it was ever completed: then its money is booked, whatever becomes of its transaction. */
  booked: boolean;
  /** Whether a transaction of it was mined and moved nothing: then its network fee is spent. */
  minedInVain: boolean;
}

/** One history while it runs: the blocks of the chain with their transactions, and the accepted payouts. */
interface History {
  readonly setup: Setup;
  /** The setup's dependencies, which know the network. */
  readonly deps: Deps;
  readonly chain: DataChain;
  readonly orders: readonly Order[];
  readonly paid: readonly Paid[];
  readonly hashes: readonly string[];
  readonly mined: number[][];
  readonly payouts: Payout[];
  /** Orders that lost a transaction to a reorganisation; only their refunds may fail by themselves. */
  readonly hit: Set<Order>;
  now: Date;
  highest: number;
}

async function begin(setup: Setup, payments: readonly Paid[]): Promise<History> {
  const deps = book.withNetwork(setup.deps, NETWORK_FEE);
  setup.setNow(START);
  const [one, two] = [await setup.merchant(), await setup.merchant()];
  const orders = [await setup.order(one), await setup.order(one), await setup.order(two)];
  const chain = await openChainAbove(setup);
  const { height: highest } = chain.tip;
  const nothing = { mined: [], payouts: [], hit: new Set<Order>() };
  return { setup, deps, chain, orders, paid: payments, hashes: payments.map(newHash), ...nothing, now: START, highest };
}

async function act(history: History, move: Action): Promise<void> {
  switch (move.kind) {
    case 'mine':
      return mine(history, move.transactions);
    case 'reorganise':
      return reorganise(history, move.depth);
    case 'wait':
      history.now = new Date(history.now.getTime() + move.minutes * 60_000);
      history.setup.setNow(history.now);
      await history.chain.timeOut(history.now);
      return;
    case 'cancel': {
      const { merchantId, id } = at(history.orders, move.order);
      await unlessRefused(['WRONG_STATE'], () => cancelPayment(history.deps, merchantId, id));
      return;
    }
    case 'withdraw':
      return withdraw(history, at(history.orders, move.order).merchantId, move.amount);
    case 'refund':
      return refund(history, at(history.orders, move.order), move.amount);
    default:
      return advance(
        history.deps,
        history.payouts.at(-1 - (move.payout % Math.max(1, history.payouts.length))),
        move.kind,
      );
  }
}

async function mine({ chain, mined, ...history }: History, wanted: readonly number[]): Promise<void> {
  const fresh = wanted.filter((nth) => !mined.flat().includes(nth));
  const transferOf = (nth: number) => {
    const { order, amount: units } = at(history.paid, nth);
    return pay(at(history.orders, order), units, { txHash: at(history.hashes, nth) });
  };
  await chain.mineAt(history.now, ...fresh.map(transferOf));
  mined.push(fresh);
}

async function reorganise(history: History, wanted: number): Promise<void> {
  const { chain, mined } = history;
  const depth = Math.min(wanted, mined.length);
  if (depth === 0) return;
  history.highest = Math.max(history.highest, chain.tip.height);
  await chain.rollBack(depth);
  for (const nth of mined.splice(-depth).flat()) history.hit.add(at(history.orders, at(history.paid, nth).order));
}

/** Runs what may be refused for these reasons; returns null if it was. */
async function unlessRefused<Value>(reasons: readonly string[], work: () => Promise<Value>): Promise<Value | null> {
  return work().catch((error: unknown) => {
    if (!reasons.includes(String((error as { errorName?: string }).errorName))) throw error;
    return null;
  });
}

const decimal = (units: bigint): string => formatAmount(units, DECIMALS);

function takeOn(history: History, merchantId: string, order: Order | null, payout: PayoutSnapshot): bigint {
  const units = parseAmount(payout.amount, DECIMALS) ?? 0n;
  history.payouts.push({
    id: payout.id,
    merchantId,
    order,
    amount: units,
    status: 'REQUESTED',
    booked: false,
    minedInVain: false,
  });
  return units;
}

/** It succeeds exactly if the balance covers it, and takes the stated amount from the balance. */
async function withdraw(history: History, merchantId: string, asked: bigint | null): Promise<void> {
  const { setup, deps } = history;
  const before = await setup.balance(merchantId);
  const payout = await unlessRefused(['INSUFFICIENT_FUNDS', 'BELOW_MINIMUM', 'DUST'], () =>
    book.withdraw(deps, merchantId, asked === null ? 'max' : decimal(asked)),
  );
  const after = await setup.balance(merchantId);
  const most = before.available - NETWORK_FEE;
  expect({ asked, through: payout !== null }).toEqual({
    asked,
    through: (asked ?? most) >= 10_000n && (asked ?? 0n) <= most,
  });
  const taken = payout === null ? 0n : takeOn(history, merchantId, null, payout) + NETWORK_FEE;
  expect(after).toEqual({ ...before, available: before.available - taken, reserved: before.reserved + taken });
  if (payout !== null && asked === null) expect(after.available).toBe(0n);
}

/** It is never more than is confirmed and not refunded already. */
async function refund(history: History, order: Order, asked: bigint | null): Promise<void> {
  const { setup, deps } = history;
  const [row] = await setup.sql<{ confirmed: string }>(
    'select amount_confirmed::text as confirmed from payment where id = $1',
    [order.id],
  );
  const left = refundsOf(history, order)
    .filter(({ status }) => status !== 'FAILED')
    .reduce((rest, { amount: units }) => rest - units, BigInt(row?.confirmed ?? 0));
  const payout = await unlessRefused(['NOT_REFUNDABLE', 'INSUFFICIENT_FUNDS', 'DUST'], () =>
    book.refund(deps, order, asked === null ? null : decimal(asked)),
  );
  if (payout === null) return;
  const units = takeOn(history, order.merchantId, order, payout);
  expect(units).toBe(asked ?? left);
  expect(units <= left).toBe(true);
}

const refundsOf = ({ payouts }: History, order: Order) => payouts.filter((payout) => payout.order === order);

/** A step of the signer, in the book and in the model. */
async function advance(
  deps: Deps,
  payout: Payout | undefined,
  kind: 'broadcast' | 'complete' | 'fail' | 'revert',
): Promise<void> {
  if (!payout) return;
  if (kind === 'broadcast') await book.broadcast(deps, payout);
  else if (kind === 'complete') await book.complete(deps, payout);
  else await fail(deps, payout, kind);
  if (payout.status === 'FAILED') return;
  if (kind === 'broadcast') payout.status = 'BROADCAST';
  else if (kind === 'complete') Object.assign(payout, { status: 'COMPLETED', booked: true });
  else if (!payout.booked && (payout.status === 'REQUESTED' || kind === 'revert')) payout.status = 'FAILED';
}

/** A payout whose transaction reverted fails like one that was never signed, but its fee is spent. */
async function fail(deps: Deps, payout: Payout, kind: 'fail' | 'revert'): Promise<void> {
  if (kind === 'revert' && payout.status === 'BROADCAST' && !payout.booked) {
    await book.mineInVain(deps, payout);
    payout.minedInVain = true;
  }
  await book.fail(deps, payout, kind === 'revert' && payout.status === 'BROADCAST');
}

/** Every payout is in the state that the model expects. */
async function comparePayouts({ setup, payouts, hit }: History): Promise<void> {
  for (const payout of payouts) {
    const status = await book.statusOf(setup, payout);
    if (status === 'FAILED' && payout.status === 'REQUESTED' && payout.order && hit.has(payout.order))
      payout.status = status;
    expect({ id: payout.id, status }).toEqual({ id: payout.id, status: payout.status });
  }
}

/** Enough blocks make everything final. */
async function comeToRest({ chain, highest, now }: History): Promise<void> {
  await chain.mineEmpty(Math.max(highest, chain.tip.height) + 2 - chain.tip.height);
  await chain.timeOut(now);
}

/** The expected result, computed from the final chain and the payouts alone. */
async function compare(history: History): Promise<void> {
  const { setup } = history;
  const onChain = history.mined.flat().map((nth) => at(history.paid, nth));
  const sum = <Item>(items: readonly Item[], of: (item: Item) => bigint) =>
    items.reduce((total, item) => total + of(item), 0n);
  for (const merchantId of new Set(history.orders.map((order) => order.merchantId))) {
    const his = onChain.filter(({ order }) => at(history.orders, order).merchantId === merchantId);
    const taken = history.payouts.filter((payout) => payout.merchantId === merchantId && payout.status !== 'FAILED');
    const whole = (payout: Payout) => payout.amount + NETWORK_FEE;
    const spent = history.payouts.filter((payout) => payout.merchantId === merchantId && payout.minedInVain);
    const fees = NETWORK_FEE * BigInt(spent.length);
    const net = sum(his, (one) => one.amount - feeOf(one.amount)) - sum(taken, whole) - fees;
    const reserved = sum(
      taken.filter(({ booked }) => !booked),
      whole,
    );
    const expected = { available: net > 0n ? net : 0n, owed: net < 0n ? -net : 0n, reserved, pending: 0n };
    expect(await setup.balance(merchantId)).toEqual(expected);
  }
  for (const [nth, order] of history.orders.entries()) {
    const confirmed = sum(
      onChain.filter((one) => one.order === nth),
      (one) => one.amount,
    );
    const completed = refundsOf(history, order).filter(({ booked }) => booked);
    const refunded = sum(completed, (payout) => payout.amount);
    const snapshot = await setup.read(order);
    expect(snapshot).toMatchObject({ amountConfirmed: decimal(confirmed), amountRefunded: decimal(refunded) });
    if (refunded > confirmed) expect(history.hit.has(order)).toBe(true);
    const told = (await setup.reportedEvents(order)).filter((event) => event.startsWith('payment.refunded'));
    expect(told).toHaveLength(completed.length);
  }
}

function at<Value>(list: readonly Value[], nth: number): Value {
  const value = list[nth];
  if (value === undefined) throw new Error(`there is no ${String(nth)}`);
  return value;
}

/** Runs the moves on these payments, and checks the book at every step and at the end. */
function story(payments: readonly Paid[], moves: readonly Action[]): Promise<void> {
  return setups.tell(async (setup) => {
    const history = await begin(setup, payments);
    for (const move of moves) {
      await act(history, move);
      await comparePayouts(history);
    }
    await comeToRest(history);
    await comparePayouts(history);
    await compare(history);
    await audit(setup);
    for (const merchantId of new Set(history.orders.map((order) => order.merchantId))) {
      await auditReports(setup, merchantId);
      await auditMovements(setup, merchantId);
    }
    expect((await verifyLedger(setup.deps.db)).faults).toEqual([]);
  });
}

describe('whatever is paid, refunded, withdrawn and reorganised', () => {
  const title = 'the book ends as the final chain and the payouts say, and every refund is told once';
  it(
    title,
    () => {
      const payments = fc.array(paid, { minLength: TRANSACTIONS, maxLength: TRANSACTIONS });
      const actions = longList(action, 50);
      return holdStories({ title, of: [payments, actions], story, numRuns });
    },
    Math.max(600_000, numRuns * 5_000),
  );
});
