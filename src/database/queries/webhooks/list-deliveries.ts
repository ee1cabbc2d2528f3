// Pages through a merchant's deliveries, newest first. Ids are time-ordered, so the keyset is (merchant, status, id),
// and every page costs the same, however many deliveries there are. Those of an endpoint or a type are looked for among
// a bounded number of them at a time.

import type { QueryConfig } from 'pg';
import { DELIVERY_STATUSES, type DeliveryStatus } from '../../../entities/enums.ts';
import { firstIdOf } from '../../../values/id.ts';
import type { Readable } from '../../read-source.ts';
import { firstOf } from '../page-limit.ts';
import { pageOfWalk, walkOf, type WalkedPage, type WalkedRow } from '../walk.ts';
import { DELIVERY_COLUMNS, toDelivery, type DeliveryRow, type ListedDelivery } from './read-deliveries.ts';

/** What a list may be narrowed by. The page starts below the id `before`. */
export interface DeliveryListFilter {
  readonly merchantId: string;
  readonly statuses?: readonly DeliveryStatus[] | null;
  readonly eventId?: string | null;
  readonly paymentId?: string | null;
  readonly endpointId?: string | null;
  readonly eventType?: string | null;
  /** Made at or after this, and before that. */
  readonly since?: Date | null;
  readonly until?: Date | null;
  readonly before?: string | null;
}

/** A text above every id. */
const LAST = '~';

/** Each status is read from its own part of the index and merged. The range forces the use of that index. */
const OF_STATUS = `
select o.* from webhook_delivery o
where o.merchant_id = $1 and (o.status, o.id) > (s.status, $5) and (o.status, o.id) < (s.status, $3)`;
const NEWEST_FIRST = 'status desc, id desc';
const OF_STATUSES = `
select newest.* from unnest($4::text[]) as s(status) cross join lateral (
  ${firstOf(OF_STATUS, NEWEST_FIRST, '$2')}
) newest order by newest.id desc limit $2`;

/** How far a page that looks for an endpoint or a type goes back: a few at first, for mostly they are there. */
export const DELIVERY_STEPS = { near: 250, far: 2_000 } as const;

/** Endpoint $6 and type $7 of a delivery `w`. */
const FITS = `($6::text is null or w.endpoint_id = $6)
    and ($7::text is null or (select e.type from event e where e.id = w.event_id) = $7)`;
/**
 * The statuses are merged while they are walked, each read in its order, so that a walk reads as many rows as it has
 * steps and not as many of each status.
 */
const ofOneStatus = (status: DeliveryStatus): string => `
select o.* from webhook_delivery o
where o.merchant_id = $1 and o.status = '${status}' and '${status}' = any($4::text[]) and o.id > $5 and o.id < $3`;
const walkedOf = (most: number) =>
  walkOf(
    DELIVERY_STATUSES.map((status) => `(${firstOf(ofOneStatus(status), 'id desc', '$8', most)})`).join(' union all '),
    'id desc',
    FITS,
    { limit: '$2', steps: '$8', most },
  );

/** An event has few deliveries. They are read first, so that the planner does not start from all of the merchant's. */
const OF_EVENT = `
select * from (with own as materialized (select * from webhook_delivery where event_id = $4)
  select * from own) w
where merchant_id = $1 and id < $3 and id > $5 and ${FITS} and ($8::text[] is null or status = any($8))
order by id desc limit $2`;

/** A payment has few events with webhooks, found by an index of such events only. */
const OF_PAYMENT = `
select * from (with own as materialized (
  select * from webhook_delivery where event_id = any(array(
    select e.id from event e
    where e.payment_id = $4 and e.body is not null and ($9::text is null or e.id = $9))))
  select * from own) w
where merchant_id = $1 and id < $3 and id > $5 and ${FITS} and ($8::text[] is null or status = any($8))
order by id desc limit $2`;

// Each delivery's URL is looked up separately: a plan that does not know the page's length would read whole tables. A
// delivery without an endpoint always goes to its own URL.
const page = (rows: string, more = '') => `
select ${DELIVERY_COLUMNS}${more}, coalesce(
  case when d.endpoint_id is null then d.url end,
  case when d.due_at is not null then (select w.url from webhook_endpoint w where w.id = d.endpoint_id) end,
  case when d.attempts > 0 then
    (select a.url from webhook_attempt a where a.delivery_id = d.id and a.attempt = d.attempts) end,
  d.url) as url
from (${rows}) d order by d.id desc`;
const WALKED_COLUMNS = ', d.id, d.fits, d."isEnd"';
const STATEMENTS = {
  statuses: page(OF_STATUSES),
  near: page(walkedOf(DELIVERY_STEPS.near), WALKED_COLUMNS),
  far: page(walkedOf(DELIVERY_STEPS.far), WALKED_COLUMNS),
  event: page(OF_EVENT),
  payment: page(OF_PAYMENT),
};

/** A page of at most `limit` deliveries; of an endpoint's or a type's, only those of one event or payment. */
export async function listDeliveries(
  pool: Readable,
  filter: DeliveryListFilter,
  limit: number,
): Promise<ListedDelivery[]> {
  return (await pool.query<DeliveryRow>(deliveryPageOf(filter, limit))).rows.map(toDelivery);
}

/** The next deliveries of an endpoint or a type: at most `limit`, and fewer where the walk ended before. */
export async function searchDeliveries(
  pool: Readable,
  filter: DeliveryListFilter,
  limit: number,
): Promise<WalkedPage<ListedDelivery>> {
  const found: ListedDelivery[] = [];
  let next: string | null = filter.before ?? null;
  for (const steps of ['near', 'far'] as const) {
    const left = limit - found.length;
    const walk = deliveryWalkOf({ ...filter, before: next }, left + 1, steps);
    const walked = pageOfWalk((await pool.query<DeliveryRow & WalkedRow>(walk)).rows, left);
    found.push(...walked.rows.map(toDelivery));
    ({ next } = walked);
    if (next === null || found.length === limit) break;
  }
  return { rows: found, next };
}

/** The prepared statement of a page that is read from an index. */
export function deliveryPageOf(filter: DeliveryListFilter, limit: number): QueryConfig {
  const { eventId, paymentId } = filter;
  const { bounds, statuses, sought } = readFilter(filter);
  const statement = (shape: keyof typeof STATEMENTS, ...values: unknown[]): QueryConfig => {
    return { name: `list-deliveries-${shape}`, text: STATEMENTS[shape], values };
  };
  const [merchantId, first, last] = bounds;
  const narrowed = (id: string) => [merchantId, limit, last, id, first, ...sought, statuses];
  if (paymentId != null) return statement('payment', ...narrowed(paymentId), eventId ?? null);
  if (eventId != null) return statement('event', ...narrowed(eventId));
  return statement('statuses', merchantId, limit, last, statuses ?? DELIVERY_STATUSES, first);
}

/** The prepared statement of a walk. */
export function deliveryWalkOf(
  filter: DeliveryListFilter,
  limit: number,
  steps: keyof typeof DELIVERY_STEPS,
): QueryConfig {
  const { bounds, statuses, sought } = readFilter(filter);
  const [merchantId, first, last] = bounds;
  const values = [merchantId, limit, last, statuses ?? DELIVERY_STATUSES, first, ...sought, DELIVERY_STEPS[steps]];
  return { name: `walk-deliveries-${steps}`, text: STATEMENTS[steps], values };
}

/** Ids begin with their time, so times are ranges of ids; a delivery of the first millisecond is above its first id. */
function readFilter({ merchantId, statuses, endpointId, eventType, since, until, before }: DeliveryListFilter) {
  const ends = [before ?? LAST, until == null ? LAST : firstIdOf('dlv', until.getTime())];
  const last = ends.reduce((one, other) => (one < other ? one : other));
  const first = since == null ? '' : firstIdOf('dlv', since.getTime());
  return {
    bounds: [merchantId, first, last] as const,
    statuses: statuses != null && statuses.length > 0 ? [...new Set(statuses)] : null,
    sought: [endpointId ?? null, eventType ?? null] as const,
  };
}
