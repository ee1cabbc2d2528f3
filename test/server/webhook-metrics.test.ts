// The sender's metrics: attempts by what they came to, and gauges from one look a scrape.

import { expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { createWebhookMetrics } from '../../src/server/webhook-metrics.ts';

it('counts attempts by result, and looks once a scrape for all gauges', async () => {
  const registry = new Registry();
  const metrics = createWebhookMetrics(registry);
  let looks = 0;
  metrics.watch(() => {
    looks += 1;
    return Promise.resolve({ inFlight: 3, failingLanes: 2, oldestDueSeconds: 1.5 });
  });
  metrics.attempt('success', 0.02);
  metrics.attempt('retry', 5);
  const text = await registry.metrics();
  expect(text).toContain('turnpike_webhook_attempts_total{result="success"} 1');
  expect(text).toContain('turnpike_webhook_attempt_seconds_bucket{le="0.025"} 1');
  expect(text).toContain('turnpike_webhook_attempt_seconds_count 2');
  expect(text).toContain('turnpike_webhook_in_flight 3');
  expect(text).toContain('turnpike_webhook_failing_lanes 2');
  expect(text).toContain('turnpike_webhook_oldest_due_seconds 1.5');
  expect(looks).toBe(1);
});

it('keeps the figures of the last look while the database is away', async () => {
  const registry = new Registry();
  let isAway = false;
  createWebhookMetrics(registry).watch(() =>
    isAway ? Promise.reject(new Error('away')) : Promise.resolve({ inFlight: 7, failingLanes: 0, oldestDueSeconds: 0 }),
  );
  await registry.metrics();
  isAway = true;
  expect(await registry.metrics()).toContain('turnpike_webhook_in_flight 7');
});
