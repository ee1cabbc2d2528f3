// Measures how long an event takes from its commit to the receiver, at low load, alone and beside an endpoint that
// hangs.

import { randomUUID } from 'node:crypto';
import { claimDeliveries } from '../../src/database/queries/webhooks/claim-deliveries.ts';
import { untilTrue } from '../create/check-rows.ts';
import type { LatencyTask } from './latency-process.ts';
import type { DispatchEnvironment } from './environment.ts';
import { percentile, startRunProcess } from '../shared/run-process.ts';
import { median } from '../shared/report.ts';

interface Times {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface Latency {
  readonly alone: Times;
  readonly beside: Times;
  /** The median over the rounds of the ratio between the medians with and without the hanging endpoint. */
  readonly ratioOfMedians: number;
  /** Deliveries that were due at the hanging endpoint. */
  readonly stuck: number;
  /** Median time to claim one delivery of that endpoint. */
  readonly claimMs: number;
}

interface Plan {
  readonly stuck: number;
  /** Events per round, on each side. */
  readonly events: number;
  readonly rounds: number;
}

/** Measures with and without the hanging endpoint in interleaved rounds, with the dispatcher's loops in one process. */
export async function measureLatency(setup: DispatchEnvironment, { stuck, events, rounds }: Plan): Promise<Latency> {
  await setup.clear();
  const hanging = await setup.addMerchant(['/never']);
  const healthy = await setup.addMerchant(['/seen']);
  await setup.addDeliveries([hanging], stuck);
  const claimMs = await measureClaims(setup);
  const pipeline = startRunProcess<LatencyTask>(new URL('./latency-process.js', import.meta.url));
  const [alone, beside]: [number[], number[]] = [[], []];
  const ratios: number[] = [];
  const run = async () => {
    await setup.seen();
    const task = { url: setup.url, merchantId: healthy.id, events };
    const { committed } = (await pipeline.run(task, 0)) as unknown as { committed: [string, number][] };
    const arrivals = new Map<string, number>();
    await untilTrue('every event to arrive', async () => {
      for (const [id, atMs] of (await setup.seen()).arrivals) if (!arrivals.has(id)) arrivals.set(id, atMs);
      return committed.every(([id]) => arrivals.has(id));
    });
    return committed.map(([id, atMs]) => (arrivals.get(id) ?? Number.NaN) - atMs);
  };
  try {
    await run();
    for (let round = 0; round < rounds; round += 1) {
      await park(setup, hanging.id, true);
      const without = await run();
      await park(setup, hanging.id, false);
      const withIt = await run();
      alone.push(...without);
      beside.push(...withIt);
      ratios.push(median(withIt) / median(without));
      const medians = `alone ${median(without).toFixed(1)} ms, beside ${median(withIt).toFixed(1)} ms`;
      process.stderr.write(`latency, round ${round + 1} of ${rounds}: ${medians}\n`);
    }
  } finally {
    await pipeline.close();
  }
  return { alone: timesOf(alone), beside: timesOf(beside), ratioOfMedians: median(ratios), stuck, claimMs };
}

const timesOf = (values: number[]): Times => ({ p50Ms: percentile(values, 0.5), p99Ms: percentile(values, 0.99) });

/** Hides a merchant's lanes from the dispatcher, or makes them due again. */
async function park({ client }: DispatchEnvironment, merchantId: string, parked: boolean): Promise<void> {
  const dueAt = parked ? 'null' : 'now()';
  await client.query(`update webhook_lane set due_at = ${dueAt} where merchant_id = $1`, [merchantId]);
}

async function measureClaims({ db, client }: DispatchEnvironment): Promise<number> {
  const times: number[] = [];
  const choice = { closedLanes: [], closedMerchants: [], failingLanes: [], failingLimit: 0 };
  for (let n = 0; n < 50; n += 1) {
    const startedMs = performance.now();
    await claimDeliveries(db.pool, { choice, share: () => [1], lease: randomUUID(), leaseMs: 1 });
    times.push(performance.now() - startedMs);
  }
  await client.query('delete from webhook_claim');
  return median(times);
}
