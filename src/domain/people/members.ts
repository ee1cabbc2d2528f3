// The members of a merchant, and what they may do there. Nobody gives or takes what they lack themselves, and the last
// owner stays (contract-people-payouts, section A).

import { query, toDate, type EntityManager } from '../../database/connection.ts';
import { GatewayError, invalid, lacking } from '../../values/errors.ts';
import { isId } from '../../values/id.ts';
import { lackedFor, permissionsOf, type CustomRole, type HeldRole, type Role } from '../../values/member-permission.ts';
import type { PersonActor } from '../actor.ts';
import { inTransaction, type Deps } from '../deps.ts';
import { recordAudit } from '../merchants/audit-log.ts';
import { tellMemberChange, tellNewApprovers } from './member-notices.ts';

/** What these operations need: how long somebody who newly approves payouts has to wait. */
export type PeopleDeps = Pick<Deps, 'db' | 'clock' | 'sendsMail' | 'directory'> & { readonly payoutHoldMs: number };

/** A person at a merchant, as the others see them. */
export interface Member {
  /** The person's id. */
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly customRole: CustomRole | null;
  readonly secondFactor: boolean;
  /** Since when, or from when, they may approve payouts; null if they may not. */
  readonly approvesFrom: Date | null;
  readonly createdAt: Date;
}

interface MemberRow extends Pick<Member, 'id' | 'email' | 'name' | 'role' | 'secondFactor'> {
  readonly roleId: string | null;
  readonly roleName: string | null;
  readonly custom: string[] | null;
  readonly approvesFrom: string | null;
  readonly createdAt: string;
}

const MEMBERS = `select p.id, p.email, p.name, m.role, m.role_id as "roleId", r.name as "roleName",
  r.permissions as custom, m.approves_from as "approvesFrom", m.created_at as "createdAt",
  exists (select from factor where person_id = p.id) as "secondFactor"
  from membership m join person p on p.id = m.person_id left join custom_role r on r.id = m.role_id`;

/** A merchant's members, those of longest standing first. */
export async function listMembers({ db }: Pick<Deps, 'db'>, merchantId: string): Promise<Member[]> {
  const ofMerchant = `${MEMBERS} where m.merchant_id = $1 order by m.created_at, p.id`;
  return (await query<MemberRow>(db.em, ofMerchant, [merchantId])).map(toMember);
}

function toMember({ roleId, roleName, custom, approvesFrom, createdAt, ...row }: MemberRow): Member {
  return {
    ...row,
    customRole:
      roleId === null ? null : { id: roleId, name: roleName ?? '', permissions: permissionsOf({ ...row, custom }) },
    approvesFrom: approvesFrom === null ? null : toDate(approvesFrom),
    createdAt: toDate(createdAt),
  };
}

/** A role to give; `roleId` names the custom one and is null for every other. */
export interface GivenRole {
  readonly role: Role;
  readonly roleId: string | null;
}

/**
 * Gives a member another role; it holds for their tokens and sockets within a second. Errors: 2004, 1004, 2001 for a
 * role that does not exist, 2010, 1013 for a new owner.
 */
export function changeMember(deps: PeopleDeps, actor: PersonActor, id: string, given: GivenRole): Promise<Member> {
  return underMerchantLock(deps, actor, async (em, own) => {
    const member = await readMember(em, actor.merchantId, id);
    const next = await readGiven(em, actor.merchantId, given);
    if (given.role === 'OWNER') await refuseHeld(em, actor, deps.clock.now());
    for (const touched of [heldBy(member), next]) requireFor(own, touched);
    if (member.role === 'OWNER' && given.role !== 'OWNER') await refuseLastOwner(em, actor.merchantId);
    const now = deps.clock.now();
    const from = approvesFrom(deps, member, next, now);
    await query(
      em,
      `update membership set role = $3, role_id = $4, approves_from = $5 where merchant_id = $1 and person_id = $2`,
      [actor.merchantId, id, given.role, given.roleId, from],
    );
    await keepOwnersEmail(em, actor.merchantId);
    const details = { from: nameOf(member), to: given.role === 'CUSTOM' ? given.roleId : given.role };
    await recordAudit(em, actor, { action: 'MEMBER_CHANGED', target: id, details }, now);
    await tellMemberChange(em, deps, { ...actor, member: member.email, memberId: id }, now);
    if (from !== null && member.approvesFrom === null)
      await tellNewApprovers(em, deps, { ...actor, members: [member.email], from }, now);
    return toMember(await readMember(em, actor.merchantId, id));
  });
}

/**
 * Takes a person out of a merchant: their sessions there end within a second, and with `revokeKeys` the keys that they
 * made end as well. Errors: 2004, 1004, 2010.
 */
export function removeMember(
  deps: PeopleDeps,
  actor: PersonActor,
  id: string,
  { revokeKeys }: { readonly revokeKeys: boolean },
): Promise<void> {
  const { merchantId } = actor;
  return underMerchantLock(deps, actor, async (em, own) => {
    const member = await readMember(em, merchantId, id);
    requireFor(own, heldBy(member));
    if (member.role === 'OWNER') await refuseLastOwner(em, merchantId);
    const now = deps.clock.now();
    await query(em, 'delete from membership where merchant_id = $1 and person_id = $2', [merchantId, id]);
    await query(
      em,
      'update owner_session set ended_at = $3 where person_id = $2 and merchant_id = $1 and ended_at is null',
      [merchantId, id, now],
    );
    const revoked = revokeKeys ? await query<{ keyId: string }>(em, REVOKE, [merchantId, id, now]) : [];
    await keepOwnersEmail(em, merchantId);
    const details = { email: member.email, role: nameOf(member), revokedKeys: revoked.map(({ keyId }) => keyId) };
    await recordAudit(em, actor, { action: 'MEMBER_REMOVED', target: id, details }, now);
    await tellMemberChange(em, deps, { ...actor, member: member.email, memberId: id }, now);
  });
}

const REVOKE = `update api_key set revoked_at = $3 where merchant_id = $1 and created_by = $2 and revoked_at is null
  returning key_id as "keyId"`;

/**
 * Runs `work` in a transaction that holds the merchant's lock, with the role that the actor has then: of changes at
 * once each sees what the one before has made.
 */
export function underMerchantLock<Result>(
  deps: Pick<Deps, 'db'>,
  actor: PersonActor,
  work: (em: EntityManager, own: HeldRole) => Promise<Result>,
): Promise<Result> {
  return inTransaction(deps, async (em) => work(em, await roleUnderLock(em, actor)));
}

/** Locks the merchant until the transaction ends; returns the role that the actor has then. Throws 1002 for none. */
export async function roleUnderLock(em: EntityManager, { merchantId, personId }: PersonActor): Promise<HeldRole> {
  await query(em, 'select from merchant where id = $1 for no key update', [merchantId]);
  const [own] = await query<MemberRow>(em, `${MEMBERS} where m.merchant_id = $1 and p.id = $2`, [merchantId, personId]);
  if (!own) throw new GatewayError('INVALID_TOKEN');
  return heldBy(own);
}

/** Throws 1004, naming the first permission of a role that somebody lacks who gives, changes or takes it. */
export function requireFor(own: HeldRole, touched: HeldRole): void {
  const lacked = lackedFor(own, touched);
  if (lacked !== null) throw lacking(lacked);
}

const heldBy = ({ role, custom }: MemberRow): HeldRole => ({ role, custom });
const nameOf = ({ role, roleId }: MemberRow): string => roleId ?? role;

async function readMember(em: EntityManager, merchantId: string, id: string): Promise<MemberRow> {
  const found = isId('usr', id) ? `${MEMBERS} where m.merchant_id = $1 and p.id = $2` : null;
  const [member] = found === null ? [] : await query<MemberRow>(em, found, [merchantId, id]);
  if (!member) throw new GatewayError('NOT_FOUND');
  return member;
}

/** Reads what a given role gives. Errors: 2001 at `roleId`. */
export async function readGiven(em: EntityManager, merchantId: string, { role, roleId }: GivenRole): Promise<HeldRole> {
  if (role !== 'CUSTOM') {
    if (roleId !== null) throw invalid([{ path: 'roleId', message: 'is only for the role CUSTOM' }]);
    return { role, custom: null };
  }
  const [custom] = await query<{ permissions: string[] }>(
    em,
    'select permissions from custom_role where merchant_id = $1 and id = $2',
    [merchantId, roleId],
  );
  if (!custom) throw invalid([{ path: 'roleId', message: 'must be the id of one of the custom roles' }]);
  return { role, custom: custom.permissions };
}

/** Somebody who has lately reset their password by mail makes nobody an owner. Throws 1013, naming the time. */
export async function refuseHeld(em: EntityManager, { personId }: PersonActor, now: Date): Promise<void> {
  const [held] = await query<{ until: string }>(
    em,
    'select held_until as until from person where id = $1 and held_until > $2',
    [personId, now],
  );
  if (held) throw new GatewayError('HELD', { message: `You have to wait until ${toDate(held.until).toISOString()}` });
}

async function refuseLastOwner(em: EntityManager, merchantId: string): Promise<void> {
  const owners = await query(em, `select from membership where merchant_id = $1 and role = 'OWNER' limit 2`, [
    merchantId,
  ]);
  if (owners.length < 2) throw new GatewayError('LAST_OWNER');
}

/** Whether a role gives the right to approve payouts. */
export const mayApprove = (held: HeldRole): boolean => permissionsOf(held).includes('APPROVE_PAYOUTS');

/** From when somebody may approve payouts with their next role: those who could already go on, others wait. */
function approvesFrom({ payoutHoldMs }: PeopleDeps, before: MemberRow, next: HeldRole, now: Date): Date | null {
  if (!mayApprove(next)) return null;
  return before.approvesFrom === null ? new Date(now.getTime() + payoutHoldMs) : toDate(before.approvesFrom);
}

/** The merchant's e-mail address is that of the owner of longest standing. */
async function keepOwnersEmail(em: EntityManager, merchantId: string): Promise<void> {
  await query(
    em,
    `update merchant set email = p.email from person p where merchant.id = $1 and merchant.email <> p.email
     and p.id = (select person_id from membership where merchant_id = $1 and role = 'OWNER'
       order by created_at, person_id limit 1)`,
    [merchantId],
  );
}
