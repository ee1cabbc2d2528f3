// Reads payments with their deposits as raw rows: one statement, no hydration.

import type { Deposit } from '../../../entities/deposit.ts';
import type { Payment } from '../../../entities/payment.ts';
import { query, toDate, type EntityManager } from '../../connection.ts';

const PLAIN = [
  ...(['id', 'merchantId', 'currency', 'network', 'address', 'status', 'exception', 'version', 'test'] as const),
  ...(['merchantOrderId', 'productName', 'customerEmail', 'callbackUrl', 'returnUrl', 'metadata'] as const),
  ...(['toleranceBasisPoints', 'requiredConfirmations', 'invoiceId'] as const),
] as const;
const UNITS = ['amount', 'amountReceived', 'amountConfirmed', 'amountRefunded', 'feeAmount'] as const;
const TIMES = ['expiresAt', 'completedAt', 'createdAt', 'updatedAt'] as const;
const columnOf = (property: string) => property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
// By name, so that prepared statements survive a migration that adds a column.
const COLUMNS = [...PLAIN, ...UNITS, ...TIMES].map((property) => `p.${columnOf(property)} as "${property}"`);

type DepositProperty = 'txHash' | 'ordinal' | 'network' | 'currency' | 'amount' | 'status' | 'blockHeight' | 'seenAt';

/**
 * A payment as read: base units as bigint, times as dates, with its deposits and the height its network was read to.
 * Typed by the lists above, so code that uses a column missing there does not compile.
 */
export interface ReadPayment {
  readonly payment: Pick<Payment, (typeof PLAIN | typeof UNITS | typeof TIMES)[number]>;
  readonly deposits: readonly Pick<Deposit, DepositProperty>[];
  readonly height: number;
}

/** Selects payments `p` with their deposits and heights; the statement adds its own conditions. */
export const SELECT_PAYMENT = `
select ${COLUMNS.join(', ')}, coalesce(c.height, 0)::int as height, (
  select json_agg(json_build_object('txHash', d.tx_hash, 'ordinal', d.ordinal, 'network', d.network,
    'currency', d.currency, 'amount', d.amount::text, 'status', d.status, 'blockHeight', d.block_height, 'seenAt', d.seen_at) order by d.id)
  from deposit d where d.payment_id = p.id) as deposits
from payment p left join chain_cursor c on c.network = p.network`;

/** A row as the driver returns it. */
export interface PaymentQueryRow extends Record<string, unknown> {
  readonly deposits:
    | readonly (Pick<Deposit, Exclude<DepositProperty, 'amount' | 'seenAt'>> & {
        readonly amount: string;
        readonly seenAt: string;
      })[]
    | null;
  readonly height: number;
}

/** One payment, restricted to a merchant if `merchantId` is given; null if there is none. */
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

/** Converts a row. */
export function toReadPayment(row: PaymentQueryRow): ReadPayment {
  const { deposits, height } = row;
  // In place: copying thirty columns for each row of a page would be slow.
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
