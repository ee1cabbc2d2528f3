// The graphile-worker candidate, tuned for many short jobs as its documentation recommends: a local queue, and
// completions in batches.

import { setTimeout as rest } from 'node:timers/promises';
import { Logger, run } from 'graphile-worker';
import pg from 'pg';
import { createWebhookSender, type Job } from './webhook-sender.ts';
import type { DispatchTask } from './task.ts';
import { serveRuns } from '../shared/run-process.ts';

const LOCAL_QUEUE = 500;
const silent = new Logger(() => () => undefined);

serveRuns<DispatchTask>(async ({ databaseUrl, count, concurrency, secrets }) => {
  const sender = createWebhookSender(concurrency);
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 });
  pool.on('error', () => undefined);
  pool.on('connect', (client) => void client.on('error', () => undefined));
  let posted = 0;
  const startedMs = performance.now();
  const runner = await run({
    pgPool: pool,
    logger: silent,
    noHandleSignals: true,
    preset: {
      worker: {
        concurrentJobs: concurrency,
        localQueue: { size: Math.max(LOCAL_QUEUE, concurrency + 1) },
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
      },
    },
    taskList: {
      async deliver(payload) {
        const job = payload as Job;
        await sender.post(job, secrets[job.url] ?? '');
        posted += 1;
      },
    },
  });
  while (posted < count) await rest(5);
  // A job is recorded when it is deleted; batches of deletions follow the posts.
  while ((await pool.query('select 1 from graphile_worker._private_jobs limit 1')).rowCount !== 0) await rest(2);
  const seconds = (performance.now() - startedMs) / 1_000;
  await runner.stop();
  await pool.end();
  await sender.close();
  return { count, seconds, failures: 0, firstFailure: null, p50Ms: Number.NaN, p99Ms: Number.NaN };
});
