// Set-up of the settle bench: a migrated database with merchants and payments, and a simulated chain whose blocks go
// through `applyBlock`, as they do from the watcher. Also times them and checks the rows. No gateway runs beside it.

import { createHash, randomBytes } from 'node:crypto';
import pg from 'pg';
import { pino } from 'pino';
import type { BlockHead, ChainBlock, Transfer } from '../../src/chain/blocks.ts';
import { connectDatabase, type Database } from '../../src/database/connection.ts';
import { migrate } from '../../src/database/migrate.ts';
import { startCursor } from '../../src/database/queries/chain/chain-cursor.ts';
import type { Deps } from '../../src/domain/deps.ts';
import { applyBlock } from '../../src/domain/payments/apply-observation.ts';
import { verifyLedger } from '../../src/domain/ledger/verify.ts';
import { NETWORKS, type Network } from '../../src/values/assets.ts';
import type { Server } from '../shared/environment.ts';
import { paymentBody } from '../create/payment.ts';

export const MERCHANTS = 8;
export const CONFIRMATIONS = 12;
/** The amount of each payment and each deposit, in base units. */
export const AMOUNT = 25_000_000n;

export interface SettledRun {
  readonly deposits: number;
  readonly seconds: number;
  /** CPU time that this process used per deposit, in microseconds; absent if another process did the work. */
  readonly ownMicros?: number;
}

export interface Setup {
  readonly url: string;
  readonly client: pg.Client;
  /** Creates payments, then pays and confirms them, `perBlock` in a block; timed from the first block to the last. */
  settle(perBlock: number, deposits: number): Promise<SettledRun>;
  /** Mines and applies a block. */
  mine(transfers: readonly Transfer[]): Promise<void>;
  /**
   * Throws unless all settled deposits have their rows and the ledger verifies; returns the number of these deposits.
   */
  check(): Promise<number>;
}

/** Creates a migrated database with merchants and no payments. It is closed with the server. */
export async function openDatabase(
  server: Server,
  name: string,
): Promise<{ db: Database; client: pg.Client; url: string }> {
  const admin = new pg.Client(server.postgres.url);
  await admin.connect();
  await admin.query(`create database ${name}`).finally(() => admin.end());
  const url = server.postgres.url.replace(/\/[^/]*$/, `/${name}`);
  const db = await connectDatabase({ url, poolMax: 2, log: pino({ level: 'silent' }) });
  server.stops.push(() => db.close());
  await migrate(db);
  const client = new pg.Client(url);
  await client.connect();
  server.stops.push(() => client.end());
  await client.query(
    `insert into merchant (id, email, company_name, webhook_secret, created_at)
     select ${merchantOf('g')}, g || '@example.com', 'Bench', '', now() from generate_series(0, $1::int - 1) as g`,
    [MERCHANTS],
  );
  return { db, client, url };
}

/** Creates a database for the gateway's own code, and a chain at its first block. */
export async function openSetup(server: Server, name: string): Promise<Setup> {
  return createSetup(await openDatabase(server, name));
}

/** A chain of a network at its first block; its payments have the row numbers after `rows`. */
export async function createSetup(
  { db, client, url }: { readonly db: Database; readonly client: pg.Client; readonly url: string },
  network: Network = 'ETH',
  rows = 0,
): Promise<Setup> {
  const deps: Deps = {
    ...{ db, clock: { now: () => new Date() }, environment: 'sandbox', chains: new Map() },
    ...{ payUrl: 'http://localhost:4000/pay', webhookAllowPrivate: true, log: pino({ level: 'silent' }) },
    signals: { events: () => undefined, chain: () => undefined, payouts: () => undefined, deliveries: () => undefined },
  };
  let tip: BlockHead = { hash: newHash(), height: 1_000, parentHash: newHash(), time: new Date() };
  await startCursor(db.em, network, { ...tip, blockTime: tip.time, tipHeight: tip.height });
  const mine = async (transfers: readonly Transfer[]) => {
    const block: ChainBlock = {
      ...{ hash: newHash(), height: tip.height + 1, parentHash: tip.hash, time: new Date(), transfers },
    };
    const observed = await applyBlock(deps, network, block, block.height);
    if (observed !== 'applied') throw new Error('A block was not applied');
    tip = block;
  };
  return {
    url,
    client,
    mine,
    settle: async (perBlock, deposits) => {
      const first = rows + 1;
      rows += deposits;
      await createPayments(client, first, rows, "'PENDING'", network);
      const blocks: Transfer[][] = [];
      for (let row = first; row <= rows; row += perBlock)
        blocks.push(Array.from({ length: Math.min(perBlock, rows + 1 - row) }, (_, index) => transferTo(row + index)));
      // The last deposit is confirmed by the blocks on top of its own.
      for (let above = 1; above < CONFIRMATIONS; above += 1) blocks.push([]);
      const cpu = process.cpuUsage();
      const startedMs = performance.now();
      for (const transfers of blocks) await mine(transfers);
      const seconds = (performance.now() - startedMs) / 1_000;
      const { user, system } = process.cpuUsage(cpu);
      return { deposits, seconds, ownMicros: (user + system) / deposits };
    },
    check: async () => {
      await checkSettled(db, client, rows);
      return rows;
    },
  };
}

/** SQL expression for the merchant's id, by the row number of a payment. */
export const merchantOf = (row: string): string => `'mer_' || lpad((${row} % ${MERCHANTS})::text, 32, '0')`;

/**
 * Creates the payments of a range of row numbers, alike except for merchant, id and address; `status` is an SQL
 * expression over `g`.
 */
export async function createPayments(
  client: pg.Client,
  first: number,
  last: number,
  status = "'PENDING'",
  network: Network = 'ETH',
): Promise<void> {
  const { merchantOrderId, productName, customerEmail, currency } = paymentBody;
  await client.query(
    `insert into payment (id, merchant_id, currency, network, amount, address, address_key, derivation_account,
       derivation_index, status, version, test, merchant_order_id, product_name, customer_email, tolerance_basis_points,
       late_payment_policy, required_confirmations, expires_at, created_at, updated_at)
     select 'ord_' || lpad(g::text, 32, '0'), ${merchantOf('g')}, $3, $4, $5, a, a, $10, g, ${status}, 1, true, $6, $7, $8,
       0, 'ACCEPT', $9, now() + interval '1 day', now(), now()
     from generate_series($1::int, $2::int) as g, lateral (select '0x' || md5(g::text) || '01234567' as a) as address`,
    [
      ...[first, last, currency, network, AMOUNT, merchantOrderId, productName, customerEmail, CONFIRMATIONS],
      NETWORKS[network].account,
    ],
  );
}

/** A transfer that pays a row's payment in full. */
export function transferTo(row: number): Transfer {
  const addressKey = `0x${createHash('md5').update(String(row)).digest('hex')}01234567`;
  return { txHash: newHash(), ordinal: 1, addressKey, currency: paymentBody.currency, amount: AMOUNT };
}

const newHash = (): string => `0x${randomBytes(32).toString('hex')}`;

const COUNTS = `
select (select count(*) from payment where status = 'SUCCEEDED' and version = 3) as "payments",
  (select count(*) from deposit where status = 'CONFIRMED' and credited and credits = 1) as "deposits",
  (select count(*) from event where type = 'payment.updated') as "updates",
  (select count(*) from event where type = 'payment.succeeded' and body is not null) as "successes",
  (select count(*) from ledger_transaction) as "ledgerTransactions",
  (select count(*) / 2 from posting) as "pairsOfPostings",
  (select -sum(balance) / ${AMOUNT} from ledger_account where purpose = 'custody') as "held"`;

/** Throws unless `settled` deposits are settled with all their rows, and the ledger verifies. */
export async function checkSettled(db: Database, client: pg.Client, settled: number): Promise<void> {
  const { rows } = await client.query<Record<string, string>>(COUNTS);
  const wrong = Object.entries(rows[0] ?? { nothing: '' }).filter(([, count]) => Number(count) !== settled);
  if (wrong.length > 0) throw new Error(`${settled} deposits were settled, but ${JSON.stringify(wrong)}`);
  const { faults } = await verifyLedger(db);
  if (faults.length > 0) throw new Error(`The ledger does not verify: ${JSON.stringify(faults)}`);
}
