// Finds withdrawals and refunds by the beginning of their id, by the whole of a reference or of the address that they
// pay to, or by a transaction.

import type { Readable } from '../../read-source.ts';
import { firstOf } from '../page-limit.ts';
import { keyOf } from '../text-key.ts';
import { selectListed, toListedPayout, type ListedPayout, type ListedRow } from '../payouts/list-payouts.ts';
import type { Sought } from './payments.ts';

/** What is looked for: an address is in each of the forms that people write it in. */
export interface SoughtPayout extends Pick<Sought, 'merchantId' | 'text' | 'id' | 'hashes' | 'networks'> {
  readonly recipients: readonly string[];
}

const NAMED = `select id from (${firstOf(
  `select merchant_id, kind, id from payout
   where (merchant_id, kind, id) >= ($1::text, case when $3::text like 'rfd%' then 'REFUND' else 'WITHDRAWAL' end, $3::text)
     and (merchant_id, kind, id) < ($1::text, case when $3::text like 'rfd%' then 'REFUND' else 'WITHDRAWAL' end, $3::text || '~')`,
  'merchant_id desc, kind desc, id desc',
  '$7',
)}) named`;

const RECIPIENT = keyOf('address');
const SOUGHT = `($1::text || ' ' || r.address)`;
const TO_RECIPIENT = `
select paid.id from unnest($4::text[]) as r(address) cross join lateral (
  ${firstOf(
    `select ${RECIPIENT} as key, id from payout
     where (${RECIPIENT}, id) > (${SOUGHT}, '') and (${RECIPIENT}, id) < (${SOUGHT}, '~')`,
    'key desc, id desc',
    '$7',
  )}
) paid`;

const BY_TRANSACTION = `
select t.payout_id from unnest($5::text[]) as h(hash) cross join unnest($6::text[]) as n(network) cross join lateral (
  select payout_id from transfer where network = n.network and tx_hash = h.hash offset 0) t
where t.payout_id is not null`;

// Whose it is, is asked of each: a transaction names none.
const STATEMENT = selectListed(
  `with found as materialized (
    (${NAMED}) union (select id from payout where merchant_id = $1 and merchant_withdrawal_id = $2)
    union (${TO_RECIPIENT}) union (${BY_TRANSACTION})
  )
  select o.* from found cross join lateral (select * from payout where id = found.id offset 0) o
  where o.merchant_id = $1 order by o.id desc limit $7`,
  'id desc',
);

/** At most `limit` withdrawals and refunds, newest first of each. */
export async function searchPayouts(pool: Readable, sought: SoughtPayout, limit: number): Promise<ListedPayout[]> {
  const { merchantId, text, id, recipients, hashes, networks } = sought;
  const values = [merchantId, text, id, recipients, hashes, networks, limit];
  return (await pool.query<ListedRow>({ name: 'search-payouts', text: STATEMENT, values })).rows.map(toListedPayout);
}
