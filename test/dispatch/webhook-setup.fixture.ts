// Set-up for the webhook tests: a real database, merchants, numbered events, and workers that run until nothing is left
// to do.

import { setImmediate as turn } from 'node:timers/promises';
import { pino } from 'pino';
import { createDatabaseClock } from '../../src/database/clock.ts';
import { connectDatabase, query } from '../../src/database/connection.ts';
import { migrate } from '../../src/database/migrate.ts';
import { createHttpClient } from '../../src/egress/http-client.ts';
import { createRelay } from '../../src/dispatch/outbox/relay.ts';
import { createWebhookSender, type WebhookSenderOptions } from '../../src/dispatch/webhooks/send-webhooks.ts';
import type { Deps } from '../../src/domain/deps.ts';
import { findDeliveryRecord } from '../../src/domain/webhooks/deliveries.ts';
import { newId } from '../../src/values/id.ts';
import { newWebhookSecret } from '../../src/values/secrets/webhook-secret.ts';
import { startTestCluster } from '../support/database/cluster.ts';
import { PATIENT_DATABASE } from '../support/patience.ts';

/** Longer than the product's, so that on a slow machine no post and no lease ends too soon. */
export const PATIENCE = { deadlineMs: 20_000, leaseMs: 120_000 } as const;

export type Setup = Awaited<ReturnType<typeof openSetup>>;

interface NewEvent {
  type?: string;
  callbackUrl?: string;
  body?: string | null;
}

/** Opens this set-up on a cluster of its own. */
export async function openSetup() {
  const cluster = await startTestCluster();
  const lines: Record<string, unknown>[] = [];
  const log = pino(
    { base: null },
    { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
  );
  const db = await connectDatabase({ url: cluster.url, poolMax: 20, log, patience: PATIENT_DATABASE });
  await migrate(db);
  const deps: Deps = {
    db,
    clock: await createDatabaseClock(db.em),
    environment: 'sandbox',
    chains: new Map(),
    payUrl: 'http://pay.test',
    webhookAllowPrivate: true,
    signals: { events: () => undefined, chain: () => undefined, payouts: () => undefined, deliveries: () => undefined },
    log,
  };
  const egress = createHttpClient({ allowPrivate: true, deadlineMs: PATIENCE.deadlineMs });
  const sql = <Row = Record<string, unknown>>(text: string, parameters: unknown[] = []) =>
    query<Row>(db.em, text, parameters);
  let position = 0;

  async function addMerchant(): Promise<{ id: string; secret: string }> {
    const [id, secret] = [newId('mer'), newWebhookSecret()];
    await sql(
      `insert into merchant (id, email, company_name, webhook_secret, created_at) values ($1, $2, 'Acme', $3, now())`,
      [id, `${id}@acme.test`, secret],
    );
    return { id, secret };
  }

  /** An event as the numbering leaves it; if a callbackUrl is given, it has a payment. */
  async function addEvent(merchantId: string, { type = 'payment.succeeded', callbackUrl, body }: NewEvent = {}) {
    const id = newId('evt');
    position += 1;
    const paymentId = callbackUrl === undefined ? null : await addPayment(merchantId, callbackUrl);
    const text = body === undefined ? `{"id":"${id}","note":"é€😀  ","data":{"payment":{}}}` : body;
    await sql(
      `insert into event (id, merchant_id, payment_id, version, type, payload, body, created_at, position, sequence)
       values ($1, $2, $3, 1, $4, '{}', $5, now(), $6, $6)`,
      [id, merchantId, paymentId, type, text, position],
    );
    return { id, body: text ?? '' };
  }

  async function addPayment(merchantId: string, callbackUrl: string): Promise<string> {
    const id = newId('ord');
    await sql(
      `insert into payment (id, merchant_id, currency, network, amount, address, address_key, derivation_account,
         derivation_index, status, version, callback_url, tolerance_basis_points, late_payment_policy,
         required_confirmations, expires_at, created_at, updated_at)
       values ($1, $2, 'ETH', 'ETH', 1, $1, $1, 'evm', $3, 'SUCCEEDED', 1, $4, 0, 'ACCEPT', 2, now(), now(), now())`,
      [id, merchantId, position, callbackUrl],
    );
    return id;
  }

  function createSender(options: Partial<WebhookSenderOptions> = {}) {
    const defaults = { retryDelaysSeconds: [60, 300, 900, 3_600], random: () => 0.5, wake: () => undefined };
    return createWebhookSender(deps, { egress, leaseMs: PATIENCE.leaseMs, ...defaults, ...options });
  }

  async function relayAll(): Promise<void> {
    const relay = createRelay(deps);
    while (await relay.processNext());
  }

  /** Makes deliveries of all events and sends everything that is due now. */
  async function dispatch(sender = createSender()): Promise<void> {
    await relayAll();
    // A look that found nothing is the last one only if nothing was in flight before it: a lane may have been full.
    for (let isDone = false; !isDone; await turn()) {
      const wasIdle = sender.inFlight() === 0;
      isDone = !(await sender.processNext()) && wasIdle;
    }
  }

  /** Makes what waits for a retry due now, and ends all leases. */
  const makeDue = async () => {
    await sql(`update webhook_claim set leased_until = now() - interval '1 second'`);
    await sql(`update webhook_delivery set due_at = now() - interval '1 second' where due_at is not null`);
    await sql(`update webhook_lane set due_at = now() - interval '1 second'`);
  };

  async function close(): Promise<void> {
    await egress.close();
    await db.close();
    await cluster.stop();
  }

  const record = (merchantId: string, eventId: string) => findDeliveryRecord(deps, merchantId, eventId);
  const work = { createSender, relayAll, dispatch, makeDue };
  return { deps, databaseUrl: cluster.url, egress, lines, sql, addMerchant, addEvent, ...work, record, close };
}

/** Resolves when `met` is true; rejects after half a minute. */
export async function until(met: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 30_000;
  while (!(await met())) {
    if (performance.now() > deadline) throw new Error('it did not happen within half a minute');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
