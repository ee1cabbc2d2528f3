// The owner of a merchant account: sessions and password. Callers hash and verify passwords.

import { randomUUID } from 'node:crypto';
import { query, toDate, type EntityManager } from '../../database/connection.ts';
import { GatewayError } from '../../values/errors.ts';
import { isId, newId } from '../../values/id.ts';
import type { Actor } from '../actor.ts';
import { recordAudit } from './audit-log.ts';
import { inTransaction, type Deps } from '../deps.ts';

/** The owner behind an e-mail address. `passwordHash` is null if nobody may sign in. */
export interface Owner {
  readonly merchantId: string;
  readonly passwordHash: string | null;
}

/** Finds the owner by e-mail address, in any case; null if there is none. */
export async function findOwner({ db }: Pick<Deps, 'db'>, email: string): Promise<Owner | null> {
  const rows = await query<Owner>(
    db.em,
    'select id as "merchantId", password_hash as "passwordHash" from merchant where email = $1',
    [email.toLowerCase()],
  );
  return rows[0] ?? null;
}

/** The credentials of a merchant's owner. */
export async function readCredentials(
  { db }: Pick<Deps, 'db'>,
  merchantId: string,
): Promise<{ readonly email: string; readonly passwordHash: string | null }> {
  const [row] = await query<{ email: string; passwordHash: string | null }>(
    db.em,
    'select email, password_hash as "passwordHash" from merchant where id = $1',
    [merchantId],
  );
  return row ?? { email: '', passwordHash: null };
}

type OwnerDeps = Pick<Deps, 'db' | 'clock'>;

/** How many sessions of a merchant can be open at once. Opening one more ends the oldest. */
const MOST_SESSIONS = 50;

interface NewSession {
  readonly ttlSeconds: number;
  /** Whether the token goes into the console's cookie and is not shown. */
  readonly byCookie: boolean;
}

/** Opens a session; returns its id. */
export function openSession(deps: OwnerDeps, actor: Actor, { ttlSeconds, byCookie }: NewSession): Promise<string> {
  return inTransaction(deps, async (em) => {
    const now = deps.clock.now();
    const id = newId('ses', now.getTime());
    const expiresAt = new Date(now.getTime() + ttlSeconds * 1_000);
    await query(
      em,
      `insert into owner_session (id, merchant_id, created_at, expires_at, ip, by_cookie)
       values ($1, $2, $3, $4, $5, $6)`,
      [id, actor.merchantId, now, expiresAt, actor.ip, byCookie],
    );
    await query(
      em,
      `update owner_session set ended_at = $2 where ended_at is null and id in (
         select id from owner_session where merchant_id = $1 and ended_at is null order by id desc offset $3)`,
      [actor.merchantId, now, MOST_SESSIONS],
    );
    await recordAudit(em, actor, { action: 'OWNER_SIGNED_IN', target: id }, now);
    return id;
  });
}

/** An open session. */
export interface OwnerSession {
  readonly id: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** The address it was opened from. */
  readonly ip: string;
}

/** A merchant's open sessions, newest first. */
export async function listSessions({ db, clock }: OwnerDeps, merchantId: string): Promise<OwnerSession[]> {
  const rows = await query<Record<'id' | 'createdAt' | 'expiresAt' | 'ip', string>>(
    db.em,
    `select id, created_at as "createdAt", expires_at as "expiresAt", ip from owner_session
     where merchant_id = $1 and ended_at is null and expires_at > $2 order by id desc`,
    [merchantId, clock.now()],
  );
  return rows.map((row) => ({ ...row, createdAt: toDate(row.createdAt), expiresAt: toDate(row.expiresAt) }));
}

/**
 * Ends a session; its tokens and sockets end within a second. `own` if it is the caller's own session. Errors: 2004.
 */
export function endSession(deps: OwnerDeps, actor: Actor, id: string, own: boolean): Promise<void> {
  return inTransaction(deps, async (em) => {
    const now = deps.clock.now();
    const ended = isId('ses', id) ? await end(em, actor.merchantId, 'id = $3', id, now) : 0;
    if (ended === 0) throw new GatewayError('NOT_FOUND');
    await recordAudit(em, actor, { action: own ? 'OWNER_SIGNED_OUT' : 'SESSION_ENDED', target: id }, now);
  });
}

/** A confirmation by password is valid for five minutes. */
const CONFIRMED_FOR_MS = 5 * 60_000;

/** Records that the owner has just confirmed their password. */
export async function confirmSession({ db, clock }: OwnerDeps, sessionId: string): Promise<void> {
  await query(db.em, 'update owner_session set confirmed_at = $2 where id = $1', [sessionId, clock.now()]);
}

/**
 * Throws 1004 unless the owner has recently confirmed their password in this session. Required only for sessions of the
 * console: those authenticated by its cookie, and those opened with a cookie, whatever carries their token now.
 */
export async function requireConfirmation(
  { db, clock }: OwnerDeps,
  { sessionId, byCookie }: { readonly sessionId: string; readonly byCookie: boolean },
): Promise<void> {
  const since = new Date(clock.now().getTime() - CONFIRMED_FOR_MS);
  const rows = await query(
    db.em,
    'select from owner_session where id = $1 and (confirmed_at > $2 or not (by_cookie or $3))',
    [sessionId, since, byCookie],
  );
  if (rows.length === 0)
    throw new GatewayError('MISSING_PERMISSION', { message: 'Missing permission: PASSWORD_CONFIRMATION' });
}

/** Changes the password and ends all sessions except the current one. */
export function changePassword(deps: OwnerDeps, actor: Actor, passwordHash: string, sessionId: string): Promise<void> {
  return inTransaction(deps, async (em) => {
    const now = deps.clock.now();
    await query(em, 'update merchant set password_hash = $2 where id = $1', [actor.merchantId, passwordHash]);
    const endedSessions = await end(em, actor.merchantId, 'id <> $3', sessionId, now);
    await recordAudit(em, actor, { action: 'PASSWORD_CHANGED', target: null, details: { endedSessions } }, now);
  });
}

/**
 * Sets a new password for an owner who lost theirs, and ends all their sessions; returns how many. Only the operator
 * can do it, on the machine itself: without a mail server the gateway has no other way to identify the owner.
 */
export function resetPassword(deps: OwnerDeps, merchantId: string, passwordHash: string): Promise<number> {
  const actor: Actor = { merchantId, keyId: null, ip: '127.0.0.1', requestId: randomUUID(), isOperator: true };
  return inTransaction(deps, async (em) => {
    const now = deps.clock.now();
    await query(em, 'update merchant set password_hash = $2 where id = $1', [merchantId, passwordHash]);
    const endedSessions = await end(em, merchantId, 'id <> $3', 'none', now);
    await recordAudit(em, actor, { action: 'PASSWORD_RESET', target: null, details: { endedSessions } }, now);
    return endedSessions;
  });
}

async function end(
  em: EntityManager,
  merchantId: string,
  which: 'id = $3' | 'id <> $3',
  id: string,
  now: Date,
): Promise<number> {
  const ended = await query(
    em,
    `update owner_session set ended_at = $2 where merchant_id = $1 and ended_at is null and ${which} returning 1`,
    [merchantId, now, id],
  );
  return ended.length;
}
