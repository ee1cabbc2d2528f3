// Lists receipts: every deposit that was credited to a merchant, with what it was worth in the currency of their books.

import { listReceipts, type ReceiptListFilter, type ReceiptRow } from '../../database/queries/ledger/list-receipts.ts';
import { readAnywhere } from '../../database/read-source.ts';
import { feeOf, formatAmount } from '../../values/amount.ts';
import { assetOf } from '../../values/assets.ts';
import { parseDate } from '../../values/checks.ts';
import { priceDecimals } from '../../values/prices/currencies.ts';
import { RATE_DECIMALS, readRate } from '../../values/prices/price.ts';
import type { Deps } from '../deps.ts';

/** A credited deposit. Amounts are canonical decimal strings; what was never known of its value is null. */
export interface Receipt extends Pick<
  ReceiptRow,
  | ('id' | 'creditedAt' | 'invoiceId' | 'merchantOrderId' | 'merchantInvoiceId' | 'txHash' | 'currency' | 'network')
  | ('amount' | 'fiatCurrency' | 'rate' | 'rateAt' | 'fiatAmount' | 'fiatFee' | 'reversedAt')
> {
  readonly orderId: string;
  readonly fee: string;
  /** `amount` less `fee`. */
  readonly net: string;
  /** `fiatAmount` less `fiatFee`. */
  readonly fiatNet: string | null;
}

/** Narrows a list. Dates as `YYYY-MM-DD` or ISO 8601 are those of the credit, the end date included. */
export interface ReceiptFilter {
  readonly startDate?: string | null;
  readonly endDate?: string | null;
  readonly orderId?: string | null;
  readonly invoiceId?: string | null;
}

/** A page of a merchant's receipts, newest first, below the id `before`. */
export async function findReceipts(
  { db }: Pick<Deps, 'db'>,
  merchantId: string,
  { startDate, endDate, orderId, invoiceId }: ReceiptFilter,
  { limit, before }: { limit: number; before: string | null },
): Promise<{ nodes: Receipt[]; hasMore: boolean }> {
  const filter: ReceiptListFilter = {
    merchantId,
    paymentId: orderId ?? null,
    invoiceId: invoiceId ?? null,
    from: startDate == null ? null : parseDate(startDate, 'start'),
    until: endDate == null ? null : parseDate(endDate, 'end'),
    before,
  };
  const rows = await readAnywhere(db, ({ pool }) => listReceipts(pool, filter, limit + 1));
  return { nodes: rows.slice(0, limit).map(toReceipt), hasMore: rows.length > limit };
}

function toReceipt({ paymentId, amount, fiatAmount, fiatFee, rate, ...row }: ReceiptRow): Receipt {
  const { decimals } = assetOf(row);
  const units = BigInt(amount);
  const fee = feeOf(units);
  const fiatDecimals = priceDecimals(row.fiatCurrency ?? '') ?? 0;
  const fiat = (minorUnits: bigint | null) => (minorUnits === null ? null : formatAmount(minorUnits, fiatDecimals));
  const [gross, ofFee] = [fiatAmount, fiatFee].map((text) => (text === null ? null : BigInt(text)));
  const known = gross != null && ofFee != null;
  return {
    ...row,
    orderId: paymentId,
    amount: formatAmount(units, decimals),
    fee: formatAmount(fee, decimals),
    net: formatAmount(units - fee, decimals),
    rate: rate === null ? null : formatAmount(readRate(rate), RATE_DECIMALS),
    fiatAmount: fiat(known ? gross : null),
    fiatFee: fiat(known ? ofFee : null),
    fiatNet: fiat(known ? gross - ofFee : null),
  };
}
