// Keeps what deposits are worth in the currency of their merchant's books, once, when they are first credited
// (contract-invoices, section 10).

import type { EntityManager } from '../../database/connection.ts';
import {
  insertReceipts,
  readAccounting,
  readPriceCurrencies,
  type AccountingRow,
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

/**
 * Stores the receipts of deposits that are credited for the first time, in that transaction: by two statements, and a
 * third if some belong to invoices. One without a currency to be valued in has none.
 */
export async function keepReceipts(
  deps: ReceiptDeps,
  em: EntityManager,
  credited: readonly CreditedDeposit[],
): Promise<void> {
  if (credited.length === 0) return;
  const times = new Map(credited.map(({ deposit }) => [timeOf(deposit), bookTimeOf(deposit)]));
  const rows = await readAccounting(em, [...times.values()]);
  const books = new Map([...times.keys()].map((time, nth) => [time, rows[nth]]));
  const ofInvoices = credited.flatMap(({ payment }) => (payment.invoiceId == null ? [] : payment.id));
  const prices = await readPriceCurrencies(em, ofInvoices);
  const marketOf = createMarket(deps);
  const receipts = credited.flatMap(({ payment, deposit }) => {
    const { currency: own = null, movedPrices = {} } = books.get(timeOf(deposit)) ?? {};
    const currency = own ?? prices.get(payment.id) ?? null;
    if (currency === null || !isFiat(currency)) return [];
    return toReceipt(deposit, currency, marketOf(deposit, currency, movedPrices));
  });
  await insertReceipts(em, receipts);
}

/** A credited deposit has a block. */
const minedAt = ({ blockTime, seenAt }: Deposit): Date => blockTime ?? seenAt;
const bookTimeOf = (deposit: Deposit) => ({ merchantId: deposit.merchantId, at: minedAt(deposit) });
const timeOf = (deposit: Deposit): string => `${deposit.merchantId} ${minedAt(deposit).getTime()}`;

/** Market rates, each asked for once: a block has many deposits of few pairs. */
function createMarket({ rates }: ReceiptDeps) {
  const known = new Map<string, MarketRate | null>();
  return (deposit: Deposit, currency: string, movedPrices: AccountingRow['movedPrices']): MarketRate | null => {
    const key = `${timeOf(deposit)} ${deposit.currency} ${currency}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const found = rates?.marketAt({ movedPrices }, deposit.currency, currency, minedAt(deposit)) ?? null;
    known.set(key, found);
    return found;
  };
}

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
