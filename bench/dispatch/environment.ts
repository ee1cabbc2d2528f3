// Set-up of the dispatch bench: a durable PostgreSQL with the gateway's schema, merchants with endpoints, deliveries
// that the gateway's own relay made from events, and a receiver.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { createDatabaseClock } from '../../src/database/clock.ts';
import { connectDatabase, type Database } from '../../src/database/connection.ts';
import { migrate } from '../../src/database/migrate.ts';
import { createRelay } from '../../src/dispatch/outbox/relay.ts';
import { newId } from '../../src/values/id.ts';
import { newWebhookSecret } from '../../src/values/secrets/webhook-secret.ts';
import type { Seen } from './receiver.ts';
import { openServer } from '../shared/environment.ts';
import { readServerCpuMs } from './server-cpu.ts';

export interface Endpoint {
  readonly url: string;
  readonly secret: string;
}

export interface DispatchMerchant {
  readonly id: string;
  readonly endpoints: readonly Endpoint[];
}

export interface DispatchEnvironment {
  readonly url: string;
  readonly client: pg.Client;
  readonly db: Database;
  /** CPU time that PostgreSQL has used so far, in milliseconds; null if unknown. */
  serverCpuMs(): Promise<number | null>;
  /** What the receiver has received since the last call. */
  seen(): Promise<Seen>;
  /** Adds a merchant with endpoints at these paths of the receiver. */
  addMerchant(paths: readonly string[]): Promise<DispatchMerchant>;
  /** Adds `eventsEach` numbered events per merchant and relays them. Returns the number of waiting deliveries. */
  addDeliveries(merchants: readonly DispatchMerchant[], eventsEach: number): Promise<number>;
  /** Removes all events and deliveries. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

/** A payment's webhook body as the gateway builds it, with `ID` in place of the event's id. */
export const BODY = JSON.stringify({
  id: 'ID',
  type: 'payment.succeeded',
  apiVersion: 'v1',
  environment: 'sandbox',
  createdAt: '2026-03-01T10:00:00.000Z',
  data: {
    payment: {
      orderId: 'ord_01JNYB8W5Z3V9Q4X7K2M6T1R8D',
      address: '0x8ba1f109551bD432803012645Ac136ddd64DBA72',
      amount: '25',
      currency: 'USDT',
      network: 'ETH',
      paymentUrl: 'https://gateway.example/pay/ord_01JNYB8W5Z3V9Q4X7K2M6T1R8D',
      expiresAt: '2026-03-01T10:30:00.000Z',
      status: 'SUCCEEDED',
      exception: null,
      test: null,
      merchantOrderId: 'order-2026-000042',
      productName: 'Annual subscription',
      customerEmail: 'customer@example.com',
      callbackUrl: null,
      returnUrl: 'https://shop.example/thanks',
      metadata: { cart: 'b7c1', channel: 'web' },
      amountReceived: '25',
      amountConfirmed: '25',
      amountRefunded: '0',
      feeAmount: '0.25',
      confirmations: 12,
      requiredConfirmations: 12,
      transactions: [{ txHash: `0x${'ab'.repeat(32)}`, amount: '25', status: 'CONFIRMED', confirmations: 12 }],
      createdAt: '2026-03-01T10:00:00.000Z',
      updatedAt: '2026-03-01T10:04:00.000Z',
      completedAt: '2026-03-01T10:04:00.000Z',
    },
  },
});

/** Opens the environment; `dir` is where the temporary database is kept. */
export async function openDispatchEnvironment(dir?: string): Promise<DispatchEnvironment> {
  const { postgres, dir: folder, stops, close } = await openServer(dir);
  try {
    const log = pino({ level: 'silent' });
    const db = await connectDatabase({ url: postgres.url, poolMax: 4, log });
    stops.push(() => db.close());
    await migrate(db);
    const client = new pg.Client(postgres.url);
    await client.connect();
    stops.push(() => client.end());
    const { port, seen, stop } = await startReceiver();
    stops.push(stop);
    const relay = createRelay({ db, clock: await createDatabaseClock(db.em) });
    const addDeliveries = async (merchants: readonly DispatchMerchant[], eventsEach: number) => {
      for (const { id } of merchants) await addEvents(client, id, eventsEach);
      while (await relay.processNext());
      return countWaiting(client);
    };
    return {
      ...{ url: postgres.url, client, db, seen, close, addDeliveries },
      serverCpuMs: () => readServerCpuMs(join(folder, 'database')),
      addMerchant: (paths) => addMerchant(client, `http://127.0.0.1:${port}`, paths),
      clear: async () =>
        void (await client.query(
          'truncate webhook_attempt, webhook_delivery, webhook_claim, webhook_lane, webhook_change, event',
        )),
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function startReceiver() {
  const child = fork(new URL('./receiver.js', import.meta.url));
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return {
    port,
    async seen(): Promise<Seen> {
      child.send('seen');
      const [seen] = (await once(child, 'message')) as [Seen];
      return seen;
    },
    async stop() {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}

async function addMerchant(client: pg.Client, origin: string, paths: readonly string[]): Promise<DispatchMerchant> {
  const [id, secret] = [newId('mer'), newWebhookSecret()];
  await client.query(
    `insert into merchant (id, email, company_name, webhook_secret, created_at) values ($1, $2, 'Bench', $3, now())`,
    [id, `${id}@example.com`, secret],
  );
  const endpoints: Endpoint[] = [];
  for (const [index, path] of paths.entries()) {
    const url = `${origin}${path}`;
    await client.query(
      `insert into webhook_endpoint (id, merchant_id, url, events, is_primary, created_at, updated_at)
       values ($1, $2, $3, array['payment.succeeded'], $4, now(), now())`,
      [newId('whk'), id, url, index === 0],
    );
    endpoints.push({ url, secret });
  }
  return { id, endpoints };
}

/** Inserts events in the state in which the numbering leaves them. */
async function addEvents(client: pg.Client, merchantId: string, count: number): Promise<void> {
  const ids = Array.from({ length: count }, () => newId('evt'));
  await client.query(
    `with base as (
       insert into event_counter as counter (scope, last) values ('position', $4::bigint), ($2, $4::bigint)
       on conflict (scope) do update set last = counter.last + excluded.last
       returning scope, last - $4::bigint as base
     )
     insert into event (id, merchant_id, type, payload, body, created_at, position, sequence)
     select id, $2, 'payment.succeeded', '{}', replace($3, '"ID"', '"' || id || '"'), now(),
       (select base from base where scope = 'position') + nth, (select base from base where scope = $2) + nth
     from unnest($1::text[]) with ordinality as e(id, nth)`,
    [ids, merchantId, BODY, count],
  );
}

/** The number of deliveries that have neither arrived nor been given up. */
export async function countWaiting(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    'select count(*)::int as count from webhook_delivery where due_at is not null',
  );
  return rows[0]?.count ?? 0;
}
