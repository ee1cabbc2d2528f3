// Finds open invoices past their deadline, for which time may have run out.

import { query, toDate, type EntityManager } from '../../connection.ts';

/** A place in the order of deadlines. */
export interface DeadlinePlace {
  readonly deadline: Date;
  readonly id: string;
}

/** An open invoice past its deadline. */
export interface OverdueInvoice extends DeadlinePlace {
  /** Whether it ends now: its payments have ended, and confirmations were awaited for 24 hours. */
  readonly isDue: boolean;
}

/** Before every place. */
export const FIRST_PLACE: DeadlinePlace = { deadline: new Date(0), id: '' };

/** Open invoices whose deadline was before `now`, after a place, in order; at most `limit`. */
export async function findOverdue(
  em: EntityManager,
  now: Date,
  { deadline, id }: DeadlinePlace,
  limit: number,
): Promise<OverdueInvoice[]> {
  const rows = await query<{ id: string; deadline: string; isDue: boolean }>(
    em,
    `with overdue as materialized (
       select id, status, greatest(deadline, processing_since) as since, deadline from invoice
       where status in ('OPEN', 'PARTIALLY_PAID', 'PROCESSING') and deadline <= $1 and (deadline, id) > ($2, $3)
       order by deadline, id limit $4
     )
     select o.id, o.deadline, (o.status <> 'PROCESSING' or o.since + interval '24 hours' <= $1) and not exists (
       select from (select payment_id from quote where invoice_id = o.id offset 0) q
       cross join lateral (select status from payment where id = q.payment_id offset 0) p
       where p.status in ('PENDING', 'PARTIALLY_PAID') or (p.status = 'CONFIRMING' and o.status = 'PROCESSING')
     ) as "isDue" from overdue o order by o.deadline, o.id`,
    [now, deadline, id, limit],
  );
  return rows.map((row) => ({ ...row, deadline: toDate(row.deadline) }));
}
