// The identities at a provider that people sign in by. Each is one person's, by issuer and subject; an e-mail address
// that the provider tells of links nothing (contract-people-payouts, section A).

import { query, toDate, type EntityManager } from '../../database/connection.ts';
import { GatewayError } from '../../values/errors.ts';
import { isId, newId } from '../../values/id.ts';
import type { ProviderIdentity } from '../../values/identity-provider.ts';
import type { PersonActor } from '../actor.ts';
import { inTransaction, type Deps } from '../deps.ts';
import { endSignIns } from '../factors/challenges.ts';
import { lockPerson, requireWayIn } from '../factors/way-in.ts';
import { tellPerson } from '../mail/notices.ts';
import { recordAudit } from '../merchants/audit-log.ts';

/** An identity that somebody may sign in by. */
export interface Identity {
  readonly id: string;
  readonly issuer: string;
  /** The address or name that the provider told when it was linked. */
  readonly label: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

interface IdentityRow extends Pick<Identity, 'id' | 'issuer' | 'label'> {
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
}

type IdentityDeps = Pick<Deps, 'db' | 'clock' | 'sendsMail'>;

/** Identities of a person: one more is refused. */
const MOST_IDENTITIES = 10;

/** A person's identities, the oldest first. */
export async function listIdentities({ db }: Pick<Deps, 'db'>, personId: string): Promise<Identity[]> {
  const rows = await query<IdentityRow>(
    db.em,
    `select id, issuer, label, created_at as "createdAt", last_used_at as "lastUsedAt" from oidc_identity
     where person_id = $1 order by created_at, id`,
    [personId],
  );
  return rows.map(({ createdAt, lastUsedAt, ...row }) => ({
    ...row,
    createdAt: toDate(createdAt),
    lastUsedAt: lastUsedAt === null ? null : toDate(lastUsedAt),
  }));
}

/** Whose an identity is, which is noted as used; null if it is linked to no person. */
export async function personOfIdentity(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  { issuer, subject }: ProviderIdentity,
): Promise<string | null> {
  const [row] = await query<{ personId: string }>(
    db.em,
    'update oidc_identity set last_used_at = $3 where issuer = $1 and subject = $2 returning person_id as "personId"',
    [issuer, subject, clock.now()],
  );
  return row?.personId ?? null;
}

/**
 * Links an identity to a person in the current transaction, which holds them. Errors: 2011 for one that is somebody's,
 * and for an eleventh.
 */
export async function insertIdentity(
  em: EntityManager,
  personId: string,
  { issuer, subject, label }: ProviderIdentity,
  now: Date,
): Promise<string> {
  const had = await query(em, 'select from oidc_identity where person_id = $1', [personId]);
  if (had.length >= MOST_IDENTITIES)
    throw new GatewayError('PEOPLE_CONFLICT', { message: `There may be at most ${MOST_IDENTITIES} identities` });
  const id = newId('idn', now.getTime());
  const made = await query(
    em,
    `insert into oidc_identity (id, person_id, issuer, subject, label, created_at) values ($1, $2, $3, $4, $5, $6)
     on conflict (issuer, subject) do nothing returning 1`,
    [id, personId, issuer, subject, label, now],
  );
  if (made.length === 0) throw new GatewayError('PEOPLE_CONFLICT', { message: 'This identity is linked already' });
  return id;
}

/** A session in which somebody links an identity, and the request with which it comes. */
export interface Linking {
  readonly personId: string;
  readonly sessionId: string;
  readonly ip: string;
  readonly requestId: string;
}

/** Links an identity to the person of a session, and tells them. Errors: 1002 if the session has ended, 2011. */
export function linkIdentity(
  deps: IdentityDeps,
  { personId, sessionId, ip, requestId }: Linking,
  identity: ProviderIdentity,
): Promise<void> {
  return inTransaction(deps, async (em) => {
    const now = deps.clock.now();
    await lockPerson(em, personId);
    // Under the lock: what ends sessions because an intruder may have one unlinks identities as well.
    const [session] = await query<{ merchantId: string }>(
      em,
      `select merchant_id as "merchantId" from owner_session
       where id = $1 and person_id = $2 and merchant_id is not null and ended_at is null and expires_at > $3`,
      [sessionId, personId, now],
    );
    if (!session) throw new GatewayError('INVALID_TOKEN');
    const id = await insertIdentity(em, personId, identity, now);
    const { issuer, label } = identity;
    const actor = { ...session, keyId: null, personId, ip, requestId };
    await recordAudit(em, actor, { action: 'IDENTITY_LINKED', target: id, details: { issuer, label } }, now);
    await tellIdentities(em, deps, personId, now);
  });
}

/**
 * Unlinks an identity of the person who acts; sign-ins that began by it end. `issuer` is the provider of now. Errors:
 * 2004, 2011 for their last way in.
 */
export function removeIdentity(
  deps: IdentityDeps,
  actor: PersonActor,
  { id, issuer }: { readonly id: string; readonly issuer: string | null },
): Promise<void> {
  if (!isId('idn', id)) throw new GatewayError('NOT_FOUND');
  return inTransaction(deps, async (em) => {
    const now = deps.clock.now();
    await lockPerson(em, actor.personId);
    const [removed] = await query<Pick<Identity, 'issuer' | 'label'>>(
      em,
      'delete from oidc_identity where id = $1 and person_id = $2 returning issuer, label',
      [id, actor.personId],
    );
    if (!removed) throw new GatewayError('NOT_FOUND');
    if (removed.issuer === issuer) await requireWayIn(em, actor.personId, issuer);
    await endSignIns(em, actor.personId, now);
    await recordAudit(em, actor, { action: 'IDENTITY_REMOVED', target: id, details: removed }, now);
    await tellIdentities(em, deps, actor.personId, now);
  });
}

/** Whether a person has nothing but identities of this provider: no password, and no factor. */
export async function hasIdentityAlone({ db }: Pick<Deps, 'db'>, personId: string, issuer: string): Promise<boolean> {
  const found = await query(
    db.em,
    `select from person p where p.id = $1 and p.password_hash is null
       and not exists (select from factor f where f.person_id = p.id)
       and exists (select from oidc_identity i where i.person_id = p.id and i.issuer = $2)`,
    [personId, issuer],
  );
  return found.length > 0;
}

/** Unlinks all identities of a person in the current transaction; returns how many there were. */
export async function removeIdentities(em: EntityManager, personId: string): Promise<number> {
  return (await query(em, 'delete from oidc_identity where person_id = $1 returning 1', [personId])).length;
}

const tellIdentities = (em: EntityManager, deps: Pick<Deps, 'sendsMail'>, personId: string, now: Date) =>
  tellPerson(em, deps, { personId, template: 'IDENTITY_CHANGED', params: {} }, now);
