// POST /merchant/webhook/rotate-secret: the calls that are answered with 200.

import { describe, expect, it } from '@jest/globals';
import {
  expectSigned,
  gateway,
  hooked,
  HOUR_MS,
  resend,
  rotate,
  SECRET,
  settled,
  tested,
} from '../fixtures/webhooks/calls.fixture.ts';
import { until } from '../../support/until.ts';
import { dataOf, expectKeys, expectRefusal, ISO } from '../../support/expectations.ts';
import { receiveWebhooks } from '../../dispatch/webhook-receiver.fixture.ts';

describe('POST /merchant/webhook/rotate-secret: 200', () => {
  it('signs with both secrets, the new one first, and with the oldest of three no more', async () => {
    const hook = await receiveWebhooks();
    const merchant = await hooked(hook.url);
    const before = Date.now();
    const first = dataOf(await rotate(merchant));
    expectKeys(first, ['secret', 'previousExpiresAt']);
    expect(first.secret).toMatch(SECRET);
    expect(first.secret).not.toBe(merchant.webhookSecret);
    expect(first.previousExpiresAt).toMatch(ISO);
    const overlapMs = Date.parse(first.previousExpiresAt as string) - before;
    expect(overlapMs).toBeGreaterThan(24 * HOUR_MS - 60_000);
    expect(overlapMs).toBeLessThan(24 * HOUR_MS + 60_000);
    expect(dataOf(await merchant.rest('PUT', '/merchant/webhook', {})).secret).toBe(first.secret);
    await tested(merchant);
    expectSigned(await until(() => hook.received[0]), [first.secret as string, merchant.webhookSecret]);
    const second = dataOf(await rotate(merchant, { overlapHours: 1 }));
    await tested(merchant);
    expectSigned(await until(() => hook.received[1]), [second.secret as string, first.secret as string]);
  });

  it('without an overlap, and once the overlap is over, signs with the new one alone', async () => {
    const hook = await receiveWebhooks();
    const merchant = await hooked(hook.url);
    const { secret, previousExpiresAt } = dataOf(await rotate(merchant, { overlapHours: 0 }));
    expect(Date.parse(previousExpiresAt as string)).toBeLessThan(Date.now() + 60_000);
    await tested(merchant);
    expectSigned(await until(() => hook.received[0]), [secret as string]);
    const next = dataOf(await rotate(merchant, { overlapHours: 168 }));
    await gateway.sql(
      `update merchant set previous_secret_expires_at = now() - interval '1 second'
       where id = $1 and previous_webhook_secret is not null`,
      [merchant.id],
    );
    await tested(merchant);
    expectSigned(await until(() => hook.received[1]), [next.secret as string]);
  });

  it('signs what waits for a retry with the secrets as they are then', async () => {
    const hook = await receiveWebhooks((response, nth) => void response.writeHead(nth === 1 ? 503 : 200).end());
    const merchant = await hooked(hook.url);
    const eventId = await tested(merchant);
    await settled(merchant, eventId, 'RETRYING');
    const { secret } = dataOf(await rotate(merchant, { overlapHours: 0 }));
    await resend(merchant, eventId);
    expectSigned(await until(() => hook.received[1]), [secret as string]);
  });

  it('with an Idempotency-Key rotates once, and shows the secret once', async () => {
    const merchant = await hooked('https://example.com/');
    const headers = { 'idempotency-key': 'rotation 1' };
    const first = dataOf(await rotate(merchant, {}, headers));
    const again = await rotate(merchant, {}, headers);
    expect(dataOf(again)).toEqual({ secret: null, previousExpiresAt: first.previousExpiresAt });
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(dataOf(await merchant.rest('PUT', '/merchant/webhook', {})).secret).toBe(first.secret);
    expectRefusal(await rotate(merchant, { overlapHours: 1 }, headers), 422, '2002');
  });

  it('many at once leave the two newest', async () => {
    const merchant = await hooked('https://example.com/');
    const rotated = await Promise.all(Array.from({ length: 8 }, () => rotate(merchant)));
    const secrets = rotated.map((answer) => dataOf(answer).secret as string);
    const [row] = await gateway.sql<{ now: string; before: string }>(
      'select webhook_secret as now, previous_webhook_secret as before from merchant where id = $1',
      [merchant.id],
    );
    expect(secrets).toContain(row?.now);
    expect(secrets).toContain(row?.before);
    expect(row?.now).not.toBe(row?.before);
  });
});
