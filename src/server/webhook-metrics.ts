// What the webhook sender tells of itself, for Prometheus.

import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** What an attempt came to. */
type AttemptResult = 'success' | 'retry' | 'failed' | 'disabled' | 'lost';

/** The sender's own figures at this moment. */
interface SenderState {
  readonly inFlight: number;
  readonly failingLanes: number;
  readonly oldestDueSeconds: number;
}

export interface WebhookMetrics {
  /** Counts an attempt that ended. */
  attempt(result: AttemptResult, seconds: number): void;
  /** Names whom to ask for the gauges, at each scrape. */
  watch(read: () => Promise<SenderState>): void;
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
    watch: (read) => watchSender(registers, read),
  };
}

function watchSender(registers: Registry[], read: () => Promise<SenderState>): void {
  // One look for the gauges of a scrape; where the database is away, the figures of the last one stand.
  let look: Promise<SenderState | null> | null = null;
  const state = () =>
    (look ??= read()
      .catch(() => null)
      .finally(() => (look = null)));
  const gauge = (name: string, help: string, figureOf: (state: SenderState) => number) =>
    new Gauge({
      ...{ name, help, registers },
      async collect() {
        const found = await state();
        if (found !== null) this.set(figureOf(found));
      },
    });
  gauge('turnpike_webhook_in_flight', 'Deliveries claimed and not yet done with', ({ inFlight }) => inFlight);
  gauge('turnpike_webhook_failing_lanes', 'Receivers whose last attempt failed', ({ failingLanes }) => failingLanes);
  gauge(
    'turnpike_webhook_oldest_due_seconds',
    'For how long the delivery has been due that is due longest and was not sent',
    ({ oldestDueSeconds }) => oldestDueSeconds,
  );
}
