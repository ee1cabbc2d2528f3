// Dispatch bench: pg-boss sends the webhooks, in a process of its own. It is tuned: large batches, several workers, no
// pause while batches are full.

import { setTimeout as sleep } from 'node:timers/promises';
import { PgBoss } from 'pg-boss';
import { createWebhookSender, type Job } from './webhook-sender.ts';
import type { DispatchTask } from './task.ts';
import { serveRuns } from '../shared/run-process.ts';

const QUEUE = 'deliver';
const WORKERS = 4;

serveRuns<DispatchTask>(async ({ databaseUrl, count, concurrency, secrets }) => {
  const sender = createWebhookSender(concurrency);
  const boss = new PgBoss({ connectionString: databaseUrl, max: 10, supervise: false, schedule: false });
  boss.on('error', () => undefined);
  await boss.start();
  let done = 0;
  const startedMs = performance.now();
  const options = {
    batchSize: Math.ceil(concurrency / WORKERS),
    localConcurrency: WORKERS,
    pollingIntervalSeconds: 0.5,
    burstWhenBatchFull: true,
  };
  await boss.work<Job>(QUEUE, options, async (jobs) => {
    await Promise.all(jobs.map(({ data }) => sender.post(data, secrets[data.url] ?? '')));
    done += jobs.length;
  });
  while (done < count) await sleep(5);
  const left = `select 1 from pgboss.job where name = $1 and state <> 'completed' limit 1`;
  while ((await boss.getDb().executeSql(left, [QUEUE])).rows.length > 0) await sleep(2);
  const seconds = (performance.now() - startedMs) / 1_000;
  await boss.stop({ graceful: true, close: true });
  await sender.close();
  return { count, seconds, failures: 0, firstFailure: null, p50Ms: Number.NaN, p99Ms: Number.NaN };
});
