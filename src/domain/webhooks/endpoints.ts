// Lists, changes and deletes a merchant's webhook endpoints, and creates those besides the primary one, which
// deliveries.ts sets up for PUT /merchant/webhook.

import { LockMode } from '@mikro-orm/core';
import { query, type EntityManager } from '../../database/connection.ts';
import { disableDeliveries } from '../../database/queries/webhooks/disable-deliveries.ts';
import { WebhookEndpoint } from '../../entities/webhook-endpoint.ts';
import { GatewayError, invalid } from '../../values/errors.ts';
import { GREENFIELD_EVENTS, isGreenfieldEvent, type WebhookForm } from '../../values/formats/greenfield.ts';
import { isId, newId } from '../../values/id.ts';
import type { Actor } from '../actor.ts';
import { recordAudit, type AuditAction } from '../merchants/audit-log.ts';
import { inTransaction, type Deps } from '../deps.ts';
import { USUAL_EVENT_TYPES } from '../../values/internet/webhook-events.ts';
import type { IdempotentResult, IdempotencyKey } from '../idempotency.ts';
import { runIdempotent } from '../idempotent-request.ts';
import { auditable, refuseBadUrl, refuseOtherForm } from './deliveries.ts';

/** How many endpoints a merchant may have, not counting the primary one, which is always allowed. */
export const MOST_ENDPOINTS = 20;

/** An endpoint as its merchant sees it. */
export type EndpointView = Pick<
  WebhookEndpoint,
  | ('id' | 'url' | 'enabled' | 'events' | 'description' | 'isPrimary' | 'form' | 'createdAt')
  | ('disabledReason' | 'disabledAt' | 'failingSince')
>;

/** A new endpoint, with the secret that signs its webhooks; null if a repeated request gets the stored answer. */
export interface CreatedEndpoint extends EndpointView {
  readonly secret: string | null;
}

/** Null and undefined both mean the default: enabled, all event types. */
export interface EndpointRequest {
  readonly url: string;
  readonly enabled?: boolean | null;
  readonly events?: readonly string[] | null;
  readonly description?: string | null;
  readonly form?: WebhookForm | null;
}

/** What to change. Undefined means no change; null clears the description and means no change elsewhere. */
export type EndpointChange = {
  readonly [Name in keyof Omit<EndpointRequest, 'form'>]?: EndpointRequest[Name] | null | undefined;
};

type EndpointDeps = Pick<Deps, 'db' | 'clock' | 'webhookAllowPrivate'>;

/** A merchant's endpoints, newest first. */
export async function listEndpoints(deps: Pick<Deps, 'db'>, merchantId: string): Promise<EndpointView[]> {
  const where = { merchantId, deletedAt: null };
  return (await deps.db.em.fork().find(WebhookEndpoint, where, { orderBy: { id: 'desc' } })).map(toView);
}

/** Creates an endpoint. Errors: 2001 (also for one too many), 2002, 2003, 5001. */
export async function createEndpoint(
  deps: EndpointDeps,
  actor: Actor,
  request: EndpointRequest,
  idempotencyKey: IdempotencyKey | null,
): Promise<IdempotentResult<CreatedEndpoint>> {
  const { merchantId } = actor;
  const { url, enabled, events, description, form } = request;
  refuseBadUrl(url, deps.webhookAllowPrivate);
  refuseUnwritten(form ?? 'TURNPIKE', events);
  const work = async (em: EntityManager, now: Date): Promise<CreatedEndpoint> => {
    const secret = await lockMerchant(em, merchantId);
    if ((await em.count(WebhookEndpoint, { merchantId, isPrimary: false, deletedAt: null })) >= MOST_ENDPOINTS)
      throw invalid([{ path: 'input', message: `There may be at most ${MOST_ENDPOINTS} endpoints; delete one first` }]);
    await refuseOtherForm(em, { merchantId, url, form: form ?? 'TURNPIKE' });
    const endpoint = em.create(WebhookEndpoint, {
      id: newId('whk', now.getTime()),
      merchantId,
      url,
      enabled: enabled ?? true,
      events: [...(events ?? (form === 'GREENFIELD' ? Object.keys(GREENFIELD_EVENTS) : USUAL_EVENT_TYPES))],
      description: description ?? null,
      ...{ isPrimary: false, form: form ?? 'TURNPIKE' },
      disabledReason: null,
      disabledAt: null,
      failingSince: null,
      deletedAt: null,
      createdAt: now,
      updatedAt: now,
    });
    await em.flush();
    const { id: target } = endpoint;
    await recordAudit(em, actor, { action: 'WEBHOOK_CREATED', target, details: auditable({ ...request }) }, now);
    return { ...toView(endpoint), secret };
  };
  return runIdempotent(deps, idempotencyKey, work, (created) => ({ ...created, secret: null }));
}

/** Refuses events that the form has no word for: they would never be sent. */
function refuseUnwritten(form: WebhookForm, events: readonly string[] | null | undefined): void {
  const unwritten = form === 'GREENFIELD' ? (events ?? []).filter((type) => !isGreenfieldEvent(type)) : [];
  if (unwritten.length > 0)
    throw invalid([
      { path: 'input.events', message: `${unwritten.join(', ')}: webhooks of this form have no such event` },
    ]);
}

/** The merchant's secret. Locks their row, so that concurrent calls cannot exceed the limit together. */
async function lockMerchant(em: EntityManager, merchantId: string): Promise<string> {
  const [merchant] = await query<{ secret: string }>(
    em,
    'select webhook_secret as secret from merchant where id = $1 for no key update',
    [merchantId],
  );
  if (!merchant) throw new Error(`There is no merchant ${merchantId}`);
  return merchant.secret;
}

/**
 * Changes an endpoint. Disabling it gives up its pending deliveries; enabling it again clears the reason but does not
 * restore them. Errors: 2001, 2004, 5001.
 */
export function updateEndpoint(
  deps: EndpointDeps,
  actor: Actor,
  id: string,
  asked: EndpointChange,
): Promise<EndpointView> {
  const { url, enabled, events, description } = asked;
  if (url != null) refuseBadUrl(url, deps.webhookAllowPrivate);
  const audited = { action: 'WEBHOOK_CHANGED', details: auditable({ ...asked }) } as const;
  return changeEndpoint(deps, actor, id, audited, async (endpoint, _now, em) => {
    refuseUnwritten(endpoint.form, events);
    if (url != null) await refuseOtherForm(em, { ...endpoint, url });
    if (url != null) endpoint.url = url;
    if (events != null) endpoint.events = [...events];
    if (description !== undefined) endpoint.description = description;
    if (enabled != null) endpoint.enabled = enabled;
    if (enabled === true) Object.assign(endpoint, { disabledReason: null, disabledAt: null, failingSince: null });
  });
}

/**
 * Deletes an endpoint and gives up its pending deliveries; the records of its deliveries stay readable. It is disabled
 * as well, so that queries for enabled endpoints skip it. Errors: 2004, also if it was deleted before.
 */
export function deleteEndpoint(deps: EndpointDeps, actor: Actor, id: string): Promise<EndpointView> {
  return changeEndpoint(deps, actor, id, { action: 'WEBHOOK_DELETED' }, (endpoint, now) => {
    endpoint.enabled = false;
    endpoint.deletedAt = now;
  });
}

/** Locks the endpoint before its deliveries, in the same order as all other code. */
async function changeEndpoint(
  deps: Pick<Deps, 'db' | 'clock'>,
  actor: Actor,
  id: string,
  audited: { readonly action: AuditAction; readonly details?: Readonly<Record<string, unknown>> },
  change: (endpoint: WebhookEndpoint, now: Date, em: EntityManager) => void | Promise<void>,
): Promise<EndpointView> {
  if (!isId('whk', id)) throw new GatewayError('NOT_FOUND');
  return inTransaction(deps, async (em) => {
    const where = { id, merchantId: actor.merchantId, deletedAt: null };
    const endpoint = await em.findOne(WebhookEndpoint, where, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!endpoint) throw new GatewayError('NOT_FOUND');
    const now = deps.clock.now();
    await change(endpoint, now, em);
    endpoint.updatedAt = now;
    await em.flush();
    if (!endpoint.enabled) await disableDeliveries(em, endpoint.id);
    await recordAudit(em, actor, { ...audited, target: id }, now);
    return toView(endpoint);
  });
}

function toView(endpoint: WebhookEndpoint): EndpointView {
  const { id, url, enabled, events, description, isPrimary, form, createdAt } = endpoint;
  const { disabledReason, disabledAt, failingSince } = endpoint;
  return {
    ...{ id, url, enabled, events, isPrimary, form, createdAt, description: description ?? null },
    disabledReason: disabledReason ?? null,
    disabledAt: disabledAt ?? null,
    failingSince: failingSince ?? null,
  };
}
