// Sending webhooks: headers, retries, the effect of the receiver's status, and the record of it all.

import { createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { configureWebhook } from '../../../src/domain/webhooks/deliveries.ts';
import { createLoop } from '../../../src/loop.ts';
import { closeReceivers, nobody } from '../receivers.fixture.ts';
import { receiveWebhooks, status } from '../webhook-receiver.fixture.ts';
import { openSetup, until, type Setup } from '../webhook-setup.fixture.ts';

let setup: Setup;
beforeAll(async () => {
  setup = await openSetup();
});
afterAll(() => setup.close());
afterEach(async () => {
  await closeReceivers();
  await setup.sql('delete from webhook_attempt');
  await setup.sql('delete from webhook_delivery');
});

/** A merchant with an endpoint, and one event that is on its way there. */
async function addSubscribed(url: string) {
  const merchant = await setup.addMerchant();
  const endpoint = await configureWebhook(setup.deps, merchant.id, { url });
  const event = await setup.addEvent(merchant.id);
  return { merchant, endpoint, event };
}

describe('delivery', () => {
  it('carries every documented header and a signature that verifies over the raw bytes', async () => {
    const { url, received } = await receiveWebhooks();
    const { merchant, event } = await addSubscribed(url);
    const now = () => setup.deps.clock.now().getTime() / 1_000;
    const before = now();
    await setup.dispatch();
    const record = await setup.record(merchant.id, event.id);
    expect(received).toHaveLength(1);
    const { headers = {}, body = Buffer.alloc(0) } = received[0] ?? {};
    const time = Number(headers['x-pgw-timestamp']);
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': expect.stringMatching(/^Turnpike-Webhook\/\d/) as unknown,
      'x-pgw-event-id': event.id,
      'x-pgw-delivery-id': record.deliveryId,
      'x-pgw-attempt': '1',
      'x-pgw-signature-alg': 'HMAC-SHA256',
    });
    expect(time).toBeGreaterThanOrEqual(Math.floor(before));
    expect(time).toBeLessThanOrEqual(now());
    expect(body.toString()).toBe(event.body);
    const hex = createHmac('sha256', merchant.secret).update(`${time}.`).update(body).digest('hex');
    expect(headers['x-pgw-signature']).toBe(`t=${time}, v1=${hex}`);
  });

  it('is signed with the secret before a rotation as well, current first, until that one expires', async () => {
    const { url, received } = await receiveWebhooks();
    const { merchant } = await addSubscribed(url);
    const rotate = (expires: string) =>
      setup.sql(
        `update merchant set previous_webhook_secret = $2, previous_secret_expires_at = now() + $3::interval where id = $1`,
        [merchant.id, 'whsec_b2xk', expires],
      );
    await rotate('1 hour');
    await setup.dispatch();
    await rotate('-1 second');
    await setup.addEvent(merchant.id);
    await setup.dispatch();
    const signatures = received.map(({ headers, body }) => {
      const time = String(headers['x-pgw-timestamp']);
      const sign = (key: string) => createHmac('sha256', key).update(`${time}.`).update(body).digest('hex');
      const [current, previous] = [`v1=${sign(merchant.secret)}`, `v1=${sign('whsec_b2xk')}`];
      return String(headers['x-pgw-signature'])
        .replace(current, 'CURRENT')
        .replace(previous, 'PREVIOUS')
        .split(', ')
        .slice(1);
    });
    expect(signatures).toEqual([['CURRENT', 'PREVIOUS'], ['CURRENT']]);
    expect(String(received[0]?.headers['webhook-signature']).split(' ')).toHaveLength(2);
  });

  it('is recorded in the documented fields', async () => {
    const { url } = await receiveWebhooks();
    const { merchant, event } = await addSubscribed(url);
    await setup.dispatch();
    const { deliveries, ...record } = await setup.record(merchant.id, event.id);
    expect(record).toMatchObject({
      eventId: event.id,
      url,
      status: 'SUCCESS',
      attempts: 1,
      nextRetryAt: null,
      responseCode: 200,
      attemptLog: [{ attempt: 1, url, responseCode: 200, responseStart: '{"status":"ok"}', error: null }],
    });
    expect(record.attemptLog[0]?.at).toEqual(record.lastAttemptAt);
    expect(record.responseTimeMs).toBeGreaterThanOrEqual(0);
    expect(deliveries).toEqual([record]);
  });

  it('writes one log line an attempt, without secret, body or path', async () => {
    const { url, origin } = await receiveWebhooks(status(500));
    const { merchant, event } = await addSubscribed(`${url}?key=hidden`);
    await setup.dispatch();
    const lines = setup.lines.filter((line) => line['eventId'] === event.id);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ attempt: 1, responseCode: 500, status: 'RETRYING', host: new URL(origin).host });
    expect(JSON.stringify(lines)).not.toMatch(/hidden|whsec_|é€😀/);
    expect(JSON.stringify(lines)).not.toContain(merchant.secret);
  });
});

describe('retries', () => {
  it('send the same bytes under the same ids with a growing attempt number and a fresh timestamp', async () => {
    const { url, received } = await receiveWebhooks(
      (response, nth) => void response.writeHead(nth < 4 ? 503 : 204).end(),
    );
    const { merchant, event } = await addSubscribed(url);
    for (let n = 0; n < 4; n += 1) {
      await setup.dispatch();
      await setup.makeDue();
    }
    expect(received.map(({ headers }) => headers['x-pgw-attempt'])).toEqual(['1', '2', '3', '4']);
    for (const { headers, body } of received) {
      expect(body.toString()).toBe(event.body);
      expect(headers['x-pgw-delivery-id']).toBe(received[0]?.headers['x-pgw-delivery-id']);
      expect(String(headers['x-pgw-signature'])).toContain(`t=${String(headers['x-pgw-timestamp'])}, `);
    }
    const record = await setup.record(merchant.id, event.id);
    expect(record).toMatchObject({ status: 'SUCCESS', attempts: 4, responseCode: 204, nextRetryAt: null });
    expect(record.attemptLog.map((attempt) => attempt.responseCode)).toEqual([503, 503, 503, 204]);
  });

  it('leave each attempt with the status after it, and when the next was due', async () => {
    const { url } = await receiveWebhooks((response, nth) => void response.writeHead(nth === 1 ? 503 : 404).end());
    await addSubscribed(url);
    const sender = setup.createSender({ retryDelaysSeconds: [60] });
    await setup.dispatch(sender);
    await setup.makeDue();
    await setup.dispatch(sender);
    const attempts = await setup.sql(
      `select a.attempt, a.status, a.recorded_in = d.xmin::text::xid8 as last,
         a.next_retry_at >= a.at + interval '59 s' and a.next_retry_at <= now() + interval '61 s' as in_a_minute
       from webhook_attempt a join webhook_delivery d on d.id = a.delivery_id order by 1`,
    );
    expect(attempts).toEqual([
      { attempt: 1, status: 'RETRYING', in_a_minute: true, last: false },
      { attempt: 2, status: 'FAILED', in_a_minute: null, last: true },
    ]);
  });

  it('wait for the scheduled delay, counted from the end of the attempt', async () => {
    const { url } = await receiveWebhooks(status(500));
    const { merchant, event } = await addSubscribed(url);
    await setup.dispatch();
    const { status: now, nextRetryAt, lastAttemptAt, responseTimeMs } = await setup.record(merchant.id, event.id);
    expect(now).toBe('RETRYING');
    const endedAt = Number(lastAttemptAt) + (responseTimeMs ?? 0);
    const from = Number(nextRetryAt) - 60_000;
    expect(from).toBeGreaterThanOrEqual(endedAt - 5); // Both are rounded.
    expect(from).toBeLessThanOrEqual(setup.deps.clock.now().getTime());
    const [row] = await setup.sql('select due_at = next_retry_at as same from webhook_delivery');
    expect(row).toEqual({ same: true });
  });

  it('follow a shortened schedule by themselves, and end in FAILED after its last entry', async () => {
    const { url, received } = await receiveWebhooks(status(500));
    const { merchant, event } = await addSubscribed(url);
    await setup.relayAll();
    const sender = setup.createSender({ retryDelaysSeconds: [0.02, 0.03, 0.02, 0.01] });
    const loop = createLoop(sender, { idleMs: 5, log: setup.deps.log });
    await until(async () => (await setup.record(merchant.id, event.id)).status === 'FAILED');
    await loop.stop();
    expect(received.map(({ headers }) => headers['x-pgw-attempt'])).toEqual(['1', '2', '3', '4', '5']);
    expect(await setup.record(merchant.id, event.id)).toMatchObject({ attempts: 5, nextRetryAt: null });
  });

  it('of a 404 are three', async () => {
    const { url, received } = await receiveWebhooks(status(404));
    const { merchant, event } = await addSubscribed(url);
    for (let n = 0; n < 6; n += 1) {
      await setup.dispatch();
      await setup.makeDue();
    }
    expect(received).toHaveLength(4);
    expect(await setup.record(merchant.id, event.id)).toMatchObject({
      status: 'FAILED',
      attempts: 4,
      responseCode: 404,
    });
  });

  it("go to the endpoint's URL as it is then, and the log shows the URL of each", async () => {
    const [first, second] = [await receiveWebhooks(status(500)), await receiveWebhooks()];
    const { merchant, event } = await addSubscribed(first.url);
    await setup.dispatch();
    await configureWebhook(setup.deps, merchant.id, { url: second.url });
    expect((await setup.record(merchant.id, event.id)).url).toBe(second.url);
    await setup.makeDue();
    await setup.dispatch();
    const { attemptLog, url } = await setup.record(merchant.id, event.id);
    expect(url).toBe(second.url);
    expect(attemptLog.map((attempt) => attempt.url)).toEqual([first.url, second.url]);
  });

  it('follow a receiver that is not there, with the reason in words', async () => {
    const { merchant, event } = await addSubscribed(`http://${await nobody()}/hook`);
    await setup.dispatch();
    const record = await setup.record(merchant.id, event.id);
    expect(record).toMatchObject({ status: 'RETRYING', attempts: 1, responseCode: null });
    expect(record.attemptLog[0]).toMatchObject({ responseCode: null, responseStart: null });
    expect(record.attemptLog[0]?.error).toMatch(/^network: .*ECONNREFUSED/);
  });
});

describe('switching off', () => {
  it('by a 410 disables the endpoint and everything that waits for it', async () => {
    const { url, received } = await receiveWebhooks(
      (response, nth) => void response.writeHead(nth === 1 ? 500 : 410).end(),
    );
    const { merchant, endpoint, event } = await addSubscribed(url);
    await setup.dispatch();
    const second = await setup.addEvent(merchant.id);
    await setup.dispatch();
    const [stored] = await setup.sql('select enabled, disabled_reason from webhook_endpoint where id = $1', [
      endpoint.id,
    ]);
    expect(stored).toEqual({ enabled: false, disabled_reason: 'The receiver answered 410 Gone' });
    expect(await setup.record(merchant.id, second.id)).toMatchObject({
      status: 'DISABLED',
      attempts: 1,
      responseCode: 410,
    });
    expect(await setup.record(merchant.id, event.id)).toMatchObject({
      status: 'DISABLED',
      attempts: 1,
      nextRetryAt: null,
    });
    await setup.dispatch();
    expect(received).toHaveLength(2);
  });

  it('by the merchant disables what waits, and switching on does not bring it back', async () => {
    const { url, received } = await receiveWebhooks(status(500));
    const { merchant, event } = await addSubscribed(url);
    await setup.dispatch();
    await configureWebhook(setup.deps, merchant.id, { enabled: false });
    expect(await setup.record(merchant.id, event.id)).toMatchObject({
      status: 'DISABLED',
      attempts: 1,
      nextRetryAt: null,
    });
    await configureWebhook(setup.deps, merchant.id, { enabled: true });
    await setup.dispatch();
    expect(received).toHaveLength(1);
  });

  it('during an attempt keeps the record of it: DISABLED after a failure, SUCCESS after a success', async () => {
    for (const [code, outcome] of [
      [500, 'DISABLED'],
      [200, 'SUCCESS'],
    ] as const) {
      let answer = () => undefined as void;
      const { url, received } = await receiveWebhooks((response) => {
        answer = () => void response.writeHead(code).end();
      });
      const { merchant, event } = await addSubscribed(url);
      await setup.relayAll();
      const sender = setup.createSender();
      await sender.processNext();
      await until(() => received.length === 1);
      await configureWebhook(setup.deps, merchant.id, { enabled: false });
      answer();
      await until(() => sender.inFlight() === 0);
      const record = await setup.record(merchant.id, event.id);
      expect(record).toMatchObject({ status: outcome, attempts: 1, responseCode: code, nextRetryAt: null });
    }
  });

  it('by a 410 of a callbackUrl stops that delivery and leaves the endpoint on', async () => {
    const [own, callback] = [await receiveWebhooks(), await receiveWebhooks(status(410))];
    const merchant = await setup.addMerchant();
    await configureWebhook(setup.deps, merchant.id, { url: own.url });
    const event = await setup.addEvent(merchant.id, { callbackUrl: callback.url });
    await setup.dispatch();
    const record = await setup.record(merchant.id, event.id);
    expect(record).toMatchObject({ status: 'SUCCESS', url: own.url });
    expect(record.deliveries.map((delivery) => [delivery.url, delivery.status]).sort()).toEqual(
      [
        [own.url, 'SUCCESS'],
        [callback.url, 'DISABLED'],
      ].sort(),
    );
    expect((await configureWebhook(setup.deps, merchant.id, {})).enabled).toBe(true);
  });
});
