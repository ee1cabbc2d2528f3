// The rows of the sandbox: deposits, rates that move, payments and quotes that end.

import { FULL_INVOICE, RATE } from './invoices.ts';
import { FULL_PAYMENT } from './payments.ts';
import type { Route } from './route.ts';

/** In the order of the API's description. */
export const SANDBOX_ROUTES: readonly Route[] = [
  {
    method: 'POST',
    path: '/sandbox/payments/:id/deposit',
    status: 200,
    sandboxOnly: true,
    errors: ['ABOVE_MAXIMUM', 'NETWORK_UNAVAILABLE'],
    example: { amount: '25', confirmations: 1 },
    document: `mutation simulateDeposit($id: ID!, $amount: String, $confirmations: Int) {
      result: simulateDeposit(input: { paymentId: $id, amount: $amount, confirmations: $confirmations }) {
        ${FULL_PAYMENT}
      }
    }`,
  },
  {
    method: 'POST',
    path: '/sandbox/payments/:id/expire',
    status: 200,
    sandboxOnly: true,
    errors: ['WRONG_STATE'],
    document: `mutation expirePayment($id: ID!) { result: expirePayment(id: $id) { ${FULL_PAYMENT} } }`,
  },
  {
    method: 'POST',
    path: '/sandbox/rates',
    status: 200,
    sandboxOnly: true,
    example: { code: 'ETH', usd: '2850' },
    document: `mutation setSandboxRate($input: SandboxRateInput!) { result: setSandboxRate(input: $input) { ${RATE} } }`,
  },
  {
    method: 'POST',
    path: '/sandbox/invoices/:id/expire',
    status: 200,
    sandboxOnly: true,
    errors: ['WRONG_STATE'],
    document: `mutation expireInvoice($id: ID!) { result: expireInvoice(id: $id) { ${FULL_INVOICE} } }`,
  },
  {
    method: 'POST',
    path: '/sandbox/payments/:id/expire-quote',
    status: 200,
    sandboxOnly: true,
    errors: ['WRONG_STATE'],
    document: `mutation expireQuote($id: ID!) { result: expireQuote(id: $id) { ${FULL_INVOICE} } }`,
  },
];
