// Keeps what deposits are worth in the currency of their merchant's books, once, when they are first credited
// (contract-invoices, section 10).

import type { EntityManager } from '../../database/connection.ts';
import {
  insertReceipts,
  readAccountingCurrencies,
  readPriceCurrencies,
  type NewReceipt,
} from '../../database/queries/ledger/receipts.ts';
import type { Deposit } from '../../entities/deposit.ts';
import type { Payment } from '../../entities/payment.ts';
import { feeOf, formatAmount } from '../../values/amount.ts';
import { assetOf } from '../../values/assets.ts';
import { isFiat, priceDecimals } from '../../values/prices/currencies.ts';
import { RATE_DECIMALS, shownHalfUp, valueAt } from '../../values/prices/price.ts';
import type { Deps } from '../deps.ts';
import type { MarketRate } from '../rates/rates.ts';

type ReceiptDeps = Pick<Deps, 'rates'>;

/** The columns of figures take 78 digits. No amount or rate may stop a network: what does not fit is not known. */
const TOO_LARGE = 10n ** 78n;

/** A deposit that is credited, with the payment that it came to. */
export interface CreditedDeposit {
  readonly payment: Pick<Payment, 'id' | 'invoiceId'>;
  readonly deposit: Deposit;
}

/** One that has a currency to be valued in. */
interface ValuedDeposit {
  readonly deposit: Deposit;
  readonly currency: string;
}

/**
 * Stores the receipts of deposits that are credited for the first time, in that transaction: by a few statements for
 * all of them, and by one if none is to be valued.
 */
export async function keepReceipts(
  deps: ReceiptDeps,
  em: EntityManager,
  credited: readonly CreditedDeposit[],
): Promise<void> {
  if (credited.length === 0) return;
  const valued = await findCurrencies(em, credited);
  if (valued.length === 0) return;
  const questions = valued.map(({ deposit, currency }) => ({
    ...{ merchantId: deposit.merchantId, asset: deposit.currency, currency },
    at: minedAt(deposit),
  }));
  const markets = (await deps.rates?.marketsAt(em, questions)) ?? [];
  await insertReceipts(
    em,
    valued.map(({ deposit, currency }, nth) => toReceipt(deposit, currency, markets[nth] ?? null)),
  );
}

/** What each is valued in: the currency of its merchant's books, else that of its invoice; of states' alone. */
async function findCurrencies(em: EntityManager, credited: readonly CreditedDeposit[]): Promise<ValuedDeposit[]> {
  const books = await readAccountingCurrencies(em, [...new Set(credited.map(({ deposit }) => deposit.merchantId))]);
  const ofInvoices = credited.flatMap(({ payment }) => (payment.invoiceId == null ? [] : payment.id));
  const prices = await readPriceCurrencies(em, ofInvoices);
  return credited.flatMap(({ payment, deposit }) => {
    const currency = books.get(deposit.merchantId) ?? prices.get(payment.id);
    return currency !== undefined && isFiat(currency) ? [{ deposit, currency }] : [];
  });
}

/** A credited deposit has a block. */
const minedAt = ({ blockTime, seenAt }: Deposit): Date => blockTime ?? seenAt;

/** What is kept of a deposit in a state's currency. */
function toReceipt(deposit: Deposit, fiatCurrency: string, market: MarketRate | null): NewReceipt {
  const figures = market && fiatFigures(deposit, market.rate, fiatCurrency);
  const known = market && figures && { rate: formatAmount(market.rate, RATE_DECIMALS), rateAt: market.at, ...figures };
  return { depositId: deposit.id, fiatCurrency, ...(known ?? UNKNOWN) };
}

const UNKNOWN = { rate: null, rateAt: null, fiatAmount: null, fiatFee: null };

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
