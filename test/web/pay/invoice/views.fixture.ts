// An invoice as its page gets it, for tests of what the page says: 49.90 EUR, in bitcoin at 55,000 or USDT at 0.925.

import type { InvoiceCheckout, InvoicePayment, Option } from '../../../../web/pay/invoice/checkout.ts';

export const NOW = new Date('2026-03-01T12:00:00.000Z');
const QUOTED_AT = '2026-03-01T11:59:30.000Z';
export const QUOTE_ENDS = '2026-03-01T12:14:30.000Z';
export const AFTER_QUOTE = new Date('2026-03-01T12:20:00.000Z');
export const AFTER_ALL = new Date('2026-03-01T13:00:00.000Z');

const option = (currency: string, network: string, networkName: string, amount: string): Option => ({
  ...{ currency, network, networkName, state: 'OPEN', approximateAmount: amount },
});

export const OPTIONS: readonly Option[] = [
  option('BTC', 'BTC', 'Bitcoin', '0.00090728'),
  { ...option('LTC', 'LTC', 'Litecoin', ''), state: 'NO_RATE', approximateAmount: null },
  { ...option('SOL', 'SOL', 'Solana', '0.3'), state: 'NO_NODE' },
  option('USDT', 'ETH', 'Ethereum', '53.91896'),
  option('USDT', 'TRON', 'TRON', '53.91896'),
  option('USDT', 'POLYGON', 'Polygon', '53.91896'),
];

/** A quote of 0.00090728 BTC. */
export function inBitcoin(changes: Partial<InvoicePayment['checkout']> = {}, isCurrent = true): InvoicePayment {
  const address = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq';
  return {
    ...{ rate: '55000', quotedAt: QUOTED_AT, quoteExpiresAt: QUOTE_ENDS, isCurrent },
    checkout: {
      ...{ id: 'ord_01jq2v7m8x4k9n3p5r6s7t8v9w', status: 'PENDING', exception: null },
      ...{ currency: 'BTC', network: 'BTC', networkName: 'Bitcoin', address, amountReceived: '0' },
      ...{ paymentUri: `bitcoin:${address}?amount=0.00090728`, amountDue: '0.00090728' },
      ...{ isMainNetwork: true, tokenContract: null, completedAt: null, transactions: [] },
      ...{ confirmations: 0, requiredConfirmations: 2, ...changes },
    },
  };
}

/** A quote of 53.91896 USDT on TRON. */
export function inTether(changes: Partial<InvoicePayment['checkout']> = {}, isCurrent = true): InvoicePayment {
  const address = 'TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE';
  return {
    ...{ rate: '0.925462962963', quotedAt: QUOTED_AT, quoteExpiresAt: QUOTE_ENDS, isCurrent },
    checkout: {
      ...{ id: 'ord_01jq2v7m8x4k9n3p5r6s7t8v9x', status: 'PENDING', exception: null },
      ...{ currency: 'USDT', network: 'TRON', networkName: 'TRON', address, paymentUri: address },
      ...{ isMainNetwork: true, tokenContract: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t' },
      ...{ completedAt: null, transactions: [] },
      ...{ amountReceived: '0', amountDue: '53.91896', confirmations: 0, requiredConfirmations: 20, ...changes },
    },
  };
}

export const OPEN: InvoiceCheckout = {
  ...{ id: 'inv_01jq2v7m8x4k9n3p5r6s7t8v9w', status: 'OPEN', exception: null, amount: '49.9', currency: 'EUR' },
  ...{ amountReceived: '0', amountDue: '49.9', description: 'Two tins of Assam', merchantInvoiceId: 'BK-10045' },
  ...{ companyName: 'Blue Kettle Tea', logoUrl: null, accentColor: null, locale: null, test: false },
  ...{ returnUrl: 'https://shop.example/thanks', supportEmail: null, settledAt: null },
  ...{ createdAt: '2026-03-01T11:59:30.000Z', expiresAt: '2026-03-01T12:59:30.000Z' },
  options: [...OPTIONS],
  payments: [],
};

/** 20 USDT came: 18.50925925926 EUR. */
export const PART: InvoiceCheckout = {
  ...OPEN,
  ...{ status: 'PARTIALLY_PAID', amountReceived: '18.5', amountDue: '31.4' },
  payments: [inTether({ status: 'PARTIALLY_PAID', amountReceived: '20', amountDue: '33.91896' })],
};

const done = { amountReceived: '49.9', amountDue: '0', options: [] };
const paid = inBitcoin({ status: 'CONFIRMING', amountReceived: '0.00090728', amountDue: '0' });
const over = inBitcoin({ status: 'SUCCEEDED', amountReceived: '0.001', amountDue: '0' }, false);

/** Every state of the page that customers see, by name. */
export const VIEWS: readonly (readonly [name: string, invoice: InvoiceCheckout, wish: object, now: Date])[] = [
  ['coins', OPEN, {}, NOW],
  ['networks', OPEN, { coin: 'USDT' }, NOW],
  ['no coin', { ...OPEN, options: OPTIONS.filter(({ state }) => state !== 'OPEN') }, {}, NOW],
  ['pay', { ...OPEN, payments: [inBitcoin()] }, {}, NOW],
  ['new rate', { ...OPEN, payments: [inBitcoin()] }, {}, AFTER_QUOTE],
  ['part', PART, {}, NOW],
  ['part, new rate', PART, {}, AFTER_QUOTE],
  ['part, another coin', PART, { coin: '' }, NOW],
  ['part, and a quote for the whole price', { ...PART, payments: [...partPaid(), inBitcoin()] }, {}, NOW],
  ['part, in another coin', { ...PART, payments: [...partPaid(), inBitcoin({ amountDue: '0.00057075' })] }, {}, NOW],
  ['lapsed', { ...OPEN, payments: [inBitcoin()] }, {}, AFTER_ALL],
  ['lapsed, part', PART, {}, AFTER_ALL],
  ['processing', { ...OPEN, ...done, status: 'PROCESSING', payments: [paid] }, {}, NOW],
  ['settled', { ...OPEN, ...done, status: 'SETTLED', payments: [{ ...paid, isCurrent: false }] }, {}, NOW],
  ['settled, over', ended({ status: 'SETTLED', exception: 'OVERPAID', amountReceived: '55' }, [over]), {}, NOW],
  ['settled, late', ended({ status: 'SETTLED', exception: 'PAID_LATE' }, [over]), {}, NOW],
  ['partly refunded', ended({ status: 'PARTIALLY_REFUNDED' }, [over]), {}, NOW],
  ['refunded', ended({ status: 'REFUNDED' }, [over]), {}, NOW],
  ['expired', ended({ status: 'EXPIRED', amountReceived: '0' }, []), {}, NOW],
  [
    'expired, chosen',
    ended({ status: 'EXPIRED', amountReceived: '0' }, [inBitcoin({ status: 'EXPIRED' }, false)]),
    {},
    NOW,
  ],
  ['expired, money afterwards', ended({ status: 'EXPIRED' }, [over]), {}, NOW],
  ['canceled', ended({ status: 'CANCELED', amountReceived: '0' }, []), {}, NOW],
  ['underpaid', ended({ status: 'FAILED', exception: 'UNDERPAID', amountReceived: '18.5' }, PART.payments), {}, NOW],
  ['unconfirmed', ended({ status: 'FAILED', exception: 'UNCONFIRMED' }, [over]), {}, NOW],
  ['reorged', ended({ status: 'FAILED', exception: 'REORGED', amountReceived: '0' }, [over]), {}, NOW],
];

function partPaid(): InvoicePayment[] {
  return [{ ...inTether({ status: 'PARTIALLY_PAID', amountReceived: '20', amountDue: '33.91896' }), isCurrent: false }];
}

function ended(changes: Partial<InvoiceCheckout>, payments: readonly InvoicePayment[]): InvoiceCheckout {
  return { ...OPEN, ...done, ...changes, payments: [...payments] };
}
