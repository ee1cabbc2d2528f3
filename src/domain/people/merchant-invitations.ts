// Invitations to register a merchant, which operators make: used once, for one address and one merchant.

import { query, type EntityManager } from '../../database/connection.ts';
import { GatewayError } from '../../values/errors.ts';
import { isId } from '../../values/id.ts';

/** SQL: whether the invitation `i` is one to register, and its maker is still an operator, or was the command line. */
export const TO_REGISTER = `i.merchant_id is null and (i.invited_by is null
  or exists (select from person o where o.id = i.invited_by and o.is_operator))`;

/** An invitation to use, for the address that registers. */
export interface UsedInvitation {
  readonly id: string;
  readonly email: string;
}

/**
 * Uses an invitation in the current transaction: of two at once one wins. Answers when the address was shown to be
 * theirs: now, or null if its link did not come by mail. Errors: 2004 for one used, over, unknown or to a merchant, or
 * whose maker is no operator any more; 2011 for another address.
 */
export async function useMerchantInvitation(
  em: EntityManager,
  { id, email }: UsedInvitation,
  now: Date,
): Promise<{ readonly verifiedAt: Date | null }> {
  const [used] = isId('ivn', id)
    ? await query<{ email: string; mailed: boolean }>(
        em,
        `update invitation i set ended_at = $2 where i.id = $1 and i.ended_at is null and i.expires_at > $2
           and ${TO_REGISTER} returning i.email, i.mailed`,
        [id, now],
      )
    : [];
  if (!used) throw new GatewayError('NOT_FOUND', { message: 'This invitation has ended, or there is none' });
  if (used.email !== email.toLowerCase())
    throw new GatewayError('PEOPLE_CONFLICT', { message: 'The invitation is for another e-mail address' });
  return { verifiedAt: used.mailed ? now : null };
}
