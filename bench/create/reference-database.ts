// The database that the bare pg client and pgbench write to: the gateway's schema and merchants, without its event
// numbering and relay. Also reads from the gateway the rows of one payment, whose values their inserts copy.

import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { connectDatabase } from '../../src/database/connection.ts';
import { migrate } from '../../src/database/migrate.ts';
import { untilTrue } from './check-rows.ts';
import type { BenchEnvironment } from '../shared/environment.ts';
import { COLUMNS, type SampleRow, type SampleRows, type TableName } from './inserts.ts';
import { paymentBody } from './payment.ts';

export interface Reference {
  readonly environment: BenchEnvironment;
  readonly database: string;
  readonly url: string;
  readonly sample: SampleRows;
  /** The number of the first row of the next run, far above those of all earlier runs. */
  nextFirstRow(): number;
}

const DATABASE = 'reference';

/** Creates one payment over REST and reads the rows that the gateway wrote for it. */
export async function readSample({ port, token, client }: BenchEnvironment): Promise<SampleRows> {
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/payments`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}`, 'Idempotency-Key': randomUUID() },
    body: JSON.stringify(paymentBody),
  });
  if (response.status !== 201) throw new Error(`A payment was refused: ${await response.text()}`);
  await response.arrayBuffer();
  const read = async (table: TableName): Promise<SampleRow | undefined> => {
    const columns = COLUMNS[table].map((column) => `${column}::text`);
    const where = table === 'api_log' ? `where operation = 'createPayment'` : '';
    const { rows } = await client.query<SampleRow>(`select ${columns.join(', ')} from ${table} ${where} limit 1`);
    return rows[0];
  };
  await untilTrue('the API log of the first payment', async () => (await read('api_log')) !== undefined);
  const payment = await read('payment');
  const event = await read('event');
  const idempotency = await read('idempotency');
  const apiLog = await read('api_log');
  if (!payment || !event || !idempotency || !apiLog) throw new Error('The first payment left no rows');
  return { payment, event, idempotency, api_log: apiLog };
}

/** Creates the copy: the schema from the gateway's own migrations, and the merchant that owns the payments. */
export async function openReference(environment: BenchEnvironment, sample: SampleRows): Promise<Reference> {
  await environment.client.query(`create database ${DATABASE}`);
  const url = environment.postgres.url.replace(/\/[^/]*$/, `/${DATABASE}`);
  const { rows } = await environment.client.query<{ merchants: string }>(
    'select json_agg(merchant)::text as merchants from merchant',
  );
  const db = await connectDatabase({ url, poolMax: 2, log: pino({ level: 'silent' }) });
  await migrate(db);
  await db.pool.query('insert into merchant select * from json_populate_recordset(null::merchant, $1)', [
    rows[0]?.merchants,
  ]);
  await db.close();
  let runs = 0;
  return { environment, database: DATABASE, url, sample, nextFirstRow: () => ++runs * 100_000_000 };
}
