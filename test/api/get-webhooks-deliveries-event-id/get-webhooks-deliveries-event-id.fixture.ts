// Further helpers for the tests of GET /webhooks/deliveries/{event_id}.

import { received } from '../fixtures/webhooks/webhooks.fixture.ts';
import { until } from '../../support/until.ts';
import { dataOf } from '../../support/expectations.ts';
import { type TestMerchant, USDT_PAYMENT } from '../../support/clients.ts';

export const RECORD = [
  ...['event_id', 'delivery_id', 'url', 'status', 'attempts', 'last_attempt_at', 'next_retry_at'],
  ...['response_code', 'response_time_ms'],
];

export const ATTEMPT = ['attempt', 'at', 'url', 'response_code', 'response_time_ms', 'response_start', 'error'];

/** Pays an order and returns the id of the event that the receiver got at `path` for it. */
export async function payAndReceive(merchant: TestMerchant, path: string, fields: object = {}): Promise<string> {
  const before = received.length;
  const { orderId } = dataOf(await merchant.rest('POST', '/payments', { ...USDT_PAYMENT, ...fields }), 201);
  dataOf(await merchant.rest('POST', `/sandbox/payments/${orderId}/deposit`));
  const { eventId } = await until(() => received.slice(before).find(({ url }) => url === path));
  return eventId;
}
