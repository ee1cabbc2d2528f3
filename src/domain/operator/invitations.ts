// The operator invites somebody to register a merchant.

import { takeAdvisoryLock } from '../../database/advisory-lock.ts';
import { query } from '../../database/connection.ts';
import { invalid } from '../../values/errors.ts';
import { newId } from '../../values/id.ts';
import type { IdempotencyKey, IdempotentResult } from '../idempotency.ts';
import { runIdempotent } from '../idempotent-request.ts';
import { writeMail } from '../mail/mails.ts';
import { OPEN_FOR_MS } from '../people/invitations.ts';
import { recordOperation, type Operator } from './log.ts';

/** An invitation to register. */
export interface MerchantInvitation {
  readonly id: string;
  readonly email: string;
  /** What they will be at the merchant that they make. */
  readonly role: 'OWNER';
  readonly customRole: null;
  /** The operator's id; null for one made on the command line. */
  readonly invitedBy: string | null;
  readonly expiresAt: Date;
}

/** Whom to invite, who is the person that does, and whether the link leaves by mail. */
export interface NewMerchantInvitation {
  readonly email: string;
  readonly invitedBy: string | null;
  readonly isMailed: boolean;
}

/** Invitations in a day, of all operators and to one address: each is a mail to somebody who need not know us. */
const MOST_IN_DAY = { all: 100, address: 5 } as const;
const DAY_MS = 24 * 3_600_000;

/**
 * Invites somebody to register, for seven days; an earlier invitation of theirs ends. Whether they have an account is
 * not asked: with one they make another merchant. Errors: 2001, 2002, 2003.
 */
export function inviteMerchant(
  operator: Operator,
  { email: given, invitedBy, isMailed }: NewMerchantInvitation,
  idempotencyKey: IdempotencyKey | null = null,
): Promise<IdempotentResult<MerchantInvitation>> {
  const email = given.toLowerCase();
  return runIdempotent<MerchantInvitation>(operator.deps, idempotencyKey, async (em, now) => {
    // One after the other: of two for one person at once, the second ends the first.
    await takeAdvisoryLock(em, 'invite merchants');
    const [lately] = await query<{ all: number; address: number }>(
      em,
      `select count(*)::int as all, count(*) filter (where email = $1)::int as address
       from invitation where merchant_id is null and created_at > $2`,
      [email, new Date(now.getTime() - DAY_MS)],
    );
    for (const which of ['all', 'address'] as const)
      if ((lately?.[which] ?? 0) >= MOST_IN_DAY[which])
        throw invalid([{ path: 'email', message: `There may be at most ${TOLD[which]} in a day` }]);
    const [id, expiresAt] = [newId('ivn', now.getTime()), new Date(now.getTime() + OPEN_FOR_MS)];
    await query(
      em,
      'update invitation set ended_at = $2 where merchant_id is null and email = $1 and ended_at is null',
      [email, now],
    );
    await query(
      em,
      `insert into invitation (id, email, role, invited_by, created_at, expires_at, mailed)
       values ($1, $2, 'OWNER', $3, $4, $5, $6)`,
      [id, email, invitedBy, now, expiresAt, isMailed],
    );
    if (isMailed)
      await writeMail(em, { template: 'INVITATION', recipient: email, params: {}, link: id, expiresAt }, now);
    await recordOperation(em, operator, { action: 'MERCHANT_INVITED', target: id, details: { email, isMailed } });
    return { id, email, role: 'OWNER', customRole: null, invitedBy, expiresAt };
  });
}

const TOLD = {
  all: `${String(MOST_IN_DAY.all)} invitations`,
  address: `${String(MOST_IN_DAY.address)} to one address`,
};
