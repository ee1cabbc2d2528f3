// Gives back claimed deliveries that were not sent.

import { query, type EntityManager } from '../../connection.ts';
import type { Claim } from './claim-deliveries.ts';

// The deliveries are due, but their lane may not show it, so the lane is lowered as well (see claim-deliveries.ts). A
// claim that has given everything back is deleted.
const STATEMENT = `
with back as materialized (
  select lane, lease, array_agg(id) as ids from unnest($1::text[], $2::text[], $3::text[]) as c(lane, lease, id)
  group by lane, lease
), held as materialized (
  select back.* from webhook_claim c join back using (lane, lease) order by c.lane, c.lease for update of c
), gone as (
  delete from webhook_claim c using held
  where c.lane = held.lane and c.lease = held.lease and cardinality(c.given_back || held.ids) >= cardinality(c.delivery_ids)
), kept as (
  update webhook_claim c set given_back = c.given_back || held.ids from held
  where c.lane = held.lane and c.lease = held.lease and cardinality(c.given_back || held.ids) < cardinality(c.delivery_ids)
), due as materialized (
  select held.lane, min(d.due_at) as due_at from held cross join lateral unnest(held.ids) as given(id)
  cross join lateral (select due_at from webhook_delivery where id = given.id offset 0) d
  where d.due_at is not null group by held.lane
), lanes as materialized (
  select l.lane, due.due_at from webhook_lane l join due using (lane) order by l.lane for no key update of l
)
update webhook_lane l set due_at = least(l.due_at, lanes.due_at) from lanes where lanes.lane = l.lane`;

/** Gives claimed deliveries back, due at once. Deliveries whose claim is gone are left as they are. */
export async function releaseClaims(em: EntityManager, claims: readonly Claim[]): Promise<void> {
  if (claims.length === 0) return;
  const columns = [claims.map(({ lane }) => lane), claims.map(({ lease }) => lease)];
  await query(em, STATEMENT, [...columns, claims.map(({ deliveryId }) => deliveryId)]);
}
