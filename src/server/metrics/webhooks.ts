// Prometheus metrics of the webhook sender.

import { Counter, Histogram, type Registry } from 'prom-client';
import { watchCostly, watchNow } from './cached-gauges.ts';

/** The outcome of an attempt. */
const RESULTS = ['success', 'retry', 'failed', 'disabled', 'lost'] as const;
type AttemptResult = (typeof RESULTS)[number];

/** The sources of the gauges. */
interface Sender {
  state(): { readonly inFlight: number; readonly failingLanes: number };
  /** Of the database. */
  oldestDeliverySeconds(): Promise<number>;
}

export interface WebhookMetrics {
  /** Counts an attempt that ended. */
  attempt(result: AttemptResult, seconds: number): void;
  /** Sets the sources that the gauges are read from at each scrape. */
  watch(sender: Sender): void;
}

/** Makes the metrics of this process's sender. */
export function createWebhookMetrics(registry: Registry): WebhookMetrics {
  const registers = [registry];
  const attempts = new Counter({
    name: 'turnpike_webhook_attempts_total',
    help: 'Webhook attempts by what they came to; lost: made, but recorded by nobody, for its lease had ended',
    labelNames: ['result'] as const,
    registers,
  });
  // Start at zero, so that the first of a kind shows as an increase.
  for (const result of RESULTS) attempts.inc({ result }, 0);
  const durations = new Histogram({
    name: 'turnpike_webhook_attempt_seconds',
    help: 'How long webhook posts took',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers,
  });
  return {
    attempt(result, seconds) {
      attempts.inc({ result });
      durations.observe(seconds);
    },
    watch: (sender) => watchSender(registry, sender),
  };
}

function watchSender(registry: Registry, sender: Sender): void {
  watchNow(registry, sender, [
    {
      name: 'turnpike_webhook_in_flight',
      help: 'Deliveries claimed and not yet done with',
      of: (one) => one.state().inFlight,
    },
    {
      name: 'turnpike_webhook_failing_lanes',
      help: 'Receivers whose last attempt failed',
      of: (one) => one.state().failingLanes,
    },
  ]);
  watchCostly(registry, () => sender.oldestDeliverySeconds(), [
    {
      name: 'turnpike_webhook_oldest_due_seconds',
      help: 'For how long the delivery has been due that is due longest and was not sent',
      of: (seconds) => seconds,
    },
  ]);
}
