// The operator takes the second factors from somebody who has lost them all, with their recovery codes.

import { query } from '../../database/connection.ts';
import { GatewayError } from '../../values/errors.ts';
import { hold, tellFactors } from '../factors/factors.ts';
import { inTransaction } from '../deps.ts';
import { endSessions } from '../people/sessions.ts';
import { recordOperation, type Operator } from './log.ts';

/** How long they are held, and whether mails leave. */
export interface ResetRules {
  readonly payoutHoldMs: number;
  readonly sendsMail: boolean;
}

/** Whose factors were taken, and how many; their sessions ended with them. */
export interface ResetFactors {
  readonly personId: string;
  readonly factors: number;
  readonly endedSessions: number;
}

/**
 * Removes all factors and recovery codes of a person, ends all their sessions, and holds them: for a while they approve
 * nothing, loosen nothing and make no owner. They are told by mail. Their password signs them in. Errors: 2004.
 */
export function resetFactors(operator: Operator, rules: ResetRules, email: string): Promise<ResetFactors> {
  const { deps } = operator;
  return inTransaction(deps, async (em) => {
    const now = deps.clock.now();
    const [person] = await query<{ id: string }>(em, 'select id from person where email = $1 for no key update', [
      email.toLowerCase(),
    ]);
    if (!person) throw new GatewayError('NOT_FOUND', { message: `There is nobody with the e-mail address ${email}` });
    const { id: personId } = person;
    const removed = await query(em, 'delete from factor where person_id = $1 returning 1', [personId]);
    await query(em, 'delete from recovery_code where person_id = $1', [personId]);
    const endedSessions = await endSessions(em, personId, { allBut: null }, now);
    await hold(em, rules, personId, now);
    await tellFactors(em, rules, personId, now);
    const details = { email: email.toLowerCase(), factors: removed.length, endedSessions };
    await recordOperation(em, operator, { action: 'FACTORS_RESET', target: personId, details });
    return { personId, factors: removed.length, endedSessions };
  });
}
