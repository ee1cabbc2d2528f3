// The e-mail address of a person: confirmed by a link that is mailed there, changed, and brought back by a link that is
// mailed to the one of before (contract-people-payouts, section A).

import { query, type EntityManager } from '../../database/connection.ts';
import { hasSqlState, UNIQUE_VIOLATION } from '../../database/sql-state.ts';
import { GatewayError } from '../../values/errors.ts';
import type { PersonActor } from '../actor.ts';
import { inTransaction, type Deps } from '../deps.ts';
import { endSignIns } from '../factors/challenges.ts';
import { hold } from '../factors/factors.ts';
import { writeMail } from '../mail/mails.ts';
import { recordAudit } from '../merchants/audit-log.ts';
import type { AcceptRequest } from './accept-invitation.ts';
import { makeLink, refuseReserved, useLink, voidLinks } from './mail-links.ts';
import type { PeopleDeps } from './members.ts';
import { forgetDevices } from './devices.ts';
import { removeIdentities } from './identities.ts';
import { endSessions } from './sessions.ts';

interface PersonRow {
  readonly email: string;
  readonly isVerified: boolean;
  readonly merchantId: string | null;
}

/**
 * Locks a person until the transaction ends, after the merchants that may take on their address: a change of
 * members locks the merchant first, too.
 */
async function lockPerson(em: EntityManager, personId: string): Promise<PersonRow> {
  await query(
    em,
    `select from merchant where id in (select merchant_id from membership where person_id = $1 and role = 'OWNER')
     order by id for no key update`,
    [personId],
  );
  const [person] = await query<PersonRow>(
    em,
    `select email, email_verified_at is not null as "isVerified", last_merchant_id as "merchantId"
     from person where id = $1 for no key update`,
    [personId],
  );
  if (!person) throw new GatewayError('INVALID_TOKEN');
  return person;
}

/** Mails a link that confirms an address, in the current transaction; false if there were five in the last hour. */
export async function askToVerify(
  em: EntityManager,
  { personId, email }: { readonly personId: string; readonly email: string },
  now: Date,
): Promise<boolean> {
  const link = await makeLink(em, { kind: 'VERIFY_EMAIL', personId, email }, now);
  if (link === null) return false;
  const { id, expiresAt } = link;
  await writeMail(em, { template: 'VERIFY_EMAIL', recipient: email, params: {}, link: id, expiresAt }, now);
  return true;
}

const tooMany = () => new GatewayError('RATE_LIMITED', { retryAfterSeconds: 3_600 });

/**
 * Changes a person's address at once: the new one is mailed a link that confirms it, the old one a link that takes the
 * change back. They are held for a while. With the address that they have, only the first, if it is not confirmed yet.
 * Errors: 2009; 9001 for a sixth mail in an hour.
 */
export function changeEmail(deps: PeopleDeps, actor: PersonActor, given: string): Promise<void> {
  const email = given.toLowerCase();
  const { personId } = actor;
  return inTransaction(deps, async (em) => {
    const now = deps.clock.now();
    const { email: old, isVerified } = await lockPerson(em, personId);
    if (email === old && isVerified) return;
    if (email !== old) {
      await setEmail(em, personId, { email, verifiedAt: null }, now);
      await voidLinks(em, personId, { now });
      await hold(em, deps, personId, now);
      await mailWayBack(em, { personId, old, email }, now);
      const details = { from: old, to: email };
      await recordAudit(em, actor, { action: 'EMAIL_CHANGED', target: personId, details }, now);
    }
    if (!(await askToVerify(em, { personId, email }, now))) throw tooMany();
    await deps.directory?.take(email);
  });
}

/** Throws 9001 without one: who changes it to and fro could otherwise leave the true owner without a way back. */
async function mailWayBack(
  em: EntityManager,
  { personId, old, email }: { readonly personId: string; readonly old: string; readonly email: string },
  now: Date,
): Promise<void> {
  const link = await makeLink(em, { kind: 'REVERT_EMAIL', personId, email: old }, now);
  if (link === null) throw tooMany();
  const { id, expiresAt } = link;
  const params = { address: email };
  await writeMail(em, { template: 'EMAIL_CHANGED', recipient: old, params, link: id, expiresAt }, now);
}

/** Confirms the address that a link was mailed to. Errors: 2004, also if it is not theirs any more. */
export function verifyEmail(deps: Pick<Deps, 'db' | 'clock'>, linkId: string): Promise<void> {
  return inTransaction(deps, async (em) => {
    const now = deps.clock.now();
    const { personId, email } = await useLink(em, linkId, 'VERIFY_EMAIL', now);
    const verified = await query(
      em,
      'update person set email_verified_at = coalesce(email_verified_at, $3) where id = $1 and email = $2 returning 1',
      [personId, email, now],
    );
    if (verified.length === 0) throw new GatewayError('NOT_FOUND');
  });
}

/**
 * Brings back the address that a link was mailed to: all sessions of the person end, their identities at a provider,
 * and their other links but those to addresses of before; they are held for a while. Errors: 2004, 2009 if somebody
 * else has the address by now.
 */
export function revertEmail(deps: PeopleDeps, linkId: string, request: AcceptRequest): Promise<void> {
  return inTransaction(deps, async (em) => {
    const now = deps.clock.now();
    const owner = await ownerOf(em, linkId);
    const { email: from, merchantId } = await lockPerson(em, owner);
    const { personId, email, createdAt } = await useLink(em, linkId, 'REVERT_EMAIL', now);
    if (email === null) throw new GatewayError('NOT_FOUND');
    await setEmail(em, personId, { email, verifiedAt: now }, now);
    await voidLinks(em, personId, { now, revertsAfter: createdAt });
    const endedSessions = await endSessions(em, personId, { allBut: null }, now);
    await forgetDevices(em, personId, null);
    const identities = await removeIdentities(em, personId);
    await endSignIns(em, personId, now);
    await hold(em, deps, personId, now);
    if (merchantId !== null) {
      const actor = { merchantId, keyId: null, personId, ...request };
      const details = { from, to: email, endedSessions, identities };
      await recordAudit(em, actor, { action: 'EMAIL_REVERTED', target: personId, details }, now);
    }
    await deps.directory?.take(email);
  });
}

async function ownerOf(em: EntityManager, linkId: string): Promise<string> {
  const [link] = await query<{ personId: string }>(em, 'select person_id as "personId" from mail_link where id = $1', [
    linkId,
  ]);
  if (!link) throw new GatewayError('NOT_FOUND');
  return link.personId;
}

interface NewEmail {
  readonly email: string;
  readonly verifiedAt: Date | null;
}

/** Sets a person's address, and that of the merchants whose owner of longest standing they are. Errors: 2009. */
async function setEmail(
  em: EntityManager,
  personId: string,
  { email, verifiedAt }: NewEmail,
  now: Date,
): Promise<void> {
  const set = 'update person set email = $2, email_verified_at = $3 where id = $1';
  await query(em, set, [personId, email, verifiedAt]).catch(refuseTakenEmail);
  await refuseReserved(em, { personId, email }, now);
  await query(
    em,
    `update merchant set email = $2 where id in (
       select m.merchant_id from membership m where m.person_id = $1 and m.role = 'OWNER' and not exists (
         select from membership o where o.merchant_id = m.merchant_id and o.role = 'OWNER'
           and (o.created_at, o.person_id) < (m.created_at, m.person_id)))`,
    [personId, email],
  );
}

/** Turns a breach of the addresses' uniqueness into 2009. */
export function refuseTakenEmail(error: unknown): never {
  throw hasSqlState(error, UNIQUE_VIOLATION) ? new GatewayError('EMAIL_TAKEN', { cause: error }) : error;
}
