// The bare pg client, in a process of its own: on each connection one transaction after another, each with the inserts
// of a created payment. Statements are prepared once by name, and values are made as the gateway makes them.

import { createHash, randomUUID } from 'node:crypto';
import pg from 'pg';
import { newId } from '../../src/values/id.ts';
import { INSERTS, type SampleRows } from './inserts.ts';
import { createMeter, serveRuns } from '../shared/run-process.ts';

/** The rows of a run are numbered from `firstRow`, so that no two runs create the same ones. */
export interface PgTask {
  readonly url: string;
  readonly connections: number;
  readonly firstRow: number;
  readonly sample: SampleRows;
}

serveRuns<PgTask>(async ({ url, connections, firstRow, sample }, seconds) => {
  const clients = Array.from({ length: connections }, () => new pg.Client(url));
  await Promise.all(clients.map((client) => client.connect()));
  let row = firstRow;
  const meter = createMeter(seconds);
  const loop = async (client: pg.Client) => {
    while (meter.open()) {
      const sentMs = performance.now();
      await insertPayment(client, sample, row++);
      meter.succeed(sentMs);
    }
  };
  await Promise.all(clients.map(loop));
  const measured = meter.sample();
  await Promise.all(clients.map((client) => client.end()));
  return measured;
});

async function insertPayment(client: pg.Client, sample: SampleRows, row: number): Promise<void> {
  const now = new Date();
  const address = `0x${createHash('sha1').update(String(row)).digest('hex')}`;
  const fresh = {
    paymentId: newId('ord', now.getTime()),
    eventId: newId('evt', now.getTime()),
    onceKey: randomUUID(),
    requestId: randomUUID(),
    address,
    addressKey: address,
    row,
    now,
    expiresAt: new Date(now.getTime() + 1_800_000),
  };
  await client.query('begin');
  for (const { name, text, values } of INSERTS) await client.query({ name, text, values: values(sample, fresh) });
  await client.query('commit');
}
