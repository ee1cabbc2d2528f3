// Set-up for watcher tests: a development chain, an unreliable node in front of it, a database, and checks of the book
// against the chain.

import { expect } from '@jest/globals';
import { ChainUnavailable } from '../../src/chain/errors.ts';
import { createEvmAdapter } from '../../src/chain/evm/adapter.ts';
import type { Deps } from '../../src/domain/deps.ts';
import { verifyLedger } from '../../src/domain/ledger/verify.ts';
import type { Worker } from '../../src/loop.ts';
import { createDepositWatcher } from '../../src/observe/watch-deposits.ts';
import { TEST_TOKENS } from '../../src/sandbox/evm/test-tokens.ts';
import { feeOf } from '../../src/values/amount.ts';
import { audit } from '../domain/audit.fixture.ts';
import { log, type Order, type Setup } from '../domain/book.fixture.ts';
import { NODE_TIMEOUT_MS } from '../support/node-timeout.ts';
import { CHAIN_ID, startPayersChain, type PayersChain } from './payers-chain.fixture.ts';
import { startUnsteadyNode, type UnsteadyNode } from './unsteady-node.fixture.ts';

export const CURRENCIES = ['ETH', 'USDT', 'USDC'] as const;
/** The confirmations that all orders here need. */
export const CONFIRMATIONS = 2;

export interface ChainSetup {
  readonly chain: PayersChain;
  readonly node: UnsteadyNode;
  /** A watcher as in a process that has just started. It knows only the unreliable node. */
  watch(deps: Deps, timeoutMs?: number): Worker;
  stop(): Promise<void>;
}

export async function startChainSetup(): Promise<ChainSetup> {
  const chain = await startPayersChain();
  const node = await startUnsteadyNode(chain.url);
  const contracts = new Map<string, string | null>([['ETH', null], ...TEST_TOKENS]);
  const options = { network: 'ETH', rpcUrl: node.url, chainId: CHAIN_ID, minesOnDemand: true, contracts, log } as const;
  return {
    chain,
    node,
    watch: (deps, timeoutMs = NODE_TIMEOUT_MS) => {
      const adapter = createEvmAdapter({ ...options, timeoutMs });
      return createDepositWatcher(deps, {
        ...{ adapter, account: 'evm', requiredConfirmations: CONFIRMATIONS, networkFees: new Map() },
      });
    },
    stop: async () => {
      await node.stop();
      await chain.stop();
    },
  };
}

/** Lets a watcher work until it rests. */
export async function drive({ processNext }: Worker): Promise<void> {
  for (let steps = 0; await processNext(); steps += 1) {
    if (steps > 2_000) throw new Error('the watcher does not come to rest');
  }
}

/**
 * Lets a watcher take some steps, like its loop: it stops at rest, and goes on after an error. The only error allowed
 * is that of an unavailable node.
 */
export async function workOn({ processNext }: Worker, steps: number): Promise<void> {
  for (let taken = 0; taken < steps; taken += 1) {
    const more = await processNext().catch((error: unknown) => {
      if (!(error instanceof ChainUnavailable)) throw error;
      return true;
    });
    if (!more) return;
  }
}

/** A transfer to one of the orders that the canonical chain holds. */
export interface Arrival {
  readonly order: Order;
  readonly currency: string;
  readonly amount: bigint;
}

interface WireBlock {
  readonly transactions: readonly { readonly to: string | null; readonly value: string }[];
}
interface WireLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
}

/** Reads the chain's own blocks and logs above a height, past the adapter. */
async function readArrivals(chain: PayersChain, orders: readonly Order[], above: number): Promise<Arrival[]> {
  const orderOf = (address: string | null) => orders.find(({ addressKey }) => addressKey === address?.toLowerCase());
  const arrivals: Arrival[] = [];
  const note = (to: string | null, currency: string, amount: bigint) => {
    const order = orderOf(to);
    if (order && amount > 0n) arrivals.push({ order, currency, amount });
  };
  const { height } = await chain.head();
  for (let at = above + 1; at <= height; at += 1) {
    const { transactions } = await chain.rpc<WireBlock>('eth_getBlockByNumber', `0x${at.toString(16)}`, true);
    for (const { to, value } of transactions) note(to, 'ETH', BigInt(value));
  }
  for (const [currency, address] of TEST_TOKENS) {
    const filter = { address, fromBlock: `0x${(above + 1).toString(16)}`, toBlock: 'latest' };
    for (const { topics, data } of await chain.rpc<WireLog[]>('eth_getLogs', filter))
      note(`0x${topics[2]?.slice(26) ?? ''}`, currency, BigInt(data));
  }
  return arrivals;
}

const sum = (of: readonly { readonly amount: bigint }[]): bigint =>
  of.reduce((total, { amount }) => total + amount, 0n);

/**
 * Compares the book of these orders, made above the height, with the chain alone: the balance of each address, the
 * payments and merchants' balances that follow from it, and the book's own rules.
 */
export async function compareWithChain(
  { chain }: ChainSetup,
  setup: Setup,
  orders: readonly Order[],
  above: number,
): Promise<void> {
  const arrivals = await readArrivals(chain, orders, above);
  for (const order of orders) {
    for (const currency of CURRENCIES) {
      const units = sum(arrivals.filter((one) => one.order === order && one.currency === currency));
      expect({ currency, units }).toEqual({ currency, units: await chain.balance(order.addressKey, currency) });
    }
  }
  await compareBook(setup, orders, arrivals, CURRENCIES);
}

/** Compares the book of these orders with everything that arrived for them, on any chain. */
export async function compareBook(
  setup: Setup,
  orders: readonly Order[],
  arrivals: readonly Arrival[],
  currencies: readonly string[],
): Promise<void> {
  for (const order of orders) {
    for (const currency of currencies) {
      const his = arrivals.filter((one) => one.order === order && one.currency === currency);
      await comparePayment(setup, order, currency, sum(his));
    }
    compareTale(await setup.reportedEvents(order));
  }
  for (const merchantId of new Set(orders.map((order) => order.merchantId))) {
    for (const currency of currencies) {
      const his = arrivals.filter((one) => one.order.merchantId === merchantId && one.currency === currency);
      const available = sum(his) - sum(his.map(({ amount }) => ({ amount: feeOf(amount) })));
      expect(await setup.balance(merchantId, currency)).toEqual({ available, owed: 0n, reserved: 0n, pending: 0n });
    }
  }
  await audit(setup);
  expect((await verifyLedger(setup.deps.db)).faults).toEqual([]);
}

/**
 * What the address received in one currency is credited, and in the payment's own it determines its amounts and state.
 */
async function comparePayment({ sql }: Setup, { id }: Order, currency: string, held: bigint): Promise<void> {
  const [credited] = await sql<{ units: string }>(
    `select coalesce(sum(amount), 0)::text as units from deposit where payment_id = $1 and currency = $2 and credited`,
    [id, currency],
  );
  expect({ id, currency, credited: credited?.units }).toEqual({ id, currency, credited: held.toString() });
  const [row] = await sql<{ received: string; confirmed: string; amount: string; status: string }>(
    `select amount_received::text as received, amount_confirmed::text as confirmed, amount::text as amount, status
     from payment where id = $1 and currency = $2`,
    [id, currency],
  );
  if (!row) return;
  expect(row).toMatchObject({ received: held.toString(), confirmed: held.toString() });
  const succeeded = row.status === 'SUCCEEDED';
  expect({ id, held, succeeded }).toEqual({ id, held, succeeded: held >= BigInt(row.amount) });
}

/** Success is reported once, and again only after the payment fell back. */
function compareTale(reported: readonly string[]): void {
  const turns = reported.filter((line) => /^payment\.(succeeded|failed FAILED REORGED$)/.test(line));
  const types = turns.map((line) => line.split(' ')[0]);
  const expected = turns.map((_, nth) => (nth % 2 === 0 ? 'payment.succeeded' : 'payment.failed'));
  expect({ reported, types }).toEqual({ reported, types: expected });
}
