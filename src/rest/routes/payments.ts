// The rows of payments, and the assets that they can be made in.

import type { Route } from './route.ts';

/** The full payment of the contract, section 4. */
export const FULL_PAYMENT = `
  orderId: id address amount currency network paymentUrl expiresAt status createdAt exception test merchantOrderId
  productName customerEmail callbackUrl returnUrl metadata amountReceived amountConfirmed amountRefunded feeAmount
  confirmations requiredConfirmations
  transactions { txHash amount status confirmations blockNumber seenAt }
  updatedAt completedAt invoiceId`;

/** In the order of the API's description. */
export const PAYMENT_ROUTES: readonly Route[] = [
  {
    method: 'POST',
    path: '/payments',
    status: 201,
    idempotent: true,
    errors: ['UNSUPPORTED_ASSET', 'BELOW_MINIMUM', 'ABOVE_MAXIMUM', 'NETWORK_UNAVAILABLE', 'WEBHOOK_URL_REFUSED'],
    example: {
      amount: '25.00',
      currency: 'USDT',
      network: 'ETH',
      merchantOrderId: 'BK-10045',
      productName: 'Two tins of Assam',
      customerEmail: 'ann@customer.example',
      callbackUrl: 'https://shop.example/webhooks/orders',
      returnUrl: 'https://shop.example/thanks?order=BK-10045',
      metadata: { basket: '7f3a', channel: 'web' },
    },
    document: `mutation createPayment($input: CreatePaymentInput!) {
      result: createPayment(input: $input) {
        orderId: id address amount currency network paymentUrl expiresAt status createdAt
      }
    }`,
  },
  {
    method: 'GET',
    path: '/payments',
    status: 200,
    errors: ['UNSUPPORTED_ASSET'],
    document: `query payments($status: [PaymentStatus!], $currency: String, $network: String, $merchantOrderId: String,
      $startDate: String, $endDate: String, $limit: Int, $cursor: String) {
      result: payments(first: $limit, after: $cursor, filter: { status: $status, currency: $currency, network: $network,
        merchantOrderId: $merchantOrderId, startDate: $startDate, endDate: $endDate }) {
        items: nodes { ${FULL_PAYMENT} }
        pagination: pageInfo { nextCursor hasMore: hasNextPage }
      }
    }`,
  },
  {
    method: 'GET',
    path: '/payments/:id',
    status: 200,
    document: `query payment($id: ID!) { result: payment(id: $id) { ${FULL_PAYMENT} } }`,
  },
  {
    method: 'DELETE',
    path: '/payments/:id',
    status: 200,
    errors: ['WRONG_STATE'],
    document: `mutation cancelPayment($id: ID!) { result: cancelPayment(id: $id) { ${FULL_PAYMENT} } }`,
  },
  {
    method: 'POST',
    path: '/payments/:id/accept',
    status: 200,
    errors: ['WRONG_STATE'],
    document: `mutation acceptPayment($id: ID!) { result: acceptPayment(id: $id) { ${FULL_PAYMENT} } }`,
  },
  {
    method: 'GET',
    path: '/currencies',
    status: 200,
    document: `query currencies {
      items: currencies { currency network name decimals contract minAmount maxAmount confirmations available }
    }`,
  },
];
