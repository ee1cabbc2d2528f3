// The reference of the settle bench: pgbench, with one transaction for each settled deposit, in a database made by the
// same migrations. It writes as many events of the same size as the gateway.

import type pg from 'pg';
import { runScript } from '../shared/pgbench.ts';
import type { Server } from '../shared/environment.ts';
import { AMOUNT, checkSettled, createPayments, MERCHANTS, merchantOf, openDatabase } from './environment.ts';
import type { SettledRun, Setup } from './environment.ts';

export interface SettleReference {
  /** Creates payments, then settles them; the count is rounded up so that each connection gets as many. */
  settle(deposits: number): Promise<SettledRun>;
  check(): Promise<number>;
}

/** Creates the database, with the ledger accounts that ours creates at the first deposits. */
export async function openSettleReference(server: Server, ours: Setup, connections: number): Promise<SettleReference> {
  const { db, client } = await openDatabase(server, 'reference');
  const accounts = [
    `values ('gateway', 'custody'), ('gateway', 'fees')`,
    ...['available', 'receivable'].map(ofMerchants),
  ];
  for (const owners of accounts)
    await client.query(
      `insert into ledger_account (owner, purpose, currency, network) select a.*, 'USDT', 'ETH' from (${owners}) as a`,
    );
  const variables = await readEvents(ours.client);
  const { host, port, user } = server.postgres;
  const place = { host, port, user, database: 'reference', connections, dir: server.dir };
  let rows = 0;
  return {
    settle: async (wanted) => {
      const deposits = Math.ceil(wanted / connections) * connections;
      const firstRow = rows + 1;
      rows += deposits;
      await createPayments(client, firstRow, rows);
      const until = { transactions: deposits };
      const sample = await runScript(place, { statements: STATEMENTS, variables, firstRow, until });
      if (sample.failures > 0) throw new Error(`pgbench failed: ${sample.firstFailure}`);
      return { deposits: sample.count, seconds: sample.seconds };
    },
    check: async () => {
      await checkSettled(db, client, rows);
      return rows;
    },
  };
}

const ofMerchants = (purpose: string): string =>
  `select ${merchantOf('g')}, '${purpose}' from generate_series(0, ${MERCHANTS - 1}) as g`;

/** The events of one deposit in our database, as text. */
async function readEvents(client: pg.Client): Promise<Record<string, string>> {
  const { rows } = await client.query<{ updated: string; succeeded: string; body: string }>(
    `select u.payload::text as updated, s.payload::text as succeeded, s.body from event u join event s using (payment_id)
     where u.type = 'payment.updated' and s.type = 'payment.succeeded' limit 1`,
  );
  if (!rows[0]) throw new Error('Nothing was settled yet');
  return rows[0];
}

const id = (prefix: string, row = ':row::int'): string => `'${prefix}_' || lpad((${row})::text, 32, '0')`;
const merchant = merchantOf(':row::int');
const FEE = AMOUNT / 100n;
/**
 * `fees` and `custody` are shared by all merchants. Custody is account 1, fees account 2; those of the merchants follow
 * in order.
 */
const AVAILABLE = `3 + :row::int % ${MERCHANTS}`;

/** The hot rows come last, so that they are locked as briefly as possible. */
const STATEMENTS = [
  `insert into deposit (id, network, tx_hash, ordinal, payment_id, merchant_id, currency, amount, status, block_hash,
     block_height, block_time, seen_at, late, credits, credited)
   values (${id('dep')}, 'ETH', '0x' || md5(:row::text) || md5(:row::text), 1, ${id('ord')}, ${merchant}, 'USDT', ${AMOUNT},
     'CONFIRMED', '0x' || md5((:row::int / 200)::text) || '01234567012345670123456701234567', 1000 + :row::int / 200, now(),
     now(), false, 1, true)`,
  `update payment set status = 'SUCCEEDED', version = 3, amount_received = ${AMOUNT}, amount_confirmed = ${AMOUNT},
     fee_amount = ${FEE}, completed_at = now(), updated_at = now() where id = ${id('ord')}`,
  `insert into event (id, merchant_id, payment_id, version, type, payload, body, created_at)
   values (${id('evt', '2 * :row::int')}, ${merchant}, ${id('ord')}, 2, 'payment.updated', :updated, null, now()),
     (${id('evt', '2 * :row::int + 1')}, ${merchant}, ${id('ord')}, 3, 'payment.succeeded', :succeeded, :body, now())`,
  `insert into ledger_transaction (id, reference, payment_id, created_at)
   values (${id('ltx')}, 'credit/' || ${id('dep')} || '/1', ${id('ord')}, now())`,
  `insert into holding (payment_id, network, currency, units) values (${id('ord')}, 'ETH', 'USDT', ${AMOUNT})`,
  `select id, balance from ledger_account where id in (1, 2, ${AVAILABLE}) order by id for update`,
  `update ledger_account set balance = balance + case id when 1 then -${AMOUNT} when 2 then ${FEE} else ${AMOUNT - FEE} end
   where id in (1, 2, ${AVAILABLE})`,
  `insert into posting (transaction_id, source_id, destination_id, amount)
   values (${id('ltx')}, 1, ${AVAILABLE}, ${AMOUNT}), (${id('ltx')}, ${AVAILABLE}, 2, ${FEE})`,
];
