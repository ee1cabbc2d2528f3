// THE TABLE: every documented path is a row, and a row is one GraphQL document. The selection set is the response's
// shape (aliases rename; a root field called `result` is the data itself); path, query and body fields are the document's variables by name,
// and the whole body is `$input` where the document has one.

/** One row. `path` is below /api/v1, parameters as `:name`. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly status: 200 | 201;
  readonly document: string;
  /** A sentence for the envelope's `message`. */
  readonly message?: string;
  /** An `sk_…` secret is accepted as the bearer (contract, section 3). */
  readonly acceptSecret?: true;
  /** Does not exist in live. */
  readonly sandboxOnly?: true;
}

const FULL_PAYMENT = `
  orderId: id address amount currency network paymentUrl expiresAt status createdAt exception test merchantOrderId
  productName customerEmail callbackUrl returnUrl metadata amountReceived amountConfirmed amountRefunded feeAmount
  confirmations requiredConfirmations
  transactions { txHash amount status confirmations blockNumber seenAt }
  updatedAt completedAt`;

const DELIVERY = `
  event_id: eventId delivery_id: deliveryId url status attempts last_attempt_at: lastAttemptAt
  next_retry_at: nextRetryAt response_code: responseCode response_time_ms: responseTimeMs`;

const WITHDRAWAL = `
  withdrawalId: id status amount networkFee currency network address txHash createdAt merchantWithdrawalId`;

const SETTINGS = `
  companyName expirationMinutes underpaymentTolerance latePaymentPolicy defaultReturnUrl logoUrl accentColor locale`;

export const ROUTES: readonly Route[] = [
  {
    method: 'POST',
    path: '/merchant/register',
    status: 201,
    document: `mutation registerMerchant($input: RegisterMerchantInput!) {
      result: registerMerchant(input: $input) { merchantId apiKey { keyId secret permissions } }
    }`,
  },
  {
    method: 'POST',
    path: '/merchant',
    status: 201,
    sandboxOnly: true,
    message: 'Merchant created for tests; its key holds every permission',
    document: `mutation createMerchant($input: CreateMerchantInput!) {
      result: createMerchant(input: $input) {
        merchant { id email companyName createdAt } apiKey { keyId key: secret }
      }
    }`,
  },
  {
    method: 'POST',
    path: '/auth/token',
    status: 200,
    document: `mutation createAccessToken($keyId: ID!, $secret: String!) {
      result: createAccessToken(keyId: $keyId, secret: $secret) {
        accessToken tokenType expiresIn expiresAt permissions
      }
    }`,
  },
  {
    method: 'POST',
    path: '/payments',
    status: 201,
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
    document: `mutation cancelPayment($id: ID!) { result: cancelPayment(id: $id) { ${FULL_PAYMENT} } }`,
  },
  {
    method: 'GET',
    path: '/wallet/balance',
    status: 200,
    document: `query walletBalances {
      balances: walletBalances { currency network available pending reserved }
    }`,
  },
  {
    method: 'POST',
    path: '/wallet/withdraw',
    status: 201,
    document: `mutation withdraw($input: WithdrawInput!) { result: withdraw(input: $input) { ${WITHDRAWAL} } }`,
  },
  {
    method: 'GET',
    path: '/wallet/withdrawals',
    status: 200,
    document: `query withdrawals($limit: Int, $cursor: String) {
      result: withdrawals(first: $limit, after: $cursor) {
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
    path: '/payments/:id/refund',
    status: 201,
    document: `mutation refundPayment($id: ID!, $address: String!, $amount: String) {
      result: refundPayment(input: { paymentId: $id, address: $address, amount: $amount }) {
        refundId: id orderId: paymentId status amount address txHash
      }
    }`,
  },
  {
    method: 'POST',
    path: '/payments/:id/accept',
    status: 200,
    document: `mutation acceptPayment($id: ID!) { result: acceptPayment(id: $id) { ${FULL_PAYMENT} } }`,
  },
  {
    method: 'GET',
    path: '/merchant/settings',
    status: 200,
    document: `query settings { result: settings { ${SETTINGS} } }`,
  },
  {
    method: 'PUT',
    path: '/merchant/settings',
    status: 200,
    document: `mutation updateSettings($input: SettingsInput!) {
      result: updateSettings(input: $input) { ${SETTINGS} }
    }`,
  },
  {
    method: 'PUT',
    path: '/merchant/webhook',
    status: 200,
    acceptSecret: true,
    document: `mutation configureWebhook($input: ConfigureWebhookInput!) {
      result: configureWebhook(input: $input) { id url enabled events secret }
    }`,
  },
  {
    method: 'GET',
    path: '/webhooks/deliveries/:event_id',
    status: 200,
    acceptSecret: true,
    document: `query webhookDelivery($event_id: ID!) {
      result: webhookDelivery(eventId: $event_id) {
        ${DELIVERY}
        deliveries {
          ${DELIVERY}
          attempt_log: attemptLog {
            attempt at url response_code: responseCode response_time_ms: responseTimeMs response_start: responseStart error
          }
        }
      }
    }`,
  },
  {
    method: 'POST',
    path: '/sandbox/payments/:id/deposit',
    status: 200,
    sandboxOnly: true,
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
    document: `mutation expirePayment($id: ID!) { result: expirePayment(id: $id) { ${FULL_PAYMENT} } }`,
  },
];
