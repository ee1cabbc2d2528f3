// The two calls of an invoice: one creates it, as a shop's server does, and one chooses the coin that it is paid in.

import type { HttpStep } from '../../shared/http-load.ts';

/** The required fields, and the optional ones that merchants usually send. */
const invoiceBody = {
  amount: '49.90',
  currency: 'EUR',
  description: 'Annual subscription',
  // Its own in each call: the same reference again would answer the same invoice.
  merchantInvoiceId: 'BK-{number}',
  customerEmail: 'customer@example.com',
};

/** With an Idempotency-Key; only a 201 with an invoice counts. */
export const CREATE: HttpStep = {
  path: '/api/v1/invoices',
  body: JSON.stringify(invoiceBody),
  expectStatus: 201,
  expectBody: '{"success":true,"data":{"invoiceId":"inv_',
};

/** Of the invoice that the call before answered. It takes no key: a live quote is answered again. */
export const CHOOSE: HttpStep = {
  keyed: false,
  path: '/api/v1/checkout/invoices/{id}/choose',
  body: JSON.stringify({ currency: 'USDT', network: 'ETH' }),
  expectStatus: 200,
  expectBody: '{"success":true,"data":{"id":"inv_',
};
