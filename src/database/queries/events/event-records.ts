// Events as a part of a statement that makes other changes: they are given as JSON, a list for each command.

/** An event to record; `payload` is JSON, `body` what webhooks send. */
export interface EventRecord {
  readonly id: string;
  readonly merchantId: string;
  readonly paymentId: string | null;
  readonly invoiceId: string | null;
  readonly version: number | null;
  readonly type: string;
  readonly payload: string | null;
  readonly body: string | null;
  readonly targetUrl: string | null;
  readonly at: Date;
  readonly trace: string | null;
}

/** The columns that are inserted, in the order in which `eventsOf` selects them. */
export const EVENT_COLUMNS =
  'id, merchant_id, payment_id, version, type, payload, body, target_url, created_at, invoice_id, trace';

/** SQL that selects the events in the column `events` of a relation. */
export const eventsOf = (relation: string, events: string): string => `
  select e.id, e.merchant_id, e.payment_id, e.version, e.type, e.payload::json as payload, e.body, e.target_url,
    e.created_at, e.invoice_id, e.trace
  from ${relation} cross join lateral json_to_recordset(${relation}.${events}) as e(
    id text, merchant_id text, payment_id text, version int, type text, payload text, body text, target_url text,
    created_at timestamptz, invoice_id text, trace text)`;

/** An event as such a list has it. */
export const toEventRecord = ({ merchantId, paymentId, invoiceId, targetUrl, at, ...rest }: EventRecord): object => ({
  ...{ merchant_id: merchantId, payment_id: paymentId, invoice_id: invoiceId },
  ...{ target_url: targetUrl, created_at: at, ...rest },
});
