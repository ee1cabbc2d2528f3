// GET /webhooks/deliveries: the calls that are answered with 200.

import { describe, expect, it } from '@jest/globals';
import { gateway, other } from '../fixtures/webhooks/deliveries.fixture.ts';
import { eventIds, idsBy, idsOf, list, merchantWithMany, pagesOf, RECORD } from './get-webhooks-deliveries.fixture.ts';
import { dataOf, expectKeys } from '../../support/expectations.ts';
import { type Json, newMerchant } from '../../support/clients.ts';
import { newId } from '../../../src/values/id.ts';

describe('GET /webhooks/deliveries: 200', () => {
  it('answers the records of all deliveries, newest first, twenty unless asked otherwise', async () => {
    const answer = await list();
    expect(idsOf(answer)).toEqual((await idsBy('true')).slice(0, 20));
    expect(dataOf(answer).pagination).toEqual({ nextCursor: expect.any(String), hasMore: true });
    for (const item of dataOf(answer).items as Json[]) {
      expectKeys(item as object, RECORD);
      const { deliveries } = dataOf(await merchantWithMany.rest('GET', `/webhooks/deliveries/${item.event_id}`));
      const { attempt_log: attempts, ...same } = deliveries[0];
      expect(item).toEqual(same);
      expect(attempts).toHaveLength(1);
    }
  });

  it.each([1, 7, 24, 100])('pages of %i have no gaps and no repeats', async (limit) => {
    expect(await pagesOf(`limit=${limit}`)).toEqual(await idsBy('true'));
  });

  it('narrows by one status, by several, in any case, and by the event', async () => {
    for (const wanted of ['SUCCESS', 'RETRYING', 'FAILED', 'DISABLED', 'PENDING'])
      expect(await pagesOf(`limit=3&status=${wanted}`)).toEqual(await idsBy(`status = '${wanted}'`));
    const several = 'limit=2&status=failed&status=DISABLED&status=RETRYING&status=FAILED';
    expect(await pagesOf(several)).toEqual(await idsBy("status in ('FAILED', 'DISABLED', 'RETRYING')"));
    const [eventId = ''] = eventIds;
    const own = await idsBy(`event_id = '${eventId}'`);
    expect(own).toHaveLength(1);
    expect(idsOf(await list(`?event_id=${eventId}`))).toEqual(own);
    const [{ status: its }] = dataOf(await list(`?event_id=${eventId}`)).items as [Json];
    expect(idsOf(await list(`?event_id=${eventId}&status=${its}&limit=1`))).toEqual(own);
    expect(idsOf(await list(`?event_id=${eventId}&status=PENDING`))).toEqual([]);
  });

  it('narrows by the endpoint, the type of event and the time', async () => {
    expect(await pagesOf('limit=7&event_type=webhook.test')).toEqual(await idsBy('true'));
    expect(await pagesOf('event_type=payment.succeeded')).toEqual([]);
    expect(await pagesOf(`event_type=webhook.test&status=FAILED&event_id=${eventIds[0]}`)).toEqual([]);
    // Tests to an address go to no endpoint.
    for (const id of ['whk_1', newId('whk')]) expect(await pagesOf(`endpoint_id=${id}`)).toEqual([]);
    const [first] = await gateway.sql<{ at: Date }>(
      'select min(created_at) as at from webhook_delivery where merchant_id = $1',
      [merchantWithMany.id],
    );
    const day = (days: number) => new Date((first?.at.getTime() ?? 0) + days * 86_400_000).toISOString();
    expect(await pagesOf(`since=${day(-1)}&until=${day(1)}`)).toEqual(await idsBy('true'));
    expect(await pagesOf(`since=${day(1)}`)).toEqual([]);
    expect(await pagesOf(`until=${day(-1)}&status=SUCCESS`)).toEqual([]);
  });

  it("has nothing for invalid ids, and for another merchant's events", async () => {
    expect(idsOf(await list('?event_id=evt_1'))).toEqual([]);
    expect(idsOf(await list(`?event_id=${newId('evt')}`))).toEqual([]);
    expect(idsOf(await list(`?event_id=${eventIds[0]}`, other))).toEqual([]);
    expect(dataOf(await list('', other))).toEqual({ items: [], pagination: { nextCursor: null, hasMore: false } });
  });

  it("reads a status's page by the index, however many deliveries there are", async () => {
    const crowd = await newMerchant(gateway);
    await gateway.sql(
      `with e as (insert into event (id, merchant_id, type, created_at) values ('evt_crowd', $1, 'webhook.test', now()))
       insert into webhook_delivery (id, event_id, merchant_id, is_primary, lane, url, status, resend, created_at)
       select 'dlv_' || lpad(n::text, 32, '0'), $2, $1, false, 'crowd', 'https://example.com/', 
         case when n % 10000 = 0 then 'FAILED' else 'SUCCESS' end, 1000 + n, now()
       from generate_series(1, 30000) n`,
      [crowd.id, eventIds[0]],
    );
    expect(idsOf(await list('?status=FAILED', crowd))).toEqual(
      ['30000', '20000', '10000'].map((n) => `dlv_${n.padStart(32, '0')}`),
    );
    expect(idsOf(await list('?limit=2&status=FAILED&status=SUCCESS', crowd))).toEqual(
      ['30000', '29999'].map((n) => `dlv_${n.padStart(32, '0')}`),
    );
  });
});
