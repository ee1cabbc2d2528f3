// Random histories of a real EVM chain (anvil): the possible moves, and how each is carried out.

import fc from 'fast-check';
import { cancelPayment } from '../../../src/domain/payments/read-and-cancel.ts';
import type { Deps } from '../../../src/domain/deps.ts';
import type { Worker } from '../../../src/loop.ts';
import { START, type Order, type Setup } from '../../domain/book.fixture.ts';
import { CURRENCIES, drive, workOn, type ChainSetup } from '../chain-setup.fixture.ts';
import { PAYERS, type Moment, type Signed } from '../payers-chain.fixture.ts';
import { HARMS, type Harm } from '../unsteady-node.fixture.ts';

/** The recipient: one of the orders, or null for a stranger. */
interface Payee {
  readonly order: number | null;
  readonly currency: string;
  readonly amount: bigint;
}

/** What happens to a transaction whose block left the chain. */
type Outcome = 'moved' | 'dropped' | 'replaced' | 'doubleSpent';

export type Move =
  | ({ readonly kind: 'pay'; readonly payer: number } & Payee)
  | ({ readonly kind: 'replace'; readonly nth: number } & Payee)
  | { readonly kind: 'mine'; readonly blocks: number }
  | { readonly kind: 'watch'; readonly watchers: readonly number[]; readonly steps: number }
  | { readonly kind: 'startAgain'; readonly watcher: number }
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
  | { readonly kind: 'remember' }
  | { readonly kind: 'return'; readonly how: 'revert' | 'restart'; readonly resend: boolean }
  | { readonly kind: 'trouble'; readonly harm: Harm; readonly after: number; readonly count: number }
  | { readonly kind: 'clock'; readonly minutes: number }
  | { readonly kind: 'cancel'; readonly order: number };

const ORDERS = 3;
export const DUE = 1_000n;
/** Long enough for an answer on a busy machine, short enough to wait out a silent node. */
const TIMEOUT_MS = 150;

const order = fc.nat(ORDERS - 1);
const payee = {
  order: fc.oneof({ weight: 9, arbitrary: order }, { weight: 1, arbitrary: fc.constant(null) }),
  currency: fc.constantFrom('USDT', 'USDT', ...CURRENCIES),
  amount: fc.constantFrom(1n, 99n, 400n, 600n, DUE, 1_700n),
};
const few = <Value>(one: fc.Arbitrary<Value>) => fc.array(one, { minLength: 1, maxLength: 4, size: 'max' });
const kinds = {
  pay: [8, fc.record({ kind: fc.constant('pay'), payer: fc.nat(PAYERS - 1), ...payee })],
  replace: [3, fc.record({ kind: fc.constant('replace'), nth: fc.nat(3), ...payee })],
  mine: [7, fc.record({ kind: fc.constant('mine'), blocks: fc.constantFrom(1, 1, 2, 3) })],
  watch: [
    8,
    fc.record({
      kind: fc.constant('watch'),
      watchers: fc.constantFrom([0], [1], [0, 1]),
      steps: fc.constantFrom(100, 100, 1, 3),
    }),
  ],
  startAgain: [1, fc.record({ kind: fc.constant('startAgain'), watcher: fc.nat(1) })],
  reorganise: [
    5,
    fc.record({
      kind: fc.constant('reorganise'),
      depth: fc.integer({ min: 1, max: 12 }),
      outcomes: few(fc.constantFrom('dropped', 'moved', 'replaced', 'doubleSpent')),
      blocks: few(fc.nat(5)),
      longer: fc.integer({ min: -2, max: 2 }),
    }),
  ],
  remember: [1, fc.record({ kind: fc.constant('remember') })],
  return: [
    1,
    fc.record({ kind: fc.constant('return'), how: fc.constantFrom('revert', 'restart'), resend: fc.boolean() }),
  ],
  trouble: [
    4,
    fc.record({
      kind: fc.constant('trouble'),
      harm: fc.constantFrom(...HARMS),
      after: fc.nat(8),
      count: fc.integer({ min: 1, max: 12 }),
    }),
  ],
  clock: [2, fc.record({ kind: fc.constant('clock'), minutes: fc.constantFrom(1, -5, 20, 1_500) })],
  cancel: [1, fc.record({ kind: fc.constant('cancel'), order })],
} satisfies { readonly [Kind in Move['kind']]: readonly [number, fc.Arbitrary<Extract<Move, { kind: Kind }>>] };

/** One step of a history. */
export const move: fc.Arbitrary<Move> = fc.oneof(
  ...Object.values(kinds).map(([weight, arbitrary]) => ({ weight, arbitrary: arbitrary as fc.Arbitrary<Move> })),
);

/** One history while it runs. It has no model of the expected book: only the chain knows. */
export interface ChainHistory {
  readonly at: ChainSetup;
  readonly setup: Setup;
  /** Two processes, each with its own connections. */
  readonly processes: readonly Deps[];
  readonly watchers: Worker[];
  readonly orders: readonly Order[];
  /** The height above which the history takes place. */
  readonly base: number;
  moment: Moment;
  now: Date;
  highest: number;
}

/** Begins one on top of what the chain holds already, with two orders of USDT and one of the coin. */
export async function begin(at: ChainSetup, setup: Setup, second: Deps): Promise<ChainHistory> {
  const { chain, node } = at;
  node.heal();
  const now = new Date(Math.max(START.getTime(), (await chain.head()).time * 1_000) + 60_000);
  setup.setNow(now);
  await chain.mine(1, seconds(now));
  const processes = [setup.deps, second];
  const watchers = processes.map((deps) => at.watch(deps, TIMEOUT_MS));
  await drive(at.watch(setup.deps));
  const [one, two] = [await setup.merchant(), await setup.merchant()];
  const columns = { amount: DUE.toString(), created_at: now, expires_at: new Date(now.getTime() + 30 * 60_000) };
  const orders = [
    await setup.order(one, columns),
    await setup.order(two, columns),
    await setup.order(two, { ...columns, currency: 'ETH' }),
  ];
  const { height: base } = await chain.head();
  return { at, setup, processes, watchers, orders, base, moment: await chain.remember(), now, highest: base };
}

const seconds = (time: Date): number => Math.floor(time.getTime() / 1_000);

/** Carries out one move; a move that is impossible at the moment does nothing. */
export async function act(history: ChainHistory, made: Move): Promise<void> {
  const { chain, node } = history.at;
  switch (made.kind) {
    case 'pay':
      return void (await chain.pay(made.payer, paymentOf(history, made)));
    case 'replace': {
      const waiting = await chain.waiting();
      const instead = waiting[made.nth % Math.max(1, waiting.length)];
      if (instead) await chain.send(await chain.sign(instead, paymentOf(history, made)));
      return;
    }
    case 'mine':
      return mine(history, made.blocks);
    case 'watch':
      return watch(history, made.watchers, made.steps);
    case 'startAgain':
      return void (history.watchers[made.watcher] = at(history, made.watcher));
    case 'reorganise':
      return reorganise(history, made);
    case 'remember':
      return void (history.moment = await chain.remember());
    case 'return':
      return goBack(history, made);
    case 'trouble':
      return node.harm({ ...made, blocks: 1 + (made.after % 4) });
    case 'clock':
      history.now = new Date(history.now.getTime() + made.minutes * 60_000);
      return history.setup.setNow(history.now);
    case 'cancel':
      return cancel(history, made.order);
  }
}

function at({ at: { watch: newWatcher }, processes }: ChainHistory, watcher: number): Worker {
  const deps = processes[watcher];
  if (!deps) throw new Error(`there is no process ${String(watcher)}`);
  return newWatcher(deps, TIMEOUT_MS);
}

const STRANGER = `0x${'5a'.repeat(20)}`;

function paymentOf({ orders }: ChainHistory, { order: nth, currency, amount }: Payee) {
  const to = nth === null ? STRANGER : (orders[nth]?.addressKey ?? STRANGER);
  return { to, currency, amount };
}

async function mine(history: ChainHistory, blocks: number): Promise<void> {
  const { chain } = history.at;
  await chain.mine(blocks, seconds(history.now));
  history.highest = Math.max(history.highest, (await chain.head()).height);
}

async function watch({ watchers }: ChainHistory, chosen: readonly number[], steps: number): Promise<void> {
  const working = watchers.filter((_, nth) => chosen.includes(nth));
  await Promise.all(working.map((watcher) => workOn(watcher, steps)));
}

/**
 * Replaces the newest blocks by another branch, on which each of their transactions has its own fate. The mempool
 * stays.
 */
async function reorganise(history: ChainHistory, made: Extract<Move, { kind: 'reorganise' }>): Promise<void> {
  const { chain } = history.at;
  const { height } = await chain.head();
  const depth = Math.min(made.depth, height - Math.max(history.base, chain.floor()));
  if (depth <= 0) return;
  const waiting = await chain.waiting();
  const gone = await chain.newest(depth);
  await chain.rollBack(depth);
  const length = depth + made.longer;
  const plan: { readonly block: number; readonly signed: Signed }[] = [];
  for (const [nth, old] of gone.entries()) {
    const signed = await meet(history, old, made.outcomes[nth % made.outcomes.length] ?? 'moved');
    if (signed) plan.push({ block: made.blocks[nth % made.blocks.length] ?? 0, signed });
  }
  for (let block = 0; block < length; block += 1) {
    for (const planned of plan) if (planned.block === block) await chain.send(planned.signed);
    await mine(history, 1);
  }
  for (const planned of plan) if (planned.block >= length) await chain.send(planned.signed);
  for (const signed of waiting) await chain.send(signed);
}

async function meet({ at: { chain } }: ChainHistory, signed: Signed, outcome: Outcome): Promise<Signed | null> {
  switch (outcome) {
    case 'moved':
      return signed;
    case 'dropped':
      return null;
    case 'replaced':
      return chain.sign(signed);
    case 'doubleSpent':
      return chain.sign(signed, { ...signed, to: STRANGER });
  }
}

/** Restores an earlier state of the chain; what was mined since may come back. */
async function goBack(history: ChainHistory, { how, resend }: Extract<Move, { kind: 'return' }>): Promise<void> {
  const { chain } = history.at;
  const { moment } = history;
  const depth = (await chain.head()).height - moment.head.height;
  const gone = depth > 0 ? await chain.newest(depth) : [];
  if (how === 'restart') await chain.restart(moment);
  else if (!(await chain.revert(moment))) return;
  // A snapshot can be used only once.
  history.moment = await chain.remember();
  if (resend) for (const signed of gone) await chain.send(signed);
}

async function cancel({ setup, orders }: ChainHistory, nth: number): Promise<void> {
  const { merchantId, id } = orders[nth] ?? { merchantId: '', id: '' };
  await cancelPayment(setup.deps, merchantId, id).catch((error: unknown) => {
    if ((error as { errorName?: string }).errorName !== 'WRONG_STATE') throw error;
  });
}

/** Brings the chain to rest: the node works, nothing waits any more, and enough blocks make everything final. */
export async function comeToRest(history: ChainHistory): Promise<void> {
  const { chain, node, watch: newWatcher } = history.at;
  node.heal();
  await chain.dropAll();
  const missing = history.highest - (await chain.head()).height;
  await mine(history, Math.max(0, missing) + 2);
  await drive(newWatcher(history.setup.deps));
}
