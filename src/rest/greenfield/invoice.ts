// Our invoice in the shape of theirs, and theirs as our input.

import { invalid, type Fault } from '../../values/errors.ts';
import { amountLess } from '../../values/formats/decimals.ts';
import type { Json } from './row.ts';

/** What is asked of an invoice for any answer. */
export const INVOICE = `id status exception amount currency acceptedAssets { currency network } metadata returnUrl
  invoiceUrl amountReceived expiresAt createdAt
  payments { currency network address amount amountReceived rate transactions { txHash amount status seenAt } }`;

/** In UTF-16 units, as our input counts them. */
const LONGEST_DESCRIPTION = 255;

interface Asset {
  readonly currency: string;
  readonly network: string;
}

interface Quoted extends Asset {
  readonly address: string;
  readonly amount: string;
  readonly amountReceived: string;
  readonly rate: string;
  readonly transactions: readonly { txHash: string; amount: string; status: string; seenAt: string }[];
}

interface Invoice {
  readonly id: string;
  readonly status: string;
  readonly exception: string | null;
  readonly amount: string;
  readonly currency: string;
  readonly acceptedAssets: readonly Asset[] | null;
  readonly metadata: Json | null;
  readonly returnUrl: string | null;
  readonly invoiceUrl: string;
  readonly amountReceived: string;
  readonly expiresAt: string;
  readonly createdAt: string;
  readonly payments: readonly Quoted[];
}

/** A method of payment by their name: `BTC-CHAIN` where a network has the name of its coin, else `USDT-ETH`. */
export const methodOf = ({ currency, network }: Asset): string =>
  currency === network ? `${currency}-CHAIN` : `${currency}-${network}`;

/**
 * The asset of a name of theirs, `BTC` of before 2.0 included. The plugin for WooCommerce writes `_` where the list has
 * `-`.
 */
function assetOf(name: string): Asset {
  const [currency = '', network = 'CHAIN'] = name.toUpperCase().split(/[-_]/);
  return { currency, network: network === 'CHAIN' ? currency : network };
}

/** The names of what a merchant accepts; null for all that there is. */
export function acceptedOf({ acceptedAssets }: Json): readonly string[] | null {
  return (acceptedAssets as readonly Asset[] | null)?.map(methodOf) ?? null;
}

/**
 * The methods that an invoice is limited to. Plugins name all that they have seen, and keep that list: what the
 * merchant has ceased to accept is left out, unless nothing else is named, which is then refused.
 */
function readMethods(names: unknown, accepted: readonly string[] | null): readonly Asset[] | null {
  if (!Array.isArray(names) || names.length === 0) return null;
  if (!names.every((name) => typeof name === 'string'))
    throw invalid([{ path: 'checkout.paymentMethods', message: 'must be a list of texts' }]);
  const assets = names.map(assetOf);
  const kept = assets.filter((asset) => accepted?.includes(methodOf(asset)) ?? true);
  return kept.length > 0 ? kept : assets;
}

const STATUSES: Readonly<Record<string, string>> = {
  ...{ OPEN: 'New', PARTIALLY_PAID: 'New', PROCESSING: 'Processing', SETTLED: 'Settled', EXPIRED: 'Expired' },
  ...{ PARTIALLY_REFUNDED: 'Settled', REFUNDED: 'Settled', FAILED: 'Invalid', CANCELED: 'Invalid' },
};

/** Our states that may be one of theirs. */
export const statesOf = (status: string): readonly string[] =>
  status === 'Expired' ? ['EXPIRED', 'FAILED'] : Object.keys(STATUSES).filter((own) => STATUSES[own] === status);

/**
 * Their two words for a state. `PaidLate` is said of settled invoices alone: their plugins take an order for paid by
 * that word, whatever the status.
 */
function statusOf({ status, exception }: Invoice): { status: string; additionalStatus: string } {
  const isUnderpaid = status === 'FAILED' && exception === 'UNDERPAID';
  if (isUnderpaid) return { status: 'Expired', additionalStatus: 'PaidPartial' };
  const words = STATUSES[status] ?? 'Invalid';
  const isPaid = words === 'Settled' || words === 'Processing';
  const more =
    status === 'PARTIALLY_PAID'
      ? 'PaidPartial'
      : status === 'CANCELED'
        ? 'Marked'
        : isPaid && exception === 'OVERPAID'
          ? 'PaidOver'
          : words === 'Settled' && exception === 'PAID_LATE'
            ? 'PaidLate'
            : 'None';
  return { status: words, additionalStatus: more };
}

const seconds = (time: string): number => Math.floor(Date.parse(time) / 1_000);

/** An invoice as they answer it. Times are in seconds since 1970. */
export function showInvoice(data: Json, storeId: string): Json {
  const invoice = data as unknown as Invoice;
  const { id, amount, currency, metadata, invoiceUrl, returnUrl, acceptedAssets, expiresAt, createdAt } = invoice;
  const expirationTime = seconds(expiresAt);
  const minutes = Math.round((expirationTime - seconds(createdAt)) / 60);
  return {
    ...{ id, storeId, amount, paidAmount: invoice.amountReceived, currency, type: 'Standard' },
    ...{ checkoutLink: invoiceUrl, createdTime: seconds(createdAt), expirationTime },
    ...{ monitoringExpiration: expirationTime, monitoringTime: expirationTime },
    ...statusOf(invoice),
    availableStatusesForManualMarking: invoice.status === 'OPEN' ? ['Invalid'] : [],
    archived: false,
    metadata: metadata ?? {},
    checkout: {
      ...{ speedPolicy: 'MediumSpeed', paymentMethods: (acceptedAssets ?? []).map(methodOf) },
      ...{ defaultPaymentMethod: null, expirationMinutes: minutes, monitoringMinutes: 0, paymentTolerance: 0 },
      ...{ redirectURL: returnUrl, redirectAutomatically: false, requiresRefundEmail: null, defaultLanguage: null },
    },
  };
}

const PAYMENT_STATUSES: Readonly<Record<string, string>> = {
  ...{ PENDING: 'Processing', CONFIRMED: 'Settled', ORPHANED: 'Invalid' },
};

/** The quotes of an invoice as their methods of payment, with their names of before 2.0 and since. */
export function showPaymentMethods(data: Json): readonly Json[] {
  const { payments } = data as unknown as Invoice;
  return payments.map((quoted) => {
    const { currency, address: destination, rate, amount, amountReceived } = quoted;
    const name = methodOf(quoted);
    return {
      ...{ paymentMethodId: name, paymentMethod: name, cryptoCode: currency, currency, destination, paymentLink: null },
      ...{
        rate,
        paymentMethodPaid: amountReceived,
        totalPaid: amountReceived,
        due: amountLess(amount, amountReceived),
      },
      ...{ amount, paymentMethodFee: '0', networkFee: '0', activated: true, additionalData: {} },
      payments: quoted.transactions.map(({ txHash: id, amount: value, status, seenAt }) => ({
        ...{ id, receivedDate: seconds(seenAt), value, fee: '0', status: PAYMENT_STATUSES[status], destination },
      })),
    };
  });
}

/**
 * Their body of a new invoice as our input. What has no counterpart here is left out, and said in the guide.
 * `accepted` are the names of what the merchant accepts.
 */
export function readNewInvoice(body: Json, accepted: readonly string[] | null): Json {
  const { amount, currency, metadata, checkout } = body;
  const told = objectOf(metadata, 'metadata');
  const { expirationMinutes, redirectURL, paymentMethods } = objectOf(checkout, 'checkout');
  const texts = Object.entries(told).filter(([, value]) => value !== null && value !== '');
  const named = texts.map(([name, value]) => [name, typeof value === 'string' ? value : written(name, value)]);
  const acceptedAssets = readMethods(paymentMethods, accepted);
  const { buyerEmail, itemDesc } = told;
  return {
    amount: typeof amount === 'number' ? String(amount) : amount,
    currency,
    ...(named.length > 0 && { metadata: Object.fromEntries(named) as Json }),
    ...(isText(buyerEmail) && { customerEmail: buyerEmail }),
    ...(isText(itemDesc) && { description: shortened(itemDesc) }),
    ...(isText(redirectURL) && { returnUrl: redirectURL }),
    ...(typeof expirationMinutes === 'number' && { expirationMinutes: Math.round(expirationMinutes) }),
    ...(acceptedAssets && { acceptedAssets }),
  };
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';

/** As long as a description may be, without half a character at the end; all of it is in the metadata. */
const shortened = (text: string): string =>
  text
    .trim()
    .slice(0, LONGEST_DESCRIPTION)
    .replace(/[\ud800-\udbff]$/, '')
    .trimEnd();

/** A value of the metadata that is no text, as JSON. */
function written(name: string, value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw invalid([{ path: `metadata.${name}`, message: 'is nested too deep' }]);
  }
}

function objectOf(value: unknown, path: string): Json {
  if (value === undefined || value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value)) throw invalid([{ path, message: 'must be an object' }]);
  return value as Json;
}

/** What their bodies call the fields of our input. */
const THEIR_PATHS: Readonly<Record<string, string>> = {
  ...{ returnUrl: 'checkout.redirectURL', acceptedAssets: 'checkout.paymentMethods' },
  ...{ expirationMinutes: 'checkout.expirationMinutes', customerEmail: 'metadata.buyerEmail' },
  ...{ description: 'metadata.itemDesc', events: 'authorizedEvents' },
};

/** A fault of our input as one of their body. */
export function theirFault({ path, message }: Fault): { path: string; message: string } {
  const [first = '', ...rest] = path.replace(/^(input|filter)\./, '').split('.');
  return { path: [THEIR_PATHS[first] ?? first, ...rest].join('.'), message };
}
