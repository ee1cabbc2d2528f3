// Numbering committed events: without gaps, once each, each payment's changes in order, in whatever order they commit.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LEADER_LOCK, NUMBERING_BATCH } from '../../../src/database/queries/events/number-events.ts';
import { createEventNumbering } from '../../../src/dispatch/outbox/number-events.ts';
import { createLoop, type Worker } from '../../../src/loop.ts';
import { newId } from '../../../src/values/id.ts';
import { until } from '../../support/until.ts';
import { log, openLiveFixture, type LiveFixture } from '../subscriptions/setup.fixture.ts';

interface Numbered {
  readonly id: string;
  readonly merchant: string;
  readonly payment: string | null;
  readonly version: number | null;
  readonly position: number;
  readonly sequence: number;
}

describe('the numbering of events', () => {
  let fixture: LiveFixture;
  let numbering: Worker;

  beforeAll(async () => {
    fixture = await openLiveFixture();
    numbering = createEventNumbering(fixture);
  });
  afterAll(() => fixture.stop());

  const numberAll = async () => {
    while (await numbering.processNext());
  };

  const readLog = async (): Promise<Numbered[]> => {
    const rows = await fixture.sql<Record<keyof Numbered, string>>(
      `select id, merchant_id as merchant, payment_id as payment, version, position, sequence from event
       where position is not null order by position`,
    );
    return rows.map((row) => ({
      ...row,
      version: row.version === null ? null : Number(row.version),
      position: Number(row.position),
      sequence: Number(row.sequence),
    }));
  };

  /** Positions, merchants' sequences and payments' versions all run 1, 2, 3, … along the log. */
  const expectWhole = (events: readonly Numbered[]) => {
    const counts = new Map<string, number>();
    const next = (key: string) => {
      counts.set(key, (counts.get(key) ?? 0) + 1);
      return counts.get(key);
    };
    for (const event of events) {
      expect(event.position).toBe(next('all'));
      expect(event.sequence).toBe(next(event.merchant));
      if (event.payment !== null) expect(event.version).toBe(next(event.payment));
    }
  };

  it('a transaction that starts first and commits last is numbered last, and nothing is skipped', async () => {
    const merchant = await fixture.newMerchant();
    const [slow, quick] = [await fixture.newPayment(merchant), await fixture.newPayment(merchant)];
    await numberAll();
    await fixture.db.em.fork().transactional(async (em) => {
      await fixture.changeIn(em, slow);
      await fixture.change(quick);
      await numberAll();
      expect((await readLog()).at(-1)).toMatchObject({ payment: quick, version: 2 });
    });
    await numberAll();
    expect((await readLog()).at(-1)).toMatchObject({ payment: slow, version: 2 });
    expectWhole(await readLog());
  });

  it('a later change whose transaction began first, with the lower id, comes after the earlier change', async () => {
    const merchant = await fixture.newMerchant();
    const payment = await fixture.newPayment(merchant);
    // The block's transaction reads its clock, then waits for the payment's row until the other change has committed.
    const began = new Date(Date.now() - 60_000);
    let block: Promise<void> = Promise.resolve();
    await fixture.db.em.fork().transactional(async (em) => {
      await fixture.changeIn(em, payment);
      block = fixture.change(payment, {}, began);
      await until(async () => {
        // Within a transaction PostgreSQL repeats its first snapshot of the activity unless it is cleared.
        await fixture.sql('select pg_stat_clear_snapshot()');
        const [row] = await fixture.sql<{ waiting: boolean }>(
          `select exists (select from pg_stat_activity
             where datname = current_database() and wait_event_type = 'Lock') as waiting`,
        );
        return row?.waiting;
      });
    });
    await block;
    await numberAll();
    const own = (await readLog()).filter((event) => event.payment === payment);
    expect(own.map((event) => event.version)).toEqual([1, 2, 3]);
    expect(own[2]?.id.localeCompare(own[1]?.id ?? '')).toBe(-1);
    expectWhole(await readLog());
  });

  it('a batch that is cut off between them takes the earlier change along', async () => {
    const merchant = await fixture.newMerchant();
    const payment = await fixture.newPayment(merchant);
    await numberAll();
    // More test events than a batch holds lie, by id, between the later change and the earlier one.
    await fixture.change(payment, {}, new Date(Date.now() + 120_000));
    await fixture.change(payment, {}, new Date(Date.now() - 120_000));
    for (let i = 0; i < NUMBERING_BATCH + 20; i += 1)
      await fixture.sql(
        `insert into event (id, merchant_id, type, created_at) values ($1, $2, 'webhook.test', now())`,
        [newId('evt'), merchant],
      );
    expect(await numbering.processNext()).toBe(true);
    const versions = () =>
      readLog().then((events) => events.filter((e) => e.payment === payment).map((e) => e.version));
    expect(await versions()).toEqual([1, 2, 3]);
    await numberAll();
    expectWhole(await readLog());
  });

  it("an invoice's events keep the order of their versions too, apart from those of its payments", async () => {
    const merchant = await fixture.newMerchant();
    const add = (id: string, version: number) =>
      fixture.sql(
        `insert into event (id, merchant_id, invoice_id, version, type, created_at)
         values ($1, $2, 'inv_a', $3, 'invoice.updated', now())`,
        [id, merchant, version],
      );
    await numberAll();
    await add(newId('evt', Date.now() - 120_000), 2);
    await add(newId('evt', Date.now() + 120_000), 1);
    await numberAll();
    const rows = await fixture.sql<{ version: number }>(
      `select version from event where invoice_id = 'inv_a' order by position`,
    );
    expect(rows.map(({ version }) => version)).toEqual([1, 2]);
    expectWhole(await readLog());
  });

  it('four writers and two numbering processes: nothing skipped, nothing twice, every order kept', async () => {
    const merchants = [await fixture.newMerchant(), await fixture.newMerchant()];
    const payments: string[] = [];
    for (let i = 0; i < 6; i += 1) payments.push(await fixture.newPayment(merchants[i % 2] ?? ''));
    const before = await fixture.sql<{ count: string }>('select count(*) from event');
    const loops = [1, 2].map(() => createLoop(createEventNumbering(fixture), { idleMs: 1, log }));
    const write = async (seed: number) => {
      for (let i = 0; i < 60; i += 1) {
        const skewMs = ((seed * 7_919 + i * 104_729) % 2_000) - 1_000;
        await fixture.change(
          payments[(seed + i * (seed + 1)) % payments.length] ?? '',
          {},
          new Date(Date.now() + skewMs),
        );
      }
    };
    await Promise.all([0, 1, 2, 3].map(write));
    const total = Number(before[0]?.count) + 240;
    const events = await until(async () => {
      const numbered = await readLog();
      return numbered.length === total && numbered;
    });
    await Promise.all(loops.map((loop) => loop.stop()));
    expectWhole(events);
  });

  it('while another process leads, the worker rests and numbers nothing', async () => {
    const payment = await fixture.newPayment(await fixture.newMerchant());
    const other = await fixture.db.pool.connect();
    await other.query('begin');
    await other.query(`select pg_advisory_xact_lock(${LEADER_LOCK})`);
    expect(await numbering.processNext()).toBe(false);
    expect((await readLog()).some((event) => event.payment === payment)).toBe(false);
    await other.query('rollback');
    other.release();
    await numberAll();
    expect((await readLog()).at(-1)).toMatchObject({ payment });
  });

  it('the log is told of when it has grown, and only then', async () => {
    let signals = 0;
    const worker = createEventNumbering(fixture, () => (signals += 1));
    await worker.processNext();
    expect(signals).toBe(0);
    await fixture.newPayment(await fixture.newMerchant());
    await worker.processNext();
    expect(signals).toBe(1);
  });
});
