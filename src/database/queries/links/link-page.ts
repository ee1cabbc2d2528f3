// Reads what the page of a payment link shows beside the link itself.

import { query, type EntityManager } from '../../connection.ts';
import { isOpenAt } from './open-links.ts';

export interface LinkPageRow {
  readonly isOpen: boolean;
  readonly isSuspended: boolean;
  readonly companyName: string;
  readonly logoUrl: string | null;
  readonly accentColor: string | null;
  readonly locale: string | null;
}

const STATEMENT = `
select ${isOpenAt('$2::timestamptz')} as "isOpen", m.company_name as "companyName", m.logo_url as "logoUrl",
  m.accent_color as "accentColor", m.locale, m.suspended_at is not null as "isSuspended"
from payment_link l join merchant m on m.id = l.merchant_id where l.id = $1`;

/** The merchant's look, and whether the link takes more; null if there is no such link. */
export async function readLinkPage(em: EntityManager, id: string, now: Date): Promise<LinkPageRow | null> {
  return (await query<LinkPageRow>(em, STATEMENT, [id, now]))[0] ?? null;
}
