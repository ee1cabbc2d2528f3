// Reads payments with their transactions as raw rows: one statement, no hydration.

import type { Deposit } from '../../../entities/deposit.ts';
import type { Payment } from '../../../entities/payment.ts';
import { query, toDate, type EntityManager } from '../../connection.ts';

const AS_IT_IS = [
  ...(['id', 'merchantId', 'currency', 'network', 'address', 'status', 'exception', 'version', 'test'] as const),
  ...(['merchantOrderId', 'productName', 'customerEmail', 'callbackUrl', 'returnUrl', 'metadata'] as const),
  ...(['toleranceBasisPoints', 'requiredConfirmations'] as const),
] as const;
const UNITS = ['amount', 'amountReceived', 'amountConfirmed', 'amountRefunded', 'feeAmount'] as const;
const TIMES = ['expiresAt', 'completedAt', 'createdAt', 'updatedAt'] as const;
const columnOf = (property: string) => property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
// By name, so that statements which are prepared outlive a migration that adds a column.
const COLUMNS = [...AS_IT_IS, ...UNITS, ...TIMES].map((property) => `p.${columnOf(property)} as "${property}"`);

type DepositProperty = 'txHash' | 'ordinal' | 'network' | 'currency' | 'amount' | 'status' | 'blockHeight' | 'seenAt';

/**
 * A payment as read: base units as bigint, times as dates, its deposits, and the height its network was read to. Typed
 * by the lists above, so that code that reads a column which they leave out does not compile.
 */
export interface ReadPayment {
  readonly payment: Pick<Payment, (typeof AS_IT_IS | typeof UNITS | typeof TIMES)[number]>;
  readonly deposits: readonly Pick<Deposit, DepositProperty>[];
  readonly height: number;
}

/** Payments `p` with their deposits and heights; what narrows them is for the statement to say. */
export const SELECT_PAYMENT = `
select ${COLUMNS.join(', ')}, coalesce(c.height, 0)::int as height, (
  select json_agg(json_build_object('txHash', d.tx_hash, 'ordinal', d.ordinal, 'network', d.network,
    'currency', d.currency, 'amount', d.amount::text, 'status', d.status, 'blockHeight', d.block_height, 'seenAt', d.seen_at) order by d.id)
  from deposit d where d.payment_id = p.id) as deposits
from payment p left join chain_cursor c on c.network = p.network`;

/** A row as the driver gives it. */
export interface PaymentQueryRow extends Record<string, unknown> {
  readonly deposits:
    | readonly (Pick<Deposit, Exclude<DepositProperty, 'amount' | 'seenAt'>> & {
        readonly amount: string;
        readonly seenAt: string;
      })[]
    | null;
  readonly height: number;
}

/** One payment, of one merchant where `merchantId` is given; null when there is none. */
export async function readPayment(
  em: EntityManager,
  id: string,
  merchantId: string | null,
): Promise<ReadPayment | null> {
  const rows = await query<PaymentQueryRow>(
    em,
    `${SELECT_PAYMENT} where p.id = $1 and ($2::text is null or p.merchant_id = $2)`,
    [id, merchantId],
  );
  return rows[0] ? toReadPayment(rows[0]) : null;
}

/** Reads a row. */
export function toReadPayment(row: PaymentQueryRow): ReadPayment {
  const { deposits, height } = row;
  // In place: a copy of each of the thirty columns is what a page can do without.
  const columns: Record<string, unknown> = row;
  for (const name of UNITS) columns[name] = BigInt(columns[name] as string);
  for (const name of TIMES) columns[name] = toDate(columns[name] as string | null);
  const own = deposits ?? [];
  return {
    payment: columns as unknown as ReadPayment['payment'],
    deposits: own.map((deposit) => ({ ...deposit, amount: BigInt(deposit.amount), seenAt: new Date(deposit.seenAt) })),
    height,
  };
}
