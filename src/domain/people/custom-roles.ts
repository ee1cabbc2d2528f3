// A merchant's own roles: a name and permissions, none of which their maker lacks.

import { query, type EntityManager } from '../../database/connection.ts';
import { hasSqlState, UNIQUE_VIOLATION } from '../../database/sql-state.ts';
import { GatewayError, invalid } from '../../values/errors.ts';
import { isId, newId } from '../../values/id.ts';
import { inMemberOrder, type CustomRole, type MemberPermission } from '../../values/member-permission.ts';
import type { PersonActor } from '../actor.ts';
import type { Deps } from '../deps.ts';
import { recordAudit } from '../merchants/audit-log.ts';
import { readOtherThanApprovers, tellMemberChange, tellNewApprovers } from './member-notices.ts';
import { requireFor, underMerchantLock, type PeopleDeps } from './members.ts';

/** What a role becomes; null and undefined both mean no change. */
export interface RoleChange {
  readonly name?: string | null;
  readonly permissions?: readonly MemberPermission[] | null;
}

/** How many custom roles a merchant may have. */
const MOST_ROLES = 20;

/** A merchant's roles by name. */
export async function listRoles({ db }: Pick<Deps, 'db'>, merchantId: string): Promise<CustomRole[]> {
  const all = 'select id, name, permissions from custom_role where merchant_id = $1 order by lower(name)';
  return (await query<CustomRole>(db.em, all, [merchantId])).map(inOrder);
}

const inOrder = (role: CustomRole): CustomRole => ({ ...role, permissions: inMemberOrder(role.permissions) });

/** Makes a role. Errors: 1004 for a permission that its maker lacks, 2001 for a used name or one role too many. */
export function createRole(
  deps: PeopleDeps,
  actor: PersonActor,
  { name, permissions }: Pick<CustomRole, 'name' | 'permissions'>,
): Promise<CustomRole> {
  const { merchantId } = actor;
  return underMerchantLock(deps, actor, async (em, own) => {
    requireFor(own, { role: 'CUSTOM', custom: permissions });
    const roles = await query(em, 'select from custom_role where merchant_id = $1', [merchantId]);
    if (roles.length >= MOST_ROLES)
      throw invalid([{ path: '', message: `There may be at most ${MOST_ROLES} roles; delete one first` }]);
    const now = deps.clock.now();
    const role = inOrder({ id: newId('rol', now.getTime()), name, permissions });
    await query(
      em,
      'insert into custom_role (id, merchant_id, name, permissions, created_at) values ($1, $2, $3, $4, $5)',
      [role.id, merchantId, name, role.permissions, now],
    ).catch(refuseUsedName);
    await recordAudit(em, actor, { action: 'ROLE_CREATED', target: role.id, details: toDetails(role) }, now);
    return role;
  });
}

/**
 * Changes a role, for all who have it: within a second for their tokens and sockets. Errors: 2004; 1004 for an old or
 * new permission that the caller lacks; 2001 for a used name.
 */
export function updateRole(deps: PeopleDeps, actor: PersonActor, id: string, change: RoleChange): Promise<CustomRole> {
  return underMerchantLock(deps, actor, async (em, own) => {
    const before = await readRole(em, actor.merchantId, id);
    const name = change.name ?? before.name;
    const after = inOrder({ id, name, permissions: change.permissions ?? before.permissions });
    for (const { permissions } of [before, after]) requireFor(own, { role: 'CUSTOM', custom: permissions });
    const now = deps.clock.now();
    const values = [id, after.name, after.permissions];
    await query(em, 'update custom_role set name = $2, permissions = $3 where id = $1', values).catch(refuseUsedName);
    const members = await readOtherThanApprovers(em, id);
    const from = await moveApprovals(deps, em, after, now);
    await recordAudit(em, actor, { action: 'ROLE_CHANGED', target: id, details: toDetails(after) }, now);
    await tellMemberChange(em, deps, { ...actor, member: name, memberId: null }, now);
    if (from !== null) await tellNewApprovers(em, deps, { ...actor, members, from }, now);
    return after;
  });
}

/** Deletes a role that nobody has. Errors: 2004, 1004, 2011. */
export function deleteRole(deps: PeopleDeps, actor: PersonActor, id: string): Promise<void> {
  return underMerchantLock(deps, actor, async (em, own) => {
    const role = await readRole(em, actor.merchantId, id);
    requireFor(own, { role: 'CUSTOM', custom: role.permissions });
    const used = await query(em, 'select from membership where merchant_id = $1 and role_id = $2 limit 1', [
      actor.merchantId,
      id,
    ]);
    if (used.length > 0) throw new GatewayError('PEOPLE_CONFLICT', { message: 'Somebody has this role' });
    await query(em, 'delete from custom_role where id = $1', [id]);
    const now = deps.clock.now();
    await recordAudit(em, actor, { action: 'ROLE_DELETED', target: id, details: toDetails(role) }, now);
  });
}

async function readRole(em: EntityManager, merchantId: string, id: string): Promise<CustomRole> {
  const find = 'select id, name, permissions from custom_role where merchant_id = $1 and id = $2';
  const [role] = isId('rol', id) ? await query<CustomRole>(em, find, [merchantId, id]) : [];
  if (!role) throw new GatewayError('NOT_FOUND');
  return inOrder(role);
}

/**
 * Those who get the right to approve payouts by a changed role wait like others who get it; those who lose it, lose it.
 * Returns until when they wait; null for a role without that right.
 */
async function moveApprovals(
  { payoutHoldMs }: PeopleDeps,
  em: EntityManager,
  { id, permissions }: CustomRole,
  now: Date,
): Promise<Date | null> {
  const from = permissions.includes('APPROVE_PAYOUTS') ? new Date(now.getTime() + payoutHoldMs) : null;
  const approves = 'case when $2::timestamptz is null then null else coalesce(approves_from, $2) end';
  await query(em, `update membership set approves_from = ${approves} where role_id = $1`, [id, from]);
  return from;
}

const toDetails = ({ name, permissions }: CustomRole) => ({ name, permissions });

function refuseUsedName(error: unknown): never {
  throw hasSqlState(error, UNIQUE_VIOLATION)
    ? invalid([{ path: 'name', message: 'is the name of another role' }])
    : error;
}
