// Reads what the last attempts of deliveries were written from.

import type { WebhookForm } from '../../../values/formats/greenfield.ts';
import { toDate } from '../../connection.ts';
import type { Readable } from '../../read-source.ts';

/** The last attempt of a delivery, and the secrets of its merchant as they are now. */
export interface SentAttempt {
  readonly deliveryId: string;
  readonly eventId: string;
  readonly endpointId: string | null;
  readonly merchantId: string;
  readonly form: WebhookForm;
  readonly attempt: number;
  /** When it started. */
  readonly at: Date;
  /** Null if it was erased. */
  readonly body: string | null;
  /** What the event tells of: a payment or an invoice, a payout, or nothing, as a test does. */
  readonly subject: 'ORDER' | 'PAYOUT' | null;
  readonly secret: string;
  /** Since when that secret signs; null if there never was another. */
  readonly secretSince: Date | null;
  /** The one before, and until when it signs or signed besides; null if there is none. */
  readonly previousSecret: string | null;
  readonly previousEndsAt: Date | null;
}

// The deliveries of a page are looked up one by one.
const STATEMENT = `
select d.id as "deliveryId", d.event_id as "eventId", d.endpoint_id as "endpointId", d.merchant_id as "merchantId",
  coalesce(w.form, 'TURNPIKE') as form, d.attempts as attempt, a.at, e.body,
  case when e.payout_id is not null then 'PAYOUT' when e.payment_id is not null or e.invoice_id is not null then 'ORDER' end
    as subject,
  m.webhook_secret as secret, m.webhook_secret_since as "secretSince", m.previous_webhook_secret as "previousSecret",
  m.previous_secret_expires_at as "previousEndsAt"
from unnest($1::text[]) as asked(id)
cross join lateral (select * from webhook_delivery where id = asked.id offset 0) d
cross join lateral (select at from webhook_attempt where delivery_id = d.id and attempt = d.attempts offset 0) a
cross join lateral (
  select body, payment_id, invoice_id, payout_id from event where id = d.event_id offset 0) e
cross join lateral (select * from merchant where id = d.merchant_id offset 0) m
left join lateral (select form from webhook_endpoint where id = d.endpoint_id offset 0) w on true`;

/** Those of `deliveryIds` that were tried, in no particular order. */
export async function readSentAttempts(pool: Readable, deliveryIds: readonly string[]): Promise<SentAttempt[]> {
  const { rows } = await pool.query<Row>({ name: 'read-sent-attempts', text: STATEMENT, values: [deliveryIds] });
  return rows.map((row) => ({
    ...row,
    at: toDate(row.at),
    secretSince: toDate(row.secretSince),
    previousEndsAt: toDate(row.previousEndsAt),
  }));
}

type Row = Omit<SentAttempt, 'at' | 'secretSince' | 'previousEndsAt'> & {
  readonly at: string;
  readonly secretSince: string | null;
  readonly previousEndsAt: string | null;
};
