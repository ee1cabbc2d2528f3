// The rows of money that leaves: balance, withdrawals, refunds.

import type { Route } from './route.ts';

/** As webhooks carry it (domain/snapshots/payout.ts). */
export const WITHDRAWAL = `
  withdrawalId: id status amount networkFee currency network address txHash createdAt merchantWithdrawalId heldReason
  addressId batchId failureReason updatedAt completedAt`;

/** What a refund is answered with; `REFUND` says as well when it was asked for. */
const REFUNDED = 'refundId: id orderId: paymentId status amount address txHash heldReason';
const SINCE = 'failureReason updatedAt completedAt';

/** As webhooks carry it. */
export const REFUND = `${REFUNDED} createdAt ${SINCE}`;

const BATCH = 'id label status rows completed failed createdAt';

const RULES = `bookOnly listedOnly refundsNeedApproval requireSecondFactor
  limits { currency network perPayout perDay approvalAbove room }`;

/** In the order of the API's description. */
export const WALLET_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/wallet/balance',
    status: 200,
    document: `query walletBalances {
      balances: walletBalances { currency network available pending reserved }
    }`,
  },
  {
    method: 'GET',
    path: '/wallet/addresses',
    status: 200,
    document: `query payoutAddresses {
      items: payoutAddresses { id network address label status usableAt createdAt }
    }`,
  },
  {
    method: 'GET',
    path: '/wallet/policy',
    status: 200,
    document: `query payoutPolicy {
      result: payoutPolicy { version inForce { ${RULES} } pending { ${RULES} } pendingFrom }
    }`,
  },
  {
    method: 'POST',
    path: '/wallet/withdraw',
    status: 201,
    idempotent: true,
    errors: [
      'UNSUPPORTED_ASSET',
      'BELOW_MINIMUM',
      'ABOVE_MAXIMUM',
      'NETWORK_UNAVAILABLE',
      'INSUFFICIENT_FUNDS',
      'BAD_ADDRESS',
      'DUST',
      'DUPLICATE_WITHDRAWAL',
      'PAYOUTS_FROZEN',
      'NOT_IN_BOOK',
      'OVER_LIMIT',
    ],
    example: {
      currency: 'USDT',
      network: 'ETH',
      amount: '10.5',
      address: '0x52908400098527886E0F7030069857D2E4169EE7',
      merchantWithdrawalId: 'payroll-2026-11',
    },
    document: `mutation withdraw($input: WithdrawInput!) { result: withdraw(input: $input) { ${WITHDRAWAL} } }`,
  },
  {
    method: 'GET',
    path: '/wallet/withdrawals',
    status: 200,
    document: `query withdrawals($status: [PayoutStatus!], $batchId: ID, $limit: Int, $cursor: String) {
      result: withdrawals(first: $limit, after: $cursor, filter: { status: $status, batchId: $batchId }) {
        items: nodes { ${WITHDRAWAL} }
        pagination: pageInfo { nextCursor hasMore: hasNextPage }
      }
    }`,
  },
  {
    method: 'GET',
    path: '/wallet/withdrawals/:id',
    status: 200,
    document: `query withdrawal($id: ID!) { result: withdrawal(id: $id) { ${WITHDRAWAL} } }`,
  },
  {
    method: 'POST',
    path: '/wallet/batches',
    status: 201,
    idempotent: true,
    large: true,
    errors: ['NETWORK_UNAVAILABLE', 'INSUFFICIENT_FUNDS', 'OVER_LIMIT', 'PAYOUTS_FROZEN'],
    example: {
      label: 'Payroll of November',
      rows: [
        {
          currency: 'USDT',
          network: 'ETH',
          amount: '12.5',
          address: '0x52908400098527886E0F7030069857D2E4169EE7',
          merchantWithdrawalId: 'payroll-2026-11/1',
        },
      ],
    },
    document: `mutation createPayoutBatch($input: PayoutBatchInput!) {
      result: createPayoutBatch(input: $input) { ${BATCH} }
    }`,
  },
  {
    method: 'GET',
    path: '/wallet/batches',
    status: 200,
    document: `query payoutBatches($limit: Int, $cursor: String) {
      result: payoutBatches(first: $limit, after: $cursor) {
        items: nodes { ${BATCH} }
        pagination: pageInfo { nextCursor hasMore: hasNextPage }
      }
    }`,
  },
  {
    method: 'GET',
    path: '/wallet/batches/:id',
    status: 200,
    document: `query payoutBatch($id: ID!) { result: payoutBatch(id: $id) { ${BATCH} } }`,
  },
  {
    method: 'POST',
    path: '/payments/:id/refund',
    status: 201,
    idempotent: true,
    errors: [
      'NOT_REFUNDABLE',
      'INSUFFICIENT_FUNDS',
      'BAD_ADDRESS',
      'DUST',
      'NETWORK_UNAVAILABLE',
      'PAYOUTS_FROZEN',
      'OVER_LIMIT',
    ],
    example: { address: '0x52908400098527886E0F7030069857D2E4169EE7', amount: '5' },
    document: `mutation refundPayment($id: ID!, $address: String!, $amount: String) {
      result: refundPayment(input: { paymentId: $id, address: $address, amount: $amount }) {
        ${REFUNDED} ${SINCE}
      }
    }`,
  },
  {
    method: 'GET',
    path: '/payments/:id/refunds',
    status: 200,
    document: `query paymentRefunds($id: ID!, $limit: Int, $cursor: String) {
      result: paymentRefunds(id: $id, first: $limit, after: $cursor) {
        items: nodes { ${REFUND} }
        pagination: pageInfo { nextCursor hasMore: hasNextPage }
      }
    }`,
  },
  {
    method: 'GET',
    path: '/refunds',
    status: 200,
    document: `query refunds($paymentId: ID, $status: [PayoutStatus!], $limit: Int, $cursor: String) {
      result: refunds(first: $limit, after: $cursor, filter: { paymentId: $paymentId, status: $status }) {
        items: nodes { ${REFUND} }
        pagination: pageInfo { nextCursor hasMore: hasNextPage }
      }
    }`,
  },
  {
    method: 'GET',
    path: '/refunds/:id',
    status: 200,
    document: `query refund($id: ID!) { result: refund(id: $id) { ${REFUND} } }`,
  },
];
