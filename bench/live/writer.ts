// A process that changes payments as the domain does, under the row's lock and with an event of the next version, and
// records when each change was committed.

import { pino } from 'pino';
import { connectDatabase, query, type Database } from '../../src/database/connection.ts';
import { readRows } from '../../src/database/rows.ts';
import { eventRow, recordEvents } from '../../src/domain/events/record.ts';
import { snapshotPayment } from '../../src/domain/snapshots/payment.ts';
import { Payment } from '../../src/entities/payment.ts';
import { nowMs, serve } from './process.ts';

/** A committed change. */
export interface Written {
  readonly id: string;
  readonly change: number;
  readonly atMs: number;
}

interface Writing {
  readonly ids: readonly string[];
  readonly seconds: number;
  readonly perSecond: number;
  /** The number of the first change; later ones count up. */
  readonly from: number;
}

const commands = { open, write };
export type WriterCommands = typeof commands;

/** Changes per transaction, each to a different payment. */
const TOGETHER = 10;
/** Concurrent transactions. */
const AT_ONCE = 4;
let db: Database | null = null;
serve(commands, async () => db?.close());

async function open({ url }: { url: string }): Promise<null> {
  db = await connectDatabase({ url, poolMax: AT_ONCE, log: pino({ level: 'silent' }) });
  return null;
}

/** Changes the payments in turn at an even rate; catches up after delays, so that the rate holds on average. */
async function write({ ids, seconds, perSecond, from }: Writing): Promise<Written[]> {
  const written: Written[] = [];
  const total = Math.floor(seconds * perSecond);
  const startMs = nowMs();
  let next = 0;
  const writeOn = async (): Promise<void> => {
    while (next < total) {
      const first = next;
      next += TOGETHER;
      const waitMs = startMs + (first / perSecond) * 1_000 - nowMs();
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
      const batch = Array.from({ length: TOGETHER }, (_, i) => ({
        id: ids[(first + i) % ids.length] ?? '',
        change: from + first + i,
      }));
      await changeAll(batch);
      const atMs = nowMs();
      for (const change of batch) written.push({ ...change, atMs });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, writeOn));
  return written;
}

async function changeAll(batch: readonly { id: string; change: number }[]): Promise<void> {
  if (db === null) throw new Error('Not open');
  const changes = new Map(batch.map(({ id, change }) => [id, String(change)]));
  await db.em.fork().transactional(async (em) => {
    const rows = await readRows(em, Payment, 'where id = any($1) order by id for no key update', [[...changes.keys()]]);
    const at = new Date();
    const changed = rows.map((row) => ({
      ...row,
      merchantOrderId: changes.get(row.id) ?? null,
      version: row.version + 1,
      updatedAt: at,
    }));
    await query(
      em,
      `update payment p set merchant_order_id = c.mark, version = p.version + 1, updated_at = $3
       from unnest($1::text[], $2::text[]) as c(id, mark) where p.id = c.id`,
      [[...changes.keys()], [...changes.values()], at],
    );
    await recordEvents(
      em,
      changed.map((row) => {
        const payment = snapshotPayment(row, [], { payUrl: 'http://localhost/pay', height: 0 });
        const { merchantId, version } = row;
        return eventRow('sandbox', { type: 'payment.updated', merchantId, version, payment, at });
      }),
    );
  });
}
