// The candidates of the dispatch bench: each sends and records the same deliveries, from a process of its own.

import { makeWorkerUtils } from 'graphile-worker';
import { PgBoss } from 'pg-boss';
import { newId } from '../../src/values/id.ts';
import type { Job } from './webhook-sender.ts';
import type { DispatchTask } from './task.ts';
import { BODY, type DispatchMerchant, type DispatchEnvironment } from './environment.ts';
import { startRunProcess, type Sample } from '../shared/run-process.ts';

export interface DispatchCandidate {
  readonly name: string;
  /** Stores `count` deliveries that are ready to be sent. */
  prepare(count: number): Promise<void>;
  run(count: number): Promise<Sample>;
  /** Throws unless `count` deliveries are recorded as done. */
  check(count: number): Promise<void>;
  close(): Promise<void>;
}

interface Terms {
  readonly names: readonly string[];
  readonly merchants: readonly DispatchMerchant[];
  readonly concurrency: number;
}

const PG_BOSS_QUEUE = 'deliver';
const CHUNK = 1_000;

/** Starts the requested candidates, in the order in which they run in each round. */
export async function enterCandidates(setup: DispatchEnvironment, terms: Terms): Promise<DispatchCandidate[]> {
  const makers = {
    gateway,
    undici: bare,
    'undici-dispatch': bareDispatch,
    'graphile-worker': graphileWorker,
    'pg-boss': pgBoss,
  };
  const candidates: DispatchCandidate[] = [];
  for (const [name, make] of Object.entries(makers))
    if (terms.names.includes(name)) candidates.push(await make(setup, terms));
  return candidates;
}

function start(setup: DispatchEnvironment, { merchants, concurrency }: Terms, module: string, byDispatch = false) {
  const runner = startRunProcess<DispatchTask>(new URL(module, import.meta.url));
  const endpoints = merchants.flatMap((merchant) => merchant.endpoints);
  const secrets = Object.fromEntries(endpoints.map(({ url, secret }) => [url, secret]));
  return {
    run: (count: number) => runner.run({ databaseUrl: setup.url, count, concurrency, secrets, byDispatch }, 0),
    close: () => runner.close(),
  };
}

function gateway(setup: DispatchEnvironment, terms: Terms): DispatchCandidate {
  const perEvent = terms.merchants[0]?.endpoints.length ?? 1;
  return {
    name: 'gateway',
    ...start(setup, terms, './gateway.js'),
    async prepare(count) {
      await setup.clear();
      const waiting = await setup.addDeliveries(terms.merchants, count / terms.merchants.length / perEvent);
      if (waiting !== count) throw new Error(`The relay created ${waiting} of ${count} deliveries`);
    },
    check: (count) =>
      expectCount(
        setup,
        count,
        `select count(*)::int as count from webhook_delivery d join webhook_attempt a on a.delivery_id = d.id
         where d.status = 'SUCCESS' and d.attempts = 1 and d.due_at is null and a.response_code = 200`,
      ),
  };
}

const nothing = () => Promise.resolve();

function bare(setup: DispatchEnvironment, terms: Terms): DispatchCandidate {
  return { name: 'undici', ...start(setup, terms, './bare.js'), prepare: nothing, check: nothing };
}

function bareDispatch(setup: DispatchEnvironment, terms: Terms): DispatchCandidate {
  const started = start(setup, terms, './bare.js', true);
  return { name: 'undici-dispatch', ...started, prepare: nothing, check: nothing };
}

async function graphileWorker(setup: DispatchEnvironment, terms: Terms): Promise<DispatchCandidate> {
  const utils = await makeWorkerUtils({ connectionString: setup.url });
  await utils.migrate();
  const { run, close } = start(setup, terms, './graphile-worker.js');
  return {
    name: 'graphile-worker',
    run,
    async prepare(count) {
      const jobs = makeJobs(terms, count);
      for (let from = 0; from < count; from += CHUNK) {
        const specs = jobs.slice(from, from + CHUNK).map((payload) => ({ identifier: 'deliver', payload }));
        await utils.addJobs(specs);
      }
    },
    check: () => expectCount(setup, 0, 'select count(*)::int as count from graphile_worker._private_jobs'),
    async close() {
      await close();
      await utils.release();
    },
  };
}

async function pgBoss(setup: DispatchEnvironment, terms: Terms): Promise<DispatchCandidate> {
  const boss = new PgBoss({ connectionString: setup.url, max: 2, supervise: false, schedule: false });
  await boss.start();
  await boss.createQueue(PG_BOSS_QUEUE);
  const { run, close } = start(setup, terms, './pg-boss.js');
  return {
    name: 'pg-boss',
    run,
    async prepare(count) {
      await boss.deleteAllJobs(PG_BOSS_QUEUE);
      const jobs = makeJobs(terms, count);
      for (let from = 0; from < count; from += CHUNK)
        await boss.insert(
          PG_BOSS_QUEUE,
          jobs.slice(from, from + CHUNK).map((data) => ({ data })),
        );
    },
    check: (count) =>
      expectCount(
        setup,
        count,
        `select count(*)::int as count from pgboss.job where name = '${PG_BOSS_QUEUE}' and state = 'completed'`,
      ),
    async close() {
      await close();
      await boss.stop();
    },
  };
}

function makeJobs({ merchants }: Terms, count: number): Job[] {
  const endpoints = merchants.flatMap((merchant) => merchant.endpoints);
  return Array.from({ length: count }, (_, nth) => {
    const eventId = newId('evt');
    const { url = '' } = endpoints[nth % endpoints.length] ?? {};
    return { deliveryId: newId('dlv'), eventId, url, body: BODY.replace('"ID"', `"${eventId}"`) };
  });
}

async function expectCount(setup: DispatchEnvironment, expected: number, text: string): Promise<void> {
  const { rows } = await setup.client.query<{ count: number }>(text);
  if (rows[0]?.count !== expected) throw new Error(`${rows[0]?.count ?? '?'} rows where ${expected} are due: ${text}`);
}
