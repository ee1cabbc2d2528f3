// Counts a merchant's payments by what they come to, up to a number: counting goes no further, so it costs the same
// however many there are.

import type { PaymentStatus } from '../../../entities/enums.ts';
import { ASSETS } from '../../../values/assets.ts';
import { firstIdOf } from '../../../values/id.ts';
import type { Readable } from '../../read-source.ts';
import { PAYMENT_WAITS } from '../attention.ts';
import { firstOf } from '../page-limit.ts';

/** What is not counted any further. */
export const MOST_COUNTED = 1_000;

const GROUPS = {
  open: ['PENDING', 'PARTIALLY_PAID', 'CONFIRMING'],
  paid: ['SUCCEEDED', 'PARTIALLY_REFUNDED', 'REFUNDED'],
  unpaid: ['FAILED', 'EXPIRED', 'CANCELED'],
} as const satisfies Record<string, readonly PaymentStatus[]>;

/** Of each group at most as many as are counted. */
export type PaymentCounts = Readonly<Record<keyof typeof GROUPS | 'all' | 'waiting', number>>;

/** SQL: how many rows there are of merchant $1 with ids from $2 and before $3; more than can be is no matter. */
const counted = (rows: string) => `(select count(*)::int from (${rows} limit ${MOST_COUNTED}) counted)`;
const IN_RANGE = '(merchant_id, id) >= ($1, $2) and (merchant_id, id) < ($1, $3)';

/** Each combination of a state and an asset is a range of the index, as in list-payments.ts. */
const ofGroup = (states: string) => `
select 1 from unnest(${states}::text[]) as s(status) cross join unnest($4::text[], $5::text[]) as a(currency, network)
cross join lateral (
  select 1 from payment o
  where o.merchant_id = $1 and (o.status, o.currency, o.network, o.id) >= (s.status, a.currency, a.network, $2)
    and (o.status, o.currency, o.network, o.id) < (s.status, a.currency, a.network, $3)
  limit ${MOST_COUNTED}
) one`;

const STATEMENT = `select ${counted(`select 1 from payment where ${IN_RANGE}`)} as "all",
  ${counted(ofGroup('$6'))} as open, ${counted(ofGroup('$7'))} as paid, ${counted(ofGroup('$8'))} as unpaid,
  ${counted(`select 1 from payment where ${PAYMENT_WAITS} and ${IN_RANGE}`)} as waiting`;

/** A time of creation; null for no bound. `until` is exclusive. */
export interface CreatedIn {
  readonly from: Date | null;
  readonly until: Date | null;
}

const rangeOf = ({ from, until }: CreatedIn) => [
  from ? firstIdOf('ord', from.getTime()) : '',
  until ? firstIdOf('ord', until.getTime()) : '~',
];

export async function countPayments(pool: Readable, merchantId: string, range: CreatedIn): Promise<PaymentCounts> {
  const { rows } = await pool.query<PaymentCounts>({
    name: 'count-payments',
    text: STATEMENT,
    values: [
      ...[merchantId, ...rangeOf(range)],
      ...[ASSETS.map(({ currency }) => currency), ASSETS.map(({ network }) => network)],
      ...[GROUPS.open, GROUPS.paid, GROUPS.unpaid],
    ],
  });
  const [counts] = rows;
  if (!counts) throw new Error('Nothing was counted');
  return counts;
}

// By the index alone, and each looked up by its id. PostgreSQL does not see how many: without statistics it would think
// them all, and read and sort the table.
const NEWEST = `
with newest as materialized (${firstOf(
  `select merchant_id, id from payment where ${IN_RANGE}`,
  'merchant_id desc, id desc',
  `(select ${MOST_COUNTED})`,
  MOST_COUNTED,
)})
select count(*) filter (where p.status = any($4::text[]))::int as paid,
  count(*) filter (where p.status = any($5::text[]))::int as unpaid
from newest cross join lateral (select status from payment where id = newest.id offset 0) p`;

/** How many of the newest payments were paid, and how many ended without; the others are open. */
export async function countNewest(
  pool: Readable,
  merchantId: string,
  range: CreatedIn,
): Promise<Pick<PaymentCounts, 'paid' | 'unpaid'>> {
  const { rows } = await pool.query<Pick<PaymentCounts, 'paid' | 'unpaid'>>({
    name: 'count-newest-payments',
    text: NEWEST,
    values: [merchantId, ...rangeOf(range), GROUPS.paid, GROUPS.unpaid],
  });
  return rows[0] ?? { paid: 0, unpaid: 0 };
}
