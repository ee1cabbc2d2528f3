// The program of a sender that a test can stop and kill: it sends what is due until its parent is gone.

import { pino } from 'pino';
import { createDatabaseClock } from '../../../src/database/clock.ts';
import { connectDatabase } from '../../../src/database/connection.ts';
import { createHttpClient } from '../../../src/egress/http-client.ts';
import { createWebhookSender, type AttemptResult } from '../../../src/dispatch/webhooks/send-webhooks.ts';
import { createLoop, type Loop } from '../../../src/loop.ts';
import { PATIENT_DATABASE } from '../../support/patience.ts';

/** The task, as the test sends it. */
export interface SenderTask {
  readonly databaseUrl: string;
  readonly leaseMs: number;
}

/** Reports to the test: that it runs, and the result of each attempt. */
export type SenderNews = 'ready' | AttemptResult;

async function run({ databaseUrl, leaseMs }: SenderTask): Promise<void> {
  const log = pino({ level: 'silent' });
  const db = await connectDatabase({ url: databaseUrl, poolMax: 3, log, patience: PATIENT_DATABASE });
  const clock = await createDatabaseClock(db.em);
  const egress = createHttpClient({ allowPrivate: true });
  const tell = (news: SenderNews) => void process.send?.(news);
  const nothing = () => undefined;
  const signals = { events: nothing, chain: nothing, payouts: nothing, deliveries: nothing };
  const sender = createWebhookSender(
    { db, clock, log, signals },
    { egress, leaseMs, retryDelaysSeconds: [60], wake: () => loop.nudge(), onAttempt: tell },
  );
  const loop: Loop = createLoop(sender, { idleMs: 20, log });
  tell('ready');
}

process.on('disconnect', () => process.exit());
process.once('message', (task: SenderTask) => void run(task));
