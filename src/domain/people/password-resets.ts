// A new password by a link in a mail, for somebody who lost theirs. What is answered, and how much work it takes, does
// not tell whether there is such a person.

import { takeAdvisoryLock } from '../../database/advisory-lock.ts';
import { query } from '../../database/connection.ts';
import { newId } from '../../values/id.ts';
import { inTransaction, type Deps } from '../deps.ts';
import { tellPerson } from '../mail/notices.ts';
import { recordAudit } from '../merchants/audit-log.ts';
import { noteDevice, type Device } from './devices.ts';
import type { AcceptRequest } from './accept-invitation.ts';
import { useLink, voidLinks } from './mail-links.ts';
import type { PeopleDeps } from './members.ts';
import { setPassword } from './passwords.ts';

const OPEN_FOR_MS = 30 * 60_000;
/** Links that somebody is mailed in an hour: others may ask for them, too. */
const MOST_IN_HOUR = 5;
const HOUR_MS = 60 * 60_000;

const LINK = `insert into mail_link (id, kind, person_id, created_at, expires_at)
  select $1, 'RESET_PASSWORD', p.id, $3, $4 from person p where p.email = $2 and (
    select count(*) from mail_link l where l.person_id = p.id and l.kind = 'RESET_PASSWORD' and l.created_at > $5) < $6`;
/** Writes the mail of a link, if there is one. */
const MAIL = `insert into mail (id, template, recipient, locale, params, link, created_at, due_at, expires_at)
  select $2, 'RESET_PASSWORD', p.email, coalesce(p.locale, 'en'), '{}', l.id, l.created_at, l.created_at, l.expires_at
  from mail_link l join person p on p.id = l.person_id where l.id = $1`;

/** Mails a link to the person with this address, if there is one; earlier links stay good. */
export function requestReset(deps: Pick<Deps, 'db' | 'clock'>, email: string): Promise<void> {
  return inTransaction(deps, async (em) => {
    const now = deps.clock.now();
    const after = (ms: number) => new Date(now.getTime() + ms);
    const id = newId('tok', now.getTime());
    // Of several at once each counts those before it, for an address that nobody has as well.
    await takeAdvisoryLock(em, `password reset ${email.toLowerCase()}`);
    await query(em, LINK, [id, email.toLowerCase(), now, after(OPEN_FOR_MS), after(-HOUR_MS), MOST_IN_HOUR]);
    await query(em, MAIL, [id, newId('eml', now.getTime())]);
  });
}

/** The new password, and the browser in which it was chosen; null for a client without cookies. */
export interface NewPassword {
  readonly passwordHash: string;
  readonly device: Device | null;
}

/**
 * Sets a new password by a link: of two uses at once one wins. All other links of the person end, and all their
 * sessions; for the hold they approve nothing. The browser is known from then on: they have shown that they read the
 * mail. Errors: 2004 for a link that was used or has expired.
 */
export function useReset(
  deps: PeopleDeps,
  id: string,
  { passwordHash, device }: NewPassword,
  request: AcceptRequest,
): Promise<void> {
  return inTransaction(deps, async (em) => {
    const now = deps.clock.now();
    const { personId } = await useLink(em, id, 'RESET_PASSWORD', now);
    await voidLinks(em, personId, { now });
    const endedSessions = await setPassword(em, personId, passwordHash, null, now);
    if (device) await noteDevice(em, device, personId, now);
    const [person] = await query<{ merchantId: string | null }>(
      em,
      `update person set held_until = greatest(held_until, $3), email_verified_at = coalesce(email_verified_at, $2)
       where id = $1 returning last_merchant_id as "merchantId"`,
      [personId, now, new Date(now.getTime() + deps.payoutHoldMs)],
    );
    if (!person) throw new Error(`The person ${personId} is missing`);
    await tellPerson(em, deps, { personId, template: 'PASSWORD_CHANGED', params: {} }, now);
    if (person.merchantId === null) return;
    const actor = { merchantId: person.merchantId, keyId: null, personId, ...request };
    await recordAudit(em, actor, { action: 'PASSWORD_RESET', target: personId, details: { endedSessions } }, now);
  });
}
