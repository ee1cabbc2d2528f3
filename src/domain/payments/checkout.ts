// The payment page's view of a payment, without anything that only concerns the merchant.

import { formatAmount, parseAmount } from '../../values/amount.ts';
import { assetOf, NETWORKS } from '../../values/assets.ts';
import type { Deps } from '../deps.ts';
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
  | 'productName'
  | 'merchantOrderId'
  | 'returnUrl'
> {
  readonly networkName: string;
  readonly paymentUri: string;
  readonly amountDue: string;
  readonly companyName: string;
  readonly logoUrl: string | null;
  readonly accentColor: string | null;
  readonly locale: string | null;
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
  | 'transactions'
  | 'updatedAt'
  | 'invoiceId'
>;

/** The merchant's branding on the page, from their settings. */
export type Branding = Pick<Checkout, 'companyName' | 'logoUrl' | 'accentColor' | 'locale'>;

/** Makes the view from a payment's snapshot. */
export function toCheckout(deps: Pick<Deps, 'chains'>, payment: CheckoutSource, branding: Branding): Checkout {
  const { id, status, exception, amount, currency, network, address, amountReceived } = payment;
  const { confirmations, requiredConfirmations, expiresAt, createdAt } = payment;
  const { productName, merchantOrderId, returnUrl } = payment;
  const { decimals } = assetOf(payment);
  const due = amountDueOf(payment, decimals);
  return {
    id,
    status,
    exception,
    amount,
    currency,
    network,
    networkName: NETWORKS[network].name,
    address,
    paymentUri: paymentUriOf(deps, payment, due > 0n ? due : unitsOf(amount, decimals)),
    amountReceived,
    amountDue: formatAmount(due, decimals),
    confirmations,
    requiredConfirmations,
    expiresAt,
    createdAt,
    ...branding,
    productName,
    merchantOrderId,
    returnUrl,
    test: payment.test ?? false,
  };
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
