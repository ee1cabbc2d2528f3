// The rows of invoices, the rates that they are quoted at, and what their payers do.

import type { Route } from './route.ts';

/** The full invoice: what every call of an invoice answers. */
export const FULL_INVOICE = `
  invoiceId: id status exception test amount currency acceptedAssets { currency network } description merchantInvoiceId
  linkId customerEmail customer returnUrl callbackUrl metadata invoiceUrl amountReceived amountConfirmed amountRefunded
  amountDue
  payments {
    orderId: id currency network address amount status exception rate marketRate spread sources quotedAt quoteExpiresAt
    amountReceived amountConfirmed amountRefunded valueReceived valueConfirmed
    transactions { txHash amount status confirmations blockNumber seenAt rate value }
  }
  expiresAt createdAt updatedAt settledAt`;

/** What payers see of an invoice. */
export const INVOICE_CHECKOUT = `
  id status exception amount currency amountReceived amountDue description merchantInvoiceId companyName logoUrl
  accentColor locale returnUrl test createdAt expiresAt
  options { currency network networkName state approximateAmount }
  payments {
    checkout {
      id status exception amount currency network networkName address paymentUri amountReceived amountDue confirmations
      requiredConfirmations expiresAt createdAt companyName logoUrl accentColor locale productName merchantOrderId
      returnUrl test
    }
    rate quoteExpiresAt isCurrent
  }`;

/** What one coin costs in a currency. */
export const RATE = `asset currency rate quotedRate at sources state`;

/** In the order of the API's description. */
export const INVOICE_ROUTES: readonly Route[] = [
  {
    method: 'POST',
    path: '/invoices',
    status: 201,
    idempotent: true,
    errors: ['UNSUPPORTED_ASSET', 'ABOVE_MAXIMUM', 'REFERENCE_USED', 'NOT_QUOTED', 'WEBHOOK_URL_REFUSED'],
    example: {
      amount: '49.90',
      currency: 'EUR',
      acceptedAssets: [{ currency: 'USDT', network: 'ETH' }],
      description: 'Two tins of Assam',
      merchantInvoiceId: 'BK-10046',
      customerEmail: 'ann@customer.example',
      returnUrl: 'https://shop.example/thanks?order=BK-10046',
      callbackUrl: 'https://shop.example/webhooks/orders',
      metadata: { basket: '7f3a', channel: 'web' },
      expirationMinutes: 60,
    },
    document: `mutation createInvoice($input: CreateInvoiceInput!) {
      result: createInvoice(input: $input) { ${FULL_INVOICE} }
    }`,
  },
  {
    method: 'GET',
    path: '/invoices',
    status: 200,
    document: `query invoices($status: [InvoiceStatus!], $currency: String, $merchantInvoiceId: String, $linkId: ID,
      $startDate: String, $endDate: String, $limit: Int, $cursor: String) {
      result: invoices(first: $limit, after: $cursor, filter: { status: $status, currency: $currency,
        merchantInvoiceId: $merchantInvoiceId, linkId: $linkId, startDate: $startDate, endDate: $endDate }) {
        items: nodes { ${FULL_INVOICE} }
        pagination: pageInfo { nextCursor hasMore: hasNextPage }
      }
    }`,
  },
  {
    method: 'GET',
    path: '/invoices/:id',
    status: 200,
    document: `query invoice($id: ID!) { result: invoice(id: $id) { ${FULL_INVOICE} } }`,
  },
  {
    method: 'DELETE',
    path: '/invoices/:id',
    status: 200,
    errors: ['WRONG_STATE'],
    document: `mutation cancelInvoice($id: ID!) { result: cancelInvoice(id: $id) { ${FULL_INVOICE} } }`,
  },
  {
    method: 'POST',
    path: '/invoices/:id/accept',
    status: 200,
    errors: ['WRONG_STATE'],
    document: `mutation acceptInvoice($id: ID!) { result: acceptInvoice(id: $id) { ${FULL_INVOICE} } }`,
  },
  {
    method: 'GET',
    path: '/rates',
    status: 200,
    errors: ['NOT_QUOTED'],
    document: `query rates($currency: String!) { items: rates(currency: $currency) { ${RATE} } }`,
  },
  {
    method: 'GET',
    path: '/checkout/invoices/:id',
    status: 200,
    document: `query invoiceCheckout($id: ID!) { result: invoiceCheckout(id: $id) { ${INVOICE_CHECKOUT} } }`,
  },
  {
    method: 'POST',
    path: '/checkout/invoices/:id/choose',
    status: 200,
    errors: [
      ...(['UNSUPPORTED_ASSET', 'BELOW_MINIMUM', 'ABOVE_MAXIMUM', 'NETWORK_UNAVAILABLE'] as const),
      ...(['TAKES_NO_MORE', 'NO_RATE', 'TOO_MANY_CHOICES'] as const),
    ],
    example: { currency: 'USDT', network: 'ETH' },
    document: `mutation chooseAsset($id: ID!, $currency: String!, $network: String!) {
      result: chooseAsset(input: { invoiceId: $id, currency: $currency, network: $network }) { ${INVOICE_CHECKOUT} }
    }`,
  },
];
