// Random histories of invoices on a real PostgreSQL and chains that exist only as data: whatever coins, rates,
// arrivals, switches, reorganisations, refunds and cancels come together, the book is whole and each entry to SETTLED
// is told once.

import { afterAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Transfer } from '../../../src/chain/blocks.ts';
import { query } from '../../../src/database/connection.ts';
import { readCursor } from '../../../src/database/queries/chain/chain-cursor.ts';
import { acceptInvoice, cancelInvoice, expireInvoice, expireQuote } from '../../../src/domain/invoices/end-invoice.ts';
import { holdStories, longList } from '../../support/story/story.ts';
import { audit } from '../audit.fixture.ts';
import { openChain, START, type DataChain, type Order, type Setup } from '../book.fixture.ts';
import * as book from '../payouts/book.fixture.ts';
import { createSetups } from '../setups.fixture.ts';
import { auditInvoices } from './invoice-audit.fixture.ts';
import { openTill, orderOf, read, toward, type Till } from './till.fixture.ts';

/** `HISTORY_RUNS` sets a larger number of runs. */
const numRuns = Number(process.env['HISTORY_RUNS'] ?? 40);

const COINS = [
  ['USDT', 'ETH', 10n ** 6n],
  ['ETH', 'ETH', 10n ** 18n],
  ['USDT', 'TRON', 10n ** 6n],
] as const;
const NETWORKS = ['ETH', 'TRON'] as const;
type ChainName = (typeof NETWORKS)[number];

/** Quotes and payments are named by their places; one that is not there is passed over. */
type Action =
  | { readonly kind: 'choose'; readonly coin: number }
  | { readonly kind: 'rate'; readonly coin: number; readonly percent: number }
  | { readonly kind: 'pay'; readonly quote: number; readonly percent: number; readonly mined: boolean }
  | { readonly kind: 'mine'; readonly chain: ChainName; readonly again: boolean }
  | { readonly kind: 'reorganise'; readonly chain: ChainName; readonly depth: number }
  | { readonly kind: 'wait'; readonly minutes: number }
  | { readonly kind: 'refund'; readonly quote: number; readonly completes: boolean }
  | { readonly kind: 'cancel' | 'accept' | 'expire' }
  | { readonly kind: 'expireQuote'; readonly quote: number };

const coin = fc.nat(COINS.length - 1);
const chain = fc.constantFrom(...NETWORKS);
const quote = fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(3) });
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('choose'), coin }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('rate'), coin, percent: fc.constantFrom(50, 90, 100, 130) }),
  },
  {
    weight: 10,
    arbitrary: fc.record({
      ...{ kind: fc.constant('pay'), quote, mined: fc.boolean() },
      percent: fc.constantFrom(10, 60, 100, 100, 110),
    }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('mine'), chain, again: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('reorganise'), chain, depth: fc.integer({ min: 1, max: 4 }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('wait'), minutes: fc.constantFrom(1, 1, 16, 16, 70, 1_500) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('refund'), quote, completes: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('cancel', 'accept', 'expire') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('expireQuote'), quote }) },
);

const setups = createSetups();
/** One till for all histories of a setup: each derives addresses ahead on a thread of its own. */
const tills = new WeakMap<Setup, Till>();
afterAll(() => setups.stop());

/** One history while it runs. */
interface History {
  readonly setup: Setup;
  readonly till: Till;
  readonly chains: Readonly<Record<ChainName, DataChain>>;
  readonly shop: string;
  readonly id: string;
  /** The transfers of each block of a chain, from the bottom, and those that wait in its mempool. */
  readonly blocks: Readonly<Record<ChainName, Transfer[][]>>;
  readonly waiting: Readonly<Record<ChainName, Transfer[]>>;
  highest: Record<ChainName, number>;
  now: Date;
}

async function begin(setup: Setup, manual: boolean, tolerance: number): Promise<History> {
  const first = ['USDT', 'ETH'] as const;
  setup.setNow(START);
  const till = tills.get(setup) ?? (await openTill(setup));
  tills.set(setup, till);
  till.rates.set('USDT/EUR', '0.9');
  till.rates.set('ETH/EUR', '2000');
  const above = async (network: ChainName) => {
    const cursor = await readCursor(setup.deps.db.em, network);
    return openChain(till, (cursor?.height ?? 0) + 100, network);
  };
  const chains = { ETH: await above('ETH'), TRON: await above('TRON') };
  const shop = await setup.merchant();
  await query(
    setup.deps.db.em,
    'update merchant set late_payment_policy = $2, tolerance_basis_points = $3 where id = $1',
    [shop, manual ? 'MANUAL' : 'ACCEPT', tolerance],
  );
  const { id } = await till.create(shop, { amount: '100' });
  // Nearly nothing happens to an invoice before the first choice.
  await till.quote({ id }, ...first);
  return {
    ...{ setup, till, chains, shop, id, now: till.deps.clock.now() },
    blocks: { ETH: [], TRON: [] },
    waiting: { ETH: [], TRON: [] },
    highest: { ETH: chains.ETH.tip.height, TRON: chains.TRON.tip.height },
  };
}

/** Runs what may be refused, and passes over a refusal by the state of things. */
const REFUSALS = new Set([
  ...['WRONG_STATE', 'TAKES_NO_MORE', 'TOO_MANY_CHOICES', 'NOT_REFUNDABLE', 'INSUFFICIENT_FUNDS', 'DUST'],
  ...['BELOW_MINIMUM', 'NETWORK_UNAVAILABLE', 'VALIDATION'],
]);
async function ifAllowed(work: () => Promise<unknown>): Promise<void> {
  await work().catch((error: unknown) => {
    if (!REFUSALS.has((error as { errorName?: string }).errorName ?? '')) throw error;
  });
}

async function mine(history: History, network: ChainName, transfers: readonly Transfer[]): Promise<void> {
  const { chains, blocks } = history;
  await chains[network].mineAt(history.now, ...transfers);
  blocks[network].push([...transfers]);
  history.highest[network] = Math.max(history.highest[network], chains[network].tip.height);
}

async function payQuote(history: History, nth: number, percent: number, mined: boolean): Promise<void> {
  const { setup, till, shop, id, waiting } = history;
  const chosen = (await read(till, shop, { id })).payments[nth];
  if (!chosen) return;
  const unit =
    COINS.find(([currency, network]) => currency === chosen.currency && network === chosen.network)?.[2] ?? 1n;
  const [whole = '0', fraction = ''] = chosen.amount.split('.');
  const asked = BigInt(whole) * unit + BigInt(fraction.padEnd(String(unit).length - 1, '0') || '0');
  const transfer = await toward(setup, chosen, (asked * BigInt(percent)) / 100n);
  const network = chosen.network as ChainName;
  if (mined) return mine(history, network, [transfer]);
  waiting[network].push(transfer);
  await history.chains[network].mempool([transfer]);
}

async function reorganise(history: History, network: ChainName, most: number): Promise<void> {
  const { chains, blocks, waiting } = history;
  const depth = Math.min(most, blocks[network].length);
  if (depth === 0) return;
  await chains[network].rollBack(depth);
  waiting[network].push(...blocks[network].splice(-depth).flat());
}

async function refund({ setup, till, shop, id }: History, nth: number, completes: boolean): Promise<void> {
  const chosen = (await read(till, shop, { id })).payments[nth];
  if (!chosen) return;
  const order: Order = await orderOf(setup, chosen);
  await ifAllowed(async () => {
    const payout = await book.refund(till.deps, order);
    await (completes ? book.complete(till.deps, payout) : book.fail(till.deps, payout));
  });
}

async function act(history: History, move: Action): Promise<void> {
  const { setup, till, shop, id, waiting, chains } = history;
  const [currency, network] = COINS['coin' in move ? move.coin : 0] ?? COINS[0];
  switch (move.kind) {
    case 'choose':
      await ifAllowed(() => till.quote({ id }, currency, network));
      history.now = till.deps.clock.now();
      return;
    case 'rate':
      return till.rates.set(`${currency}/EUR`, String(((currency === 'ETH' ? 2_000 : 1) * move.percent) / 100));
    case 'pay':
      return payQuote(history, move.quote, move.percent, move.mined);
    case 'mine':
      return mine(history, move.chain, move.again ? waiting[move.chain].splice(0) : []);
    case 'reorganise':
      return reorganise(history, move.chain, move.depth);
    case 'wait':
      history.now = new Date(history.now.getTime() + move.minutes * 60_000);
      setup.setNow(history.now);
      for (const one of Object.values(chains)) await one.timeOut(history.now);
      return till.expire();
    case 'refund':
      return refund(history, move.quote, move.completes);
    case 'expireQuote': {
      const chosen = (await read(till, shop, { id })).payments[move.quote];
      return chosen && ifAllowed(() => expireQuote(till.deps, shop, chosen.id));
    }
    default: {
      const acts = { cancel: cancelInvoice, accept: acceptInvoice, expire: expireInvoice };
      return ifAllowed(() => acts[move.kind](till.deps, shop, id));
    }
  }
}

/** Enough blocks make everything final; what waits in a mempool is gone. */
async function comeToRest(history: History): Promise<void> {
  const { setup, chains } = history;
  for (const network of NETWORKS) {
    const gone = await setup.sql<{ id: string }>(
      `select id from deposit where network = $1 and status = 'PENDING' and block_hash is null`,
      [network],
    );
    await chains[network].mempool(
      [],
      gone.map(({ id }) => id),
    );
    while (chains[network].tip.height < history.highest[network] + 2) await chains[network].mineEmpty(1);
    await chains[network].timeOut(history.now);
  }
  await history.till.expire();
}

function story(manual: boolean, tolerance: number, moves: readonly Action[]): Promise<void> {
  return setups.tell(async (setup) => {
    const history = await begin(setup, manual, tolerance);
    for (const move of moves) await act(history, move);
    await comeToRest(history);
    await audit(setup);
    await auditInvoices(setup);
    // Every unit that is on the chains is in the merchant's book.
    for (const currency of ['USDT', 'ETH']) {
      const [sums] = await setup.sql<{ chain: string; book: string }>(
        `select coalesce(sum(amount) filter (where block_height is not null), 0)::text as chain,
           coalesce(sum(amount) filter (where credited), 0)::text as book
         from deposit where merchant_id = $1 and currency = $2`,
        [history.shop, currency],
      );
      const mined = NETWORKS.flatMap((network) => history.blocks[network].flat());
      const sent = mined.filter((one) => one.currency === currency).reduce((sum, { amount }) => sum + amount, 0n);
      expect(sums).toEqual({ chain: String(sent), book: String(sent) });
    }
  });
}

describe('whatever happens to an invoice', () => {
  it(
    'it is settled for no less than its price, told once an entry, and the book is whole',
    () =>
      holdStories({
        title: 'it is settled for no less than its price, told once an entry, and the book is whole',
        of: [fc.boolean(), fc.constantFrom(0, 0, 500), longList(action, 30)],
        story,
        numRuns,
      }),
    Math.max(600_000, numRuns * 5_000),
  );
});
