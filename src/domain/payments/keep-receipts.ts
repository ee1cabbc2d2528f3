// Keeps what deposits are worth in the currency of their merchant's books, once, when they are first credited
// (contract-invoices, section 10).

import type { EntityManager } from '../../database/connection.ts';
import {
  insertReceipts,
  readAccounting,
  type AccountingRow,
  type NewReceipt,
} from '../../database/queries/ledger/receipts.ts';
import type { Deposit } from '../../entities/deposit.ts';
import { feeOf, formatAmount } from '../../values/amount.ts';
import { assetOf } from '../../values/assets.ts';
import { isFiat, priceDecimals } from '../../values/prices/currencies.ts';
import { RATE_DECIMALS, shownHalfUp, valueAt } from '../../values/prices/price.ts';
import type { Deps } from '../deps.ts';

type ReceiptDeps = Pick<Deps, 'rates'>;

/** The columns of figures take 78 digits. No amount or rate may stop a network: what does not fit is not known. */
const TOO_LARGE = 10n ** 78n;

/**
 * Stores the receipts of deposits that are credited for the first time, in that transaction, by two statements. One
 * without a currency to be valued in has none.
 */
export async function keepReceipts(deps: ReceiptDeps, em: EntityManager, credited: readonly Deposit[]): Promise<void> {
  if (credited.length === 0) return;
  const accounting = await readAccounting(
    em,
    credited.map((deposit) => ({ ...deposit, at: minedAt(deposit) })),
  );
  const receipts = credited.flatMap((deposit, nth) => receiptOf(deps, deposit, accounting[nth]) ?? []);
  await insertReceipts(em, receipts);
}

/** A credited deposit has a block. */
const minedAt = ({ blockTime, seenAt }: Deposit): Date => blockTime ?? seenAt;

/** What is to be kept of a deposit; null without a state's currency to value it in. */
function receiptOf({ rates }: ReceiptDeps, deposit: Deposit, accounting: AccountingRow | undefined): NewReceipt | null {
  const { currency = null, movedPrices = {} } = accounting ?? {};
  if (currency === null || !isFiat(currency)) return null;
  const market = rates?.marketAt({ movedPrices }, deposit.currency, currency, minedAt(deposit));
  const figures = market && fiatFigures(deposit, market.rate, currency);
  const unknown = { rate: null, rateAt: null, fiatAmount: null, fiatFee: null };
  const known = market && figures && { rate: formatAmount(market.rate, RATE_DECIMALS), rateAt: market.at, ...figures };
  return { depositId: deposit.id, fiatCurrency: currency, ...(known ?? unknown) };
}

/** The value of a deposit and of its fee, each half up, in minor units; null where they fit no column. */
export function fiatFigures(
  { amount, ...asset }: Pick<Deposit, 'amount' | 'currency' | 'network'>,
  rate: bigint,
  currency: string,
): Pick<NewReceipt, 'fiatAmount' | 'fiatFee'> | null {
  const decimals = priceDecimals(currency) ?? 0;
  const inFiat = (units: bigint) => shownHalfUp(valueAt(rate, units, assetOf(asset)), decimals);
  const [whole, fee] = [inFiat(amount), inFiat(feeOf(amount))];
  return whole < TOO_LARGE ? { fiatAmount: whole.toString(), fiatFee: fee.toString() } : null;
}
