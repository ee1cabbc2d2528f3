// What an invitation offers to those who have its link: a place at a merchant, or to register one.

import { query } from '../../database/connection.ts';
import { isId } from '../../values/id.ts';
import type { Role } from '../../values/member-permission.ts';
import type { Deps } from '../deps.ts';
import { IS_OPEN, TO_JOIN } from './invitations.ts';
import { TO_REGISTER } from './merchant-invitations.ts';

/** What somebody who was invited is shown before they accept. */
export interface InvitationOffer {
  /** Null, like the role, where it is to register a merchant. */
  readonly companyName: string | null;
  readonly email: string;
  readonly role: Role | null;
  readonly hasAccount: boolean;
}

/** What an open invitation offers; null if it is not open any more. `id` is that of a link whose secret was right. */
export async function readOffer(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  id: string,
): Promise<InvitationOffer | null> {
  const [offer] = isId('ivn', id)
    ? await query<InvitationOffer>(
        db.em,
        `select m.company_name as "companyName", i.email, case when i.merchant_id is not null then i.role end as role,
           exists (select from person where email = i.email) as "hasAccount"
         from invitation i left join merchant m on m.id = i.merchant_id
         where i.id = $1 and ${IS_OPEN} and (${TO_JOIN} or ${TO_REGISTER})`,
        [id, clock.now()],
      )
    : [];
  return offer ?? null;
}
