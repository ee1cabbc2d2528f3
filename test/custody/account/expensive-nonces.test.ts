// A payout that reached its cost limit holds nonces that others wait behind: they are freed, within a cost limit of
// their own.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { AccountAdapter } from '../../../src/chain/adapter.ts';
import { TransactionRefused } from '../../../src/chain/errors.ts';
import { defaultBounds } from '../../../src/values/payout-bounds.ts';
import { createPayoutSetup, OUTSIDE, type PayoutSetup } from '../payout-setup.fixture.ts';

const ETHER = 10n ** 18n;
const GWEI = 10n ** 9n;
const PLAIN_GAS = 21_000n;
/** Gas prices: while much was spent for the first payout, when its transactions were signed, and from then on. */
const EXPENSIVE = 300n * GWEI;
const CHEAP = GWEI;
const NOW = 50n * GWEI;
/** The most that is offered then, with the highest tip; without EIP-1559 all of it is paid. */
const OFFERED = 2n * NOW + 20n * GWEI;

let stage: PayoutSetup;
let shop: string;
let other: string;

beforeAll(async () => {
  stage = await createPayoutSetup();
  await stage.settle(stage.sender());
});
afterAll(() => stage.stop());
beforeEach(async () => {
  stage.pass(60);
  [shop, other] = [await stage.setup.merchant(), await stage.setup.merchant()];
  await mineAt(CHEAP);
  await stage.dev.deposit({ address: await walletOf('GAS'), currency: 'ETH', amount: ETHER, confirmations: 1 });
  await stage.settle(stage.watcher());
});
afterEach(async () => {
  for (let block = 0; block < 12; block += 1) {
    await mineAt(CHEAP);
    stage.pass(15);
    await stage.settle(live(ETHER), stage.watcher());
  }
  const open = await stage.setup.sql(`select id, status from payout where status in ('REQUESTED', 'BROADCAST')`);
  expect(open).toEqual([]);
  await stage.audit();
});

/** Mines a block at this gas price; transactions that offer less stay out of it. */
async function mineAt(wei: bigint): Promise<void> {
  await stage.node('anvil_setNextBlockBaseFeePerGas', `0x${wei.toString(16)}`);
  await stage.node('anvil_mine', '0x1');
}

async function walletOf(role: string): Promise<string> {
  const [row] = await stage.setup.sql<{ key: string }>('select address_key as key from sender where role = $1', [role]);
  return row?.key ?? '';
}

/** A sender as in live: it does not mine. */
function live(maxCost: bigint, odd: Partial<AccountAdapter> = {}) {
  const chain = stage.deps.chains.get('ETH');
  if (!chain) throw new Error('There is no chain');
  const adapter = { ...stage.adapter, ...odd };
  const payoutBounds = { ...defaultBounds('ETH'), maxCost };
  return stage.sender({ chain: { ...chain, adapter, payoutBounds }, devChain: undefined });
}

/** Mines blocks at today's price, with enough time between them that stuck transactions are replaced. */
async function blocks(sender: ReturnType<typeof live>, count: number, minutes = 11): Promise<void> {
  for (let block = 0; block < count; block += 1) {
    stage.pass(minutes);
    await stage.settle(sender, stage.watcher());
    await mineAt(NOW);
  }
  await stage.settle(sender, stage.watcher());
}

interface Row {
  readonly purpose: string;
  readonly status: string;
  readonly sender_key: string;
  readonly recipient_key: string;
  readonly nonce: string;
  readonly max_cost: string;
  readonly cost: string | null;
}

const signedFor = (id: string) =>
  stage.setup.sql<Row>(
    `select purpose, status, sender_key, recipient_key, nonce, max_cost::text, cost::text from transfer
     where payout_id = $1 or for_payout_id = $1 order by id`,
    [id],
  );
const costOf = async (id: string) => (await signedFor(id)).reduce((sum, { cost }) => sum + BigInt(cost ?? 0), 0n);

/**
 * A payout of 7.9 USDC from eight addresses, for which much was spent. Five of its sweeps and three of its top-ups wait
 * for a lower price.
 */
async function spendMuch(odd: Partial<AccountAdapter> = {}): Promise<string> {
  for (let count = 0; count < 8; count += 1) await stage.pay(await stage.order(shop, 'USDC'), 'USDC', 1_000_000n);
  await mineAt(EXPENSIVE);
  const { id } = await stage.withdraw(shop, 'USDC', '7.9');
  const sender = live(ETHER, odd);
  await stage.settle(sender);
  // However many it needs, it has five nonces of the gas wallet at a time.
  expect((await signedFor(id)).map(({ purpose }) => purpose)).toEqual(Array(5).fill('GAS'));
  await mineAt(EXPENSIVE);
  await mineAt(CHEAP);
  await stage.settle(sender, stage.watcher());
  await mineAt(NOW);
  await stage.settle(sender, stage.watcher());
  const waiting = (await signedFor(id)).filter(({ status }) => status === 'BROADCAST');
  expect(waiting.map(({ purpose }) => purpose).sort()).toEqual([...Array(3).fill('GAS'), ...Array(5).fill('SWEEP')]);
  return id;
}

/** Enough for the other payouts at today's price; the first one has spent that much already. */
const BOUND = ETHER / 40n;

/** Behaves like a network without EIP-1559. */
const LEGACY: Partial<AccountAdapter> = {
  fees: async (above) => ({ ...(await stage.adapter.fees(above)), tipPerGas: null }),
  quote: async (request, control) => {
    const quote = await stage.adapter.quote(request, control);
    return { ...quote, fees: { ...quote.fees, tipPerGas: null } };
  },
};

/** Behaves like a token whose issuer has blacklisted these addresses. */
const refusing = (senders: ReadonlySet<string>): Partial<AccountAdapter> => ({
  quote: (request, control) =>
    senders.has(request.from)
      ? Promise.reject(new TransactionRefused('ETH', control ? 'SENDER' : 'REVERTED'))
      : stage.adapter.quote(request, control),
});

describe('a payout that may cost no more', () => {
  it('keeps its nonces of the gas wallet while nobody waits behind them, and nothing is signed beyond its bound', async () => {
    const id = await spendMuch();
    const before = await signedFor(id);
    await blocks(live(BOUND), 4);
    expect((await signedFor(id)).length).toBe(before.length);
    expect(await stage.payout(id)).toMatchObject({ status: 'REQUESTED', held_reason: 'TOO_EXPENSIVE' });
  });

  it.each([
    ['', {}],
    [' (without EIP-1559)', LEGACY],
  ])('lets go of them when another waits, which is paid, for a transfer each at most%s', async (_name, odd) => {
    const id = await spendMuch(odd);
    const spent = await costOf(id);
    await stage.pay(await stage.order(other), 'USDT', 5_000_000n);
    await mineAt(NOW);
    const sender = live(BOUND, odd);
    const behind = await stage.withdraw(other, 'USDT', '4');
    await blocks(sender, 10);
    expect(await stage.payout(behind.id)).toMatchObject({ status: 'COMPLETED', held_reason: null });
    expect((await costOf(behind.id)) <= BOUND).toBe(true);
    expect(await stage.payout(id)).toMatchObject({ status: 'REQUESTED', held_reason: 'TOO_EXPENSIVE' });
    // Three blocks for its three top-ups, which were not discarded.
    expect((await costOf(id)) - spent <= 3n * PLAIN_GAS * OFFERED).toBe(true);
    const topUps = (await signedFor(id)).filter(({ purpose, status }) => purpose === 'GAS' && status === 'CONFIRMED');
    expect(topUps).toHaveLength(8);
    expect(topUps.filter((row) => row.sender_key === row.recipient_key)).toEqual([]);
  });

  it('is not waited for with what its sweeps bring: another sweeps that money at its own cost', async () => {
    const id = await spendMuch();
    await stage.pay(await stage.order(other, 'USDC'), 'USDC', 900_000n);
    const mine = await stage.withdraw(other, 'USDC', '0.8');
    await mineAt(NOW);
    await blocks(live(BOUND), 12);
    expect(await stage.payout(mine.id)).toMatchObject({ status: 'COMPLETED', held_reason: null });
    expect((await costOf(mine.id)) <= BOUND).toBe(true);
    expect(await stage.payout(id)).toMatchObject({ status: 'REQUESTED', held_reason: 'TOO_EXPENSIVE' });
  });

  it('is not waited for where the issuer has meanwhile frozen the addresses that it sweeps', async () => {
    const id = await spendMuch();
    const frozen = new Set((await signedFor(id)).flatMap((row) => (row.purpose === 'SWEEP' ? [row.sender_key] : [])));
    await stage.pay(await stage.order(other, 'USDC'), 'USDC', 900_000n);
    const behind = await stage.withdraw(other, 'USDC', '0.8');
    await mineAt(NOW);
    await blocks(live(BOUND, refusing(frozen)), 12);
    expect(await stage.payout(behind.id)).toMatchObject({ status: 'COMPLETED', held_reason: null });
  });

  it('lets others of the hot wallet pass by being paid itself, where nothing else frees its nonce for less', async () => {
    await stage.pay(await stage.order(shop, 'ETH'), 'ETH', ETHER);
    await mineAt(EXPENSIVE);
    const { id } = await stage.withdraw(shop, 'ETH', '0.5');
    await stage.settle(live(ETHER));
    await mineAt(EXPENSIVE);
    await mineAt(CHEAP);
    await stage.settle(live(ETHER), stage.watcher());
    expect((await signedFor(id)).map(({ purpose }) => purpose).sort()).toEqual(['PAYOUT', 'SWEEP']);
    await mineAt(NOW);
    await stage.pay(await stage.order(other, 'ETH'), 'ETH', ETHER);
    await stage.dev.deposit({ address: await walletOf('HOT'), currency: 'ETH', amount: ETHER, confirmations: 1 });
    await mineAt(NOW);
    const bound = ETHER / 400n;
    await blocks(live(bound), 3);
    expect(await signedFor(id)).toHaveLength(2);
    const before = await stage.holds(OUTSIDE, 'ETH');
    const spent = await costOf(id);
    const behind = await stage.withdraw(other, 'ETH', '0.1');
    await blocks(live(bound), 4);
    expect(await stage.payout(behind.id)).toMatchObject({ status: 'COMPLETED' });
    expect(await stage.payout(id)).toMatchObject({ status: 'COMPLETED' });
    expect((await stage.holds(OUTSIDE, 'ETH')) - before).toBe((ETHER * 6n) / 10n);
    expect((await costOf(id)) - spent <= PLAIN_GAS * OFFERED).toBe(true);
  });
});

describe('a gas wallet that cannot pay what a stuck top-up takes by now', () => {
  it('uses up its nonce for less, so that those behind it go on', async () => {
    await stage.pay(await stage.order(shop), 'USDT', 5_000_000n);
    const { id } = await stage.withdraw(shop, 'USDT', '4');
    await stage.settle(live(ETHER));
    expect(await signedFor(id)).toMatchObject([{ purpose: 'GAS', status: 'BROADCAST' }]);
    await mineAt(NOW);
    const gas = await walletOf('GAS');
    // The cost of one transfer at today's price, and little more.
    const held = PLAIN_GAS * NOW * 2n + (PLAIN_GAS * NOW) / 20n;
    const poor = live(ETHER, {
      balances: async (keys, currency, height) => {
        const told = await stage.adapter.balances(keys, currency, height);
        return new Map([...told].map(([key, units]) => [key, key === gas && units > held ? held : units]));
      },
    });
    stage.pass(11);
    await stage.settle(poor);
    const signed = await signedFor(id);
    expect(new Set(signed.map(({ nonce }) => nonce)).size).toBe(1);
    expect(signed.filter((row) => row.purpose === 'GAS' && row.recipient_key === gas)).toHaveLength(1);
    await mineAt(NOW);
    stage.pass(6);
    await stage.settle(poor, stage.watcher());
    expect(await stage.payout(id)).toMatchObject({ status: 'REQUESTED', held_reason: 'MISSING_GAS' });
  });
});
