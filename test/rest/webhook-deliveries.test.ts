// The contract of GET /webhooks/deliveries: every delivery of a merchant, page by page.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '../../src/values/id.ts';
import { PERMISSIONS } from '../../src/values/permission.ts';
import { closeReceivers } from '../dispatch/receivers.ts';
import { receiveWebhooks } from '../dispatch/webhook-receiver.ts';
import { newMerchant, rest, type Answer, type Json, type TestMerchant } from '../support/clients.ts';
import { dataOf, expectFaults, expectKeys, expectRefusal } from '../support/expectations.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { until } from '../support/until.ts';

let gateway: TestGateway;
let other: TestMerchant;

beforeAll(async () => {
  gateway = await startTestGateway();
  other = await newMerchant(gateway);
});
afterAll(async () => {
  await gateway.stop();
  await closeReceivers();
});

describe('GET /webhooks/deliveries', () => {
  const RECORD = [
    ...['event_id', 'delivery_id', 'url', 'status', 'attempts', 'last_attempt_at', 'next_retry_at'],
    ...['response_code', 'response_time_ms'],
  ];
  const list = (query = '', merchant: TestMerchant = merchantWithMany) =>
    merchant.rest('GET', `/webhooks/deliveries${query}`);
  const idsOf = (answer: Answer) => (dataOf(answer).items as Json[]).map((item) => item.delivery_id as string);
  let merchantWithMany: TestMerchant;
  let eventIds: string[];

  /** Every page of a list, by its cursors. */
  async function pagesOf(query: string): Promise<string[]> {
    const found: string[] = [];
    let cursor: string | null = '';
    for (let pages = 0; cursor !== null && pages <= 40; pages += 1) {
      const answer = await list(`?${query}${cursor === '' ? '' : `&cursor=${cursor}`}`);
      found.push(...idsOf(answer));
      const { nextCursor, hasMore } = dataOf(answer).pagination as { nextCursor: string | null; hasMore: boolean };
      expect(hasMore).toBe(nextCursor !== null);
      cursor = nextCursor;
    }
    return found;
  }
  const idsBy = async (where: string) => {
    const text = `select id from webhook_delivery where merchant_id = $1 and ${where} order by id desc`;
    return (await gateway.sql<{ id: string }>(text, [merchantWithMany.id])).map((row) => row.id);
  };

  beforeAll(async () => {
    const hook = await receiveWebhooks((response, nth) => {
      response.writeHead(nth % 3 === 0 ? 503 : 200).end();
    });
    merchantWithMany = await newMerchant(gateway);
    eventIds = [];
    for (let n = 0; n < 24; n += 1) {
      const { event_id: eventId } = dataOf(await merchantWithMany.rest('POST', '/webhooks/test', { url: hook.url }));
      eventIds.push(eventId as string);
    }
    const waiting = "select 1 from webhook_delivery where merchant_id = $1 and status <> 'PENDING'";
    await until(async () => (await gateway.sql(waiting, [merchantWithMany.id])).length === 24);
    const ids = await idsBy('true');
    const set = (status: string, of: readonly string[]) =>
      gateway.sql(`update webhook_delivery set status = $1, due_at = null where id = any($2)`, [status, of]);
    await set('FAILED', ids.slice(3, 5));
    await set('DISABLED', ids.slice(9, 10));
  });

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

  it("has nothing for ids that are none, and for another merchant's events", async () => {
    expect(idsOf(await list('?event_id=evt_1'))).toEqual([]);
    expect(idsOf(await list(`?event_id=${newId('evt')}`))).toEqual([]);
    expect(idsOf(await list(`?event_id=${eventIds[0]}`, other))).toEqual([]);
    expect(dataOf(await list('', other))).toEqual({ items: [], pagination: { nextCursor: null, hasMore: false } });
  });

  it.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=x', 'limit'],
    ['cursor=rubbish', 'cursor'],
    ['status=LOST', 'status'],
    ['event_id=a&event_id=b', 'event_id'],
    ['eventId=evt_1', 'eventId'],
  ])('?%s is refused (2001)', async (query, path) => {
    expectFaults(await list(`?${query}`), [path === 'status' ? 'status.0' : path]);
  });

  it("another merchant's cursor, or that of another list, is refused (2001)", async () => {
    const cursor = dataOf(await list('?limit=1')).pagination.nextCursor as string;
    expectFaults(await list(`?cursor=${cursor}`, other), ['cursor']);
    expectFaults(await merchantWithMany.rest('GET', `/payments?cursor=${cursor}`), ['cursor']);
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

  it('401 without a token (1001), and with the secret of a key (1002)', async () => {
    expectRefusal(await rest(gateway)('GET', '/webhooks/deliveries'), 401, '1001');
    expectRefusal(await rest(gateway, other.secret)('GET', '/webhooks/deliveries'), 401, '1002');
  });

  it('403 without MANAGE_WEBHOOKS, whatever else the token may do (1004)', async () => {
    const clerk = await newMerchant(
      gateway,
      PERMISSIONS.filter((permission) => permission !== 'MANAGE_WEBHOOKS'),
    );
    const error = expectRefusal(await list('?limit=x', clerk), 403, '1004');
    expect(error.message).toBe('Missing permission: MANAGE_WEBHOOKS');
  });
});
