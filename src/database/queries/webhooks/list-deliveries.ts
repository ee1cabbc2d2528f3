// Pages through a merchant's deliveries, newest first. Ids are time-ordered, so the keyset is (merchant, status, id),
// and every page costs the same, however many deliveries there are.

import type { Pool, QueryConfig } from 'pg';
import { DELIVERY_STATUSES, type DeliveryStatus } from '../../../entities/enums.ts';
import { firstOf } from '../page-limit.ts';
import { DELIVERY_COLUMNS, toDelivery, type DeliveryRow, type ListedDelivery } from './read-deliveries.ts';

/** What a list may be narrowed by. The page starts below the id `before`. */
export interface DeliveryListFilter {
  readonly merchantId: string;
  readonly statuses?: readonly DeliveryStatus[] | null;
  readonly eventId?: string | null;
  readonly paymentId?: string | null;
  readonly before?: string | null;
}

/** A text above every id. */
const LAST = '~';

/** Each status is read from its own part of the index and merged. The range forces the use of that index. */
const OF_STATUS = `
select o.* from webhook_delivery o
where o.merchant_id = $1 and (o.status, o.id) > (s.status, '') and (o.status, o.id) < (s.status, $3)`;
const OF_STATUSES = `
select newest.* from unnest($4::text[]) as s(status) cross join lateral (
  ${firstOf(OF_STATUS, 'status desc, id desc', '$2')}
) newest order by newest.id desc limit $2`;

/** An event has few deliveries. They are read first, so that the planner does not start from all of the merchant's. */
const OF_EVENT = `
select * from (with own as materialized (select * from webhook_delivery where event_id = $4)
  select * from own) of_event
where merchant_id = $1 and id < $3 and ($5::text[] is null or status = any($5)) order by id desc limit $2`;

/** A payment has few events with webhooks, found by an index of such events only. */
const OF_PAYMENT = `
select * from (with own as materialized (
  select * from webhook_delivery where event_id = any(array(
    select e.id from event e
    where e.payment_id = $4 and e.body is not null and ($6::text is null or e.id = $6))))
  select * from own) of_payment
where merchant_id = $1 and id < $3 and ($5::text[] is null or status = any($5)) order by id desc limit $2`;

// Each delivery's URL is looked up separately: a plan that does not know the page's length would read whole tables. A
// delivery without an endpoint always goes to its own URL.
const page = (rows: string) => `
select ${DELIVERY_COLUMNS}, coalesce(
  case when d.endpoint_id is null then d.url end,
  case when d.due_at is not null then (select w.url from webhook_endpoint w where w.id = d.endpoint_id) end,
  case when d.attempts > 0 then
    (select a.url from webhook_attempt a where a.delivery_id = d.id and a.attempt = d.attempts) end,
  d.url) as url
from (${rows}) d order by d.id desc`;
const STATEMENTS = { statuses: page(OF_STATUSES), event: page(OF_EVENT), payment: page(OF_PAYMENT) };

/** A page of at most `limit` deliveries. */
export async function listDeliveries(pool: Pool, filter: DeliveryListFilter, limit: number): Promise<ListedDelivery[]> {
  return (await pool.query<DeliveryRow>(deliveryPageOf(filter, limit))).rows.map(toDelivery);
}

/** The prepared statement of a page. */
export function deliveryPageOf(
  { merchantId, statuses, eventId, paymentId, before }: DeliveryListFilter,
  limit: number,
): QueryConfig {
  const keyset = [merchantId, limit, before ?? LAST];
  const narrowed = statuses != null && statuses.length > 0 ? [...new Set(statuses)] : null;
  const statement = (shape: keyof typeof STATEMENTS, ...values: unknown[]): QueryConfig => {
    return { name: `list-deliveries-${shape}`, text: STATEMENTS[shape], values: [...keyset, ...values] };
  };
  if (paymentId != null) return statement('payment', paymentId, narrowed, eventId ?? null);
  if (eventId != null) return statement('event', eventId, narrowed);
  return statement('statuses', narrowed ?? DELIVERY_STATUSES);
}
