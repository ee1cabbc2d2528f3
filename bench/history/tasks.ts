// What is measured on each rung, and what each is compared with. A task measures itself and its reference once.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import type pg from 'pg';
import type { Database } from '../../src/database/connection.ts';
import { numberEvents } from '../../src/database/queries/events/number-events.ts';
import { checkBook } from '../../src/domain/ledger/check-book.ts';
import { verifyLedger } from '../../src/domain/ledger/verify.ts';
import { PAID_IN_BLOCK } from './chain.ts';
import type { CustodyAnswer, CustodyTask } from './custody-process.ts';
import { payOpenOrders } from './rows.ts';

/** A database with a history, and a node with its chain. */
export interface Rung {
  readonly payments: number;
  readonly databaseUrl: string;
  readonly rpcUrl: string;
  readonly client: pg.Client;
  readonly db: Database;
  /** How many events wait after an outage. */
  readonly backlog: number;
  /** The block that the cursor is at. */
  height: number;
}

export interface Figures {
  readonly ms: number;
  /** How much memory it took at its peak, in MB; absent if another process did the work. */
  readonly peakMb?: number;
}

export interface Task {
  readonly name: string;
  /** The reference, in words. */
  readonly reference: string;
  run(rung: Rung): Promise<Figures>;
  runReference(rung: Rung): Promise<Figures>;
  /** It happens once in the life of a database, and is not repeated. */
  readonly once?: boolean;
}

/** Events that wait after an outage; fewer in CI. */
export const BACKLOG = { whole: 30_000, smoke: 3_000 };
/** Blocks between two comparisons of custody. */
const BLOCKS = 5;

async function timed(work: () => Promise<unknown>): Promise<Figures> {
  const startedMs = performance.now();
  await work();
  return { ms: performance.now() - startedMs };
}

const ledgerCheck: Task = {
  name: "ledger's check, whole",
  reference: 'bare pg: the sums of all postings by account',
  run: ({ db }) =>
    timed(async () => {
      const { faults } = await verifyLedger(db);
      if (faults.length > 0) throw new Error(`The history breaks the ledger's rules: ${JSON.stringify(faults)}`);
    }),
  runReference: ({ client }) =>
    timed(() =>
      client.query(`select account, sum(amount) from (
        select destination_id as account, amount from posting union all select source_id, -amount from posting
      ) as moves group by account`),
    ),
};

/** Postings since the last seal, as many as a busy minute makes. */
const UNSEALED = 1_000;
const sealed = new WeakSet<Rung>();

/** Seals the book once, up to its last posting, by a check of the whole of it; then takes the newest postings out. */
async function sealAllButTheNewest(rung: Rung): Promise<void> {
  const deps = { db: rung.db, clock: { now: () => new Date() } };
  // The first check chooses the place of the seal.
  for (let check = 0; check < 3 && !sealed.has(rung); check += 1) {
    const { rows } = await rung.client.query('select from ledger_checkpoint where posting_id > 0');
    if (rows.length > 0) sealed.add(rung);
    else await checkBook(deps, { everyMs: 0, wholeEveryMs: 0 });
  }
  if (!sealed.has(rung)) throw new Error('The history was not sealed');
  await rung.client.query(
    `with place as (select min(id) - 1 as id from (select id from posting order by id desc limit ${UNSEALED}) newest),
     moves as (
       select destination_id as account, -amount as amount from posting, place, ledger_checkpoint c
       where posting.id > place.id and posting.id <= c.posting_id
       union all select source_id, amount from posting, place, ledger_checkpoint c
       where posting.id > place.id and posting.id <= c.posting_id
     ), undone as (
       update sealed_balance s set total = s.total + sums.amount
       from (select account, sum(amount) as amount from moves group by account) sums where sums.account = s.account_id
     )
     update ledger_checkpoint set posting_id = place.id, next_posting_id = null, next_xmax = null, next_horizon = null
     from place`,
  );
}

const recentCheck: Task = {
  name: "ledger's check, every minute",
  reference: 'bare pg: the sums of the new postings by account',
  run: async (rung) => {
    await sealAllButTheNewest(rung);
    return timed(async () => {
      const deps = { db: rung.db, clock: { now: () => new Date() } };
      const { faults, checked } = await checkBook(deps, { everyMs: 0 });
      if (checked !== 'RECENT') throw new Error('The new postings were not checked by themselves');
      if (faults.length > 0) throw new Error(`The history breaks the ledger's rules: ${JSON.stringify(faults)}`);
    });
  },
  runReference: ({ client }) =>
    timed(() =>
      client.query(
        `with newest as materialized (select * from posting order by id desc limit ${UNSEALED})
         select account, sum(amount) from (
           select destination_id as account, amount from newest union all select source_id, -amount from newest
         ) as moves group by account`,
      ),
    ),
};

/** Adds events that wait, one or more of each payment. Nothing analyses the table meanwhile. */
async function addBacklog({ client, payments, backlog }: Rung, prefix: string): Promise<void> {
  await client.query('alter table event set (autovacuum_enabled = false)');
  await client.query('analyze event');
  await client.query(
    `insert into event (id, merchant_id, payment_id, version, type, payload, created_at)
     select $2 || lpad(g::text, 12, '0'), p.merchant_id, p.id, 3 + (g - 1) / $3::int, 'payment.updated', '{}', now()
     from generate_series(1, $1::int) as g
       join payment p on p.derivation_account = 'evm' and p.derivation_index = 1 + (g - 1) % $3::int`,
    [backlog, prefix, payments],
  );
}

const numbering: Task = {
  name: 'numbering a backlog, stale statistics',
  reference: 'bare pg: the same events by one update',
  run: async (rung) => {
    await addBacklog(rung, `fy_${String(Date.now())}_`);
    return timed(async () => {
      let numbered = 0;
      for (let last: number | null = null; last !== 0; numbered += last) last = (await numberEvents(rung.db.pool)) ?? 0;
      if (numbered !== rung.backlog) throw new Error(`${numbered} events were numbered, of ${rung.backlog}`);
    });
  },
  runReference: async (rung) => {
    await addBacklog(rung, `fz_${String(Date.now())}_`);
    return timed(async () => {
      await rung.client.query('begin');
      const { rowCount } = await rung.client.query(
        `with ranked as materialized (
           select id, row_number() over (order by id) as nth,
             row_number() over (partition by merchant_id order by id) as nth_of_merchant
           from event where position is null
         )
         update event e set position = log.last + nth, sequence = own.last + nth_of_merchant
         from ranked, event_counter log, event_counter own
         where e.id = ranked.id and log.scope = 'position' and own.scope = e.merchant_id`,
      );
      await rung.client.query(
        `update event_counter c set last = n.last from (
           select 'position' as scope, max(position) as last from event
           union all select merchant_id, max(sequence) from event group by merchant_id) n
         where n.scope = c.scope`,
      );
      await rung.client.query('commit');
      if (rowCount !== rung.backlog) throw new Error(`${rowCount ?? 0} events were numbered, of ${rung.backlog}`);
    });
  },
};

/** Compares custody in a process of its own. */
async function compareCustody({ databaseUrl, rpcUrl }: Rung, kind: CustodyTask['kind']): Promise<Figures> {
  const child = fork(new URL('./custody-process.js', import.meta.url));
  const ended = once(child, 'exit');
  child.send({ databaseUrl, rpcUrl, kind } satisfies CustodyTask);
  const [answer] = (await Promise.race([once(child, 'message'), ended])) as [CustodyAnswer | number | null];
  await ended;
  if (answer === null || typeof answer === 'number') throw new Error('The comparison ended without an answer');
  if ('error' in answer) throw new Error(answer.error);
  return answer;
}

/** Goes on by a few blocks with deposits, as between two comparisons. */
async function payBlocks(rung: Rung): Promise<void> {
  await payOpenOrders(rung.client, rung.height, rung.height + BLOCKS, PAID_IN_BLOCK);
  rung.height += BLOCKS;
}

const firstPass: Task = {
  name: 'custody, the first pass',
  reference: 'all addresses at one block, as ledger:verify',
  once: true,
  run: (rung) => compareCustody(rung, 'readings'),
  runReference: (rung) => compareCustody(rung, 'whole'),
};

const custody: Task = {
  name: 'custody, every five minutes',
  reference: 'as before: every address with a deposit',
  run: async (rung) => {
    await payBlocks(rung);
    return compareCustody(rung, 'readings');
  },
  runReference: (rung) => compareCustody(rung, 'before'),
};

/** In the order in which they run. */
export const TASKS: readonly Task[] = [ledgerCheck, recentCheck, firstPass, custody, numbering];
