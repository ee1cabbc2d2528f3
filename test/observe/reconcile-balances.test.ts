// Reconciliation of the book with the chain: money on its way is not a difference, and unexplained money is reported.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import type { Chain, Deps } from '../../src/domain/deps.ts';
import type { Worker } from '../../src/loop.ts';
import { createReconciler } from '../../src/observe/reconcile-balances.ts';
import { createPayoutSetup, type PayoutSetup } from '../custody/payout-setup.fixture.ts';

const ETHER = 10n ** 18n;

let stage: PayoutSetup;
let shop: string;
let lines: { msg?: string; level: number; currency?: string }[];
let gauge: Map<string, bigint>;

beforeAll(async () => {
  stage = await createPayoutSetup();
});
afterAll(() => stage.stop());
beforeEach(async () => {
  stage.pass(1);
  shop = await stage.setup.merchant();
  lines = [];
  gauge = new Map();
});

function reconciler(deps: Deps = stage.deps, sliceSize = 1_000): Worker {
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line) as never) });
  const onDifference = (_: string, currency: string, units: bigint) => void gauge.set(currency, units);
  return createReconciler({ ...deps, log }, deps.chains.get('ETH') as Chain, { everyMs: 0, sliceSize, onDifference });
}

const recorded = (open = true) =>
  stage.setup.sql<{ currency: string; difference: string; resolved: boolean }>(
    `select currency, difference::text, resolved_at is not null as resolved from reconciliation
     where not $1 or resolved_at is null order by id`,
    [open],
  );

/** Lets it compare so many times; the first pass over all addresses comes before. */
async function look(times: number, worker = reconciler()): Promise<void> {
  for (let looks = 0; looks < times; looks += 1) while (await worker.processNext());
}

async function expectNoDifference(worker: Worker): Promise<void> {
  await look(3, worker);
  expect(await recorded(false)).toEqual([]);
  expect(lines).toEqual([]);
  expect(Object.fromEntries(gauge)).toEqual({ ETH: 0n, USDT: 0n, USDC: 0n });
}

/** Sets an address's balance of the coin without a transaction. */
async function give(address: string, units: bigint): Promise<void> {
  const held = await stage.holds(address, 'ETH');
  await stage.node('anvil_setBalance', address, `0x${(held + units).toString(16)}`);
}

describe.each([
  ['all addresses each time', 1_000],
  ['what has changed, and one address of the others', 1],
])('what is under way, reading %s,', (_, sliceSize) => {
  let observer: Worker;
  beforeEach(() => {
    observer = reconciler(stage.deps, sliceSize);
  });

  it('is no difference: a deposit that waits for confirmations', async () => {
    const { addressKey } = await stage.order(shop);
    await stage.dev.deposit({ address: addressKey, currency: 'USDT', amount: 5_000_000n, confirmations: 0 });
    await expectNoDifference(observer);
    await stage.settle(stage.watcher());
    expect(await stage.setup.balance(shop)).toMatchObject({ pending: 5_000_000n, available: 0n });
    await expectNoDifference(observer);
    await stage.dev.mine(1);
    await stage.settle(stage.watcher());
    await expectNoDifference(observer);
  });

  it('is no difference: withdrawals and their sweeps and gas, at every step', async () => {
    await stage.pay(await stage.order(shop), 'USDT', 50_000_000n);
    await stage.pay(await stage.order(shop, 'ETH'), 'ETH', ETHER);
    await stage.withdraw(shop, 'USDT', '20');
    await stage.withdraw(shop, 'ETH', '0.5');
    const [sender, watcher] = [stage.sender(), stage.watcher()];
    for (let busy = true; busy;) {
      busy = await sender.processNext();
      await look(2, observer);
      busy = (await watcher.processNext()) || busy;
      await look(2, observer);
    }
    const open = await stage.setup.sql(`select 1 from payout where status <> 'COMPLETED'`);
    expect(open).toEqual([]);
    await expectNoDifference(observer);
  });

  it('is no difference: a withdrawal and a deposit whose blocks leave the chain', async () => {
    await stage.pay(await stage.order(shop), 'USDT', 30_000_000n);
    await stage.withdraw(shop, 'USDT', '10');
    await stage.settle(stage.sender(), stage.watcher());
    const { addressKey } = await stage.order(shop);
    await stage.dev.deposit({ address: addressKey, currency: 'USDT', amount: 7_000_000n, confirmations: 0 });
    await stage.settle(stage.watcher());
    await stage.dev.reorg(4);
    await look(3, observer);
    const [sender, watcher] = [stage.sender(), stage.watcher()];
    for (let busy = true; busy;) {
      busy = await watcher.processNext();
      await look(2, observer);
      busy = (await sender.processNext()) || busy;
      await look(2, observer);
    }
    await stage.dev.mine(3);
    await stage.settle(watcher, sender);
    await expectNoDifference(observer);
  });

  it('is no difference: a deposit whose block leaves the chain for good', async () => {
    // Open orders are looked at in any case, and of many others one at a time.
    const { addressKey } = await stage.order(shop, 'ETH');
    for (let nth = 0; nth < 20; nth += 1) await stage.order(shop, 'ETH');
    await stage.setup.sql(`update payment set status = 'EXPIRED' where status = 'PENDING'`);
    await stage.dev.deposit({ address: addressKey, currency: 'USDT', amount: 3_000_000n, confirmations: 0 });
    await stage.settle(stage.watcher());
    await expectNoDifference(observer);
    await stage.node('anvil_reorg', 1, []);
    await stage.settle(stage.watcher());
    await expectNoDifference(observer);
  });
});

describe('money that came by a way the watcher does not see', () => {
  it('is told at the second look, recorded once by two observers, and set apart', async () => {
    const order = await stage.order(shop, 'ETH');
    await give(order.addressKey, 1_234n);
    const [one, two] = [reconciler(), reconciler(await stage.another())];
    await look(1, one);
    expect(gauge.get('ETH')).toBe(1_234n);
    expect(await recorded()).toEqual([]);
    await look(1, two);
    await Promise.all([one.processNext(), two.processNext()]);
    await look(2, one);
    await look(2, two);
    expect(await recorded()).toEqual([{ currency: 'ETH', difference: '1234', resolved: false }]);
    expect(lines.filter(({ msg }) => msg === 'the chain does not hold what the book says')).toHaveLength(1);
    expect(lines.every(({ level, currency }) => level === 50 && currency === 'ETH')).toBe(true);
    const [suspense] = await stage.setup.sql(
      `select balance::text from ledger_account where purpose = 'suspense' and currency = 'ETH'`,
    );
    expect(suspense).toEqual({ balance: '1234' });
    await stage.audit();
  });

  it('stays told by an observer that starts later and after its order ended, until suspense is empty', async () => {
    await stage.setup.sql(`update payment set status = 'EXPIRED' where currency = 'ETH' and status = 'PENDING'`);
    await look(3);
    expect(gauge.get('ETH')).toBe(1_234n);
    expect(lines.map(({ msg }) => msg)).toEqual(['a difference to the chain is not explained']);
    expect(await recorded()).toHaveLength(1);
    const [stray] = await stage.setup.sql<{ key: string }>('select address_key as key from stray_address');
    await give(stray?.key ?? '', -1_234n);
    await look(3);
    expect(gauge.get('ETH')).toBe(0n);
    expect(await recorded()).toEqual([]);
    expect(await recorded(false)).toEqual([
      { currency: 'ETH', difference: '1234', resolved: true },
      { currency: 'ETH', difference: '-1234', resolved: true },
    ]);
    await stage.audit();
  });
});

describe('an address whose order is over and never saw a deposit', () => {
  /** Closed orders, one of them in the middle of the order in which addresses are checked. */
  async function closedOrders(count: number): Promise<string> {
    const orders = [];
    for (let nth = 0; nth < count; nth += 1) orders.push(await stage.order(shop, 'ETH'));
    await stage.setup.sql(`update payment set status = 'EXPIRED' where status = 'PENDING'`);
    const keys = orders.map(({ addressKey }) => addressKey).toSorted();
    return keys[Math.floor(count / 2)] ?? '';
  }
  const strays = () => stage.setup.sql('select address_key as key from stray_address order by 1');

  /** How many comparisons a pass over all addresses takes. */
  async function passOf(sliceSize: number): Promise<number> {
    const [row] = await stage.setup.sql<{ count: number }>(
      'select count(*)::int from (select address_key from payment union select address_key from sender) as every',
    );
    return Math.ceil((row?.count ?? 0) / sliceSize) + 1;
  }

  it('is looked at when its turn comes, and what it holds is counted once', async () => {
    const before = await strays();
    const address = await closedOrders(9);
    await give(address, 777n);
    const pass = await passOf(3);
    const worker = reconciler(stage.deps, 3);
    const seen: bigint[] = [];
    for (let looks = 0; looks < pass; looks += 1) {
      await look(1, worker);
      seen.push(gauge.get('ETH') ?? -1n);
    }
    const first = seen.indexOf(777n);
    expect(seen).toEqual(seen.map((_, nth) => (nth < first || first < 0 ? 0n : 777n)));
    expect(first).toBeGreaterThanOrEqual(0);
    expect(await strays()).toHaveLength(before.length + 1);
    expect(await strays()).toContainEqual({ key: address });
    await look(2, worker);
    expect(await recorded()).toEqual([{ currency: 'ETH', difference: '777', resolved: false }]);
    await look(2 * pass, worker);
    expect(gauge.get('ETH')).toBe(777n);
    expect(await recorded()).toHaveLength(1);
    await stage.audit();
    await give(address, -777n);
    await look(pass + 1, worker);
    expect(gauge.get('ETH')).toBe(0n);
    expect(await recorded()).toEqual([]);
  });

  it('counts for nothing if it is gone at the next look, be its slice over or not', async () => {
    const address = await closedOrders(5);
    const worker = reconciler(stage.deps, 1);
    await give(address, 555n);
    for (let looks = await passOf(1); looks > 0 && gauge.get('ETH') !== 555n; looks -= 1) await look(1, worker);
    expect(gauge.get('ETH')).toBe(555n);
    await give(address, -555n);
    await look(1, worker);
    expect(gauge.get('ETH')).toBe(0n);
    expect(await recorded()).toEqual([]);
  });

  it('and a token that came there is found too', async () => {
    const address = await closedOrders(2);
    const pastWatcher = await stage.node('eth_blockNumber');
    await stage.dev.deposit({ address, currency: 'USDC', amount: 5_000_000n, confirmations: 1 });
    // As if the watcher had read those blocks without seeing it.
    const head = await stage.adapter.tip();
    expect(head.height).toBeGreaterThan(Number(pastWatcher));
    await stage.setup.sql(`update chain_cursor set hash = $1, height = $2, tip_height = $2`, [head.hash, head.height]);
    await look(4, reconciler(stage.deps, 1_000));
    expect(await recorded()).toEqual([{ currency: 'USDC', difference: '5000000', resolved: false }]);
    await stage.audit();
  });
});
