// What an invoice's payments are worth to it: values of deposits and refunds in 10⁻³⁰ of the price's currency
// (contract-invoices, sections 1 and 4).

import type { Deposit } from '../../entities/deposit.ts';
import type { Invoice } from '../../entities/invoice.ts';
import type { Payment } from '../../entities/payment.ts';
import type { Quote } from '../../entities/quote.ts';
import { assetOf } from '../../values/assets.ts';
import { priceAsValue, quoteStep } from '../../values/prices/price.ts';
import type { DepositFacts } from './state-machine.ts';
import { decimalsOf, valueOf } from '../snapshots/invoice.ts';
import { isOwn } from '../snapshots/payment.ts';

/** The fields of a payment, its quote and its deposits that count for an invoice; amounts in base units. */
export interface PaymentWorth {
  readonly payment: Pick<Payment, 'currency' | 'network' | 'amountRefunded'>;
  readonly quote: Pick<Quote, 'rate'>;
  readonly deposits: readonly Pick<
    Deposit,
    | 'network'
    | 'currency'
    | 'amount'
    | 'status'
    | 'blockTime'
    | 'seenAt'
    | 'late'
    | 'credits'
    | 'credited'
    | 'valueRate'
  >[];
  /** Its refunds that were requested before the invoice was first settled and have not failed. */
  readonly setAside: bigint;
}

type Worth = Pick<Invoice, 'valueReceived' | 'valueConfirmed' | 'valueRefunded' | 'valueSetAside'>;
type DepositWorth = PaymentWorth['deposits'][number];

/**
 * The deposits in the payments' own assets, with values in the place of amounts. One is late if it arrived after the
 * invoice's deadline; what arrives at a payment that has ended before counts in time.
 */
export function receiptsOf(deadline: Date, payments: readonly PaymentWorth[]): DepositFacts[] {
  return payments.flatMap((each) =>
    ownOf(each).map((deposit) => ({
      amount: worthOf(each, deposit),
      status: deposit.status,
      credited: deposit.credited,
      late: deposit.late && arrivalOf(deposit) > deadline,
      seenAt: deposit.seenAt,
    })),
  );
}

/** The sums that an invoice keeps. */
export function worthOfAll(payments: readonly PaymentWorth[]): Worth {
  const sum = (of: (each: PaymentWorth) => bigint) => payments.reduce((total, each) => total + of(each), 0n);
  const ofDeposits = (counts: (deposit: DepositWorth) => boolean) =>
    sum((each) => ownOf(each).reduce((total, one) => (counts(one) ? total + worthOf(each, one) : total), 0n));
  return {
    valueReceived: ofDeposits(({ status }) => status !== 'ORPHANED'),
    valueConfirmed: ofDeposits(({ credited }) => credited),
    valueRefunded: sum((each) => shareOf(each, each.payment.amountRefunded).down),
    valueSetAside: sum((each) => shareOf(each, each.setAside).up),
  };
}

/**
 * The least confirmed value that is too much: a minor unit more than the price, or one rounding step of each coin paid
 * if that is more, as quotes are rounded up.
 */
export function overpaidFrom(
  { amount, currency }: Pick<Invoice, 'amount' | 'currency'>,
  payments: readonly PaymentWorth[],
): bigint {
  const decimals = decimalsOf(currency);
  const stepOf = new Map<string, bigint>();
  for (const { payment, quote, deposits } of payments) {
    if (!deposits.some((deposit) => deposit.credited && isOwn(payment, deposit))) continue;
    const coin = `${payment.currency} ${payment.network}`;
    const step = valueOf(payment, quote.rate, quoteStep(assetOf(payment)));
    const known = stepOf.get(coin) ?? 0n;
    stepOf.set(coin, step > known ? step : known);
  }
  const steps = [...stepOf.values()].reduce((sum, step) => sum + step, 0n);
  const minorUnit = priceAsValue(1n, decimals);
  return priceAsValue(amount, decimals) + (steps > minorUnit ? steps : minorUnit);
}

/**
 * What a part of a payment's money is worth, pro rata of what was credited, as deposits may count at several rates; of
 * what was ever credited, if all of that is lost.
 */
function shareOf(each: PaymentWorth, units: bigint): { readonly down: bigint; readonly up: bigint } {
  const own = ownOf(each);
  const credited = own.filter((deposit) => deposit.credited);
  const base = credited.length > 0 ? credited : own.filter(({ credits }) => credits > 0);
  const whole = base.reduce((sum, { amount }) => sum + amount, 0n);
  if (units === 0n || whole === 0n) return { down: 0n, up: 0n };
  const product = units * base.reduce((sum, deposit) => sum + worthOf(each, deposit), 0n);
  return { down: product / whole, up: (product + whole - 1n) / whole };
}

const ownOf = ({ payment, deposits }: PaymentWorth): DepositWorth[] =>
  deposits.filter((deposit) => isOwn(payment, deposit));

const worthOf = ({ payment, quote }: PaymentWorth, { amount, valueRate }: DepositWorth): bigint =>
  valueOf(payment, valueRate ?? quote.rate, amount);

const arrivalOf = ({ seenAt, blockTime }: DepositWorth): Date =>
  blockTime != null && blockTime < seenAt ? blockTime : seenAt;
