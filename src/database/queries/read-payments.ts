// Reads payments with their transactions as raw rows: one statement a page, no hydration. Ids are time-ordered, so the
// keyset is (merchant, id) and no page costs more than another, however long the table.

import { query, toDate, type EntityManager } from '../connection.ts';

/** A payment as read: base units as bigint, times as dates, its deposits, and the height its network was read to. */
export interface ReadPayment {
  readonly payment: Record<string, unknown>;
  readonly deposits: readonly Record<string, unknown>[];
  readonly height: number;
}

/** What a list may be narrowed by. `before` is the id the page starts below. */
export interface PaymentListFilter {
  readonly merchantId: string;
  readonly statuses?: readonly string[] | null;
  readonly currency?: string | null;
  readonly network?: string | null;
  readonly merchantOrderId?: string | null;
  readonly from?: Date | null;
  readonly until?: Date | null;
  readonly before?: string | null;
}

const SELECT = `
select p.*, coalesce(c.height, 0)::int as height, (
  select coalesce(json_agg(json_build_object('txHash', d.tx_hash, 'ordinal', d.ordinal, 'network', d.network, 'currency', d.currency,
    'amount', d.amount::text, 'status', d.status, 'blockHeight', d.block_height, 'seenAt', d.seen_at) order by d.id), '[]')
  from deposit d where d.payment_id = p.id) as deposits
from payment p left join chain_cursor c on c.network = p.network`;

const UNITS = ['amount', 'amount_received', 'amount_confirmed', 'amount_refunded', 'fee_amount'];
const TIMES = ['expires_at', 'completed_at', 'created_at', 'updated_at'];

/** One payment, of one merchant where `merchantId` is given; null when there is none. */
export async function readPayment(
  em: EntityManager,
  id: string,
  merchantId: string | null,
): Promise<ReadPayment | null> {
  const rows = await query(em, `${SELECT} where p.id = $1 and ($2::text is null or p.merchant_id = $2)`, [
    id,
    merchantId,
  ]);
  return rows[0] ? toReadPayment(rows[0]) : null;
}

/** A page of at most `limit` payments, newest first. */
export async function listPayments(
  em: EntityManager,
  filter: PaymentListFilter,
  limit: number,
): Promise<ReadPayment[]> {
  const conditions: string[] = [];
  const values: unknown[] = [];
  const where = (condition: (parameter: string) => string, value: unknown) => {
    if (value == null) return;
    values.push(value);
    conditions.push(condition(`$${values.length}`));
  };
  where((parameter) => `p.merchant_id = ${parameter}`, filter.merchantId);
  where((parameter) => `p.id < ${parameter}`, filter.before);
  where((parameter) => `p.status = any(${parameter})`, filter.statuses?.length ? filter.statuses : null);
  where((parameter) => `p.currency = ${parameter}`, filter.currency);
  where((parameter) => `p.network = ${parameter}`, filter.network);
  where((parameter) => `p.merchant_order_id = ${parameter}`, filter.merchantOrderId);
  where((parameter) => `p.created_at >= ${parameter}`, filter.from);
  where((parameter) => `p.created_at < ${parameter}`, filter.until);
  values.push(limit);
  const text = `${SELECT} where ${conditions.join(' and ')} order by p.id desc limit $${values.length}`;
  return (await query(em, text, values)).map(toReadPayment);
}

function toReadPayment(row: Record<string, unknown>): ReadPayment {
  const { deposits, height, ...columns } = row;
  const payment: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(columns)) {
    const property = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    if (UNITS.includes(name)) payment[property] = BigInt(value as string);
    else if (TIMES.includes(name)) payment[property] = toDate(value as string | null);
    else payment[property] = value;
  }
  const own = deposits as { amount: string; seenAt: string }[];
  return {
    payment,
    deposits: own.map((deposit) => ({ ...deposit, amount: BigInt(deposit.amount), seenAt: new Date(deposit.seenAt) })),
    height: height as number,
  };
}
