// Random histories of a real UTXO chain (litecoind): the possible moves, and how each is carried out.

import fc from 'fast-check';
import { createUtxoAdapter } from '../../../src/chain/utxo/adapter.ts';
import type { UtxoAdapter } from '../../../src/chain/adapter.ts';
import type { Deps } from '../../../src/domain/deps.ts';
import type { Worker } from '../../../src/loop.ts';
import { createDepositWatcher } from '../../../src/observe/watch-deposits.ts';
import { START, type Order, type Setup } from '../../domain/book.fixture.ts';
import { FAILURES, startFailingProxy, type Failure, type FailingProxy } from '../../support/proxies/failing-proxy.ts';
import { NODE_TIMEOUT_MS } from '../../support/node-timeout.ts';
import { drive, workOn, type Arrival } from '../chain-setup.fixture.ts';
import {
  changeOf,
  startLitecoinPayers,
  unitsIn,
  type Coin,
  type LitecoinPayers,
  type Output,
  type Signed,
} from './litecoin-payers.fixture.ts';

/** The recipient: one of the orders, or null for a stranger; and perhaps a second order in the same transaction. */
interface Payees {
  readonly orders: readonly (number | null)[];
  readonly amount: bigint;
}

/** What happens to a transaction whose block left the chain; a kept one waits to be mined again. */
type Outcome = 'moved' | 'left' | 'outbid' | 'doubleSpent';

export type Move =
  | ({ readonly kind: 'pay'; readonly coin: number } & Payees)
  | ({ readonly kind: 'outbid'; readonly nth: number } & Payees)
  | { readonly kind: 'mine'; readonly blocks: number }
  | { readonly kind: 'watch'; readonly steps: number }
  | { readonly kind: 'startAgain' }
  | {
      readonly kind: 'reorganise';
      readonly depth: number;
      /** One entry for each transaction in turn, repeated from the start. */
      readonly outcomes: readonly Outcome[];
      /** The block of the new branch for each transaction, as far as the branch is long enough. */
      readonly blocks: readonly number[];
      /** How much longer the new branch is than the old one; negative if shorter. */
      readonly longer: number;
    }
  | { readonly kind: 'reconsider'; readonly nth: number }
  | { readonly kind: 'forget' }
  | { readonly kind: 'sendAgain' }
  | { readonly kind: 'trouble'; readonly failure: Failure; readonly after: number; readonly count: number }
  | { readonly kind: 'clock'; readonly minutes: number };

const ORDERS = 3;
const DUE = 100_000n;
const CONFIRMATIONS = 2;
const XPUB =
  'xpub6CatWdiZiodmUeTDp8LT5or8nmbKNcuyvz7WyksVFkKB4RHwCD3XyuvPEbvqAQY3rAPshWcMLoP2fMFMKHPJ4ZeZXYVUhLv1VMrjPC7PW6V';

const order = fc.oneof({ weight: 9, arbitrary: fc.nat(ORDERS - 1) }, { weight: 1, arbitrary: fc.constant<null>(null) });
const payees = {
  orders: fc.uniqueArray(order, { minLength: 1, maxLength: 2 }),
  amount: fc.constantFrom(9_900n, 40_000n, 60_000n, DUE, 170_000n),
};
const few = <Value>(one: fc.Arbitrary<Value>) => fc.array(one, { minLength: 1, maxLength: 4, size: 'max' });
const kinds = {
  pay: [8, fc.record({ kind: fc.constant('pay'), coin: fc.nat(30), ...payees })],
  outbid: [3, fc.record({ kind: fc.constant('outbid'), nth: fc.nat(3), ...payees })],
  mine: [7, fc.record({ kind: fc.constant('mine'), blocks: fc.constantFrom(1, 1, 2, 3) })],
  watch: [8, fc.record({ kind: fc.constant('watch'), steps: fc.constantFrom(100, 100, 1, 3) })],
  startAgain: [1, fc.record({ kind: fc.constant('startAgain') })],
  reorganise: [
    5,
    fc.record({
      kind: fc.constant('reorganise'),
      depth: fc.integer({ min: 1, max: 8 }),
      outcomes: few(fc.constantFrom('moved', 'left', 'outbid', 'doubleSpent')),
      blocks: few(fc.nat(4)),
      longer: fc.integer({ min: -2, max: 2 }),
    }),
  ],
  reconsider: [2, fc.record({ kind: fc.constant('reconsider'), nth: fc.nat(3) })],
  forget: [1, fc.record({ kind: fc.constant('forget') })],
  sendAgain: [1, fc.record({ kind: fc.constant('sendAgain') })],
  trouble: [
    2,
    fc.record({
      kind: fc.constant('trouble'),
      failure: fc.constantFrom(...FAILURES),
      after: fc.nat(8),
      count: fc.integer({ min: 1, max: 6 }),
    }),
  ],
  clock: [2, fc.record({ kind: fc.constant('clock'), minutes: fc.constantFrom(1, -5, 20, 1_500) })],
} satisfies { readonly [Kind in Move['kind']]: readonly [number, fc.Arbitrary<Extract<Move, { kind: Kind }>>] };

/** One step of a history. */
export const move: fc.Arbitrary<Move> = fc.oneof(
  ...Object.values(kinds).map(([weight, arbitrary]) => ({ weight, arbitrary: arbitrary as fc.Arbitrary<Move> })),
);

/** A chain with payers, and a proxy that fails in front of it, which is all that watchers know. */
export interface LitecoinSetup {
  readonly chain: LitecoinPayers;
  readonly proxy: FailingProxy;
  readonly adapter: () => UtxoAdapter;
  stop(): Promise<void>;
}

export async function startLitecoinSetup(): Promise<LitecoinSetup> {
  const chain = await startLitecoinPayers();
  const proxy = await startFailingProxy(chain.node.url);
  const { cookiePath } = chain.node;
  return {
    chain,
    proxy,
    adapter: () =>
      createUtxoAdapter({
        ...{ network: 'LTC', chain: 'regtest', kind: 'CORE', url: proxy.url, cookiePath },
        ...{ minesOnDemand: true, timeoutMs: NODE_TIMEOUT_MS },
      }),
    stop: async () => {
      await proxy.stop();
      await chain.stop();
    },
  };
}

const newWatcher = ({ adapter }: LitecoinSetup, deps: Deps): Worker =>
  createDepositWatcher(deps, {
    ...{ adapter: adapter(), account: 'ltc', requiredConfirmations: CONFIRMATIONS, networkFees: new Map() },
  });

/** One history while it runs. It has no model of the expected book: only the chain knows. */
export interface LitecoinHistory {
  readonly at: LitecoinSetup;
  readonly setup: Setup;
  readonly orders: readonly Order[];
  /** The height above which the history takes place. */
  readonly base: number;
  /** Outputs that payers may try to spend; the node rejects those of a transaction that is gone. */
  readonly coins: Coin[];
  /** Blocks that the node was told to abandon. */
  readonly left: string[];
  readonly sent: Signed[];
  watcher: Worker;
  now: Date;
  highest: number;
}

const seconds = (time: Date): number => Math.floor(time.getTime() / 1_000);
let derived = 0;

/** Begins one on top of what the chain holds already, with three orders of two merchants. */
export async function begin(at: LitecoinSetup, setup: Setup): Promise<LitecoinHistory> {
  const { chain, proxy } = at;
  proxy.heal();
  const now = new Date(Math.max(START.getTime(), (await chain.head()).time * 1_000) + 60_000);
  setup.setNow(now);
  await chain.setTime(seconds(now));
  const coins = await chain.fund();
  const watcher = newWatcher(at, setup.deps);
  await drive(watcher);
  const [one, two] = [await setup.merchant(), await setup.merchant()];
  const adapter = at.adapter();
  const newOrder = (merchantId: string) => {
    const { key, address } = adapter.derive(XPUB, (derived += 1));
    return setup.order(merchantId, {
      ...{ currency: 'LTC', network: 'LTC', amount: DUE.toString(), address, address_key: key },
      ...{ derivation_account: 'ltc', derivation_index: derived, required_confirmations: CONFIRMATIONS },
      ...{ created_at: now, expires_at: new Date(now.getTime() + 30 * 60_000) },
    });
  };
  const orders = [await newOrder(one), await newOrder(two), await newOrder(two)];
  const { height: base } = await chain.head();
  return { at, setup, orders, base, coins, left: [], sent: [], watcher, now, highest: base };
}

/** Carries out one move; a move that is impossible at the moment does nothing. */
export async function act(history: LitecoinHistory, made: Move): Promise<void> {
  const { chain, proxy } = history.at;
  switch (made.kind) {
    case 'pay':
      return pay(history, made.coin, outputsOf(history, made));
    case 'outbid': {
      const waiting = await chain.waiting();
      const instead = waiting[made.nth % Math.max(1, waiting.length)];
      return instead && sendAll(history, [chain.sign(instead.coin, outputsOf(history, made), instead.bumps + 1)]);
    }
    case 'mine':
      return mine(history, made.blocks);
    case 'watch':
      return workOn(history.watcher, made.steps);
    case 'startAgain':
      return void (history.watcher = newWatcher(history.at, history.setup.deps));
    case 'reorganise':
      return reorganise(history, made);
    case 'reconsider': {
      const [hash] = history.left.splice(made.nth % Math.max(1, history.left.length), 1);
      if (hash !== undefined) await chain.reconsider(hash);
      return noteHeight(history);
    }
    case 'forget':
      return forget(history);
    case 'sendAgain':
      return sendAll(history, history.sent.slice(-6));
    case 'trouble':
      return proxy.fail(made.failure, made.after, made.count);
    case 'clock':
      history.now = new Date(history.now.getTime() + made.minutes * 60_000);
      history.setup.setNow(history.now);
      return chain.setTime(seconds(history.now));
  }
}

/** Scripts of a witness program whose key nobody here has. */
const STRANGER = `0014${'5a'.repeat(20)}`;

function outputsOf({ orders }: LitecoinHistory, { orders: places, amount }: Payees): Output[] {
  return places.map((nth) => ({ to: nth === null ? STRANGER : (orders[nth]?.addressKey ?? STRANGER), amount }));
}

async function pay(history: LitecoinHistory, place: number, outputs: readonly Output[]): Promise<void> {
  const { coins, at } = history;
  const [coin] = coins.splice(place % Math.max(1, coins.length), 1);
  if (coin) await sendAll(history, [at.chain.sign(coin, outputs)]);
}

async function sendAll({ at, coins, sent }: LitecoinHistory, all: readonly (Signed | null)[]): Promise<void> {
  for (const signed of all) {
    if (!signed || !(await at.chain.send(signed))) continue;
    if (!sent.includes(signed)) sent.push(signed);
    coins.push(changeOf(signed));
  }
}

async function mine(history: LitecoinHistory, blocks: number): Promise<void> {
  await history.at.chain.mine(blocks);
  await noteHeight(history);
}

async function noteHeight(history: LitecoinHistory): Promise<void> {
  history.highest = Math.max(history.highest, (await history.at.chain.head()).height);
}

/** An hour passes for the node alone: with the next transaction it drops its whole mempool. */
async function forget(history: LitecoinHistory): Promise<void> {
  const { chain } = history.at;
  await chain.setTime(seconds(history.now) + 61 * 60);
  await pay(history, 0, [{ to: STRANGER, amount: 20_000n }]);
  await chain.setTime(seconds(history.now));
}

/**
 * Replaces the newest blocks by another branch, on which each of their transactions has its own fate. The mempool
 * stays.
 */
async function reorganise(history: LitecoinHistory, made: Extract<Move, { kind: 'reorganise' }>): Promise<void> {
  const { chain } = history.at;
  const { height } = await chain.head();
  const depth = Math.min(made.depth, height - history.base);
  if (depth <= 0) return;
  const gone = await chain.newest(depth);
  const [parent, first] = [await chain.hashAt(height - depth), await chain.hashAt(height - depth + 1)];
  await chain.invalidate(first);
  history.left.push(first);
  // A branch that was abandoned before and is valid again may be the best now: then that was the reorganisation.
  if ((await chain.head()).hash !== parent) return noteHeight(history);
  const length = depth + made.longer;
  const plan = planBranch(history, gone, made);
  for (let block = 0; block < length; block += 1)
    await chain.mineOnly(plan.flatMap((planned) => (planned.block === block ? [planned.signed] : [])));
  const late = plan.flatMap((planned) => (planned.block >= length ? [planned.signed] : []));
  await sendAll(history, late);
  await noteHeight(history);
}

interface Planned {
  readonly signed: Signed;
  readonly block: number;
}

/** The block of each transaction on the new branch. One that spends another of them comes after it, or not at all. */
function planBranch(
  { at: { chain } }: LitecoinHistory,
  gone: readonly Signed[],
  { outcomes, blocks }: Extract<Move, { kind: 'reorganise' }>,
): Planned[] {
  const moved = new Map<string, number>();
  const plan: Planned[] = [];
  for (const [nth, old] of gone.entries()) {
    const parent = old.coin.outpoint.split(':')[0] ?? '';
    const earliest = gone.some(({ hash }) => hash === parent) ? moved.get(parent) : 0;
    if (earliest === undefined) continue;
    const outcome = outcomes[nth % outcomes.length] ?? 'moved';
    const block = Math.max(earliest, blocks[nth % blocks.length] ?? 0);
    const signed = meet(chain, old, outcome);
    if (!signed) continue;
    if (outcome === 'moved') moved.set(old.hash, block);
    plan.push({ signed, block });
  }
  return plan;
}

function meet(chain: LitecoinPayers, old: Signed, outcome: Outcome): Signed | null {
  switch (outcome) {
    case 'moved':
      return old;
    case 'left':
      return null;
    case 'outbid':
      return chain.sign(old.coin, old.outputs.slice(0, -1), old.bumps + 1);
    case 'doubleSpent':
      return chain.sign(old.coin, [{ to: STRANGER, amount: 20_000n }], old.bumps + 1);
  }
}

/** Brings the chain to rest: half of what waits is double-spent, the rest mined, and enough blocks make all final. */
export async function comeToRest(history: LitecoinHistory): Promise<void> {
  const { chain, proxy } = history.at;
  proxy.heal();
  const waiting = await chain.waiting();
  const hashes = new Set(waiting.map(({ hash }) => hash));
  const roots = waiting.filter(({ coin }) => !hashes.has(coin.outpoint.split(':')[0] ?? ''));
  const rivals = roots.filter((_, nth) => nth % 2 === 0).map((old) => meet(chain, old, 'doubleSpent'));
  await chain.mineOnly(rivals.filter((signed) => signed !== null));
  const missing = history.highest - (await chain.head()).height;
  await mine(history, Math.max(0, missing) + 1 + CONFIRMATIONS);
  await drive(newWatcher(history.at, history.setup.deps));
}

/** Reads the canonical chain once, from the first block of the history to the tip, past the adapter. */
export async function readArrivals({ at: { chain }, orders, base }: LitecoinHistory): Promise<Arrival[]> {
  const arrivals: Arrival[] = [];
  const { height } = await chain.head();
  for (let at = base + 1; at <= height; at += 1) {
    for (const { vout } of (await chain.block(at)).tx) {
      for (const { value, scriptPubKey } of vout) {
        const paid = orders.find(({ addressKey }) => addressKey === scriptPubKey.hex);
        if (paid) arrivals.push({ order: paid, currency: 'LTC', amount: unitsIn(value) });
      }
    }
  }
  return arrivals;
}
