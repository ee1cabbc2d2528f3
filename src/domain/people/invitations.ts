// Invitations: a mail with a link, by which somebody becomes a member. Only who could give the role now gives it
// (contract-people-payouts, section A).

import { query, toDate, type EntityManager } from '../../database/connection.ts';
import { GatewayError, invalid } from '../../values/errors.ts';
import { isId, newId } from '../../values/id.ts';
import { permissionsOf, type CustomRole, type Role } from '../../values/member-permission.ts';
import type { PersonActor } from '../actor.ts';
import { inTransaction, type Deps } from '../deps.ts';
import type { IdempotencyKey, IdempotentResult } from '../idempotency.ts';
import { runIdempotent } from '../idempotent-request.ts';
import { writeMail } from '../mail/mails.ts';
import { recordAudit } from '../merchants/audit-log.ts';
import { readGiven, refuseHeld, requireFor, roleUnderLock, type GivenRole, type PeopleDeps } from './members.ts';

export interface Invitation {
  readonly id: string;
  readonly email: string;
  readonly role: Role;
  readonly customRole: CustomRole | null;
  /** The person who invited. */
  readonly invitedBy: string | null;
  readonly expiresAt: Date;
}

/** How long an invitation can be accepted. */
export const OPEN_FOR_MS = 7 * 24 * 3_600_000;
/** Members of a merchant, invitations that are open at once, and invitations in a day: each is a mail to somebody. */
export const MOST = { members: 100, invitations: 50, inDay: 100 } as const;
const DAY_MS = 24 * 3_600_000;

/** An invitation as it is stored, with its role. */
export interface InvitationRow extends Pick<Invitation, 'id' | 'email' | 'role' | 'invitedBy'> {
  readonly merchantId: string;
  readonly roleId: string | null;
  readonly roleName: string | null;
  readonly custom: string[] | null;
  readonly expiresAt: string;
}

const INVITATIONS = `select i.id, i.merchant_id as "merchantId", i.email, i.role, i.role_id as "roleId",
  r.name as "roleName", r.permissions as custom, i.invited_by as "invitedBy", i.expires_at as "expiresAt"
  from invitation i left join custom_role r on r.id = i.role_id`;
/** SQL: those to a merchant; operators make others, to register one. */
export const TO_JOIN = 'i.merchant_id is not null';
/** SQL: the time is the second parameter. */
export const IS_OPEN = 'i.ended_at is null and i.expires_at > $2';

const toInvitation = ({
  id,
  email,
  role,
  roleId,
  roleName,
  custom,
  invitedBy,
  expiresAt,
}: InvitationRow): Invitation => ({
  ...{ id, email, role, invitedBy, expiresAt: toDate(expiresAt) },
  customRole:
    roleId === null ? null : { id: roleId, name: roleName ?? '', permissions: permissionsOf({ role, custom }) },
});

/** A merchant's open invitations, newest first. */
export async function listInvitations(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  merchantId: string,
): Promise<Invitation[]> {
  const open = `${INVITATIONS} where i.merchant_id = $1 and ${IS_OPEN} order by i.id desc`;
  return (await query<InvitationRow>(db.em, open, [merchantId, clock.now()])).map(toInvitation);
}

/** Whom to invite, with which role. */
export interface NewInvitation extends GivenRole {
  readonly email: string;
}

/**
 * Invites somebody by mail; an earlier invitation of theirs ends. Errors: 1004 for a role that the inviter could not
 * give, 1013 for an owner, 2001, 2002, 2003, 2011 for a member.
 */
export function inviteMember(
  deps: PeopleDeps,
  actor: PersonActor,
  { email: given, role, roleId }: NewInvitation,
  idempotencyKey: IdempotencyKey | null,
): Promise<IdempotentResult<Invitation>> {
  const { merchantId, personId } = actor;
  const email = given.toLowerCase();
  return runIdempotent(deps, idempotencyKey, async (em, now) => {
    const own = await roleUnderLock(em, actor);
    requireFor(own, await readGiven(em, merchantId, { role, roleId }));
    if (role === 'OWNER') await refuseHeld(em, actor, now);
    await refuseMember(em, merchantId, email);
    await query(em, 'update invitation set ended_at = $3 where merchant_id = $1 and email = $2 and ended_at is null', [
      merchantId,
      email,
      now,
    ]);
    const open = await query(em, `select from invitation i where i.merchant_id = $1 and ${IS_OPEN}`, [merchantId, now]);
    if (open.length >= MOST.invitations)
      throw invalid([{ path: 'input', message: `There may be at most ${MOST.invitations} open invitations` }]);
    const lately = await query(em, 'select from invitation where merchant_id = $1 and created_at > $2 limit $3', [
      merchantId,
      new Date(now.getTime() - DAY_MS),
      MOST.inDay,
    ]);
    if (lately.length >= MOST.inDay)
      throw invalid([{ path: 'input', message: `There may be at most ${MOST.inDay} invitations in a day` }]);
    const [id, expiresAt] = [newId('ivn', now.getTime()), new Date(now.getTime() + OPEN_FOR_MS)];
    await query(
      em,
      `insert into invitation (id, merchant_id, email, role, role_id, invited_by, created_at, expires_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [id, merchantId, email, role, roleId, personId, now, expiresAt],
    );
    await mailInvitation(em, merchantId, { id, email, expiresAt }, now);
    await recordAudit(em, actor, { action: 'MEMBER_INVITED', target: id, details: { email, role, roleId } }, now);
    const [made] = await query<InvitationRow>(em, `${INVITATIONS} where i.id = $1`, [id]);
    if (!made) throw new Error(`The invitation ${id} is missing`);
    return toInvitation(made);
  });
}

/** Throws 2011 for somebody who is a member already. */
export async function refuseMember(em: EntityManager, merchantId: string, email: string): Promise<void> {
  const already = await query(
    em,
    'select from membership m join person p on p.id = m.person_id where m.merchant_id = $1 and p.email = $2',
    [merchantId, email],
  );
  if (already.length > 0) throw new GatewayError('PEOPLE_CONFLICT', { message: 'They are a member already' });
}

async function mailInvitation(
  em: EntityManager,
  merchantId: string,
  { id, email, expiresAt }: Pick<Invitation, 'id' | 'email' | 'expiresAt'>,
  now: Date,
): Promise<void> {
  const [merchant] = await query<{ company: string; locale: string | null }>(
    em,
    'select company_name as company, locale from merchant where id = $1',
    [merchantId],
  );
  const { company = '', locale = null } = merchant ?? {};
  const mail = { template: 'INVITATION', recipient: email, params: { company }, link: id, locale, expiresAt } as const;
  await writeMail(em, mail, now);
}

/** Ends an open invitation. Errors: 2004, 1004. */
export function revokeInvitation(deps: PeopleDeps, actor: PersonActor, id: string): Promise<void> {
  return inTransaction(deps, async (em) => {
    const own = await roleUnderLock(em, actor);
    const now = deps.clock.now();
    const invitation = await readOpen(em, id, now);
    if (invitation?.merchantId !== actor.merchantId) throw new GatewayError('NOT_FOUND');
    requireFor(own, invitation);
    await query(em, 'update invitation set ended_at = $2 where id = $1', [id, now]);
    const details = { email: invitation.email, role: invitation.role };
    await recordAudit(em, actor, { action: 'INVITATION_REVOKED', target: id, details }, now);
  });
}

/** An invitation to a merchant that is open; null for any other. */
export async function readOpen(em: EntityManager, id: string, now: Date): Promise<InvitationRow | null> {
  const find = `${INVITATIONS} where i.id = $1 and ${TO_JOIN} and ${IS_OPEN}`;
  const [row] = isId('ivn', id) ? await query<InvitationRow>(em, find, [id, now]) : [];
  return row ?? null;
}
