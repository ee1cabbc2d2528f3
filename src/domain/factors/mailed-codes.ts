// Codes by mail: while an account is attacked, sign-ins from devices that are not known show one besides the password.
// They are asked for one whether the password was right or not, with the same work: neither the answer nor its time
// tells, and only who reads the mail gets on (contract-people-payouts, section A).

import { query } from '../../database/connection.ts';
import { isStorable } from '../../values/checks.ts';
import { GatewayError } from '../../values/errors.ts';
import { firstIdOf, newId } from '../../values/id.ts';
import { sameDigest, type Secrets } from '../../values/secrets/keys.ts';
import { mailCode } from '../../values/secrets/mail-links.ts';
import { inTransaction, type Deps } from '../deps.ts';
import { closeChallenge, newChallengeId, noteMailShown, openChallenge, type Challenge } from './challenges.ts';
import { kindsOf } from './factors.ts';

/** Codes that a person is mailed in an hour, by the right password alone. Each can be answered five times. */
const MOST_IN_HOUR = 5;
const HOUR_MS = 3_600_000;
/** The longest e-mail address that anybody has. */
const MOST_OF_EMAIL = 254;

/** A sign-in to ask for a mailed code. */
export interface SuspectSignIn {
  /** As it was given. */
  readonly email: string;
  /** Whose password was right; null if it was wrong, or there is no such person. */
  readonly personId: string | null;
  /** Whether it opens a session of an operator. */
  readonly forOperator: boolean;
}

const MAIL = `insert into mail (id, template, recipient, locale, params, link, created_at, due_at, expires_at)
  select $1, 'SIGN_IN_CODE', email, coalesce(locale, 'en'), '{}', $2, $3, $3, $4 from person where id = $5`;

/** Opens the challenge, and mails its code to the person, if there is one and they were not mailed too many lately. */
export function askForMailedCode(
  deps: Pick<Deps, 'db' | 'clock'>,
  { email, personId, forOperator }: SuspectSignIn,
): Promise<Pick<Challenge, 'id' | 'expiresAt'>> {
  return inTransaction(deps, async (em) => {
    const now = deps.clock.now();
    // Of requests at once each sees the mails of those before.
    await query(em, 'select from person where id = $1 for no key update', [personId]);
    const lately = await query(
      em,
      `select from mail where recipient = (select email from person where id = $1) and id >= $2
         and template = 'SIGN_IN_CODE' limit $3`,
      [personId, firstIdOf('eml', now.getTime() - HOUR_MS), MOST_IN_HOUR],
    );
    const asked = lately.length < MOST_IN_HOUR ? personId : null;
    const [id, isKept] = [newChallengeId(deps), email.length <= MOST_OF_EMAIL && isStorable(email)];
    const kept = { id, forOperator, email: isKept ? email.toLowerCase() : '' };
    const challenge = { purpose: 'MAIL_SIGN_IN', personId: asked, sessionId: null, ...kept } as const;
    const { expiresAt } = await openChallenge(deps, challenge, em);
    await query(em, MAIL, [newId('eml', now.getTime()), id, now, expiresAt, asked]);
    return { id, expiresAt };
  });
}

type CodeDeps = Pick<Deps, 'db' | 'clock'> & { readonly secrets: Pick<Secrets, 'linkKey'> };

/**
 * Judges the code of a mail, and uses it up if it is right; null for a wrong one. It ends the challenge for somebody
 * without a factor of their own; others answer it again, with that. Errors: 1009 for them, 2004.
 */
export async function acceptMailedCode(
  deps: CodeDeps,
  { id, personId }: Pick<Challenge, 'id' | 'personId'>,
  code: string,
): Promise<{ readonly personId: string } | null> {
  const isRight = sameDigest(Buffer.from(code.trim()), Buffer.from(mailCode(deps.secrets.linkKey, id)));
  if (!isRight || personId === null) return null;
  const now = deps.clock.now();
  const hasFactor = (await kindsOf(deps, personId)).length > 0;
  await inTransaction(deps, (em) => (hasFactor ? noteMailShown : closeChallenge)(em, id, now));
  if (hasFactor) throw new GatewayError('SECOND_FACTOR_NEEDED', { message: 'The code is right; now your own factor' });
  return { personId };
}
