// Set-up of the domain's tests: a real database with merchants and orders, a chain that exists only as data, and the
// audit of the book.

import { randomBytes } from 'node:crypto';
import { expect } from '@jest/globals';
import { pino } from 'pino';
import type { BlockHead, ChainBlock, Transfer } from '../../src/chain/blocks.ts';
import { connectDatabase, query, type Database } from '../../src/database/connection.ts';
import { moveCursor, readCursor, startCursor } from '../../src/database/queries/chain/chain-cursor.ts';
import { insertPayments, type NewPaymentRow } from '../../src/database/queries/payments/insert-payments.ts';
import type { Deps } from '../../src/domain/deps.ts';
import {
  applyBlock,
  applyMempool,
  applyRollback,
  applyTimeouts,
  type ObservationResult,
} from '../../src/domain/payments/apply-observation.ts';
import { getPayment } from '../../src/domain/payments/read-and-cancel.ts';
import { readBalances } from '../../src/domain/ledger/ledger.ts';
import type { PaymentSnapshot } from '../../src/domain/snapshots/payment.ts';
import type { Network } from '../../src/values/assets.ts';
import { newId } from '../../src/values/id.ts';
import { createTestDatabase } from '../support/database/database.ts';
import { PATIENT_DATABASE } from '../support/patience.ts';

export const START = new Date('2026-01-01T12:00:00Z');
export const minutesLater = (n: number): Date => new Date(START.getTime() + n * 60_000);
export const log = pino({ level: 'silent' });

export interface Order {
  readonly id: string;
  readonly merchantId: string;
  readonly addressKey: string;
}

/** A setup: the database of one test file, with the means to act on it. */
export interface Setup {
  readonly deps: Deps;
  readonly url: string;
  /** Sets the clock that the domain sees. */
  setNow(now: Date): void;
  /** How many times the domain signalled committed events. */
  signaled(): number;
  sql<Row = Record<string, unknown>>(text: string, parameters?: readonly unknown[]): Promise<Row[]>;
  /** A second process: the same, over connections of its own. */
  another(): Promise<Deps>;
  merchant(): Promise<string>;
  /** An order of 1,000,000 base units of USDT on ETH that expires after 30 minutes, unless `fields` say otherwise. */
  order(merchantId: string, columns?: Partial<NewPaymentRow>): Promise<Order>;
  read(order: Order): Promise<PaymentSnapshot>;
  /** `available`, `reserved`, `pending` of an asset, and what the merchant owes, in base units. */
  balance(
    merchantId: string,
    currency?: string,
  ): Promise<Record<'available' | 'reserved' | 'pending' | 'owed', bigint>>;
  /** Types of an order's events with the state that each reports, oldest first. */
  reportedEvents(order: Order): Promise<string[]>;
  stop(): Promise<void>;
}

/** The server run in which the orders' addresses were given: one server serves all setups. */
let serverRun = '';

export async function createSetup(): Promise<Setup> {
  const database = await createTestDatabase();
  const opened: Database[] = [];
  let now = START;
  let signals = 0;
  const connect = async (): Promise<Deps> => {
    // Hundreds of calls at once share four connections here, and none may fail because the machine is slow.
    const db = await connectDatabase({ url: database.url, poolMax: 4, log, patience: PATIENT_DATABASE });
    opened.push(db);
    return {
      db,
      clock: { now: () => now },
      environment: 'sandbox',
      chains: new Map(),
      payUrl: 'http://localhost/pay',
      webhookAllowPrivate: true,
      signals: {
        events: () => void (signals += 1),
        chain: () => undefined,
        payouts: () => undefined,
        deliveries: () => undefined,
      },
      log,
    };
  };
  const deps = await connect();
  const { em } = deps.db;
  const [run] = await query<{ started: string }>(
    em,
    'select extract(epoch from pg_postmaster_start_time())::text as started',
  );
  serverRun = run?.started ?? '';
  return {
    deps,
    url: database.url,
    setNow: (time) => void (now = time),
    signaled: () => signals,
    sql: (text, parameters = []) => query(em, text, parameters),
    another: connect,
    merchant: () => newMerchant(deps),
    order: (merchantId, columns = {}) => newOrder(deps, merchantId, columns),
    read: ({ merchantId, id }) => getPayment(deps, merchantId, id),
    balance: async (merchantId, currency = 'USDT') => {
      const found = (await readBalances(em, merchantId)).find((balance) => balance.currency === currency);
      const { available = 0n, reserved = 0n, pending = 0n } = found ?? {};
      const [owed] = await query<{ units: string }>(
        em,
        `select -balance::numeric as units from ledger_account where owner = $1 and currency = $2 and purpose = 'receivable'`,
        [merchantId, currency],
      );
      return { available, reserved, pending, owed: BigInt(owed?.units ?? 0) };
    },
    reportedEvents: async ({ id }) => {
      const rows = await query<{ told: string }>(
        em,
        `select concat(type, ' ', payload->>'status', ' ' || (payload->>'exception')) as told
         from event where payment_id = $1 order by version`,
        [id],
      );
      return rows.map(({ told }) => told);
    },
    stop: async () => {
      await Promise.all(opened.map((db) => db.close()));
      await database.drop();
    },
  };
}

async function newMerchant({ db }: Deps): Promise<string> {
  const id = newId('mer');
  await query(
    db.em,
    `insert into merchant (id, email, company_name, webhook_secret, created_at) values ($1, $1, 'Shop', '', $2)`,
    [id, START],
  );
  return id;
}

/** A row as creating a payment makes it. */
export function orderRow(merchantId: string, columns: Partial<NewPaymentRow> = {}): NewPaymentRow {
  const address = `0x${randomBytes(20).toString('hex')}`;
  const id = columns.id ?? newId('ord');
  return {
    ...{ id, merchant_id: merchantId, currency: 'USDT', network: 'ETH', amount: '1000000' },
    ...{ address, address_key: address, derivation_account: 'evm', derivation_index: randomBytes(4).readUInt32BE() },
    ...{ given: { epoch: '', serverRun } },
    ...{ test: false, merchant_order_id: null, product_name: null, customer_email: null, callback_url: null },
    ...{ return_url: null, metadata: null, tolerance_basis_points: 0, late_payment_policy: 'ACCEPT' },
    ...{ required_confirmations: 2, expires_at: minutesLater(30), created_at: START },
    ...{ event_id: newId('evt'), payload: { orderId: id, status: 'PENDING' } },
    ...{ once_key: null, once_digest: null },
    ...columns,
  };
}

async function newOrder(deps: Deps, merchantId: string, columns: Partial<NewPaymentRow>): Promise<Order> {
  const [known] = await query<{ epoch: string }>(deps.db.em, 'select written_in as epoch from cluster_identity');
  const row = { ...orderRow(merchantId, columns), given: { epoch: known?.epoch ?? '', serverRun } };
  await insertPayments(deps.db.pool, [row]);
  return { id: row.id, merchantId, addressKey: row.address_key };
}

/** A transfer to an order's address, in a transaction of its own unless `fields` say otherwise. */
export function pay({ addressKey }: Order, amount: bigint, fields: Partial<Transfer> = {}): Transfer {
  return { txHash: newHash(), ordinal: 1, addressKey, currency: 'USDT', amount, ...fields };
}

export const newHash = (): string => `0x${randomBytes(32).toString('hex')}`;

/** A chain made of data, read by one watcher. Blocks come a second apart unless given a time. */
export interface DataChain {
  readonly tip: BlockHead;
  /** Makes the next block without applying it. */
  next(transfers?: readonly Transfer[], time?: Date): ChainBlock;
  /** Applies a block made by `next`. */
  apply(block: ChainBlock): Promise<ObservationResult>;
  /** Mines and applies one block with these transfers. */
  mine(...transfers: Transfer[]): Promise<void>;
  mineAt(time: Date, ...transfers: Transfer[]): Promise<void>;
  mineEmpty(count: number): Promise<void>;
  /** Takes the newest blocks off the chain. */
  rollBack(depth: number): Promise<void>;
  mempool(transfers: readonly Transfer[], vanished?: readonly string[]): Promise<ObservationResult>;
  /** Declares that everything sent until then was seen. */
  timeOut(seenUntil: Date): Promise<number>;
}

/** Begins the chain of a network, or continues it, with a block at this height. */
export async function openChain(
  { deps }: Pick<Setup, 'deps'>,
  height = 100,
  network: Network = 'ETH',
): Promise<DataChain> {
  const genesis = { hash: newHash(), height, parentHash: newHash(), time: START };
  const { hash, time: blockTime } = genesis;
  const begun = { hash, height, blockTime, tipHeight: height };
  const { hash: at } = await startCursor(deps.db.em, network, begun);
  if (at !== hash) await moveCursor(deps.db.em, network, at, begun);
  const heads: BlockHead[] = [genesis];
  const tip = (): BlockHead => heads.at(-1) ?? genesis;
  const next: DataChain['next'] = (transfers = [], time = new Date(tip().time.getTime() + 1_000)) => ({
    ...{ hash: newHash(), height: tip().height + 1, parentHash: tip().hash, time, transfers },
  });
  const apply: DataChain['apply'] = async (block) => {
    const observed = await applyBlock(deps, network, block, block.height);
    if (observed === 'applied') heads.push(block);
    return observed;
  };
  const mineBlock = async (block: ChainBlock) => expect(await apply(block)).toBe('applied');
  return {
    get tip() {
      return tip();
    },
    next,
    apply,
    mine: (...transfers) => mineBlock(next(transfers)),
    mineAt: (time, ...transfers) => mineBlock(next(transfers, time)),
    mineEmpty: async (count) => {
      for (let mined = 0; mined < count; mined += 1) await mineBlock(next());
    },
    rollBack: async (depth) => {
      const from = tip();
      heads.splice(-depth);
      expect(await applyRollback(deps, network, from, tip())).toBe('applied');
      expect((await readCursor(deps.db.em, network))?.hash).toBe(tip().hash);
    },
    mempool: (transfers, vanished = []) => applyMempool(deps, network, tip(), transfers, vanished),
    timeOut: (seenUntil) => applyTimeouts(deps, network, tip(), seenUntil),
  };
}
