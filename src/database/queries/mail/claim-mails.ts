// Takes mails that are due, under a lease: for its time no other process sends them.

import type { MailTemplate, StoredMail } from '../../../mail/mails.ts';
import { query, type EntityManager } from '../../connection.ts';

export interface ClaimedMail extends StoredMail<MailTemplate> {
  readonly id: string;
  /** Attempts before this one. */
  readonly attempts: number;
  /** When its link ends; null for a mail without an end. */
  readonly expiresAt: string | null;
}

interface Claim {
  readonly now: Date;
  readonly lease: string;
  readonly leasedUntil: Date;
  readonly limit: number;
}

/** Claims the mails that have been due for longest. Those that another process holds are passed over. */
export function claimMails(em: EntityManager, { now, lease, leasedUntil, limit }: Claim): Promise<ClaimedMail[]> {
  return query<ClaimedMail>(
    em,
    `with due as materialized (
       select id from mail where status = 'QUEUED' and due_at <= $1 and (leased_until is null or leased_until <= $1)
       order by due_at, id limit $4 for update skip locked
     )
     update mail m set lease = $2, leased_until = $3 where m.id = any(array(select id from due))
     returning m.id, m.template, m.recipient, m.locale, m.params, m.link, m.attempts,
       m.merchant_id as "merchantId", m.expires_at as "expiresAt"`,
    [now, lease, leasedUntil, limit],
  );
}
