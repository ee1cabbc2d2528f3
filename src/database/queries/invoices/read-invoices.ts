// Reads invoices with their quotes, payments and deposits as raw rows: one statement, no hydration.

import type { Deposit } from '../../../entities/deposit.ts';
import type { Invoice } from '../../../entities/invoice.ts';
import type { Payment } from '../../../entities/payment.ts';
import type { Quote } from '../../../entities/quote.ts';
import { RateType } from '../../../entities/rate-type.ts';
import { query, toDate, type EntityManager } from '../../connection.ts';

const PLAIN = [
  ...(['id', 'merchantId', 'linkId', 'currency', 'status', 'exception', 'version', 'test', 'description'] as const),
  ...(['merchantInvoiceId', 'customerEmail', 'customer', 'returnUrl', 'callbackUrl', 'metadata'] as const),
  ...(['acceptedAssets', 'inputDigest', 'spread', 'quoteMinutes'] as const),
] as const;
const UNITS = ['amount', 'valueReceived', 'valueConfirmed', 'valueRefunded', 'valueSetAside'] as const;
const TIMES = ['expiresAt', 'deadline', 'settledAt', 'createdAt', 'updatedAt'] as const;
const columnOf = (property: string) => property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
// By name, so that prepared statements survive a migration that adds a column.
const COLUMNS = [...PLAIN, ...UNITS, ...TIMES].map((property) => `i.${columnOf(property)} as "${property}"`);

type QuoteProperty = 'due' | 'rate' | 'marketRate' | 'spread' | 'sources' | 'quotedAt' | 'endsAt';
type PaymentProperty =
  | 'id'
  | 'currency'
  | 'network'
  | 'address'
  | 'amount'
  | 'status'
  | 'exception'
  | 'amountReceived'
  | 'amountConfirmed'
  | 'amountRefunded';
type DepositProperty =
  | 'txHash'
  | 'ordinal'
  | 'network'
  | 'currency'
  | 'amount'
  | 'status'
  | 'blockHeight'
  | 'blockTime'
  | 'seenAt'
  | 'late'
  | 'credits'
  | 'credited'
  | 'valueRate';

/** A payment of an invoice as read, with its quote, deposits and the height its network was read to. */
export interface ReadQuotedPayment {
  readonly quote: Pick<Quote, QuoteProperty>;
  readonly payment: Pick<Payment, PaymentProperty>;
  readonly deposits: readonly Pick<Deposit, DepositProperty>[];
  readonly height: number;
  /** Its refunds that were requested before the invoice was first settled and have not failed, in base units. */
  readonly setAside: bigint;
}

/** An invoice as read: minor units and values as bigint, times as dates; its payments oldest first. */
export interface ReadInvoice {
  readonly invoice: Pick<Invoice, (typeof PLAIN | typeof UNITS | typeof TIMES)[number]>;
  readonly payments: readonly ReadQuotedPayment[];
}

const DEPOSITS = `(select json_agg(json_build_object('txHash', d.tx_hash, 'ordinal', d.ordinal, 'network', d.network,
    'currency', d.currency, 'amount', d.amount::text, 'status', d.status, 'blockHeight', d.block_height,
    'blockTime', d.block_time, 'seenAt', d.seen_at, 'late', d.late, 'credits', d.credits, 'credited', d.credited,
    'valueRate', d.value_rate::text) order by d.id)
  from deposit d where d.payment_id = q.payment_id)`;

const SET_ASIDE = `(select coalesce(sum(r.amount), 0)::text
  from (select amount, status, before_settlement from payout where payment_id = q.payment_id offset 0) r
  where r.before_settlement and r.status not in ('FAILED', 'REJECTED'))`;

// Each is looked up by its key: a plan that does not know how few an invoice has would read the tables.
const PAYMENTS = `(select json_agg(json_build_object(
    'quote', json_build_object('due', q.due::text, 'rate', q.rate::text, 'marketRate', q.market_rate::text,
      'spread', q.spread, 'sources', q.sources, 'quotedAt', q.quoted_at, 'endsAt', q.ends_at),
    'payment', json_build_object('id', p.id, 'currency', p.currency, 'network', p.network, 'address', p.address,
      'amount', p.amount::text, 'status', p.status, 'exception', p.exception,
      'amountReceived', p.amount_received::text, 'amountConfirmed', p.amount_confirmed::text,
      'amountRefunded', p.amount_refunded::text),
    'deposits', ${DEPOSITS}, 'setAside', ${SET_ASIDE},
    'height', coalesce((select height from chain_cursor where network = p.network), 0)) order by q.payment_id)
  from (select * from quote where invoice_id = i.id offset 0) q
  cross join lateral (select id, currency, network, address, amount, status, exception, amount_received,
    amount_confirmed, amount_refunded from payment where id = q.payment_id offset 0) p)`;

/** Selects invoices `i` with their payments; the statement adds its own conditions. */
export const SELECT_INVOICE = `select ${COLUMNS.join(', ')}, ${PAYMENTS} as payments from invoice i`;

/** A row as the driver returns it: numbers and times of the payments are texts. */
export type InvoiceQueryRow = Record<string, unknown> & { readonly payments: readonly PaymentJson[] | null };

type Json = Record<string, unknown>;
interface PaymentJson {
  readonly quote: Json;
  readonly payment: Json;
  readonly deposits: readonly Json[] | null;
  readonly setAside: string;
  readonly height: number;
}

/** One invoice, restricted to a merchant if `merchantId` is given; null if there is none. */
export async function readInvoice(
  em: EntityManager,
  id: string,
  merchantId: string | null,
): Promise<ReadInvoice | null> {
  const rows = await query<InvoiceQueryRow>(
    em,
    `${SELECT_INVOICE} where i.id = $1 and ($2::text is null or i.merchant_id = $2)`,
    [id, merchantId],
  );
  return rows[0] ? toReadInvoice(rows[0]) : null;
}

/** The payments of locked invoices by invoice: what another transaction committed before the lock is among them. */
export async function readQuotedPayments(
  em: EntityManager,
  invoiceIds: readonly string[],
): Promise<Map<string, readonly ReadQuotedPayment[]>> {
  const rows = await query<{ id: string; payments: readonly PaymentJson[] | null }>(
    em,
    `select i.id, ${PAYMENTS} as payments from unnest($1::text[]) as i(id)`,
    [invoiceIds],
  );
  return new Map(rows.map(({ id, payments }) => [id, (payments ?? []).map(toReadPayment)]));
}

/** Converts a row. */
export function toReadInvoice({ payments, ...columns }: InvoiceQueryRow): ReadInvoice {
  const invoice: Json = { ...columns };
  for (const name of UNITS) invoice[name] = BigInt(invoice[name] as string);
  for (const name of TIMES) invoice[name] = toDate(invoice[name] as string | null);
  return { invoice: invoice as unknown as ReadInvoice['invoice'], payments: (payments ?? []).map(toReadPayment) };
}

const rateType = new RateType();

const RATES = ['rate', 'marketRate', 'valueRate'];
const AMOUNTS = ['due', 'amount', 'amountReceived', 'amountConfirmed', 'amountRefunded'];
const DATES = ['quotedAt', 'endsAt', 'blockTime', 'seenAt'];

function toReadPayment({ quote, payment, deposits, setAside, height }: PaymentJson): ReadQuotedPayment {
  return {
    quote: converted(quote) as unknown as ReadQuotedPayment['quote'],
    payment: converted(payment) as unknown as ReadQuotedPayment['payment'],
    deposits: (deposits ?? []).map(converted) as unknown as ReadQuotedPayment['deposits'],
    setAside: BigInt(setAside),
    height,
  };
}

/** The values of an object of JSON as its entity has them. */
function converted(fields: Json): Json {
  const convert = (name: string, value: unknown): unknown => {
    if (value === null) return null;
    if (RATES.includes(name)) return rateType.convertToJSValue(value as string);
    if (AMOUNTS.includes(name)) return BigInt(value as string);
    return DATES.includes(name) ? new Date(value as string) : value;
  };
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, convert(name, value)]));
}
