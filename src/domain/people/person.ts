// A person as they see themselves: their profile, and the merchants that they belong to.

import { query, toDate, type EntityManager } from '../../database/connection.ts';
import { Merchant } from '../../entities/merchant.ts';
import { GatewayError } from '../../values/errors.ts';
import { permissionsOf, type CustomRole, type MemberPermission, type Role } from '../../values/member-permission.ts';
import type { PersonActor } from '../actor.ts';
import { inTransaction, type Deps } from '../deps.ts';
import { storeAnswer, takeKey, whileInFlight, type IdempotencyKey, type IdempotentResult } from '../idempotency.ts';
import { recordAudit } from '../merchants/audit-log.ts';
import { insertMerchant } from '../merchants/merchant.ts';
import { readFactors, type Factor } from '../factors/factors.ts';
import { listIdentities, type Identity } from './identities.ts';
import { useMerchantInvitation } from './merchant-invitations.ts';

/** A merchant that somebody belongs to, and what they may do there. */
export interface Membership {
  readonly merchant: Merchant;
  readonly role: Role;
  readonly customRole: CustomRole | null;
  readonly permissions: readonly MemberPermission[];
}

export interface Person {
  readonly id: string;
  readonly email: string;
  readonly emailVerifiedAt: Date | null;
  readonly name: string;
  readonly locale: string;
  readonly heldUntil: Date | null;
  readonly factors: readonly Factor[];
  readonly recoveryCodesLeft: number;
  readonly hasPassword: boolean;
  readonly identities: readonly Identity[];
  readonly memberships: readonly Membership[];
}

interface PersonRow extends Pick<Person, 'id' | 'email' | 'name' | 'hasPassword'> {
  readonly locale: string | null;
  readonly emailVerifiedAt: string | null;
  readonly heldUntil: string | null;
}

/** Reads a person with their memberships, those of longest standing first. */
export async function readPerson({ db }: Pick<Deps, 'db'>, id: string): Promise<Person> {
  const [row] = await query<PersonRow>(
    db.em,
    `select id, email, email_verified_at as "emailVerifiedAt", name, locale, held_until as "heldUntil",
       password_hash is not null as "hasPassword"
     from person where id = $1`,
    [id],
  );
  if (!row) throw new GatewayError('INVALID_TOKEN');
  return {
    ...row,
    locale: row.locale ?? 'en',
    emailVerifiedAt: row.emailVerifiedAt === null ? null : toDate(row.emailVerifiedAt),
    heldUntil: row.heldUntil === null ? null : toDate(row.heldUntil),
    ...(await readFactors({ db }, id)),
    identities: await listIdentities({ db }, id),
    memberships: await readMemberships({ db }, id),
  };
}

async function readMemberships({ db }: Pick<Deps, 'db'>, personId: string): Promise<Membership[]> {
  const rows = await query<{
    merchantId: string;
    role: Role;
    id: string | null;
    name: string;
    custom: string[] | null;
  }>(
    db.em,
    `select m.merchant_id as "merchantId", m.role, r.id, r.name, r.permissions as custom
     from membership m left join custom_role r on r.id = m.role_id
     where m.person_id = $1 order by m.created_at, m.merchant_id`,
    [personId],
  );
  const merchants = await db.em.fork().find(Merchant, { id: { $in: rows.map(({ merchantId }) => merchantId) } });
  const byId = new Map(merchants.map((merchant) => [merchant.id, merchant]));
  return rows.flatMap(({ merchantId, id, name, ...held }) => {
    const [merchant, permissions] = [byId.get(merchantId), permissionsOf(held)];
    return merchant
      ? [{ merchant, role: held.role, customRole: id === null ? null : { id, name, permissions }, permissions }]
      : [];
  });
}

/** The merchant that a person signs in to: the one used last, or else that of longest standing; null for none. */
export async function homeOf({ db }: Pick<Deps, 'db'>, personId: string): Promise<string | null> {
  const [home] = await query<{ merchantId: string }>(
    db.em,
    `select m.merchant_id as "merchantId" from membership m join person p on p.id = m.person_id where p.id = $1
     order by m.merchant_id is distinct from p.last_merchant_id, m.created_at, m.merchant_id limit 1`,
    [personId],
  );
  return home?.merchantId ?? null;
}

/** What somebody may do at a merchant; nothing if they do not belong to them. */
export async function permissionsAt(
  { db }: Pick<Deps, 'db'>,
  personId: string,
  merchantId: string,
): Promise<readonly MemberPermission[]> {
  const [held] = await query<{ role: Role; custom: string[] | null }>(
    db.em,
    `select m.role, r.permissions as custom from membership m left join custom_role r on r.id = m.role_id
     where m.person_id = $1 and m.merchant_id = $2`,
    [personId, merchantId],
  );
  return held ? permissionsOf(held) : [];
}

/** What somebody changes about themselves; null and undefined both mean no change. */
export interface Profile {
  readonly name?: string | null;
  readonly locale?: string | null;
}

/** Changes a person's name or language. */
export async function updateProfile(
  deps: Pick<Deps, 'db'>,
  personId: string,
  { name = null, locale = null }: Profile,
): Promise<Person> {
  const change = 'update person set name = coalesce($2, name), locale = coalesce($3, locale) where id = $1';
  await query(deps.db.em, change, [personId, name, locale]);
  return readPerson(deps, personId);
}

/** A merchant of a person who has others: what is answered, and kept for repeats. */
export type AddedMerchant = Pick<Merchant, 'id' | 'email' | 'companyName' | 'createdAt'>;

/** A merchant to make, by an invitation whose link had the right secret, or (null) where everybody may. */
export interface OwnMerchant {
  readonly companyName: string;
  readonly invitationId: string | null;
}

/**
 * Makes another merchant, whose owner is the person; they go on with the one that they use. Errors: 2002, 2003; 2004
 * and 2011 for an invitation that does not fit.
 */
export function addOwnMerchant(
  deps: Pick<Deps, 'db' | 'clock'>,
  actor: PersonActor,
  { companyName, invitationId }: OwnMerchant,
  idempotencyKey: IdempotencyKey | null,
): Promise<IdempotentResult<AddedMerchant>> {
  return whileInFlight(idempotencyKey, () =>
    inTransaction(deps, async (em) => {
      const earlier = idempotencyKey && (await takeKey<AddedMerchant>(em, idempotencyKey));
      if (earlier) return { result: { ...earlier, createdAt: new Date(earlier.createdAt) }, replayed: true };
      const now = deps.clock.now();
      const [person] = await query<{ email: string; passwordHash: string | null }>(
        em,
        'select email, password_hash as "passwordHash" from person where id = $1',
        [actor.personId],
      );
      if (!person) throw new GatewayError('INVALID_TOKEN');
      if (invitationId !== null) await invitePerson(em, { ...person, personId: actor.personId, invitationId }, now);
      const { id, email, createdAt } = await insertMerchant(em, { ...person, companyName }, actor.personId, now);
      const added = { ...actor, merchantId: id };
      await recordAudit(em, added, { action: 'MERCHANT_ADDED', target: id, details: { companyName } }, now);
      const result = { id, email, companyName, createdAt };
      if (idempotencyKey && !(await storeAnswer(em, idempotencyKey, result, now)))
        throw new GatewayError('IDEMPOTENCY_IN_FLIGHT');
      return { result, replayed: false };
    }),
  );
}

interface Invited {
  readonly personId: string;
  readonly email: string;
  readonly invitationId: string;
}

/** Uses an invitation of a person, whose address it confirms; one that they have just changed was not invited. */
async function invitePerson(em: EntityManager, { personId, email, invitationId }: Invited, now: Date): Promise<void> {
  const { verifiedAt } = await useMerchantInvitation(em, { id: invitationId, email }, now);
  const found = await query(
    em,
    `update person set email_verified_at = coalesce(email_verified_at, $3) where id = $1 and email = $2 returning 1`,
    [personId, email, verifiedAt],
  );
  if (found.length === 0) throw new GatewayError('PEOPLE_CONFLICT');
}
