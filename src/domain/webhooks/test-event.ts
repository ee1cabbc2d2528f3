// Sends a test event: an ordinary event that is numbered, sent, retried and recorded like any other (contract, section
// 7).

import { query } from '../../database/connection.ts';
import { invalid } from '../../values/errors.ts';
import type { Deps } from '../deps.ts';
import { recordEvents, testEventRow } from '../events/record.ts';
import type { IdempotentResult, IdempotencyKey } from '../idempotency.ts';
import { runIdempotent } from '../idempotent-request.ts';
import { refuseBadUrl } from './deliveries.ts';

/** The recorded event. */
export interface TestEvent {
  readonly eventId: string;
}

/**
 * Sends a test event to a URL, otherwise to the primary endpoint. Errors: 2001 (also if that endpoint is missing or
 * disabled), 2002, 2003, 5001.
 */
export async function sendTestEvent(
  deps: Pick<Deps, 'db' | 'clock' | 'environment' | 'webhookAllowPrivate' | 'signals'>,
  merchantId: string,
  url: string | null,
  idempotencyKey: IdempotencyKey | null,
): Promise<IdempotentResult<TestEvent>> {
  if (url !== null) refuseBadUrl(url, deps.webhookAllowPrivate, 'url');
  const answer = await runIdempotent(deps, idempotencyKey, async (em, now) => {
    const [endpoint] = await query(
      em,
      'select 1 from webhook_endpoint where merchant_id = $1 and is_primary and enabled and deleted_at is null',
      [merchantId],
    );
    if (url === null && !endpoint) {
      const message = 'is required: the endpoint of PUT /merchant/webhook is not set up, or is switched off';
      throw invalid([{ path: 'url', message }]);
    }
    const event = testEventRow(deps.environment, merchantId, url, now);
    await recordEvents(em, [event]);
    return { eventId: event.id };
  });
  deps.signals.events();
  return answer;
}
