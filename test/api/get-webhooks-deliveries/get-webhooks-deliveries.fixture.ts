// Further helpers for the tests of GET /webhooks/deliveries.

import { beforeAll, expect } from '@jest/globals';
import { gateway } from '../fixtures/webhooks/deliveries.fixture.ts';
import { until } from '../../support/until.ts';
import { dataOf } from '../../support/expectations.ts';
import { type Answer, type Json, newMerchant, type TestMerchant } from '../../support/clients.ts';
import { receiveWebhooks } from '../../dispatch/webhook-receiver.fixture.ts';

export const RECORD = [
  ...['event_id', 'delivery_id', 'url', 'status', 'attempts', 'last_attempt_at', 'next_retry_at'],
  ...['response_code', 'response_time_ms'],
];

export const list = (query = '', merchant: TestMerchant = merchantWithMany) =>
  merchant.rest('GET', `/webhooks/deliveries${query}`);

export const idsOf = (answer: Answer) => (dataOf(answer).items as Json[]).map((item) => item.delivery_id as string);

export let merchantWithMany: TestMerchant;

export let eventIds: string[];

/** Reads every page of a list by its cursors. */
export async function pagesOf(query: string): Promise<string[]> {
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

export const idsBy = async (where: string) => {
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
