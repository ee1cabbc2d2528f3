// Gives claims back that were not sent, or not to the end.

import { query, type EntityManager } from '../connection.ts';
import type { Claim } from './claim-deliveries.ts';

// The delivery is due earlier than its lane may know, so the lane is lowered with it (see claim-deliveries).
const STATEMENT = `
with held as materialized (
  select d.id from webhook_delivery d join unnest($1::text[], $2::text[]) as c(id, lease) on d.id = c.id and d.lease = c.lease
  where d.due_at is not null
  order by d.id for no key update of d
), released as (
  update webhook_delivery d set lease = null, due_at = now() from held where held.id = d.id returning d.lane
), lanes as materialized (
  select l.lane from webhook_lane l where l.lane in (select lane from released) order by l.lane for no key update
)
update webhook_lane l set due_at = least(l.due_at, now()) from lanes where lanes.lane = l.lane`;

/** Gives claims back: they are due at once. Those whose lease was lost are left as they are. */
export async function releaseClaims(em: EntityManager, claims: readonly Claim[]): Promise<void> {
  if (claims.length === 0) return;
  await query(em, STATEMENT, [claims.map((claim) => claim.deliveryId), claims.map((claim) => claim.lease)]);
}
