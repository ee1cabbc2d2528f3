// Records what became of mails.

import type { StoredMail } from '../../../mail/mails.ts';
import { query, type EntityManager } from '../../connection.ts';

/** How an attempt ended. `failure` is a code, never a server's text, which may name the recipient. */
export type MailOutcome =
  | { readonly status: 'SENT'; /** As it was sent. */ readonly mail: Pick<StoredMail, 'template' | 'params'> }
  | { readonly status: 'SKIPPED' }
  | { readonly status: 'FAILED'; readonly failure: string }
  | { readonly status: 'QUEUED'; readonly failure: string; readonly dueAt: Date };

/** Records an attempt, if its lease still holds; returns whether it does. */
export async function recordMail(
  em: EntityManager,
  { id, lease }: { readonly id: string; readonly lease: string },
  outcome: MailOutcome,
  now: Date,
): Promise<boolean> {
  const dueAt = outcome.status === 'QUEUED' ? outcome.dueAt : null;
  const rows = await query(
    em,
    `update mail set status = $3, attempts = attempts + 1, lease = null, leased_until = null, failure = $4,
       due_at = coalesce($5, due_at), ended_at = $6, template = coalesce($7, template), params = coalesce($8::json, params)
     where id = $1 and lease = $2 and status = 'QUEUED' returning 1`,
    [
      ...[id, lease, outcome.status, 'failure' in outcome ? outcome.failure : null, dueAt, dueAt === null ? now : null],
      ...(outcome.status === 'SENT' ? [outcome.mail.template, JSON.stringify(outcome.mail.params)] : [null, null]),
    ],
  );
  return rows.length === 1;
}

/** Ends waiting mails where none is sent: shown in the sandbox's mailbox (SENT), or not sent at all (SKIPPED). Those of
 * some templates are left. */
export async function endMails(
  em: EntityManager,
  status: 'SENT' | 'SKIPPED',
  now: Date,
  { limit, except }: { readonly limit: number; readonly except: readonly string[] },
): Promise<number> {
  const rows = await query(
    em,
    `with due as materialized (
       select id from mail where status = 'QUEUED' and due_at <= $2 and template <> all($4)
       order by due_at, id limit $3 for update skip locked
     )
     update mail m set status = $1, ended_at = $2 where m.id = any(array(select id from due)) returning 1`,
    [status, now, limit, except],
  );
  return rows.length;
}
