// Random histories of invoices on a real PostgreSQL and chains that exist only as data: whatever coins, rates or none,
// arrivals, switches, reorganisations, refunds and cancels come together, the book is whole, each deposit counts at the
// rate that its arrival deserves, and each entry to SETTLED is told once and worth the price at that moment.

import { afterAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Transfer } from '../../../src/chain/blocks.ts';
import { query } from '../../../src/database/connection.ts';
import { readCursor } from '../../../src/database/queries/chain/chain-cursor.ts';
import { acceptInvoice, cancelInvoice, expireInvoice, expireQuote } from '../../../src/domain/invoices/end-invoice.ts';
import { readRate } from '../../../src/values/prices/price.ts';
import { holdStories, longList } from '../../support/story/story.ts';
import { audit } from '../audit.fixture.ts';
import { openChain, START, type DataChain, type Order, type Setup } from '../book.fixture.ts';
import * as book from '../payouts/book.fixture.ts';
import { createSetups } from '../setups.fixture.ts';
import { auditInvoices, auditSettlements, watchSettlements } from './invoice-audit.fixture.ts';
import { openTill, orderOf, read, toward, type Till } from './till.fixture.ts';

/** `HISTORY_RUNS` sets a larger number of runs. */
const numRuns = Number(process.env['HISTORY_RUNS'] ?? 40);

/** With their base units, and what one is worth in EUR at first: of 18 decimals, of eight, and of six. */
const COINS = [
  ['USDT', 'ETH', 10n ** 6n, 0.9],
  ['ETH', 'ETH', 10n ** 18n, 2_000],
  ['USDT', 'TRON', 10n ** 6n, 0.9],
  ['LTC', 'LTC', 10n ** 8n, 70],
] as const;
const NETWORKS = ['ETH', 'TRON', 'LTC'] as const;
type ChainName = (typeof NETWORKS)[number];

/** Quotes and payments are named by their places; one that is not there is passed over. */
type Action =
  | { readonly kind: 'choose'; readonly coin: number }
  /** Of the rate at first; 0: there is none. */
  | { readonly kind: 'rate'; readonly coin: number; readonly percent: number }
  | { readonly kind: 'pay'; readonly quote: number; readonly percent: number; readonly mined: boolean }
  | { readonly kind: 'mine'; readonly chain: ChainName; readonly again: boolean }
  | { readonly kind: 'reorganise'; readonly chain: ChainName; readonly depth: number }
  | { readonly kind: 'wait'; readonly minutes: number }
  /** Of what is confirmed; 100: all that is left of it. */
  | { readonly kind: 'refund'; readonly quote: number; readonly percent: number; readonly completes: boolean }
  | { readonly kind: 'cancel' | 'accept' | 'expire' }
  | { readonly kind: 'expireQuote'; readonly quote: number };

const coin = fc.nat(COINS.length - 1);
const chain = fc.constantFrom(...NETWORKS);
const quote = fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(3) });
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('choose'), coin }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('rate'), coin, percent: fc.constantFrom(0, 50, 90, 100, 130) }),
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
  {
    weight: 4,
    arbitrary: fc.record({
      ...{ kind: fc.constant('refund'), quote, completes: fc.boolean() },
      percent: fc.constantFrom(30, 70, 100),
    }),
  },
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
  /** The deposits whose rate has been checked. */
  readonly recorded: Set<string>;
  highest: Record<ChainName, number>;
  now: Date;
}

/** Opens the till of a setup, where every entry to SETTLED is looked at from then on. */
async function openWatchedTill(setup: Setup): Promise<Till> {
  const till = await openTill(setup);
  tills.set(setup, till);
  await watchSettlements(setup);
  return till;
}

async function begin(setup: Setup, manual: boolean, tolerance: number): Promise<History> {
  const first = ['USDT', 'ETH'] as const;
  setup.setNow(START);
  const till = tills.get(setup) ?? (await openWatchedTill(setup));
  for (const [currency, , , worth] of COINS) till.rates.set(`${currency}/EUR`, String(worth));
  const above = async (network: ChainName) => {
    const cursor = await readCursor(setup.deps.db.em, network);
    return openChain(till, (cursor?.height ?? 0) + 100, network);
  };
  const chains = { ETH: await above('ETH'), TRON: await above('TRON'), LTC: await above('LTC') };
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
    blocks: { ETH: [], TRON: [], LTC: [] },
    waiting: { ETH: [], TRON: [], LTC: [] },
    recorded: new Set(),
    highest: { ETH: chains.ETH.tip.height, TRON: chains.TRON.tip.height, LTC: chains.LTC.tip.height },
  };
}

/** Runs what may be refused, and passes over a refusal by the state of things. */
const REFUSALS = new Set([
  ...['WRONG_STATE', 'TAKES_NO_MORE', 'TOO_MANY_CHOICES', 'NOT_REFUNDABLE', 'INSUFFICIENT_FUNDS', 'DUST'],
  ...['BELOW_MINIMUM', 'NETWORK_UNAVAILABLE', 'NO_RATE', 'VALIDATION'],
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

const unitOf = ({ currency, network }: { readonly currency: string; readonly network: string }): bigint =>
  COINS.find(([coinOf, on]) => coinOf === currency && on === network)?.[2] ?? 1n;

/** Reads an amount in base units, and writes one. */
function readAmount(text: string, unit: bigint): bigint {
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(whole) * unit + BigInt(fraction.padEnd(String(unit).length - 1, '0') || '0');
}
const writeAmount = (units: bigint, unit: bigint): string =>
  `${units / unit}.${String(units % unit).padStart(String(unit).length - 1, '0')}`;

/**
 * What was just recorded counts at its quote's rate if it arrived in time, else at the lower of that and what a quote
 * would get now; without such a rate at the quote's.
 */
async function checkRates({ setup, till, id, recorded }: History): Promise<void> {
  const rows = await setup.sql<{ id: string; currency: string; counts: string; quoted: string; late: boolean }>(
    `select d.id, d.currency, d.value_rate::text as counts, q.rate::text as quoted,
       least(d.seen_at, d.block_time) > q.ends_at as late
     from quote q join payment p on p.id = q.payment_id
       join deposit d on d.payment_id = p.id and (d.currency, d.network) = (p.currency, p.network)
     where q.invoice_id = $1`,
    [id],
  );
  for (const deposit of rows.filter((row) => !recorded.has(row.id))) {
    recorded.add(deposit.id);
    const quoted = readRate(deposit.quoted);
    const now = till.rates.market(`${deposit.currency}/EUR`) ?? quoted;
    const due = deposit.late && now < quoted ? now : quoted;
    expect({ ...deposit, counts: readRate(deposit.counts) }).toEqual({ ...deposit, counts: due });
  }
}

async function payQuote(history: History, nth: number, percent: number, mined: boolean): Promise<void> {
  const { setup, till, shop, id, waiting } = history;
  const chosen = (await read(till, shop, { id })).payments[nth];
  if (!chosen) return;
  const asked = readAmount(chosen.amount, unitOf(chosen));
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

type Refund = Extract<Action, { readonly kind: 'refund' }>;

async function refund({ setup, till, shop, id }: History, { quote: nth, percent, completes }: Refund): Promise<void> {
  const chosen = (await read(till, shop, { id })).payments[nth];
  if (!chosen) return;
  const order: Order = await orderOf(setup, chosen);
  const unit = unitOf(chosen);
  const part = (readAmount(chosen.amountConfirmed, unit) * BigInt(percent)) / 100n;
  await ifAllowed(async () => {
    const payout = await book.refund(till.deps, order, percent === 100 ? null : writeAmount(part, unit));
    await (completes ? book.complete(till.deps, payout) : book.fail(till.deps, payout));
  });
}

async function act(history: History, move: Action): Promise<void> {
  const { setup, till, shop, id, waiting, chains } = history;
  const [currency, network, , worth] = COINS['coin' in move ? move.coin : 0] ?? COINS[0];
  switch (move.kind) {
    case 'choose':
      await ifAllowed(() => till.quote({ id }, currency, network));
      history.now = till.deps.clock.now();
      return;
    case 'rate':
      return till.rates.set(`${currency}/EUR`, move.percent === 0 ? null : String((worth * move.percent) / 100));
    case 'pay':
      await payQuote(history, move.quote, move.percent, move.mined);
      return checkRates(history);
    case 'mine':
      await mine(history, move.chain, move.again ? waiting[move.chain].splice(0) : []);
      return move.again ? checkRates(history) : undefined;
    case 'reorganise':
      return reorganise(history, move.chain, move.depth);
    case 'wait':
      history.now = new Date(history.now.getTime() + move.minutes * 60_000);
      setup.setNow(history.now);
      for (const one of Object.values(chains)) await one.timeOut(history.now);
      return till.expire();
    case 'refund':
      return refund(history, move);
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
    await auditSettlements(setup);
    // Every unit that is on the chains is in the merchant's book.
    for (const currency of ['USDT', 'ETH', 'LTC']) {
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
