// GET /webhooks/deliveries/{event_id}: the calls that are answered with 200.

import { describe, expect, it } from '@jest/globals';
import { configure, gateway, receiverUrl } from '../fixtures/webhooks/webhooks.fixture.ts';
import { ATTEMPT, payAndReceive, RECORD } from './get-webhooks-deliveries-event-id.fixture.ts';
import { until } from '../../support/until.ts';
import { dataOf, expectKeys, id, ISO } from '../../support/expectations.ts';
import { newMerchant } from '../../support/clients.ts';

describe('GET /webhooks/deliveries/{event_id}: 200', () => {
  it('answers the record of a delivery that succeeded, with every attempt', async () => {
    const merchant = await newMerchant(gateway);
    dataOf(await configure({ url: `${receiverUrl}/fine` }, merchant));
    const eventId = await payAndReceive(merchant, '/fine');
    const record = await until(async () => {
      const seen = dataOf(await merchant.rest('GET', `/webhooks/deliveries/${eventId}`));
      return seen.status === 'SUCCESS' && seen;
    });
    expectKeys(record, [...RECORD, 'deliveries']);
    const delivery = {
      event_id: eventId,
      delivery_id: expect.stringMatching(id('dlv')),
      url: `${receiverUrl}/fine`,
      status: 'SUCCESS',
      attempts: 1,
      last_attempt_at: expect.stringMatching(ISO),
      next_retry_at: null,
      response_code: 200,
      response_time_ms: expect.any(Number),
    };
    const attempt = { attempt: 1, at: expect.stringMatching(ISO), url: `${receiverUrl}/fine`, response_code: 200 };
    const answered = { response_time_ms: expect.any(Number), response_start: '{"status":"ok"}', error: null };
    expect(record).toEqual({
      ...delivery,
      deliveries: [{ ...delivery, attempt_log: [{ ...attempt, ...answered }] }],
    });
  });

  it('is there for an event that was told of a moment before', async () => {
    const merchant = await newMerchant(gateway);
    for (const path of ['/1', '/2', '/3']) {
      const url = `${receiverUrl}${path}`;
      const { event_id: eventId } = dataOf(await merchant.rest('POST', '/webhooks/test', { url }));
      const record = dataOf(await merchant.rest('GET', `/webhooks/deliveries/${eventId}`));
      expect(record).toMatchObject({ event_id: eventId, url, deliveries: [{ event_id: eventId }] });
    }
  });

  it('has one delivery for each destination, and says when the next retry is due', async () => {
    const merchant = await newMerchant(gateway);
    dataOf(await configure({ url: `${receiverUrl}/busy` }, merchant));
    const eventId = await payAndReceive(merchant, '/busy', { callbackUrl: `${receiverUrl}/callback` });
    const record = await until(async () => {
      const seen = dataOf(await merchant.rest('GET', `/webhooks/deliveries/${eventId}`));
      return seen.status === 'RETRYING' && seen;
    });
    expect(record).toMatchObject({ url: `${receiverUrl}/busy`, attempts: 1, response_code: 503 });
    // The delay counts from the end of the attempt, which takes as long as the machine makes it.
    const ended = Date.parse(record.last_attempt_at as string) + Number(record.response_time_ms);
    const wait = Date.parse(record.next_retry_at as string) - ended;
    expect(wait).toBeGreaterThan(47_000);
    expect(wait).toBeLessThan(75_000);
    const urls = (record.deliveries as { url: string }[]).map(({ url }) => url);
    expect(urls.sort()).toEqual([`${receiverUrl}/busy`, `${receiverUrl}/callback`]);
    for (const { attempt_log: attempts, ...delivery } of record.deliveries) {
      expectKeys(delivery as object, RECORD);
      for (const attempt of attempts) expectKeys(attempt as object, ATTEMPT);
    }
  });
});
