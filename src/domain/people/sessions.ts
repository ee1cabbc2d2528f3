// The sessions of people, over all merchants that they belong to: each is at one merchant at a time.

import { query, toDate, type EntityManager } from '../../database/connection.ts';
import type { FactorKind } from '../../entities/enums.ts';
import { GatewayError } from '../../values/errors.ts';
import { isId, newId } from '../../values/id.ts';
import type { PersonActor, SelfActor } from '../actor.ts';
import { inTransaction, type Deps } from '../deps.ts';
import { deviceName } from '../../values/user-agent.ts';
import { tellPerson, toldTime } from '../mail/notices.ts';
import { recordAudit, recordOwnChange } from '../merchants/audit-log.ts';
import { addressKeysOf, rememberAddress, type SignInSecrets } from '../merchants/sign-in-addresses.ts';
import { noteDevice, type Device } from './devices.ts';

type SessionDeps = Pick<Deps, 'db' | 'clock'>;

/** How many sessions of a person can be open at once. Opening one more ends the oldest. */
const MOST_SESSIONS = 50;
const MOST_OF_USER_AGENT = 300;

export interface NewSession {
  readonly ttlSeconds: number;
  /** Whether the token goes into the console's cookie and is not shown. */
  readonly byCookie: boolean;
  /** What the client calls itself; null if it does not say. */
  readonly userAgent: string | null;
  /** What was shown besides the password. */
  readonly factors: readonly FactorKind[];
  /** The browser; null for a client without cookies, which is known by its address. */
  readonly device: Device | null;
  /** Whether the person has just been made here, so that nothing of theirs is new to them. */
  readonly isFirst?: boolean;
}

/** A session that was opened. */
export interface OpenedSession {
  readonly id: string;
  /** Whether the browser, or else the address, was known. */
  readonly isKnown: boolean;
}

/** What opening sessions needs. */
export type SignInDeps = SessionDeps & Pick<Deps, 'sendsMail'> & { readonly secrets: SignInSecrets };

/**
 * Opens a session at the actor's merchant, who is then the one used last. The person is told of one from a browser or
 * an address that was not known.
 */
export function openSession(deps: SignInDeps, actor: PersonActor, asked: NewSession): Promise<OpenedSession> {
  const { merchantId, personId, ip } = actor;
  const { ttlSeconds, byCookie, userAgent, factors } = asked;
  return inTransaction(deps, async (em) => {
    const now = deps.clock.now();
    const id = newId('ses', now.getTime());
    const expiresAt = new Date(now.getTime() + ttlSeconds * 1_000);
    await query(
      em,
      `insert into owner_session
         (id, merchant_id, person_id, created_at, expires_at, ip, by_cookie, user_agent, factors, last_seen_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $4)`,
      [id, merchantId, personId, now, expiresAt, ip, byCookie, storableAgent(userAgent), factors],
    );
    await endSurplus(em, personId, now);
    const [person] = await query<{ email: string }>(
      em,
      'update person set last_merchant_id = $2 where id = $1 returning email',
      [personId, merchantId],
    );
    await recordAudit(em, actor, { action: 'OWNER_SIGNED_IN', target: id }, now);
    const isKnown = await notePlace(em, deps, { ...asked, personId, email: person?.email ?? '', ip }, now);
    return { id, isKnown };
  });
}

/** Ends the oldest of a person's sessions, of any kind, that are more than may be open. */
export async function endSurplus(em: EntityManager, personId: string, now: Date): Promise<void> {
  await query(
    em,
    `update owner_session set ended_at = $2 where ended_at is null and id in (
       select id from owner_session where person_id = $1 and ended_at is null order by id desc offset $3)`,
    [personId, now, MOST_SESSIONS],
  );
}

/** Where somebody signs in from. */
export type Place = Pick<NewSession, 'device' | 'isFirst' | 'userAgent'> & {
  readonly personId: string;
  readonly email: string;
  readonly ip: string;
};

/** Notes where somebody has signed in from; returns whether it was known. They are told if it was not. */
export async function notePlace(
  em: EntityManager,
  deps: SignInDeps,
  { personId, email, ip, device, isFirst = false, userAgent }: Place,
  now: Date,
): Promise<boolean> {
  const isKnownAddress = await rememberAddress(em, addressKeysOf(deps.secrets, { email, ip }), now);
  const isKnown = device === null ? isKnownAddress : await noteDevice(em, device, personId, now);
  if (isKnown || isFirst) return isKnown;
  const params = { address: ip, device: deviceName(userAgent), at: toldTime(now) };
  await tellPerson(em, deps, { personId, template: 'NEW_DEVICE', params }, now);
  return isKnown;
}

/** The start of what a client calls itself, as it can be stored and shown. */
export const storableAgent = (userAgent: string | null): string | null =>
  userAgent?.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, MOST_OF_USER_AGENT) ?? null;

/**
 * Moves a session to another of the person's merchants; returns when it expires. Errors: 2004 if they do not belong to
 * that one.
 */
export function switchMerchant(deps: SessionDeps, actor: PersonActor, sessionId: string, to: string): Promise<Date> {
  if (!isId('mer', to)) throw new GatewayError('NOT_FOUND');
  return inTransaction(deps, async (em) => {
    const [session] = await query<{ expiresAt: string }>(
      em,
      `update owner_session set merchant_id = $2 where id = $1 and ended_at is null and exists (
         select from membership where merchant_id = $2 and person_id = $3)
       returning expires_at as "expiresAt"`,
      [sessionId, to, actor.personId],
    );
    if (!session) throw new GatewayError('NOT_FOUND');
    await query(em, 'update person set last_merchant_id = $2 where id = $1', [actor.personId, to]);
    const there = { ...actor, merchantId: to };
    await recordAudit(em, there, { action: 'OWNER_SIGNED_IN', target: sessionId }, deps.clock.now());
    return toDate(session.expiresAt);
  });
}

/** An open session. */
export interface OpenSession {
  readonly id: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** The address it was opened from. */
  readonly ip: string;
  /** What its client calls itself; null if it does not say. */
  readonly userAgent: string | null;
  /** Within a minute; null for a session of before. */
  readonly lastSeenAt: Date | null;
  /** What was shown besides the password. */
  readonly factors: readonly FactorKind[];
}

interface SessionRow extends Pick<OpenSession, 'id' | 'ip' | 'userAgent' | 'factors'> {
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly lastSeenAt: string | null;
}

/** A person's open sessions, newest first. */
export async function listSessions({ db, clock }: SessionDeps, personId: string): Promise<OpenSession[]> {
  const rows = await query<SessionRow>(
    db.em,
    `select id, created_at as "createdAt", expires_at as "expiresAt", ip, user_agent as "userAgent",
       last_seen_at as "lastSeenAt", factors from owner_session
     where person_id = $1 and ended_at is null and expires_at > $2 order by id desc`,
    [personId, clock.now()],
  );
  return rows.map(({ createdAt, expiresAt, lastSeenAt, ...row }) => ({
    ...row,
    createdAt: toDate(createdAt),
    expiresAt: toDate(expiresAt),
    lastSeenAt: lastSeenAt === null ? null : toDate(lastSeenAt),
  }));
}

/**
 * Ends a session; its tokens and sockets end within a second. `own` if it is the caller's own session. Errors: 2004.
 */
export function endSession(deps: SessionDeps, actor: SelfActor, id: string, own: boolean): Promise<void> {
  return inTransaction(deps, async (em) => {
    const now = deps.clock.now();
    const ended = isId('ses', id) ? await endSessions(em, actor.personId, { only: id }, now) : 0;
    if (ended === 0) throw new GatewayError('NOT_FOUND');
    await recordOwnChange(em, actor, { action: own ? 'OWNER_SIGNED_OUT' : 'SESSION_ENDED', target: id }, now);
  });
}

/** Ends all of a person's sessions but the one that asks; returns how many. */
export function endOtherSessions(deps: SessionDeps, actor: PersonActor, own: string): Promise<number> {
  return inTransaction(deps, async (em) => {
    const now = deps.clock.now();
    const endedSessions = await endSessions(em, actor.personId, { allBut: own }, now);
    if (endedSessions > 0)
      await recordAudit(em, actor, { action: 'SESSION_ENDED', target: null, details: { endedSessions } }, now);
    return endedSessions;
  });
}

/** Which sessions of a person end: one, or all but one. */
type Which = { readonly only: string } | { readonly allBut: string | null };

/** Ends sessions in the current transaction; returns how many. */
export async function endSessions(em: EntityManager, personId: string, which: Which, now: Date): Promise<number> {
  const [is, id] = 'only' in which ? ['=', which.only] : ['<>', which.allBut ?? ''];
  const ended = await query(
    em,
    `update owner_session set ended_at = $2 where person_id = $1 and ended_at is null and id ${is} $3 returning 1`,
    [personId, now, id],
  );
  return ended.length;
}

/** A confirmation is valid for five minutes. */
const CONFIRMED_FOR_MS = 5 * 60_000;

/** Records that the person has just confirmed that it is them; returns until when that holds. */
export async function confirmSession({ db, clock }: SessionDeps, sessionId: string): Promise<Date> {
  const now = clock.now();
  await query(db.em, 'update owner_session set confirmed_at = $2 where id = $1', [sessionId, now]);
  return new Date(now.getTime() + CONFIRMED_FOR_MS);
}

/** The session of a call, and whether it must be confirmed even if it is not the console's. */
export interface SessionToConfirm {
  readonly sessionId: string;
  readonly byCookie: boolean;
  readonly always: boolean;
}

/**
 * Throws 1010 unless the session was confirmed lately. Unless it is `always` needed, that holds for sessions of the
 * console: those authenticated by its cookie, and those opened with a cookie, whatever carries their token now.
 */
export async function requireConfirmation(
  { db, clock }: SessionDeps,
  { sessionId, byCookie, always }: SessionToConfirm,
): Promise<void> {
  const since = new Date(clock.now().getTime() - CONFIRMED_FOR_MS);
  const rows = await query(
    db.em,
    'select from owner_session where id = $1 and (confirmed_at > $2 or not (by_cookie or $3))',
    [sessionId, since, byCookie || always],
  );
  if (rows.length === 0) throw new GatewayError('CONFIRMATION_NEEDED');
}
