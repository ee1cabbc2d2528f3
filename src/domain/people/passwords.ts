// The passwords of people. Callers hash and verify them.

import { randomUUID } from 'node:crypto';
import { query, type EntityManager } from '../../database/connection.ts';
import type { Actor, PersonActor } from '../actor.ts';
import { inTransaction, type Deps } from '../deps.ts';
import { endSignIns } from '../factors/challenges.ts';
import { tellPerson } from '../mail/notices.ts';
import { recordAudit } from '../merchants/audit-log.ts';
import { forgetDevices } from './devices.ts';
import { removeIdentities } from './identities.ts';
import { endSessions } from './sessions.ts';

/** What somebody signs in with. `passwordHash` is null if nobody may sign in as them. */
export interface Credentials {
  readonly personId: string;
  readonly email: string;
  readonly passwordHash: string | null;
  /** Whether the password alone does not sign them in. */
  readonly hasSecondFactor: boolean;
}

const COLUMNS = `id as "personId", email, password_hash as "passwordHash",
  exists (select from factor where person_id = person.id) as "hasSecondFactor"`;

/** Finds a person by e-mail address, in any case; null if there is none. */
export async function findByEmail({ db }: Pick<Deps, 'db'>, email: string): Promise<Credentials | null> {
  const [row] = await query<Credentials>(db.em, `select ${COLUMNS} from person where email = $1`, [
    email.toLowerCase(),
  ]);
  return row ?? null;
}

/** The credentials of a person. */
export async function readCredentials({ db }: Pick<Deps, 'db'>, personId: string): Promise<Credentials> {
  const [row] = await query<Credentials>(db.em, `select ${COLUMNS} from person where id = $1`, [personId]);
  return row ?? { personId, email: '', passwordHash: null, hasSecondFactor: false };
}

type PasswordDeps = Pick<Deps, 'db' | 'clock' | 'sendsMail'>;

/** What stays when a password is set: the session in which it is, and the browser that this belongs to. */
export interface Kept {
  readonly sessionId: string;
  readonly device: Buffer | null;
}

/** Changes the password, ends all sessions except the current one, and tells the person by mail. */
export function changePassword(
  deps: PasswordDeps,
  actor: PersonActor,
  passwordHash: string,
  kept: Kept,
): Promise<void> {
  return inTransaction(deps, async (em) => {
    const now = deps.clock.now();
    const endedSessions = await setPassword(em, actor.personId, passwordHash, kept, now);
    await tellPerson(em, deps, { personId: actor.personId, template: 'PASSWORD_CHANGED', params: {} }, now);
    await recordAudit(em, actor, { action: 'PASSWORD_CHANGED', target: null, details: { endedSessions } }, now);
  });
}

/**
 * Sets a new password for somebody who lost theirs, and ends all their sessions; returns how many. For the operator, on
 * the machine itself. It is recorded for the merchant that they used last.
 */
export function resetPassword(deps: PasswordDeps, personId: string, passwordHash: string): Promise<number> {
  return inTransaction(deps, async (em) => {
    const now = deps.clock.now();
    const endedSessions = await setPassword(em, personId, passwordHash, null, now);
    const [person] = await query<{ merchantId: string | null }>(
      em,
      'select last_merchant_id as "merchantId" from person where id = $1',
      [personId],
    );
    if (person?.merchantId != null) {
      const by = { keyId: null, ip: '127.0.0.1', requestId: randomUUID(), isOperator: true } as const;
      const actor: Actor = { merchantId: person.merchantId, ...by };
      await recordAudit(em, actor, { action: 'PASSWORD_RESET', target: personId, details: { endedSessions } }, now);
    }
    return endedSessions;
  });
}

/**
 * Sets a password in the current transaction, and ends all sessions but what is kept, and sign-ins that are under way;
 * returns how many sessions. Other browsers are not known any more: somebody who knew the password may have been there.
 * Where nothing is kept, identities are unlinked as well: they stand for the password, and may be somebody else's.
 */
export async function setPassword(
  em: EntityManager,
  personId: string,
  passwordHash: string,
  kept: Kept | null,
  now: Date,
): Promise<number> {
  await query(em, 'update person set password_hash = $2 where id = $1', [personId, passwordHash]);
  await forgetDevices(em, personId, kept?.device ?? null);
  await endSignIns(em, personId, now);
  if (kept === null) await removeIdentities(em, personId);
  return endSessions(em, personId, { allBut: kept?.sessionId ?? null }, now);
}
