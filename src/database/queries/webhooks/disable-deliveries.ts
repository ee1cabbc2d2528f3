// Disables an endpoint, and cancels the deliveries that wait for it.

import { query, type EntityManager } from '../../connection.ts';

/**
 * Sets an endpoint's waiting deliveries to DISABLED, in a transaction that holds the endpoint's row. Claims are kept:
 * an attempt in flight is still recorded, and may succeed. Lanes are kept as well: a lane that is due too early is
 * corrected when it is next looked at. The lane of an endpoint's deliveries is the endpoint's id.
 */
export async function disableDeliveries(em: EntityManager, endpointId: string): Promise<void> {
  await query(
    em,
    `with waiting as materialized (
       select id from webhook_delivery where lane = $1 and due_at is not null order by id for no key update
     ), disabled as (
       update webhook_delivery d
       set status = 'DISABLED', due_at = null, next_retry_at = null, changed_in = pg_current_xact_id()
       from waiting where waiting.id = d.id returning d.id
     )
     insert into webhook_change (delivery_ids) select array_agg(id) from disabled having count(*) > 0`,
    [endpointId],
  );
}

/** Disables a locked endpoint, with a reason in words, and its waiting deliveries. False if it was off already. */
export async function disableEndpoint(
  em: EntityManager,
  endpointId: string,
  { reason, at }: { readonly reason: string; readonly at: Date },
): Promise<boolean> {
  const switched = await query(
    em,
    `update webhook_endpoint set enabled = false, disabled_at = $3, disabled_reason = $2, updated_at = $3
     where id = $1 and enabled returning id`,
    [endpointId, reason, at],
  );
  await disableDeliveries(em, endpointId);
  return switched.length > 0;
}
