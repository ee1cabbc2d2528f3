// Reorganisations of a real chain, one by one: a deposit ends credited or reversed as the chain says, and each change
// is reported once.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ChainUnavailable } from '../../src/chain/errors.ts';
import type { Worker } from '../../src/loop.ts';
import { audit } from '../domain/audit.fixture.ts';
import { createSetup, START, type Order, type Setup } from '../domain/book.fixture.ts';
import { compareWithChain, drive, startChainSetup, workOn, type ChainSetup } from './chain-setup.fixture.ts';
import type { Payment, Signed } from './payers-chain.fixture.ts';
import type { Spell } from './unsteady-node.fixture.ts';

const DEPTHS = Array.from({ length: 12 }, (_, nth) => nth + 1);
const DUE = 1_000_000n;
const NET = 990_000n;
const STRANGER = `0x${'5a'.repeat(20)}`;
const ALWAYS = 1_000_000;

let at: ChainSetup;
let setup: Setup;
let shop: string;
let order: Order;
let watcher: Worker;
/** The height at which the order was made. */
let base: number;

beforeAll(async () => {
  at = await startChainSetup();
  setup = await createSetup();
});
afterAll(async () => {
  await at.stop();
  await setup.stop();
});
beforeEach(async () => {
  at.node.heal();
  await at.chain.dropAll();
  await mine(1);
  watcher = at.watch(setup.deps);
  await drive(watcher);
  shop = await setup.merchant();
  order = await setup.order(shop);
  base = (await at.chain.head()).height;
});
afterEach(() => compareWithChain(at, setup, [order], base));

const mine = (blocks: number) => at.chain.mine(blocks, START.getTime() / 1_000);
const due = (): Payment => ({ to: order.addressKey, currency: 'USDT', amount: DUE });

/** Pays what is due, mines this many blocks from the payment's own on, and reads them. */
async function paid(blocks: number): Promise<Signed> {
  const signed = await at.chain.pay(0, due());
  await mine(blocks);
  await drive(watcher);
  return signed;
}

async function mineAndRead(blocks: number): Promise<void> {
  await mine(blocks);
  await drive(watcher);
}

/** The reported events of success and failure. */
const verdicts = async () =>
  (await setup.reportedEvents(order)).filter((line) => !/^payment\.(created|updated)/.test(line));
const SUCCEEDED = 'payment.succeeded SUCCEEDED';
const REORGED = 'payment.failed FAILED REORGED';

describe.each(DEPTHS)('of %i blocks', (depth) => {
  /** Two blocks confirm. */
  const wasCredited = depth >= 2;
  let signed: Signed;

  beforeEach(async () => {
    signed = await paid(depth);
    expect(await setup.read(order)).toMatchObject({ status: wasCredited ? 'SUCCEEDED' : 'CONFIRMING' });
    expect(await setup.balance(shop)).toMatchObject({ available: wasCredited ? NET : 0n });
    await at.chain.rollBack(depth);
  });

  it('a deposit that is moved to the next block is credited, and told once', async () => {
    await mineAndRead(1);
    await at.chain.send(signed);
    await mineAndRead(Math.max(2, depth));
    expect(await setup.read(order)).toMatchObject({ status: 'SUCCEEDED', exception: null });
    expect(await verdicts()).toEqual([SUCCEEDED]);
    expect(await setup.balance(shop)).toMatchObject({ available: NET });
  });

  it('a deposit that is dropped is reversed, and not before the new branch is final', async () => {
    await mineAndRead(1);
    expect(await setup.read(order)).toMatchObject({ status: wasCredited ? 'SUCCEEDED' : 'PENDING' });
    await mineAndRead(depth);
    const expected = wasCredited ? { status: 'FAILED', exception: 'REORGED' } : { status: 'PENDING', exception: null };
    expect(await setup.read(order)).toMatchObject({ ...expected, amountReceived: '0', amountConfirmed: '0' });
    expect(await verdicts()).toEqual(wasCredited ? [SUCCEEDED, REORGED] : []);
    expect(await setup.balance(shop)).toMatchObject({ available: 0n, owed: 0n });
  });

  it('a deposit that is replaced at a higher fee is credited in its new form, and told once', async () => {
    const other = await at.chain.sign(signed);
    await at.chain.send(other);
    await mineAndRead(depth + 1);
    expect(await setup.read(order)).toMatchObject({ status: 'SUCCEEDED', exception: null });
    const { transactions } = await setup.read(order);
    expect(transactions.map(({ txHash, status }) => [txHash, status]).sort()).toEqual(
      [
        [signed.hash, 'ORPHANED'],
        [other.hash, 'CONFIRMED'],
      ].sort(),
    );
    expect(await verdicts()).toEqual([SUCCEEDED]);
    expect(await setup.balance(shop)).toMatchObject({ available: NET });
  });

  it('a deposit whose coins go to somebody else is reversed', async () => {
    await at.chain.send(await at.chain.sign(signed, { ...due(), to: STRANGER }));
    await mineAndRead(depth + 1);
    const expected = wasCredited ? { status: 'FAILED', exception: 'REORGED' } : { status: 'PENDING', exception: null };
    expect(await setup.read(order)).toMatchObject(expected);
    expect(await verdicts()).toEqual(wasCredited ? [SUCCEEDED, REORGED] : []);
    expect(await setup.balance(shop)).toMatchObject({ available: 0n, owed: 0n });
  });
});

describe('a deposit that comes back late', () => {
  it.each([2, 6, 12])('after %i blocks without it falls, and is what it was again', async (depth) => {
    const signed = await paid(depth);
    await at.chain.rollBack(depth);
    await mineAndRead(depth + 1);
    expect(await verdicts()).toEqual([SUCCEEDED, REORGED]);
    await at.chain.send(signed);
    await mineAndRead(2);
    expect(await setup.read(order)).toMatchObject({ status: 'SUCCEEDED', exception: null });
    expect(await verdicts()).toEqual([SUCCEEDED, REORGED, SUCCEEDED]);
    expect(await setup.balance(shop)).toMatchObject({ available: NET });
  });
});

describe('a node that is started again from an older state', () => {
  let lost: Signed;

  beforeEach(async () => {
    const moment = await at.chain.remember();
    lost = await paid(4);
    expect(await verdicts()).toEqual([SUCCEEDED]);
    await at.chain.restart(moment);
    await drive(watcher);
    expect(await setup.read(order)).toMatchObject({ status: 'SUCCEEDED', amountReceived: '0' });
  });

  it('and never hears of the deposit again reverses it', async () => {
    await mineAndRead(4);
    expect(await verdicts()).toEqual([SUCCEEDED, REORGED]);
    expect(await setup.balance(shop)).toMatchObject({ available: 0n, owed: 0n });
  });

  it('and is sent it again changes nothing', async () => {
    await at.chain.send(lost);
    await mineAndRead(3);
    expect(await verdicts()).toEqual([SUCCEEDED]);
    expect(await setup.balance(shop)).toMatchObject({ available: NET });
  });

  it('while the watcher was away is read like any other branch', async () => {
    await at.chain.send(await at.chain.sign(lost));
    await mine(6);
    await drive(at.watch(await setup.another()));
    expect(await verdicts()).toEqual([SUCCEEDED]);
    expect(await setup.balance(shop)).toMatchObject({ available: NET });
  });
});

describe('blocks that come in no order', () => {
  it.each([1, 2, 3])('a tip that is %i blocks lower for a moment costs nobody their success', async (blocks) => {
    await paid(3);
    at.node.harm({ harm: 'lagging', after: 0, count: ALWAYS, blocks });
    await drive(watcher);
    expect(await setup.read(order)).toMatchObject({ status: 'SUCCEEDED' });
    await audit(setup);
    at.node.heal();
    await drive(watcher);
    expect(await verdicts()).toEqual([SUCCEEDED]);
    expect(await setup.balance(shop)).toMatchObject({ available: NET });
  });

  it('the block after the next is not taken for the next', async () => {
    await at.chain.pay(0, due());
    await mine(4);
    at.node.harm({ harm: 'ahead', after: 0, count: ALWAYS });
    await expect(watcher.processNext()).rejects.toThrow(ChainUnavailable);
    expect(await setup.read(order)).toMatchObject({ status: 'PENDING' });
    at.node.heal();
    await drive(watcher);
    expect(await verdicts()).toEqual([SUCCEEDED]);
  });

  it.each([1, 2, 5])('answers from a branch that is gone, with %i of them, are forgotten', async (count) => {
    const signed = await paid(3);
    await at.chain.rollBack(3);
    await at.chain.send(await at.chain.sign(signed));
    await mine(4);
    await drive(watcher);
    for (let after = 0; after < 6; after += 1) {
      at.node.harm({ harm: 'remembered', after, count });
      await workOn(watcher, 10);
    }
    at.node.heal();
    await drive(watcher);
    expect(await verdicts()).toEqual([SUCCEEDED]);
    expect(await setup.balance(shop)).toMatchObject({ available: NET });
  });
});

describe('a node that fails in the middle of a block', () => {
  const RECEIPTS = 'eth_getBlockReceipts';
  const withoutReceipts: Spell = { harm: 'unsupported', method: RECEIPTS, after: 0, count: ALWAYS };
  const once = (harm: Spell['harm'], method: string): Spell => ({ harm, method, after: 1, count: 1 });

  it.each<[what: string, ...spells: Spell[]]>([
    ['whose receipts fail', once('error', RECEIPTS)],
    ['whose receipts do not come in time', once('silence', RECEIPTS)],
    ['that knows no receipts of its own block', once('nothing', RECEIPTS)],
    ['that breaks off at the receipts', once('reset', RECEIPTS)],
    ['that answers the receipts with a page', once('garbage', RECEIPTS)],
    ['that fails at the block', once('error', 'eth_getBlockByNumber')],
    ['that leaves the block out of its answer', once('missing', 'eth_getBlockByNumber')],
    ['without block receipts, whose logs fail', withoutReceipts, once('error', 'eth_getLogs')],
    ['without block receipts, whose logs do not come in time', withoutReceipts, once('silence', 'eth_getLogs')],
    [
      'without block receipts, that knows one receipt less',
      withoutReceipts,
      once('nothing', 'eth_getTransactionReceipt'),
    ],
    ['without block receipts, whose receipt fails', withoutReceipts, once('error', 'eth_getTransactionReceipt')],
  ])('%s loses nothing and doubles nothing', async (_what, ...spells) => {
    const parts = ['USDT', 'ETH', 'USDT', 'USDC'].map((currency) => ({ ...due(), currency, amount: DUE / 2n }));
    for (const part of parts) {
      await at.chain.pay(0, part);
      await at.chain.pay(1, { ...part, to: STRANGER });
      await mine(1);
    }
    await mine(1);
    at.node.harm(...spells);
    const harmed = at.watch(setup.deps, 1_000);
    await expect(drive(harmed)).rejects.toThrow(ChainUnavailable);
    await audit(setup);
    await workOn(harmed, 100);
    await drive(watcher);
    expect(at.node.harmed()).toBeGreaterThan(0);
    expect(await verdicts()).toEqual([SUCCEEDED]);
    expect(await setup.balance(shop)).toMatchObject({ available: NET });
  });
});
