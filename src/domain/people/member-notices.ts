// Tells a merchant's owners, and the member it is about, that what somebody may do there has changed.

import { query, type EntityManager } from '../../database/connection.ts';
import type { Deps } from '../deps.ts';
import { nameOfActor, tellMembers, toldTime } from '../mail/notices.ts';

type NoticeDeps = Pick<Deps, 'sendsMail'>;

/** A change of what members may do. */
export interface MemberChange {
  readonly merchantId: string;
  /** The person who made it. */
  readonly personId: string | null;
  /** Whose rights changed: the address of a member, or the name of a role. */
  readonly member: string;
  /** The member, who may have been an owner until now; null for a role. */
  readonly memberId: string | null;
}

/** Tells of a change in the current transaction. */
export async function tellMemberChange(
  em: EntityManager,
  deps: NoticeDeps,
  { merchantId, personId, member, memberId }: MemberChange,
  now: Date,
): Promise<void> {
  if (deps.sendsMail !== true) return;
  const by = await nameOfActor(em, { keyId: null, personId });
  const audience = { owners: true, people: [memberId] } as const;
  await tellMembers(em, deps, audience, { merchantId, template: 'MEMBER_CHANGED', params: { by, member } }, now);
}

/** Members who may newly approve payouts, after their hold. */
export interface NewApprovers {
  readonly merchantId: string;
  /** The person who gave them the right. */
  readonly personId: string | null;
  /** Their addresses. */
  readonly members: readonly string[];
  readonly from: Date;
}

/** Tells the owners of new approvers in the current transaction. */
export async function tellNewApprovers(
  em: EntityManager,
  deps: NoticeDeps,
  { merchantId, personId, members, from }: NewApprovers,
  now: Date,
): Promise<void> {
  if (deps.sendsMail !== true || members.length === 0) return;
  const by = await nameOfActor(em, { keyId: null, personId });
  for (const member of members) {
    const params = { by, member, from: toldTime(from) };
    await tellMembers(em, deps, { owners: true }, { merchantId, template: 'APPROVER_ADDED', params }, now);
  }
}

/** The addresses of those with a custom role who may not approve payouts. */
export async function readOtherThanApprovers(em: EntityManager, roleId: string): Promise<string[]> {
  const rows = await query<{ email: string }>(
    em,
    `select p.email from membership m join person p on p.id = m.person_id
     where m.role_id = $1 and m.approves_from is null order by m.created_at, p.id`,
    [roleId],
  );
  return rows.map(({ email }) => email);
}
