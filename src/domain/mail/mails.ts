// Writes mails in the transaction that is their reason, and reads them back for the sandbox's mailbox.

import { query, toDate, type EntityManager } from '../../database/connection.ts';
import type { MailTemplate, StoredMail } from '../../mail/mails.ts';
import { newId } from '../../values/id.ts';
import type { Deps } from '../deps.ts';

/** A mail to write; its language is that of the recipient if there is such a person, or else the one given. */
export type NewMail<Template extends MailTemplate> = Omit<StoredMail<Template>, 'locale'> & {
  readonly locale?: string | null;
};

/** Writes a mail in the current transaction. */
export async function writeMail<Template extends MailTemplate>(
  em: EntityManager,
  { template, recipient, params, link, locale = null }: NewMail<Template>,
  now: Date,
): Promise<void> {
  await query(
    em,
    `insert into mail (id, template, recipient, locale, params, link, created_at)
     select $1, $2, $3, coalesce((select locale from person where email = $3), $4, 'en'), $5, $6, $7`,
    [newId('eml', now.getTime()), template, recipient, locale, JSON.stringify(params), link, now],
  );
}

/** How many mails the mailbox shows. */
const MOST_SHOWN = 500;

/** The newest mails, or those to one address, newest first. */
export async function readMails(
  { db }: Pick<Deps, 'db'>,
  to: string | null,
): Promise<(StoredMail & { readonly id: string; readonly createdAt: Date })[]> {
  const rows = await query<StoredMail & { id: string; createdAt: string }>(
    db.em,
    `select id, template, recipient, locale, params, link, created_at as "createdAt" from mail
     where $1::text is null or recipient = lower($1) order by id desc limit $2`,
    [to, MOST_SHOWN],
  );
  return rows.map((row) => ({ ...row, createdAt: toDate(row.createdAt) }));
}
