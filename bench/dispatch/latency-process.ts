// A process of the latency bench: runs the dispatcher's loops as the gateway does, commits an event every 50 ms for one
// merchant, and returns the commit times.

import { setTimeout as rest } from 'node:timers/promises';
import { pino } from 'pino';
import { createDatabaseClock } from '../../src/database/clock.ts';
import { connectDatabase } from '../../src/database/connection.ts';
import { createHttpClient } from '../../src/egress/http-client.ts';
import { createEventNumbering } from '../../src/dispatch/outbox/number-events.ts';
import { createRelay } from '../../src/dispatch/outbox/relay.ts';
import { DEFAULT_RETRY_DELAYS_SECONDS } from '../../src/dispatch/webhooks/retry-policy.ts';
import { createWebhookSender } from '../../src/dispatch/webhooks/send-webhooks.ts';
import { createLoop, type Loop } from '../../src/loop.ts';
import { newId } from '../../src/values/id.ts';
import { monotonicMs } from './receiver.ts';
import { BODY } from './environment.ts';
import { serveRuns, type Sample } from '../shared/run-process.ts';

export interface LatencyTask {
  readonly url: string;
  readonly merchantId: string;
  readonly events: number;
}

const EVERY_MS = 50;
/** Pause after the last event. It has usually arrived by then; the measuring process waits for the rest. */
const TAIL_MS = 1_000;
const log = pino({ level: 'warn' });
let started: Promise<Awaited<ReturnType<typeof start>>> | null = null;

serveRuns<LatencyTask>(async ({ url, merchantId, events }) => {
  const { db, nudge } = await (started ??= start(url));
  const committed: [string, number][] = [];
  const insert = `insert into event (id, merchant_id, type, payload, body, created_at)
    values ($1, $2, 'payment.succeeded', '{}', $3, now())`;
  for (let n = 0; n < events; n += 1) {
    const id = newId('evt');
    await db.pool.query(insert, [id, merchantId, BODY.replace('"ID"', `"${id}"`)]);
    committed.push([id, monotonicMs()]);
    nudge();
    await rest(EVERY_MS);
  }
  await rest(TAIL_MS);
  return { committed } as unknown as Sample;
});

async function start(url: string) {
  const db = await connectDatabase({ url, poolMax: 10, log });
  const clock = await createDatabaseClock(db.em);
  const egress = createHttpClient({ allowPrivate: true });
  const loops: Record<'numbering' | 'relay' | 'sender', Loop | null> = { numbering: null, relay: null, sender: null };
  const signals = { events: () => loops.numbering?.nudge() };
  const deps = {
    ...{ db, clock, log },
    signals: { ...signals, chain: () => undefined, payouts: () => undefined, deliveries: () => undefined },
  };
  const wake = () => loops.sender?.nudge();
  const sender = createWebhookSender(deps, { egress, retryDelaysSeconds: DEFAULT_RETRY_DELAYS_SECONDS, wake });
  loops.numbering = createLoop(
    createEventNumbering(deps, () => loops.relay?.nudge()),
    { idleMs: 50, log },
  );
  loops.relay = createLoop(createRelay(deps, wake), { idleMs: 250, log });
  loops.sender = createLoop(sender, { idleMs: 250, log });
  process.once('disconnect', () => process.exit());
  return { db, nudge: signals.events };
}
