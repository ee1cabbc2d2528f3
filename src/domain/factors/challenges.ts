// Challenges: something asks for a factor, and waits five minutes and five answers for it. A try is counted before the
// answer is judged, so that of a thousand answers at once five are looked at.

import { query, toDate, type EntityManager } from '../../database/connection.ts';
import { GatewayError } from '../../values/errors.ts';
import { isId, newId } from '../../values/id.ts';
import type { Deps } from '../deps.ts';

export type ChallengePurpose =
  'SIGN_IN' | 'PASSKEY_SIGN_IN' | 'MAIL_SIGN_IN' | 'CONFIRMATION' | 'TOTP_SETUP' | 'PASSKEY_SETUP' | OidcPurpose;

/** OIDC: a browser is at the provider, or will be. The others: what it is to go there for, besides signing in. */
export type OidcPurpose = 'OIDC' | 'OIDC_LINK' | 'OIDC_INVITATION';

const OPEN_FOR_MS = 5 * 60_000;
const MOST_TRIES = 5;
/** Open challenges of a person, over all purposes: one more ends the oldest. */
const MOST_OPEN = 50;

/** A challenge that may still be answered. */
export interface Challenge {
  readonly id: string;
  readonly purpose: ChallengePurpose;
  /** Null for a sign-in by passkey, and for one by a mailed code that nobody can answer. */
  readonly personId: string | null;
  /** Whether the sign-in that it belongs to opens a session of an operator. */
  readonly forOperator: boolean;
  /** The random text that a passkey has to sign, in base64url; null if none may answer. */
  readonly webauthn: string | null;
  /** Sealed: the secret of the authenticator app that is being set up, or what is kept of a way to the provider. */
  readonly sealedSecret: Buffer | null;
  /** Of a sign-in by a mailed code: the address that was given; null for the others. */
  readonly email: string | null;
  /** Whether the mailed code was right, and a factor of their own is still asked for. */
  readonly isMailShown: boolean;
  /** Of a confirmation: whether the provider vouched for the person anew. */
  readonly isVouched: boolean;
  readonly expiresAt: Date;
}

/** What a challenge is for, and whose. */
export interface NewChallenge {
  readonly purpose: ChallengePurpose;
  readonly personId: string | null;
  readonly sessionId: string | null;
  readonly forOperator?: boolean;
  readonly webauthn?: string | null;
  readonly sealedSecret?: Buffer | null;
  readonly email?: string | null;
  /** The id to give it, if something was sealed for it. */
  readonly id?: string;
  /** How long it waits, if not five minutes. */
  readonly openForMs?: number;
}

type ChallengeDeps = Pick<Deps, 'db' | 'clock'>;

/** A fresh id for a challenge. */
export const newChallengeId = ({ clock }: Pick<Deps, 'clock'>): string => newId('chg', clock.now().getTime());

/** Opens a challenge, in the current transaction if there is one. */
export async function openChallenge(
  deps: ChallengeDeps,
  { purpose, personId, sessionId, ...given }: NewChallenge,
  em: EntityManager = deps.db.em,
): Promise<Challenge> {
  const { id = newChallengeId(deps), forOperator = false, webauthn = null, sealedSecret = null, email = null } = given;
  const now = deps.clock.now();
  const expiresAt = new Date(now.getTime() + (given.openForMs ?? OPEN_FOR_MS));
  await query(
    em,
    `with surplus as (
       select id from challenge where person_id = $3 and used_at is null and expires_at > $7
       order by id desc offset $9 for update skip locked
     ), ended as (
       update challenge set used_at = $7 where id in (select id from surplus)
     )
     insert into challenge (id, purpose, person_id, session_id, webauthn, sealed_secret, created_at, expires_at, operator,
       email)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $10, $11)`,
    [id, purpose, personId, sessionId, webauthn, sealedSecret, now, expiresAt, MOST_OPEN - 1, forOperator, email],
  );
  const shown = { isMailShown: false, isVouched: false };
  return { id, purpose, personId, forOperator, webauthn, sealedSecret, email, ...shown, expiresAt };
}

/** Who answers: the session that asked, or null when somebody signs in. */
export interface Answering {
  readonly purposes: readonly ChallengePurpose[];
  readonly sessionId: string | null;
}

/**
 * Takes one of the tries of a challenge. Errors: 2004 for one that does not exist, is another session's, was answered,
 * has expired or has no tries left.
 */
export async function takeTry(
  { db, clock }: ChallengeDeps,
  id: string,
  { purposes, sessionId }: Answering,
): Promise<Challenge> {
  const [row] = isId('chg', id)
    ? await query<Omit<Challenge, 'id' | 'expiresAt'> & { expiresAt: string }>(
        db.em,
        `update challenge set tries = tries + 1
         where id = $1 and purpose = any($2) and session_id is not distinct from $3
           and used_at is null and expires_at > $4 and tries < $5
         returning purpose, person_id as "personId", operator as "forOperator", webauthn, sealed_secret as "sealedSecret",
           email, mail_shown_at is not null as "isMailShown", vouched_at is not null as "isVouched",
           expires_at as "expiresAt"`,
        [id, purposes, sessionId, clock.now(), MOST_TRIES],
      )
    : [];
  if (!row) throw new GatewayError('NOT_FOUND');
  return { ...row, id, expiresAt: toDate(row.expiresAt) };
}

/** Uses up a challenge in the current transaction: of two right answers at once one wins. Errors: 2004. */
export async function closeChallenge(em: EntityManager, id: string, now: Date): Promise<void> {
  const closed = await query(
    em,
    'update challenge set used_at = $2 where id = $1 and used_at is null and expires_at > $2 returning 1',
    [id, now],
  );
  if (closed.length === 0) throw new GatewayError('NOT_FOUND');
}

/**
 * Notes in the current transaction that a mailed code was right: of two right answers at once one wins. The answer was
 * not wrong, so it takes none of the tries. Errors: 2004.
 */
export async function noteMailShown(em: EntityManager, id: string, now: Date): Promise<void> {
  const noted = await query(
    em,
    `update challenge set mail_shown_at = $2, tries = tries - 1
     where id = $1 and mail_shown_at is null and used_at is null and expires_at > $2 returning 1`,
    [id, now],
  );
  if (noted.length === 0) throw new GatewayError('NOT_FOUND');
}

/**
 * Notes that the provider vouched anew for the person who is to confirm: `confirm` finds it so. Errors: 2004 for a
 * challenge that waits no more.
 */
export async function noteVouched({ db, clock }: ChallengeDeps, id: string, personId: string): Promise<void> {
  const noted = await query(
    db.em,
    `update challenge set vouched_at = $3
     where id = $1 and purpose = 'CONFIRMATION' and person_id = $2 and used_at is null and expires_at > $3 returning 1`,
    [id, personId, clock.now()],
  );
  if (noted.length === 0) throw new GatewayError('NOT_FOUND');
}

/** Ends the sign-ins of a person that are under way, in the current transaction: they began with what has changed. */
export async function endSignIns(em: EntityManager, personId: string, now: Date): Promise<void> {
  await query(
    em,
    `update challenge set used_at = $2
     where person_id = $1 and used_at is null
       and purpose in ('SIGN_IN', 'MAIL_SIGN_IN', 'OIDC', 'OIDC_LINK')`,
    [personId, now],
  );
}
