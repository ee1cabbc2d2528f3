// Who is an operator, and the sessions that they act in: of eight hours, and of no merchant.

import { query, type EntityManager } from '../../database/connection.ts';
import { GatewayError } from '../../values/errors.ts';
import { newId } from '../../values/id.ts';
import type { SelfActor } from '../actor.ts';
import { inTransaction, type Deps } from '../deps.ts';
import {
  endSurplus,
  notePlace,
  storableAgent,
  type NewSession,
  type OpenedSession,
  type SignInDeps,
} from '../people/sessions.ts';
import { recordOperation, type Operator } from './log.ts';

/** How long a session lasts at most. */
const SESSION_SECONDS = 8 * 3_600;

/** Somebody whose flag was set or taken, whether that changed anything, and how many of their sessions ended. */
export interface ChangedOperator {
  readonly personId: string;
  readonly changed: boolean;
  readonly endedSessions: number;
}

/** Makes a person an operator, or takes it from them, with their sessions as one. Errors: 2004. */
export function setOperator(operator: Operator, email: string, is: boolean): Promise<ChangedOperator> {
  const { deps } = operator;
  return inTransaction(deps, async (em) => {
    const now = deps.clock.now();
    const [person] = await query<{ id: string; was: boolean }>(
      em,
      'select id, is_operator as was from person where email = $1 for update',
      [email.toLowerCase()],
    );
    if (!person) throw new GatewayError('NOT_FOUND', { message: `There is nobody with the e-mail address ${email}` });
    const { id: personId, was } = person;
    await query(em, 'update person set is_operator = $2 where id = $1', [personId, is]);
    const ended = is ? [] : await endOperatorSessions(em, personId, now);
    const details = { email: email.toLowerCase(), changed: was !== is, endedSessions: ended.length };
    const action = is ? 'OPERATOR_GRANTED' : 'OPERATOR_REVOKED';
    await recordOperation(em, operator, { action, target: personId, details });
    return { personId, changed: was !== is, endedSessions: ended.length };
  });
}

const endOperatorSessions = (em: EntityManager, personId: string, now: Date) =>
  query(
    em,
    'update owner_session set ended_at = $2 where person_id = $1 and operator and ended_at is null returning 1',
    [personId, now],
  );

/** A session that was opened. */
export interface OpenedOperatorSession extends OpenedSession {
  readonly expiresAt: Date;
  readonly ttlSeconds: number;
}

/** Opens an operator's session. Errors: 1004 for anybody else. */
export function openOperatorSession(
  deps: Deps & SignInDeps,
  { personId, ip, requestId }: Pick<SelfActor, 'personId' | 'ip' | 'requestId'>,
  { byCookie, userAgent, factors, device }: Omit<NewSession, 'ttlSeconds' | 'isFirst'>,
): Promise<OpenedOperatorSession> {
  return inTransaction(deps, async (em) => {
    const [person] = await query<{ email: string }>(
      em,
      'select email from person where id = $1 and is_operator for share',
      [personId],
    );
    if (!person) throw new GatewayError('MISSING_PERMISSION', { message: 'Missing permission: OPERATOR' });
    const now = deps.clock.now();
    const id = newId('ses', now.getTime());
    const expiresAt = new Date(now.getTime() + SESSION_SECONDS * 1_000);
    await query(
      em,
      `insert into owner_session
         (id, operator, person_id, created_at, expires_at, ip, by_cookie, user_agent, factors, last_seen_at)
       values ($1, true, $2, $3, $4, $5, $6, $7, $8, $3)`,
      [id, personId, now, expiresAt, ip, byCookie, storableAgent(userAgent), factors],
    );
    await endSurplus(em, personId, now);
    const details = { ip, requestId };
    await recordOperation(em, { deps, name: personId }, { action: 'OPERATOR_SIGNED_IN', target: id, details });
    const isKnown = await notePlace(em, deps, { personId, email: person.email, ip, device, userAgent }, now);
    return { id, isKnown, expiresAt, ttlSeconds: SESSION_SECONDS };
  });
}
