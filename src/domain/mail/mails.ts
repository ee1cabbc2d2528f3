// Writes mails in the transaction that is their reason, and reads them back for the sandbox's mailbox.

import { query, toDate, type EntityManager } from '../../database/connection.ts';
import type { MailTemplate, StoredMail } from '../../mail/mails.ts';
import { newId } from '../../values/id.ts';
import type { Deps } from '../deps.ts';

/** A mail to write; its language is that of the recipient if there is such a person, or else the one given. */
export type NewMail<Template extends MailTemplate> = Omit<StoredMail<Template>, 'locale'> & {
  readonly locale?: string | null;
  /** When its link ends: it is not sent any more then. */
  readonly expiresAt?: Date;
  /** When it is due; at once by default. */
  readonly dueAt?: Date;
  /** What there is one mail for: if it was written before, nothing is. */
  readonly dedupe?: string;
};

/** Writes a mail in the current transaction; it is sent after the commit. */
export async function writeMail<Template extends MailTemplate>(
  em: EntityManager,
  { template, recipient, params, link, locale = null, expiresAt, dueAt, dedupe }: NewMail<Template>,
  now: Date,
): Promise<void> {
  const id = newId('eml', now.getTime());
  await query(
    em,
    `insert into mail (id, template, recipient, locale, params, link, created_at, expires_at, due_at, dedupe)
     select $1, $2, $3, coalesce((select locale from person where email = $3), $4, 'en'), $5, $6, $7, $8, $9, $10
     on conflict (dedupe) where dedupe is not null do nothing`,
    [
      ...[id, template, recipient, locale, JSON.stringify(params), link, now],
      ...[expiresAt ?? null, dueAt ?? now, dedupe ?? null],
    ],
  );
}

/** How many mails the mailbox shows. */
const MOST_SHOWN = 500;

/** The newest mails, or those to one address, newest first. Mails to customers say what they do once they are sent. */
export async function readMails(
  { db }: Pick<Deps, 'db'>,
  to: string | null,
): Promise<(StoredMail & { readonly id: string; readonly createdAt: Date })[]> {
  const rows = await query<StoredMail & { id: string; createdAt: string }>(
    db.em,
    `select id, template, recipient, locale, params, link, merchant_id as "merchantId", created_at as "createdAt"
     from mail where ($1::text is null or recipient = lower($1))
       and (order_id is null or (status = 'SENT' and recipient <> '')) order by id desc limit $2`,
    [to, MOST_SHOWN],
  );
  return rows.map((row) => ({ ...row, createdAt: toDate(row.createdAt) }));
}
