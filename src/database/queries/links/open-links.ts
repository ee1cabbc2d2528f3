// Whether a payment link takes more: at submission, and at the choice of a coin (contract-invoices, section 9).

import { query, type EntityManager } from '../../connection.ts';

/** SQL: whether the link `l` takes more at a time, which is a parameter. */
export const isOpenAt = (now: string): string =>
  `(l.enabled and (l.ends_at is null or l.ends_at > ${now}) and (l.max_uses is null or l.uses < l.max_uses))`;

/**
 * Whether a link takes more at a time; not if there is none with this id. It is not locked: the most uses bound sales
 * softly, as customers who have chosen may still pay.
 */
export async function isLinkOpen(em: EntityManager, id: string, now: Date): Promise<boolean> {
  const [row] = await query<{ isOpen: boolean }>(
    em,
    `select ${isOpenAt('$2::timestamptz')} as "isOpen" from payment_link l where l.id = $1`,
    [id, now],
  );
  return row?.isOpen ?? false;
}
