// The reference of the dispatch bench: the same posts by undici in a loop, without a database.

import { newId } from '../../src/values/id.ts';
import { createWebhookSender } from './webhook-sender.ts';
import type { DispatchTask } from './task.ts';
import { BODY } from './environment.ts';
import { serveRuns } from '../shared/run-process.ts';

serveRuns<DispatchTask>(async ({ count, concurrency, secrets, byDispatch }) => {
  const sender = createWebhookSender(concurrency);
  const post = byDispatch ? sender.dispatch : sender.post;
  const endpoints = Object.entries(secrets);
  const startedMs = performance.now();
  let next = 0;
  async function loop(): Promise<void> {
    while (next < count) {
      const [url = '', secret = ''] = endpoints[next % endpoints.length] ?? [];
      next += 1;
      const eventId = newId('evt');
      await post({ deliveryId: newId('dlv'), eventId, url, body: BODY.replace('"ID"', `"${eventId}"`) }, secret);
    }
  }
  await Promise.all(Array.from({ length: concurrency }, loop));
  const seconds = (performance.now() - startedMs) / 1_000;
  await sender.close();
  return { count, seconds, failures: 0, firstFailure: null, p50Ms: Number.NaN, p99Ms: Number.NaN };
});
