// What waits for an endpoint that was switched off is sent no more.

import { query, type EntityManager } from '../connection.ts';

/**
 * Sets an endpoint's waiting deliveries to DISABLED, in a transaction that holds the endpoint's row. Leases are left:
 * an attempt under way is still recorded, and its success is one.
 */
export async function disableDeliveries(em: EntityManager, endpointId: string): Promise<void> {
  await query(
    em,
    `with waiting as materialized (
       select id from webhook_delivery where endpoint_id = $1 and due_at is not null order by id for update
     )
     update webhook_delivery d set status = 'DISABLED', due_at = null, next_retry_at = null
     from waiting where waiting.id = d.id`,
    [endpointId],
  );
}

/**
 * Holds an endpoint for a transaction that may switch it off. Whoever locks an endpoint and deliveries locks the
 * endpoint first.
 */
export async function holdEndpoint(em: EntityManager, endpointId: string): Promise<void> {
  await query(em, 'select 1 from webhook_endpoint where id = $1 for no key update', [endpointId]);
}

/** Switches a held endpoint off, with the reason in words, and all that waits for it. */
export async function disableEndpoint(em: EntityManager, endpointId: string, reason: string): Promise<void> {
  await query(
    em,
    `update webhook_endpoint set enabled = false, disabled_reason = $2, updated_at = now() where id = $1 and enabled`,
    [endpointId, reason],
  );
  await disableDeliveries(em, endpointId);
}
