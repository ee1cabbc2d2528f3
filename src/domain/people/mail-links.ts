// The links of mails to people: each is used once, and of a kind there are only so many an hour.

import { query, toDate, type EntityManager } from '../../database/connection.ts';
import { GatewayError } from '../../values/errors.ts';
import { isId, newId } from '../../values/id.ts';

export type LinkKind = 'RESET_PASSWORD' | 'VERIFY_EMAIL' | 'REVERT_EMAIL';

const HOUR_MS = 3_600_000;
/** How long each works. */
const OPEN_FOR_MS: Readonly<Record<LinkKind, number>> = {
  RESET_PASSWORD: HOUR_MS / 2,
  VERIFY_EMAIL: 24 * HOUR_MS,
  REVERT_EMAIL: 7 * 24 * HOUR_MS,
};
/** Links of a kind that a person is mailed in an hour: others may cause them, too. */
const MOST_IN_HOUR = 5;

/** A link to make; `email` is the address that it confirms or brings back. */
export interface NewLink {
  readonly kind: LinkKind;
  readonly personId: string;
  readonly email: string | null;
}

/** A link that was made. */
export interface MadeLink {
  readonly id: string;
  readonly expiresAt: Date;
}

/** Makes a link in the current transaction; null if there were too many lately. */
export async function makeLink(
  em: EntityManager,
  { kind, personId, email }: NewLink,
  now: Date,
): Promise<MadeLink | null> {
  const id = newId('tok', now.getTime());
  const after = (ms: number) => new Date(now.getTime() + ms);
  const expiresAt = after(OPEN_FOR_MS[kind]);
  const made = await query(
    em,
    `insert into mail_link (id, kind, person_id, email, created_at, expires_at)
     select $1, $2, $3, $4, $5, $6 where (
       select count(*) from mail_link where person_id = $3 and kind = $2 and created_at > $7) < $8
     returning 1`,
    [id, kind, personId, email, now, expiresAt, after(-HOUR_MS), MOST_IN_HOUR],
  );
  return made.length > 0 ? { id, expiresAt } : null;
}

/** What a link was made for. */
export interface UsedLink {
  readonly personId: string;
  readonly email: string | null;
  readonly createdAt: Date;
}

/**
 * Uses a link in the current transaction, which holds the person from then on: of two uses at once one wins. Errors:
 * 2004 for one used, over or unknown.
 */
export async function useLink(em: EntityManager, id: string, kind: LinkKind, now: Date): Promise<UsedLink> {
  if (!isId('tok', id)) throw new GatewayError('NOT_FOUND');
  // The person before their links, as everywhere: two links of theirs, used at once, would wait for each other.
  await query(em, 'select from person where id = (select person_id from mail_link where id = $1) for no key update', [
    id,
  ]);
  const [link] = await query<Omit<UsedLink, 'createdAt'> & { readonly createdAt: string }>(
    em,
    `update mail_link set used_at = $3 where id = $1 and kind = $2 and used_at is null and expires_at > $3
     returning person_id as "personId", email, created_at as "createdAt"`,
    [id, kind, now],
  );
  if (!link) throw new GatewayError('NOT_FOUND');
  return { ...link, createdAt: toDate(link.createdAt) };
}

/**
 * Ends the links of a person in the current transaction. Those that bring an address back stay, unless they were made
 * after a time: an intruder who has changed the address could end them otherwise, and nobody else could return.
 */
export async function voidLinks(
  em: EntityManager,
  personId: string,
  { now, revertsAfter = null }: { readonly now: Date; readonly revertsAfter?: Date | null },
): Promise<void> {
  await query(
    em,
    `update mail_link set used_at = $2 where person_id = $1 and used_at is null
       and (kind <> 'REVERT_EMAIL' or created_at > $3::timestamptz)`,
    [personId, now, revertsAfter],
  );
}

/**
 * Throws 2009 for an address that somebody else may still bring back: an intruder could take it otherwise, and close
 * the way back. Called after the address was set, so that a change at once is seen.
 */
export async function refuseReserved(
  em: EntityManager,
  { personId, email }: { readonly personId: string; readonly email: string },
  now: Date,
): Promise<void> {
  const reserved = await query(
    em,
    `select from mail_link where email = $1 and kind = 'REVERT_EMAIL' and used_at is null and expires_at > $2
       and person_id <> $3 limit 1`,
    [email, now, personId],
  );
  if (reserved.length > 0) throw new GatewayError('EMAIL_TAKEN');
}
