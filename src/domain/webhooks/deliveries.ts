// The primary webhook endpoint (PUT /merchant/webhook), and the records of deliveries.

import { disableDeliveries } from '../../database/queries/webhooks/disable-deliveries.ts';
import { listDeliveries, searchDeliveries } from '../../database/queries/webhooks/list-deliveries.ts';
import type { WalkedPage } from '../../database/queries/walk.ts';
import {
  readAttempts,
  readDeliveries,
  type Attempt,
  type Delivery,
  type ListedDelivery,
} from '../../database/queries/webhooks/read-deliveries.ts';
import type { DeliveryStatus } from '../../entities/enums.ts';
import { query, type EntityManager } from '../../database/connection.ts';
import { readAnywhere } from '../../database/read-source.ts';
import { GatewayError, invalid } from '../../values/errors.ts';
import { isId, newId, type IdPrefix } from '../../values/id.ts';
import type { WebhookForm } from '../../values/formats/greenfield.ts';
import { checkWebhookUrl } from '../../values/internet/webhook-url.ts';
import type { Actor } from '../actor.ts';
import { recordAudit } from '../merchants/audit-log.ts';
import { inTransaction, type Deps } from '../deps.ts';
import { USUAL_EVENT_TYPES } from '../../values/internet/webhook-events.ts';
import { awaitRelay } from '../events/read-your-writes.ts';

export type { Attempt, Delivery, ListedDelivery };

/** What to change. Null and undefined both mean no change. */
export interface WebhookChange {
  readonly url?: string | null;
  readonly enabled?: boolean | null;
}

/** The merchant's primary endpoint, and the secret that signs all their webhooks. */
export interface WebhookConfiguration {
  readonly id: string;
  readonly url: string;
  readonly enabled: boolean;
  readonly events: readonly string[];
  readonly secret: string;
}

/** The most relevant delivery of an event, and all of them. */
export interface DeliveryRecord extends Delivery {
  /** One for each destination, newest first. */
  readonly deliveries: readonly Delivery[];
}

type Endpoint = Omit<WebhookConfiguration, 'secret'>;

/**
 * Creates or changes the endpoint of PUT /merchant/webhook; the first call needs a URL. Disabling it gives up its
 * pending deliveries, and enabling it again does not restore them. With an actor, the change is recorded in the audit
 * log. Errors: 2001, 5001.
 */
export async function configureWebhook(
  deps: Pick<Deps, 'db' | 'clock' | 'webhookAllowPrivate'>,
  merchantId: string,
  { url, enabled }: WebhookChange,
  actor: Actor | null = null,
): Promise<WebhookConfiguration> {
  if (url != null) refuseBadUrl(url, deps.webhookAllowPrivate);
  const now = deps.clock.now();
  return inTransaction(deps, async (em) => {
    if (url != null) await refuseOtherForm(em, { merchantId, url, form: 'TURNPIKE' });
    const changed = await changePrimary(em, merchantId, url ?? null, enabled ?? null, now);
    if (!changed && url == null) throw invalid([{ path: 'input.url', message: 'is required' }]);
    const endpoint = changed ?? (await insertPrimary(em, merchantId, url ?? '', enabled ?? null, now));
    if (!endpoint.enabled) await disableDeliveries(em, endpoint.id);
    const details = auditable({ url, enabled });
    if (actor) await recordAudit(em, actor, { action: 'WEBHOOK_CHANGED', target: endpoint.id, details }, now);
    const [merchant] = await query<{ secret: string }>(
      em,
      'select webhook_secret as secret from merchant where id = $1',
      [merchantId],
    );
    if (!merchant) throw new Error(`There is no merchant ${merchantId}`);
    return { ...endpoint, secret: merchant.secret };
  });
}

type ChangedFields = Readonly<Record<string, unknown>> & { readonly url?: string | null | undefined };

/** What the audit log keeps of a change. Of the URL only the host, as paths and queries may hold secrets. */
export function auditable({ url, ...change }: ChangedFields): Record<string, unknown> {
  return { ...change, ...(url == null ? {} : { host: new URL(url).host }) };
}

/** Throws 2001 for an invalid URL, 5001 for one that we do not post to. `path` is the field's path in the request. */
export function refuseBadUrl(url: string, allowPrivate: boolean, path = 'input.url'): void {
  const checked = checkWebhookUrl(url, { allowPrivate });
  if (checked.ok) return;
  const details = [{ path, message: checked.message }];
  if (checked.error === 'VALIDATION') throw invalid(details);
  throw new GatewayError('WEBHOOK_URL_REFUSED', { message: `url: ${checked.message}`, details });
}

/**
 * Refuses an address that another endpoint has in another form (2001). An address gets each event once, so one of the
 * two would wait in vain, and its receiver refuse what the other is sent.
 */
export async function refuseOtherForm(
  em: EntityManager,
  { merchantId, url, form }: { readonly merchantId: string; readonly url: string; readonly form: WebhookForm },
): Promise<void> {
  const [other] = await query(
    em,
    'select 1 from webhook_endpoint where merchant_id = $1 and url = $2 and form <> $3 and deleted_at is null limit 1',
    [merchantId, url, form],
  );
  if (other)
    throw invalid([{ path: 'input.url', message: 'is the address of an endpoint whose webhooks have another form' }]);
}

const SET = `
  url = coalesce($2, e.url), enabled = coalesce($3, e.enabled),
  disabled_reason = case when $3 then null else e.disabled_reason end,
  disabled_at = case when $3 then null else e.disabled_at end,
  failing_since = case when $3 then null else e.failing_since end, updated_at = $4`;
const RETURNING = 'returning e.id, e.url, e.enabled, e.events';

async function changePrimary(
  em: EntityManager,
  ...change: [merchantId: string, url: string | null, enabled: boolean | null, now: Date]
): Promise<Endpoint | undefined> {
  const update = `update webhook_endpoint e set ${SET} where merchant_id = $1 and is_primary and deleted_at is null ${RETURNING}`;
  return (await query<Endpoint>(em, update, change))[0];
}

/** Creates the endpoint; if a concurrent call created it first, changes it instead. */
async function insertPrimary(
  em: EntityManager,
  merchantId: string,
  url: string,
  enabled: boolean | null,
  now: Date,
): Promise<Endpoint> {
  const [endpoint] = await query<Endpoint>(
    em,
    `insert into webhook_endpoint as e (id, merchant_id, url, enabled, events, is_primary, created_at, updated_at)
     values ($5, $1, $2, coalesce($3::boolean, true), $6, true, $4, $4)
     on conflict (merchant_id) where is_primary and deleted_at is null do update set ${SET} ${RETURNING}`,
    [merchantId, url, enabled, now, newId('whk', now.getTime()), USUAL_EVENT_TYPES],
  );
  if (!endpoint) throw new Error('An upsert answered no row');
  return endpoint;
}

/**
 * The delivery record of an event: the newest delivery to the primary endpoint, otherwise the newest of all, and each
 * of them. For an event just committed, waits until its deliveries are made. Errors: 2004 if it has no deliveries,
 * belongs to another merchant, or the id is invalid.
 */
export async function findDeliveryRecord(
  deps: Pick<Deps, 'db'>,
  merchantId: string,
  eventId: string,
): Promise<DeliveryRecord> {
  if (!isId('evt', eventId)) throw new GatewayError('NOT_FOUND');
  const read = () => readDeliveries(deps.db.em, merchantId, eventId);
  let deliveries = await read();
  if (deliveries.length === 0 && (await awaitRelay(deps, merchantId, eventId))) deliveries = await read();
  const top = deliveries.find((delivery) => delivery.isPrimary) ?? deliveries[0];
  if (!top) throw new GatewayError('NOT_FOUND');
  return { ...top, deliveries };
}

export interface DeliveryFilter {
  readonly status?: readonly DeliveryStatus[] | null;
  readonly eventId?: string | null;
  readonly paymentId?: string | null;
  readonly endpointId?: string | null;
  readonly eventType?: string | null;
  /** Made at or after this, and before that. */
  readonly since?: Date | null;
  readonly until?: Date | null;
}

/**
 * A page of a merchant's deliveries, newest first, below the id `before`. One of an endpoint's or a type's may be
 * short, and yet have a next page: they are looked for among a bounded number of deliveries.
 */
export async function findDeliveries(
  deps: Pick<Deps, 'db'>,
  merchantId: string,
  { status, ...narrowed }: DeliveryFilter,
  { limit, before }: { limit: number; before: string | null },
): Promise<WalkedPage<ListedDelivery>> {
  const { eventId, paymentId, endpointId, eventType } = narrowed;
  const isKnowable = (prefix: IdPrefix, id: string | null | undefined) => id == null || isId(prefix, id);
  if (!isKnowable('evt', eventId) || !isKnowable('ord', paymentId) || !isKnowable('whk', endpointId))
    return { rows: [], next: null };
  const filter = { merchantId, statuses: status ?? null, ...narrowed, before };
  if (eventId == null && paymentId == null && (endpointId != null || eventType != null))
    return readAnywhere(deps.db, ({ pool }) => searchDeliveries(pool, filter, limit));
  const read = await readAnywhere(deps.db, ({ pool }) => listDeliveries(pool, filter, limit + 1));
  const rows = read.slice(0, limit);
  return { rows, next: read.length > limit ? (rows.at(-1)?.deliveryId ?? null) : null };
}

/** Every attempt of these deliveries, oldest first, by delivery id. */
export function findAttempts(
  deps: Pick<Deps, 'db'>,
  deliveries: readonly ListedDelivery[],
): Promise<ReadonlyMap<string, readonly Attempt[]>> {
  const ids = deliveries.map((delivery) => delivery.deliveryId);
  return readAnywhere(deps.db, ({ em }) => readAttempts(em, ids));
}
