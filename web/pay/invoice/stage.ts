// Which step an invoice's page shows, from the invoice, the clock, and what the page's address asks for.

import { parseAmount } from '../../../src/values/amount.ts';
import { assetOf } from '../../../src/values/assets.ts';
import { priceDecimals } from '../../../src/values/prices/currencies.ts';
import { priceAsValue, quoteStep, readRate, valueAt } from '../../../src/values/prices/price.ts';
import type { InvoiceCheckout, InvoicePayment } from './checkout.ts';

/** What the page's address asks for: nothing, the list of coins (an empty coin), a coin, or a coin on a network. */
export interface Wish {
  readonly coin?: string;
  readonly network?: string;
}

/** The step: what the customer does now. */
export type Stage =
  | { readonly step: 'coin' }
  | { readonly step: 'network'; readonly coin: string }
  | { readonly step: 'pay'; readonly payment: InvoicePayment }
  /** Its quote is over, or asks for another amount than is due: only a new one shows an address. */
  | { readonly step: 'renew'; readonly payment: InvoicePayment }
  /** Its time is over, but it has not ended yet. */
  | { readonly step: 'lapsed' }
  /** There is nothing to do here: it is processed, settled or has ended. */
  | { readonly step: 'rest' };

/** Reads a wish from the parameters of an address, which are untrusted. */
export function readWish({ coin, network }: Readonly<Record<string, unknown>>): Wish {
  if (typeof coin !== 'string' || !/^[A-Za-z0-9]{0,12}$/.test(coin)) return {};
  if (typeof network !== 'string' || !/^[A-Za-z0-9]{1,12}$/.test(network)) return { coin: coin.toUpperCase() };
  return { coin: coin.toUpperCase(), network: network.toUpperCase() };
}

/** The step to show. A wish counts while coins may be chosen, and only where the invoice has what it names. */
export function stageOf(invoice: InvoiceCheckout, wish: Wish, now: Date): Stage {
  if (invoice.status !== 'OPEN' && invoice.status !== 'PARTIALLY_PAID') return { step: 'rest' };
  if (now.getTime() >= Date.parse(invoice.expiresAt)) return { step: 'lapsed' };
  const { coin, network } = wish;
  const isOffered = invoice.options.some((option) => option.currency === coin);
  const named =
    network === undefined
      ? undefined
      : invoice.payments.findLast(({ checkout }) => checkout.currency === coin && checkout.network === network);
  if (named && asksForMoney(named)) return stepOf(invoice, named, now);
  if (coin === '') return { step: 'coin' };
  // A payment that got all its coins while more is due, as its rate has fallen, leaves the choice to its payer again.
  if (coin !== undefined && isOffered && !named) return { step: 'network', coin };
  const current = invoice.payments.find(({ isCurrent }) => isCurrent);
  return current ? stepOf(invoice, current, now) : { step: 'coin' };
}

function asksForMoney({ checkout: { status } }: InvoicePayment): boolean {
  return status === 'PENDING' || status === 'PARTIALLY_PAID';
}

function stepOf(invoice: InvoiceCheckout, payment: InvoicePayment, now: Date): Stage {
  const holds = now.getTime() < Date.parse(payment.quoteExpiresAt) && asksForWhatIsDue(invoice, payment);
  return { step: holds ? 'pay' : 'renew', payment };
}

/**
 * Whether a payment asks for what the invoice still needs. It no longer does once money has come, or was lost again, by
 * another payment. What the API shows is rounded, so it may differ by two of its units.
 */
function asksForWhatIsDue(invoice: InvoiceCheckout, { checkout, rate }: InvoicePayment): boolean {
  const asset = assetOf(checkout);
  const decimals = priceDecimals(invoice.currency) ?? 0;
  const units = parseAmount(checkout.amountDue, asset.decimals) ?? 0n;
  const due = priceAsValue(parseAmount(invoice.amountDue, decimals) ?? 0n, decimals);
  const asked = valueAt(readRate(rate), units, asset);
  const slack = 2n * (valueAt(readRate(rate), quoteStep(asset), asset) + priceAsValue(1n, decimals));
  const difference = asked > due ? asked - due : due - asked;
  return difference <= slack;
}
