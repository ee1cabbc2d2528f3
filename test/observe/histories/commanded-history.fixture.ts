// Random histories of a chain whose blocks a test mines (TRON, Solana): the possible moves, and how each is carried
// out.

import fc from 'fast-check';
import { cancelPayment } from '../../../src/domain/payments/read-and-cancel.ts';
import type { Deps } from '../../../src/domain/deps.ts';
import type { Worker } from '../../../src/loop.ts';
import { createDepositWatcher } from '../../../src/observe/watch-deposits.ts';
import { NETWORKS } from '../../../src/values/assets.ts';
import type { Order, Setup } from '../../domain/book.fixture.ts';
import { FAILURES, type Failure } from '../../support/proxies/failing-proxy.ts';
import { drive, workOn, type Arrival } from '../chain-setup.fixture.ts';
import type { CommandedChain } from './commanded-chains.fixture.ts';

/** The recipient: one of the orders, or null for a stranger; in one of the chain's currencies. */
interface Payee {
  readonly order: number | null;
  readonly currency: number;
  readonly amount: bigint;
}

export type Move =
  | ({ readonly kind: 'pay' } & Payee)
  | { readonly kind: 'mine'; readonly blocks: number }
  | { readonly kind: 'skip'; readonly slots: number }
  | { readonly kind: 'watch'; readonly watchers: readonly number[]; readonly steps: number }
  | { readonly kind: 'startAgain'; readonly watcher: number }
  | { readonly kind: 'fork'; readonly depth: number; readonly keep: boolean }
  | { readonly kind: 'trouble'; readonly failure: Failure; readonly after: number; readonly count: number }
  | { readonly kind: 'clock'; readonly minutes: number }
  | { readonly kind: 'cancel'; readonly order: number };

const ORDERS = 3;
const DUE = 10_000_000n;
const CONFIRMATIONS = 3;
/** The time until an order expires, in blocks of its chain. */
const LIFETIME_BLOCKS = 30;
/** Never as deep as final blocks. */
const DEEPEST = 12;
/** Blocks on top of everything, so that all of it is final. */
const TO_REST = 45;

const order = fc.nat(ORDERS - 1);
const kinds = {
  pay: [
    9,
    fc.record({
      kind: fc.constant('pay'),
      order: fc.oneof({ weight: 9, arbitrary: order }, { weight: 1, arbitrary: fc.constant(null) }),
      currency: fc.constantFrom(0, 1, 1, 2),
      amount: fc.constantFrom(990_000n, 4_000_000n, 6_000_000n, DUE, 17_000_000n),
    }),
  ],
  mine: [7, fc.record({ kind: fc.constant('mine'), blocks: fc.constantFrom(1, 1, 2, 4) })],
  skip: [1, fc.record({ kind: fc.constant('skip'), slots: fc.constantFrom(1, 3, 40) })],
  watch: [
    8,
    fc.record({
      kind: fc.constant('watch'),
      watchers: fc.constantFrom([0], [1], [0, 1]),
      steps: fc.constantFrom(100, 100, 1, 3),
    }),
  ],
  startAgain: [1, fc.record({ kind: fc.constant('startAgain'), watcher: fc.nat(1) })],
  fork: [5, fc.record({ kind: fc.constant('fork'), depth: fc.integer({ min: 1, max: DEEPEST }), keep: fc.boolean() })],
  trouble: [
    3,
    fc.record({
      kind: fc.constant('trouble'),
      failure: fc.constantFrom(...FAILURES),
      after: fc.nat(8),
      count: fc.integer({ min: 1, max: 6 }),
    }),
  ],
  clock: [2, fc.record({ kind: fc.constant('clock'), minutes: fc.constantFrom(1, -5, 20, 1_500) })],
  cancel: [1, fc.record({ kind: fc.constant('cancel'), order })],
} satisfies { readonly [Kind in Move['kind']]: readonly [number, fc.Arbitrary<Extract<Move, { kind: Kind }>>] };

/** One step of a history. */
export const move: fc.Arbitrary<Move> = fc.oneof(
  ...Object.values(kinds).map(([weight, arbitrary]) => ({ weight, arbitrary: arbitrary as fc.Arbitrary<Move> })),
);

/** One history while it runs. It has no model of the expected book: only the chain knows what it holds. */
export interface CommandedHistory {
  readonly chain: CommandedChain;
  readonly setup: Setup;
  /** Two processes, each with its own connections. */
  readonly processes: readonly Deps[];
  readonly watchers: Worker[];
  readonly orders: readonly Order[];
  /** The height above which the history takes place. */
  readonly base: number;
  readonly sent: { readonly id: string; readonly paid: Arrival }[];
  now: Date;
}

function newWatcher(chain: CommandedChain, deps: Deps): Worker {
  const { account } = NETWORKS[chain.network];
  const rest = { account, requiredConfirmations: CONFIRMATIONS, networkFees: new Map<string, bigint>() };
  return createDepositWatcher(deps, { adapter: chain.adapter(), ...rest });
}

let derived = 0;

/** Begins one on top of what the chain holds already, with two orders of a token and one of the coin. */
export async function begin(chain: CommandedChain, setup: Setup, second: Deps): Promise<CommandedHistory> {
  const { network, currencies, proxy } = chain;
  proxy.heal();
  const now = new Date(chain.time().getTime() + 1_000);
  setup.setNow(now);
  await drive(newWatcher(chain, setup.deps));
  const processes = [setup.deps, second];
  const [one, two] = [await setup.merchant(), await setup.merchant()];
  const { account, blockTimeMs } = NETWORKS[network];
  const newOrder = (merchantId: string, currency = '') => {
    const address = chain.newAddress();
    return setup.order(merchantId, {
      ...{ network, currency, amount: DUE.toString(), address, address_key: address },
      ...{ derivation_account: account, derivation_index: (derived += 1), required_confirmations: CONFIRMATIONS },
      ...{ created_at: now, expires_at: new Date(now.getTime() + LIFETIME_BLOCKS * blockTimeMs) },
    });
  };
  const [coin, token] = currencies;
  const orders = [await newOrder(one, token), await newOrder(two, token), await newOrder(two, coin)];
  const watchers = processes.map((deps) => newWatcher(chain, deps));
  return { chain, setup, processes, watchers, orders, base: chain.height(), sent: [], now };
}

/** Carries out one move; a move that is impossible at the moment does nothing. */
export async function act(history: CommandedHistory, made: Move): Promise<void> {
  const { chain, setup, watchers, processes } = history;
  switch (made.kind) {
    case 'pay':
      return pay(history, made);
    case 'mine':
      return chain.mine(made.blocks);
    case 'skip':
      return chain.skip(made.slots);
    case 'watch': {
      const working = watchers.filter((_, nth) => made.watchers.includes(nth));
      await Promise.all(working.map((watcher) => workOn(watcher, made.steps)));
      return;
    }
    case 'startAgain': {
      const deps = processes[made.watcher];
      if (deps) watchers[made.watcher] = newWatcher(chain, deps);
      return;
    }
    case 'fork': {
      const depth = Math.min(made.depth, chain.height() - history.base);
      return depth > 0 ? chain.fork(depth, made.keep) : undefined;
    }
    case 'trouble':
      return chain.proxy.fail(made.failure, made.after, made.count);
    case 'clock':
      history.now = new Date(history.now.getTime() + made.minutes * 60_000);
      return setup.setNow(history.now);
    case 'cancel':
      return cancel(history, made.order);
  }
}

function pay({ chain, orders, sent }: CommandedHistory, { order: nth, currency: place, amount }: Payee): void {
  const order = nth === null ? null : orders[nth];
  const currency = chain.currencies[place] ?? '';
  const id = chain.pay(order?.addressKey ?? chain.newAddress(), currency, amount);
  if (id !== null && order) sent.push({ id, paid: { order, currency, amount } });
}

async function cancel({ setup, orders }: CommandedHistory, nth: number): Promise<void> {
  const { merchantId, id } = orders[nth] ?? { merchantId: '', id: '' };
  await cancelPayment(setup.deps, merchantId, id).catch((error: unknown) => {
    if ((error as { errorName?: string }).errorName !== 'WRONG_STATE') throw error;
  });
}

/** Brings the chain to rest: the node works, nothing waits any more, and enough blocks make everything final. */
export async function comeToRest({ chain, setup }: CommandedHistory): Promise<void> {
  chain.proxy.heal();
  chain.mine(TO_REST);
  await drive(newWatcher(chain, setup.deps));
}

/** What the canonical chain holds of all that was ever sent, read once and past the adapter. */
export function readArrivals({ chain, sent }: CommandedHistory): Arrival[] {
  return sent.filter(({ id }) => chain.holds(id)).map(({ paid }) => paid);
}
