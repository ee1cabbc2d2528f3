// Accepting an invitation: as who one is, or as somebody new, who is made by it (contract-people-payouts, section A).

import { query, type EntityManager } from '../../database/connection.ts';
import { GatewayError } from '../../values/errors.ts';
import { newId } from '../../values/id.ts';
import type { ProviderIdentity } from '../../values/identity-provider.ts';
import { lackedFor, permissionsOf, type HeldRole } from '../../values/member-permission.ts';
import type { PersonActor } from '../actor.ts';
import { inTransaction } from '../deps.ts';
import { recordAudit } from '../merchants/audit-log.ts';
import { insertIdentity } from './identities.ts';
import { MOST, readOpen, refuseMember, type InvitationRow } from './invitations.ts';
import { refuseReserved } from './mail-links.ts';
import { tellMemberChange, tellNewApprovers } from './member-notices.ts';
import { mayApprove, type PeopleDeps } from './members.ts';

/** Who accepts: somebody who showed that they are this person, or somebody new with a password or an identity. */
export type Accepting = { readonly personId: string } | NewPerson;

/** Somebody new: with a name and a password's hash, or with the identity that they have shown. */
type NewPerson =
  | { readonly name: string; readonly passwordHash: string }
  | { readonly name: string; readonly passwordHash: null; readonly identity: ProviderIdentity };

/** A request to accept, for the audit log. */
export interface AcceptRequest {
  readonly ip: string;
  readonly requestId: string;
}

/**
 * Makes somebody a member by an open invitation; returns them at that merchant. Errors: 2004 if it has ended, or its
 * maker could not give the role any more; 2009 if a new person's address has been taken meanwhile; 2011 if the person
 * has another address, or is a member, or the identity is linked already.
 */
export function acceptInvitation(
  deps: PeopleDeps,
  id: string,
  accepting: Accepting,
  request: AcceptRequest,
): Promise<PersonActor> {
  return inTransaction(deps, async (em) => {
    const now = deps.clock.now();
    const [found] = await query<{ merchantId: string | null }>(
      em,
      'select merchant_id as "merchantId" from invitation where id = $1',
      [id],
    );
    if (!found) throw new GatewayError('NOT_FOUND');
    await query(em, 'select from merchant where id = $1 for no key update', [found.merchantId]);
    const invitation = await readOpen(em, id, now);
    if (!invitation || !(await mayStillBeGiven(em, invitation))) throw new GatewayError('NOT_FOUND');
    const { merchantId, email, role, roleId } = invitation;
    const personId = await personFor(em, accepting, email, now);
    await refuseMember(em, merchantId, email);
    const members = await query(em, 'select from membership where merchant_id = $1', [merchantId]);
    if (members.length >= MOST.members)
      throw new GatewayError('PEOPLE_CONFLICT', { message: `A merchant has at most ${MOST.members} members` });
    const approvesFrom = mayApprove(invitation) ? new Date(now.getTime() + deps.payoutHoldMs) : null;
    await query(
      em,
      `insert into membership (merchant_id, person_id, role, role_id, approves_from, created_at)
       values ($1, $2, $3, $4, $5, $6)`,
      [merchantId, personId, role, roleId, approvesFrom, now],
    );
    await query(em, 'update invitation set ended_at = $2 where id = $1', [id, now]);
    const actor = { merchantId, keyId: null, personId, ...request };
    const issuer = 'identity' in accepting ? { issuer: accepting.identity.issuer } : {};
    const details = { email, role, roleId, ...issuer };
    await recordAudit(em, actor, { action: 'MEMBER_JOINED', target: personId, details }, now);
    const by = { merchantId, personId: invitation.invitedBy };
    await tellMemberChange(em, deps, { ...by, member: email, memberId: null }, now);
    if (approvesFrom !== null) await tellNewApprovers(em, deps, { ...by, members: [email], from: approvesFrom }, now);
    if (!('personId' in accepting)) await deps.directory?.take(email);
    return actor;
  });
}

/** Whether the inviter is a member who could give the role now, and the role still exists. */
async function mayStillBeGiven(
  em: EntityManager,
  { merchantId, invitedBy, ...given }: InvitationRow,
): Promise<boolean> {
  const [inviter] = await query<HeldRole>(
    em,
    `select m.role, r.permissions as custom from membership m left join custom_role r on r.id = m.role_id
     where m.merchant_id = $1 and m.person_id = $2`,
    [merchantId, invitedBy],
  );
  const isThere = given.role !== 'CUSTOM' || given.roleId !== null;
  const manages = inviter !== undefined && permissionsOf(inviter).includes('MANAGE_PEOPLE');
  return isThere && manages && lackedFor(inviter, given) === null;
}

/** The person who accepts, who is made if they are new; they have shown that the address is theirs. */
async function personFor(em: EntityManager, accepting: Accepting, email: string, now: Date): Promise<string> {
  if ('personId' in accepting) {
    const rows = await query(
      em,
      `update person set email_verified_at = coalesce(email_verified_at, $3) where id = $1 and email = $2 returning 1`,
      [accepting.personId, email, now],
    );
    if (rows.length === 0)
      throw new GatewayError('PEOPLE_CONFLICT', { message: 'The invitation is for another e-mail address' });
    return accepting.personId;
  }
  const [id, { name, passwordHash }] = [newId('usr', now.getTime()), accepting];
  const made = await query(
    em,
    `insert into person (id, email, email_verified_at, password_hash, name, created_at)
     values ($1, $2, $5, $3, $4, $5) on conflict (email) do nothing returning 1`,
    [id, email, passwordHash, name, now],
  );
  if (made.length === 0) throw new GatewayError('EMAIL_TAKEN');
  await refuseReserved(em, { personId: id, email }, now);
  if ('identity' in accepting) await insertIdentity(em, id, accepting.identity, now);
  return id;
}
