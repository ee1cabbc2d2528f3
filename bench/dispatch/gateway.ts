// The gateway's webhook sender in a process of its own: the worker in its loop, as the gateway runs it.

import { pino } from 'pino';
import { createDatabaseClock } from '../../src/database/clock.ts';
import { connectDatabase } from '../../src/database/connection.ts';
import { createHttpClient } from '../../src/egress/http-client.ts';
import { DEFAULT_RETRY_DELAYS_SECONDS } from '../../src/dispatch/webhooks/retry-policy.ts';
import { createWebhookSender } from '../../src/dispatch/webhooks/send-webhooks.ts';
import { createLoop } from '../../src/loop.ts';
import type { DispatchTask } from './task.ts';
import { percentile, serveRuns, type Sample } from '../shared/run-process.ts';

const log = pino({ level: 'warn' });
const signals = {
  events: () => undefined,
  chain: () => undefined,
  payouts: () => undefined,
  deliveries: () => undefined,
};

let opened: ReturnType<typeof open> | null = null;

async function open(url: string) {
  const db = await connectDatabase({ url, poolMax: 10, log });
  const clock = await createDatabaseClock(db.em);
  return { db, clock };
}

async function run({ databaseUrl: url, count, concurrency }: DispatchTask): Promise<Omit<Sample, 'ownCpu'>> {
  const { db, clock } = await (opened ??= open(url));
  const egress = createHttpClient({ allowPrivate: true });
  const latenciesMs: number[] = [];
  let failures = 0;
  let end: () => void;
  const done = new Promise<void>((resolve) => (end = resolve));
  const sender = createWebhookSender(
    { db, clock, log, signals },
    {
      ...{ egress, concurrency, retryDelaysSeconds: DEFAULT_RETRY_DELAYS_SECONDS, wake: () => loop.nudge() },
      onAttempt(result, seconds) {
        latenciesMs.push(seconds * 1_000);
        if (result !== 'success') failures += 1;
        if (latenciesMs.length === count) end();
      },
    },
  );
  const startedMs = performance.now();
  const loop = createLoop(sender, { idleMs: 250, log });
  await done;
  const seconds = (performance.now() - startedMs) / 1_000;
  await loop.stop();
  await sender.drain();
  await egress.close();
  const firstFailure = failures > 0 ? 'an attempt was no success' : null;
  const [p50Ms, p99Ms] = [percentile(latenciesMs, 0.5), percentile(latenciesMs, 0.99)];
  return { count, seconds, failures, firstFailure, p50Ms, p99Ms };
}

serveRuns<DispatchTask>(run);
process.once('disconnect', () => process.exit());
