// The sender's metrics: attempts by their result, and what it is doing at the moment.

import { expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { createWebhookMetrics } from '../../../src/server/metrics/webhooks.ts';

it('counts attempts by result, and asks the sender at each scrape', async () => {
  const registry = new Registry();
  const metrics = createWebhookMetrics(registry);
  let inFlight = 3;
  metrics.watch({ state: () => ({ inFlight, failingLanes: 2 }), oldestDeliverySeconds: () => Promise.resolve(1.5) });
  metrics.attempt('success', 0.02);
  metrics.attempt('retry', 5);
  const text = await registry.metrics();
  expect(text).toContain('turnpike_webhook_attempts_total{result="success"} 1');
  expect(text).toContain('turnpike_webhook_attempt_seconds_bucket{le="0.025"} 1');
  expect(text).toContain('turnpike_webhook_attempt_seconds_count 2');
  expect(text).toContain('turnpike_webhook_in_flight 3');
  expect(text).toContain('turnpike_webhook_failing_lanes 2');
  expect(text).toContain('turnpike_webhook_oldest_due_seconds 1.5');
  inFlight = 4;
  expect(await registry.metrics()).toContain('turnpike_webhook_in_flight 4');
});

it('tells the rest while the database does not answer', async () => {
  const registry = new Registry();
  const never = new Promise<number>(() => undefined);
  createWebhookMetrics(registry).watch({
    state: () => ({ inFlight: 7, failingLanes: 0 }),
    oldestDeliverySeconds: () => never,
  });
  expect(await registry.metrics()).toContain('turnpike_webhook_in_flight 7');
});
