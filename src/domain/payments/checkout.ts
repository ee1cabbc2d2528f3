// The payment page's view of a payment, without anything that only concerns the merchant.

import { formatAmount, parseAmount } from '../../values/amount.ts';
import { assetOf, NETWORKS } from '../../values/assets.ts';
import { priceDecimals } from '../../values/prices/currencies.ts';
import { shownHalfUp, valueAt } from '../../values/prices/price.ts';
import type { Deps } from '../deps.ts';
import type { RateMerchant } from '../rates/rates.ts';
import type { PaymentSnapshot } from '../snapshots/payment.ts';

/** The view. Amounts are canonical decimal strings; dates are as in the snapshot it was made from. */
export interface Checkout extends Pick<
  PaymentSnapshot,
  | 'id'
  | 'status'
  | 'exception'
  | 'amount'
  | 'currency'
  | 'network'
  | 'address'
  | 'amountReceived'
  | 'confirmations'
  | 'requiredConfirmations'
  | 'expiresAt'
  | 'createdAt'
  | 'completedAt'
  | 'transactions'
  | 'productName'
  | 'merchantOrderId'
  | 'returnUrl'
> {
  readonly networkName: string;
  /**
   * The token's contract, or mint; null for the network's coin, and where this deployment no longer has the network.
   */
  readonly tokenContract: string | null;
  readonly paymentUri: string;
  readonly amountDue: string;
  /** About what that is worth, in `valueCurrency`; both null for a choice of an invoice, and without a rate. */
  readonly value: string | null;
  readonly valueCurrency: string | null;
  readonly companyName: string;
  readonly logoUrl: string | null;
  readonly accentColor: string | null;
  readonly locale: string | null;
  /** Where customers reach the merchant. */
  readonly supportEmail: string | null;
  readonly test: boolean;
}

/** What the view is made from: a payment's snapshot, or what an invoice says of one of its payments. */
export type CheckoutSource = Omit<
  PaymentSnapshot,
  | 'paymentUrl'
  | 'customerEmail'
  | 'callbackUrl'
  | 'metadata'
  | 'amountConfirmed'
  | 'feeAmount'
  | 'updatedAt'
  | 'invoiceId'
>;

/** The merchant's branding on the page, from their settings. */
export type Branding = Pick<Checkout, 'companyName' | 'logoUrl' | 'accentColor' | 'locale' | 'supportEmail'>;

/** What a payment's worth is shown in, and what its rate depends on of the merchant. */
export interface Valuation {
  readonly merchant: RateMerchant;
  readonly currency: string;
}

type ViewDeps = Pick<Deps, 'chains' | 'rates'>;

/** Makes the view from a payment's snapshot; `valuation` is null where a price says what it is worth. */
export function toCheckout(
  deps: ViewDeps,
  payment: CheckoutSource,
  branding: Branding,
  valuation: Valuation | null,
): Checkout {
  const { id, status, exception, amount, currency, network, address, amountReceived } = payment;
  const { confirmations, requiredConfirmations, expiresAt, createdAt, completedAt, transactions } = payment;
  const { productName, merchantOrderId, returnUrl } = payment;
  const { decimals } = assetOf(payment);
  const due = amountDueOf(payment, decimals);
  const asked = due > 0n ? due : unitsOf(amount, decimals);
  return {
    id,
    status,
    exception,
    amount,
    currency,
    network,
    networkName: NETWORKS[network].name,
    tokenContract: deps.chains.get(network)?.adapter.contracts.get(currency) ?? null,
    address,
    paymentUri: paymentUriOf(deps, payment, asked),
    amountReceived,
    amountDue: formatAmount(due, decimals),
    ...valueOf(deps, payment, asked, valuation),
    confirmations,
    requiredConfirmations,
    expiresAt,
    createdAt,
    completedAt,
    transactions,
    ...branding,
    productName,
    merchantOrderId,
    returnUrl,
    test: payment.test ?? false,
  };
}

/** At the rate of this moment: neither what was agreed nor what is booked, so it is called about. */
function valueOf(
  { rates }: ViewDeps,
  payment: CheckoutSource,
  units: bigint,
  valuation: Valuation | null,
): Pick<Checkout, 'value' | 'valueCurrency'> {
  const decimals = valuation && priceDecimals(valuation.currency);
  const quoted = valuation && rates?.quote({ ...valuation.merchant, spread: 0 }, payment.currency, valuation.currency);
  if (!quoted || decimals === null) return { value: null, valueCurrency: null };
  const value = shownHalfUp(valueAt(quoted.rate, units, assetOf(payment)), decimals);
  return { value: formatAmount(value, decimals), valueCurrency: valuation.currency };
}

/**
 * The amount still due: the amount less what was received, without tolerance, never negative. Money refunded before the
 * payment succeeded does not count as received (contract, section 5).
 */
function amountDueOf(payment: CheckoutSource, decimals: number): bigint {
  const received = unitsOf(payment.amountReceived, decimals);
  const givenBack = payment.completedAt === null ? unitsOf(payment.amountRefunded, decimals) : 0n;
  const due = unitsOf(payment.amount, decimals) - (received - givenBack);
  return due > 0n ? due : 0n;
}

/** The payment URI; the bare address, which any wallet accepts, if this deployment no longer has the network. */
function paymentUriOf({ chains }: Pick<Deps, 'chains'>, payment: CheckoutSource, amount: bigint): string {
  const { id: orderId, address, currency, network } = payment;
  return chains.get(network)?.adapter.paymentUri({ address, currency, amount, orderId }) ?? address;
}

/** Reads an amount from a snapshot, in base units. Sums of deposits may have more digits than `parseAmount` accepts. */
export function unitsOf(text: string, decimals: number): bigint {
  const units = parseAmount(text, decimals);
  if (units !== null) return units;
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(decimals, '0'));
}
