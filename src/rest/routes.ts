// THE TABLE: every documented path is a row, and a row is one GraphQL document. The selection set is the response's
// shape (aliases rename; a root field called `result` is the data itself); path, query and body fields are the
// document's variables by name, and the whole body is `$input` where the document has one.

import type { ErrorName } from '../values/errors.ts';

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
  /** Honours an `Idempotency-Key`. */
  readonly idempotent?: true;
  /** Errors specific to this row, for the documents; errors common to all calls of its kind are not repeated. */
  readonly errors?: readonly ErrorName[];
  /** An example body for the documents; `{orderId}` and the like in its texts stand for the merchant's own ids. */
  readonly example?: Readonly<Record<string, unknown>>;
  /**
   * Reports that are read in parts. With `format=csv`, `field` (a list, and the last field of the data) is answered as
   * CSV with these columns. `span` is a document with the same variables that returns the report's time range. The
   * row's document runs once for each part of it, in turn, with the part as `startDate` and `endDate`; `groupBy`
   * decides how long a part is. A JSON report of several parts is read the same way: the document `head` returns
   * everything but that field.
   */
  readonly inParts?: Record<'field' | 'span' | 'head', string> & { readonly columns: readonly string[] };
  /** Where this parameter is true, these run in place of the row's own; the variables are the same. */
  readonly alternative?: {
    readonly when: string;
    /** The fields that they append to the row's own. */
    readonly appends: readonly string[];
  } & Pick<Route, 'document'> &
    Required<Pick<Route, 'inParts'>>;
  /**
   * A list that `format=csv` answers whole, with these columns: the row's document runs for each page in turn, whatever
   * `limit` and `cursor` say.
   */
  readonly asCsv?: readonly string[];
}

const FULL_PAYMENT = `
  orderId: id address amount currency network paymentUrl expiresAt status createdAt exception test merchantOrderId
  productName customerEmail callbackUrl returnUrl metadata amountReceived amountConfirmed amountRefunded feeAmount
  confirmations requiredConfirmations
  transactions { txHash amount status confirmations blockNumber seenAt }
  updatedAt completedAt invoiceId`;

const FULL_INVOICE = `
  invoiceId: id status exception test amount currency acceptedAssets { currency network } description merchantInvoiceId
  linkId customerEmail customer returnUrl callbackUrl metadata invoiceUrl amountReceived amountConfirmed amountRefunded
  amountDue
  payments {
    orderId: id currency network address amount status exception rate marketRate spread sources quotedAt quoteExpiresAt
    amountReceived amountConfirmed amountRefunded valueReceived valueConfirmed
    transactions { txHash amount status confirmations blockNumber seenAt rate value }
  }
  expiresAt createdAt updatedAt settledAt`;

const INVOICE_CHECKOUT = `
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

const PAYMENT_LINK = `
  id url name description amount currency minAmount maxAmount acceptedAssets { currency network } requiredFields
  optionalFields maxUses uses endsAt enabled returnUrl callbackUrl metadata expirationMinutes createdAt updatedAt`;

const LINK_CHECKOUT = `
  id description amount currency minAmount maxAmount requiredFields optionalFields isOpen companyName logoUrl
  accentColor locale`;

const DELIVERY = `
  event_id: eventId delivery_id: deliveryId url status attempts last_attempt_at: lastAttemptAt
  next_retry_at: nextRetryAt response_code: responseCode response_time_ms: responseTimeMs`;

const ENDPOINT = `
  id url enabled events description isPrimary disabledReason disabledAt failingSince createdAt`;

const WITHDRAWAL = `
  withdrawalId: id status amount networkFee currency network address txHash createdAt merchantWithdrawalId heldReason`;

const RATE = `asset currency rate quotedRate at sources state`;

const API_KEY = `keyId name permissions ipWhitelist createdAt lastUsedAt revokedAt`;

const FIAT_SUMS = ['fiatCurrency', 'fiatGross'];
const REPORT_SUMS = 'currency network payments gross fees net refunded withdrawn';

const reportOf = (selection: string) => `query report($startDate: String, $endDate: String, $currency: String,
  $network: String, $groupBy: ReportUnit, $fiat: Boolean) {
    result: report(input: { startDate: $startDate, endDate: $endDate, currency: $currency, network: $network,
      groupBy: $groupBy, fiat: $fiat }) { ${selection} }
  }`;

/** A report of these sums of each period and asset. */
const reportWith = (sums: string): Pick<Route, 'document'> & Required<Pick<Route, 'inParts'>> => ({
  inParts: {
    ...{ field: 'rows', columns: ['period', ...sums.split(' ')] },
    ...{ span: reportOf('from to'), head: reportOf(`from to totals { ${sums} }`) },
  },
  document: reportOf(`from to totals { ${sums} } rows { period ${sums} }`),
});

const RECEIPT = `creditedAt orderId invoiceId merchantOrderId merchantInvoiceId txHash currency network amount fee net
  fiatCurrency rate rateAt fiatAmount fiatFee fiatNet reversedAt`;

const SETTINGS = `
  companyName expirationMinutes underpaymentTolerance latePaymentPolicy defaultReturnUrl logoUrl accentColor locale
  invoiceExpirationMinutes quoteMinutes rateSpread acceptedAssets { currency network }
  fixedRates { asset currency rate } accountingCurrency`;

export const ROUTES: readonly Route[] = [
  {
    method: 'POST',
    path: '/merchant/register',
    status: 201,
    idempotent: true,
    errors: ['REGISTRATION_CLOSED', 'EMAIL_TAKEN'],
    example: { email: 'owner@shop.example', companyName: 'Blue Kettle Tea', password: 'correct horse battery' },
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
    idempotent: true,
    errors: ['REGISTRATION_CLOSED', 'EMAIL_TAKEN'],
    example: { email: 'dev@shop.example', companyName: 'Blue Kettle Tea' },
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
    errors: ['WRONG_CREDENTIALS', 'KEY_REVOKED', 'OTHER_ENVIRONMENT'],
    example: { keyId: '{keyId}', secret: '{secret}' },
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
  {
    method: 'POST',
    path: '/payment-links',
    status: 201,
    idempotent: true,
    errors: ['UNSUPPORTED_ASSET', 'ABOVE_MAXIMUM', 'NOT_QUOTED', 'WEBHOOK_URL_REFUSED'],
    example: {
      name: 'Assam, autumn',
      description: 'Two tins of Assam',
      amount: '49.90',
      currency: 'EUR',
      requiredFields: ['EMAIL', 'ADDRESS'],
      optionalFields: ['NOTE'],
      maxUses: 100,
      endsAt: '2030-12-31T23:59:59Z',
      returnUrl: 'https://shop.example/thanks',
      metadata: { campaign: 'autumn' },
    },
    document: `mutation createPaymentLink($input: CreatePaymentLinkInput!) {
      result: createPaymentLink(input: $input) { ${PAYMENT_LINK} }
    }`,
  },
  {
    method: 'GET',
    path: '/payment-links',
    status: 200,
    document: `query paymentLinks($limit: Int, $cursor: String) {
      result: paymentLinks(first: $limit, after: $cursor) {
        items: nodes { ${PAYMENT_LINK} }
        pagination: pageInfo { nextCursor hasMore: hasNextPage }
      }
    }`,
  },
  {
    method: 'GET',
    path: '/payment-links/:id',
    status: 200,
    document: `query paymentLink($id: ID!) { result: paymentLink(id: $id) { ${PAYMENT_LINK} } }`,
  },
  {
    method: 'PUT',
    path: '/payment-links/:id',
    status: 200,
    errors: ['UNSUPPORTED_ASSET', 'ABOVE_MAXIMUM', 'WEBHOOK_URL_REFUSED'],
    example: { maxUses: 200, enabled: true },
    document: `mutation updatePaymentLink($id: ID!, $input: UpdatePaymentLinkInput!) {
      result: updatePaymentLink(id: $id, input: $input) { ${PAYMENT_LINK} }
    }`,
  },
  {
    method: 'GET',
    path: '/checkout/links/:id',
    status: 200,
    document: `query linkCheckout($id: ID!) { result: linkCheckout(id: $id) { ${LINK_CHECKOUT} } }`,
  },
  {
    method: 'POST',
    path: '/checkout/links/:id',
    status: 201,
    idempotent: true,
    errors: ['ABOVE_MAXIMUM', 'TAKES_NO_MORE'],
    example: { email: 'ann@customer.example', address: '1 Main Street, Springfield', note: 'The green tin, please' },
    document: `mutation submitPaymentLink($id: ID!, $amount: String, $email: String, $name: String, $phone: String,
      $address: String, $note: String) {
      result: submitPaymentLink(input: { linkId: $id, amount: $amount, email: $email, name: $name, phone: $phone,
        address: $address, note: $note }) { ${INVOICE_CHECKOUT} }
    }`,
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
    idempotent: true,
    errors: ['NOT_REFUNDABLE', 'INSUFFICIENT_FUNDS', 'BAD_ADDRESS', 'DUST', 'NETWORK_UNAVAILABLE', 'PAYOUTS_FROZEN'],
    example: { address: '0x52908400098527886E0F7030069857D2E4169EE7', amount: '5' },
    document: `mutation refundPayment($id: ID!, $address: String!, $amount: String) {
      result: refundPayment(input: { paymentId: $id, address: $address, amount: $amount }) {
        refundId: id orderId: paymentId status amount address txHash heldReason
      }
    }`,
  },
  {
    method: 'POST',
    path: '/payments/:id/accept',
    status: 200,
    errors: ['WRONG_STATE'],
    document: `mutation acceptPayment($id: ID!) { result: acceptPayment(id: $id) { ${FULL_PAYMENT} } }`,
  },
  {
    method: 'POST',
    path: '/merchant/api-keys',
    status: 201,
    idempotent: true,
    errors: ['MISSING_PERMISSION'],
    example: {
      name: 'Web shop',
      permissions: ['READ_PAYMENTS', 'CREATE_PAYMENTS'],
      ipWhitelist: ['203.0.113.7', '198.51.100.0/24'],
    },
    document: `mutation createApiKey($input: CreateApiKeyInput!) {
      result: createApiKey(input: $input) { keyId secret name permissions ipWhitelist createdAt }
    }`,
  },
  {
    method: 'GET',
    path: '/merchant/api-keys',
    status: 200,
    document: `query apiKeys { items: apiKeys { ${API_KEY} } }`,
  },
  {
    method: 'PUT',
    path: '/merchant/api-keys/:keyId',
    status: 200,
    errors: ['MISSING_PERMISSION'],
    example: { name: 'Web shop, Frankfurt', ipWhitelist: ['203.0.113.7'] },
    document: `mutation updateApiKey($keyId: ID!, $input: UpdateApiKeyInput!) {
      result: updateApiKey(keyId: $keyId, input: $input) { ${API_KEY} }
    }`,
  },
  {
    method: 'DELETE',
    path: '/merchant/api-keys/:keyId',
    status: 200,
    errors: ['MISSING_PERMISSION'],
    document: `mutation revokeApiKey($keyId: ID!) { result: revokeApiKey(keyId: $keyId) { ${API_KEY} } }`,
  },
  {
    method: 'GET',
    path: '/merchant/api-logs',
    status: 200,
    document: `query apiLogs($startDate: String, $endDate: String, $limit: Int, $cursor: String) {
      result: apiLogs(first: $limit, after: $cursor, filter: { startDate: $startDate, endDate: $endDate }) {
        items: nodes { requestId at keyId method path operation status errorCode durationMs ip }
        pagination: pageInfo { nextCursor hasMore: hasNextPage }
      }
    }`,
  },
  {
    method: 'GET',
    path: '/currencies',
    status: 200,
    document: `query currencies {
      items: currencies { currency network name decimals contract minAmount maxAmount confirmations available }
    }`,
  },
  {
    method: 'GET',
    path: '/reports',
    status: 200,
    ...reportWith(REPORT_SUMS),
    alternative: {
      ...{ when: 'fiat', appends: FIAT_SUMS },
      ...reportWith(`${REPORT_SUMS} ${FIAT_SUMS.join(' ')}`),
    },
    errors: ['UNSUPPORTED_ASSET'],
  },
  {
    method: 'GET',
    path: '/reports/receipts',
    status: 200,
    asCsv: RECEIPT.split(/\s+/),
    document: `query receipts($startDate: String, $endDate: String, $limit: Int, $cursor: String) {
      result: receipts(first: $limit, after: $cursor, filter: { startDate: $startDate, endDate: $endDate }) {
        items: nodes { id ${RECEIPT} }
        pagination: pageInfo { nextCursor hasMore: hasNextPage }
      }
    }`,
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
    errors: ['UNSUPPORTED_ASSET'],
    example: {
      companyName: 'Blue Kettle Tea',
      expirationMinutes: 60,
      underpaymentTolerance: 0.5,
      latePaymentPolicy: 'ACCEPT',
      defaultReturnUrl: 'https://shop.example/thanks',
      logoUrl: 'https://shop.example/logo.png',
      accentColor: '#1d6fb8',
      locale: 'en',
      invoiceExpirationMinutes: 60,
      quoteMinutes: 15,
      acceptedAssets: [{ currency: 'USDT', network: 'ETH' }],
    },
    document: `mutation updateSettings($input: SettingsInput!) {
      result: updateSettings(input: $input) { ${SETTINGS} }
    }`,
  },
  {
    method: 'PUT',
    path: '/merchant/webhook',
    status: 200,
    acceptSecret: true,
    errors: ['WEBHOOK_URL_REFUSED'],
    example: { url: 'https://shop.example/webhooks', enabled: true },
    document: `mutation configureWebhook($input: ConfigureWebhookInput!) {
      result: configureWebhook(input: $input) { id url enabled events secret }
    }`,
  },
  {
    method: 'POST',
    path: '/merchant/webhook/rotate-secret',
    status: 200,
    idempotent: true,
    example: { overlapHours: 24 },
    document: `mutation rotateWebhookSecret($overlapHours: Int) {
      result: rotateWebhookSecret(overlapHours: $overlapHours) { secret previousExpiresAt }
    }`,
  },
  {
    method: 'POST',
    path: '/webhooks',
    status: 201,
    idempotent: true,
    errors: ['WEBHOOK_URL_REFUSED'],
    example: {
      url: 'https://books.example/hooks/turnpike',
      events: ['payment.succeeded', 'payment.refunded'],
      description: 'Bookkeeping',
    },
    document: `mutation createWebhookEndpoint($input: CreateWebhookEndpointInput!) {
      result: createWebhookEndpoint(input: $input) { ${ENDPOINT} secret }
    }`,
  },
  {
    method: 'GET',
    path: '/webhooks',
    status: 200,
    document: `query webhookEndpoints { items: webhookEndpoints { ${ENDPOINT} } }`,
  },
  {
    method: 'PUT',
    path: '/webhooks/:id',
    status: 200,
    errors: ['WEBHOOK_URL_REFUSED'],
    example: { events: ['payment.succeeded', 'payment.failed', 'payment.expired', 'payment.refunded'] },
    document: `mutation updateWebhookEndpoint($id: ID!, $input: UpdateWebhookEndpointInput!) {
      result: updateWebhookEndpoint(id: $id, input: $input) { ${ENDPOINT} }
    }`,
  },
  {
    method: 'DELETE',
    path: '/webhooks/:id',
    status: 200,
    document: `mutation deleteWebhookEndpoint($id: ID!) {
      result: deleteWebhookEndpoint(id: $id) { ${ENDPOINT} }
    }`,
  },
  {
    method: 'POST',
    path: '/webhooks/test',
    status: 200,
    idempotent: true,
    errors: ['WEBHOOK_URL_REFUSED'],
    example: { url: 'https://shop.example/webhooks' },
    document: `mutation sendTestEvent($url: String) { result: sendTestEvent(url: $url) { event_id: eventId } }`,
  },
  {
    method: 'POST',
    path: '/webhooks/resend',
    status: 200,
    acceptSecret: true,
    idempotent: true,
    errors: ['NOT_FOUND'],
    example: { event_id: '{eventId}' },
    document: `mutation resendEvent($event_id: ID!) {
      result: resendEvent(eventId: $event_id) { event_id: eventId status }
    }`,
  },
  {
    method: 'GET',
    path: '/webhooks/deliveries',
    status: 200,
    document: `query webhookDeliveries($status: [DeliveryStatus!], $event_id: ID, $limit: Int, $cursor: String) {
      result: webhookDeliveries(first: $limit, after: $cursor, filter: { status: $status, eventId: $event_id }) {
        items: nodes { ${DELIVERY} }
        pagination: pageInfo { nextCursor hasMore: hasNextPage }
      }
    }`,
  },
  {
    method: 'GET',
    path: '/events',
    status: 200,
    document: `query events($after: Int, $limit: Int) {
      result: events(after: $after, first: $limit) {
        items { sequence id type createdAt payment { ${FULL_PAYMENT} } invoice { ${FULL_INVOICE} } }
        hasMore
      }
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
