// One history of payouts on a hostile chain while it runs: its orders, payouts, processes and database.

import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ChainUnavailable } from '../../../src/chain/errors.ts';
import { createNodePool } from '../../../src/chain/pool/node-pool.ts';
import { openJournal } from '../../../src/custody/witness/journal.ts';
import { createTransactionSender } from '../../../src/custody/send-transactions.ts';
import { createSeedSigner } from '../../../src/custody/keys/signer.ts';
import { query } from '../../../src/database/connection.ts';
import { recordCluster } from '../../../src/domain/witness/cluster.ts';
import type { Chain, Deps } from '../../../src/domain/deps.ts';
import type { Worker } from '../../../src/loop.ts';
import { createDepositWatcher } from '../../../src/observe/watch-deposits.ts';
import { createSetup, type Order, type Setup } from '../../domain/book.fixture.ts';
import type { Dump } from '../../support/database/database-copy.ts';
import type { HostileChain, RecipientKind } from './chain.fixture.ts';
import { createLiar, type Liar } from './liar.fixture.ts';
import { ORDERS } from './moves.fixture.ts';

/** The payouts that were requested, whatever the book knows of them. Each has its own address. */
export interface Wanted {
  readonly merchantId: string;
  /** The payment of a refund; null for a withdrawal. */
  readonly paymentId: string | null;
  readonly currency: string;
  readonly units: bigint;
  readonly to: string;
  readonly recipient: RecipientKind;
  readonly reference: string;
  id: string;
}

interface Placed extends Order {
  readonly currency: string;
  readonly address: string;
}

export interface History {
  readonly chain: HostileChain;
  readonly setup: Setup;
  readonly orders: readonly Placed[];
  readonly wanted: Wanted[];
  readonly bound: Chain;
  readonly signer: ReturnType<typeof createSeedSigner>;
  /** The folder of journals: the current one is `now`, the backup's is `then`. */
  readonly folder: string;
  readonly ends: (() => Promise<void>)[];
  readonly liar: Liar | null;
  journal: string;
  backup: Dump | null;
  /** Hashes of signed transactions that the book lacks since it was restored. */
  lost: readonly string[];
  /** The URL of the database that the book is in. */
  url: string;
  process: Process;
  now: Date;
}

/** The parts that a process of the gateway runs. */
interface Process {
  readonly deps: Deps;
  readonly watcher: Worker;
  readonly sender: Worker;
}

/** With two nodes, of which the first may lie, or with one. */
export async function begin(chain: HostileChain, nodes: 1 | 2): Promise<History> {
  chain.trouble(null);
  await chain.mine(1);
  const setup = await createSetup();
  const { clock } = setup.deps;
  const now = new Date((await chain.time()).getTime() + 60_000);
  setup.setNow(now);
  const liar = nodes === 2 ? createLiar(chain.adapter) : null;
  // How long a failed node rests depends on the history's clock.
  const ms = () => clock.now().getTime();
  const adapter = liar ? createNodePool({ adapters: [liar.adapter, chain.honest], now: ms }) : chain.adapter;
  const { network, account } = adapter;
  const requiredConfirmations = chain.confirmations;
  const bound: Chain = { adapter, account, requiredConfirmations, networkFees: new Map() };
  const seed = randomBytes(64);
  const signer = createSeedSigner(seed);
  const folder = await mkdtemp(join(tmpdir(), 'turnpike-hostile-'));
  const journal = join(folder, 'now');
  await mkdir(journal);
  const deps: Deps = { ...setup.deps, chains: new Map([[network, bound]]) };
  await recordCluster(deps);
  const process = startProcess({ bound, signer, journal }, deps);
  await drive(process.watcher);
  const ends = [() => setup.stop(), () => rm(folder, { recursive: true, force: true })];
  const orders = await openOrders(chain, { setup, seed, now });
  const history: History = {
    ...{ chain, setup, orders, wanted: [], bound, signer, folder, ends, liar, journal, process, now },
    ...{ backup: null, lost: [], url: setup.url },
  };
  // No reorganisation reaches below the blocks that the watcher knows.
  await mine(history, chain.deepest);
  await drive(process.sender);
  if (chain.gas) await fillGasWallet(history, chain.gas);
  return history;
}

/** Orders of two merchants, in turn, in each currency. */
async function openOrders(
  chain: HostileChain,
  { setup, seed, now }: { setup: Setup; seed: Uint8Array; now: Date },
): Promise<Placed[]> {
  const { network, account } = chain.adapter;
  const merchants = [await setup.merchant(), await setup.merchant()];
  const orders: Placed[] = [];
  for (let nth = 0; nth < ORDERS; nth += 1) {
    const { address, key } = await chain.addressOf(seed, nth);
    const currency = at(chain.currencies, nth % chain.currencies.length);
    const order = await setup.order(at(merchants, nth < ORDERS / 2 ? 0 : 1), {
      ...{ network, currency, address, address_key: key, derivation_account: account, derivation_index: nth },
      ...{ required_confirmations: chain.confirmations, amount: unitOf(chain, currency).toString() },
      ...{ created_at: new Date(), expires_at: new Date(now.getTime() + 10_000 * 3_600_000) },
    });
    orders.push({ ...order, currency, address });
  }
  return orders;
}

/** A process that has just started. */
export function startProcess(
  { bound, signer, journal }: Pick<History, 'bound' | 'signer' | 'journal'>,
  deps: Deps,
): Process {
  const { network } = bound.adapter;
  const options = { chain: bound, signer, journal: openJournal({ folder: journal, network }) };
  return { deps, watcher: createDepositWatcher(deps, bound), sender: createTransactionSender(deps, options) };
}

export async function end({ ends }: History): Promise<void> {
  for (let stop = ends.pop(); stop; stop = ends.pop()) await stop();
}

/** Reads rows of the book, whichever database it is in. */
export const rowsOf = <Row>({ process }: History, text: string): Promise<Row[]> => query<Row>(process.deps.db.em, text);

export async function fillGasWallet(
  history: History,
  { currency, amount }: { currency: string; amount: bigint },
): Promise<void> {
  const { chain, process } = history;
  const [wallet] = await rowsOf<{ key: string }>(history, `select address_key as key from sender where role = 'GAS'`);
  await chain.pay(wallet?.key ?? '', currency, amount);
  await mine(history, chain.confirmations);
  await drive(process.watcher);
}

export const unitOf = ({ unit }: HostileChain, currency: string): bigint => unit.get(currency) ?? 0n;

/** Lets time pass, for us and on the chain. */
export async function pass(history: History, minutes: number): Promise<void> {
  const ms = minutes * 60_000;
  setNow(history, new Date(history.now.getTime() + ms));
  history.chain.idle?.(ms);
  await keepTime(history);
}

function setNow(history: History, now: Date): void {
  history.now = now;
  history.setup.setNow(now);
}

/** No block is dated ahead of our clock. */
export async function keepTime(history: History): Promise<void> {
  const time = await history.chain.time();
  if (time > history.now) setNow(history, time);
}

export async function mine(history: History, blocks: number): Promise<void> {
  await history.chain.mine(blocks);
  await keepTime(history);
}

/** Ignores the failure of a node that does not answer. */
export async function orUnavailable(ask: () => Promise<void>): Promise<void> {
  try {
    await ask();
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error;
  }
}

/** Lets a worker run. */
export function work(worker: Worker, steps: number): Promise<void> {
  return orUnavailable(async () => {
    for (let step = 0; step < steps; step += 1) if (!(await worker.processNext())) return;
  });
}

export async function drive(worker: Worker): Promise<void> {
  for (let step = 0; await worker.processNext(); step += 1)
    if (step > 500) throw new Error(`${worker.name} does not come to rest`);
}

export function at<Value>(list: readonly Value[], nth: number): Value {
  const value = list[nth];
  if (value === undefined) throw new Error(`there is no ${String(nth)}`);
  return value;
}
