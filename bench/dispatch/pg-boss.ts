// The pg-boss candidate, tuned: large batches, several workers, no pause while batches are full.

import { setTimeout as rest } from 'node:timers/promises';
import { PgBoss } from 'pg-boss';
import { createPoster, type DispatchTask, type Job } from './post.ts';
import { serveRuns } from '../shared/run-process.ts';

export const QUEUE = 'deliver';
const WORKERS = 4;

serveRuns<DispatchTask>(async ({ url, count, concurrency, secrets }) => {
  const poster = createPoster(concurrency);
  const boss = new PgBoss({ connectionString: url, max: 10, supervise: false, schedule: false });
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
    await Promise.all(jobs.map(({ data }) => poster.post(data, secrets[data.url] ?? '')));
    done += jobs.length;
  });
  while (done < count) await rest(5);
  const left = `select 1 from pgboss.job where name = $1 and state <> 'completed' limit 1`;
  while ((await boss.getDb().executeSql(left, [QUEUE])).rows.length > 0) await rest(2);
  const seconds = (performance.now() - startedMs) / 1_000;
  await boss.stop({ graceful: true, close: true });
  await poster.close();
  return { count, seconds, failures: 0, firstFailure: null, p50Ms: Number.NaN, p99Ms: Number.NaN };
});
