// The rows of merchants: registration, tokens, API keys, the log of calls, settings.

import type { Route } from './route.ts';

const API_KEY = `keyId name permissions ipWhitelist createdAt lastUsedAt revokedAt`;

const SETTINGS = `
  companyName expirationMinutes underpaymentTolerance latePaymentPolicy defaultReturnUrl logoUrl accentColor locale
  invoiceExpirationMinutes quoteMinutes rateSpread acceptedAssets { currency network }
  fixedRates { asset currency rate } accountingCurrency customerMails supportEmail customerDataDays`;

/** In the order of the API's description. */
export const MERCHANT_ROUTES: readonly Route[] = [
  {
    method: 'POST',
    path: '/merchant/register',
    status: 201,
    idempotent: true,
    errors: ['REGISTRATION_CLOSED', 'NOT_FOUND', 'EMAIL_TAKEN', 'PEOPLE_CONFLICT'],
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
    errors: ['REGISTRATION_CLOSED', 'NOT_FOUND', 'EMAIL_TAKEN', 'PEOPLE_CONFLICT'],
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
    document: `query apiLogs($startDate: String, $endDate: String, $keyId: ID, $method: String, $statusClass: Int,
      $path: String, $errorCode: String, $source: ApiLogSource, $limit: Int, $cursor: String) {
      result: apiLogs(first: $limit, after: $cursor, filter: { startDate: $startDate, endDate: $endDate, keyId: $keyId,
        method: $method, statusClass: $statusClass, path: $path, errorCode: $errorCode, source: $source }) {
        items: nodes { requestId at keyId method path operation status errorCode durationMs ip }
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
      customerMails: ['RECEIPT'],
      supportEmail: 'help@shop.example',
      customerDataDays: 365,
    },
    document: `mutation updateSettings($input: SettingsInput!) {
      result: updateSettings(input: $input) { ${SETTINGS} }
    }`,
  },
];
