// The error table as data: each row of the contract (section 8), written independently of the code, with a request that
// causes it over REST and one over GraphQL. A row that cannot occur on one of the two says why.

import type { ErrorName } from '../../../src/values/errors.ts';
import { graphql, rest, send, USDT_PAYMENT, type Answer } from '../../support/clients.ts';
import { PASSWORD } from '../../support/people.ts';
import { breakTable, twoAtOnce, whilePayoutsAreFrozen, type Setup } from './setup.fixture.ts';

/** What an answer has besides the row: `status` and `graphql` where a transport differs from the row. */
export interface Face {
  provoke(setup: Setup): Promise<Answer>;
  readonly status?: number;
  readonly graphql?: string;
  /** Where the contract fixes the message. */
  readonly message?: string;
  readonly headers?: Readonly<Record<string, RegExp>>;
  /** Paths of the faults. */
  readonly details?: readonly string[];
}

export interface ErrorCase {
  /** Code, status and GraphQL code, from the contract. */
  readonly row: readonly [code: string, status: number, graphql: string];
  readonly rest: readonly Face[] | string;
  readonly graphql: readonly Face[] | string;
}

export const RECIPIENT = '0x52908400098527886E0F7030069857D2E4169EE7';
export const MISSING = 'ord_00000000000000000000000000000000';
const BEARER = { 'www-authenticate': /^Bearer$/ };
/** The headers of an error that may be retried. */
export const AGAIN = { 'retry-after': /^[1-9]\d*$/ };

/** An error thrown in a resolver has status 200 (contract, section 8). */
const resolver = (provoke: Face['provoke'], more: Partial<Face> = {}): Face => ({ status: 200, provoke, ...more });
const early = (provoke: Face['provoke'], more: Partial<Face> = {}): Face => ({ provoke, ...more });

export const PAYMENTS = '{ payments(first: 1) { edges { cursor } } }';
export const EXCHANGE =
  'mutation ($keyId: ID!, $secret: String!) { createAccessToken(keyId: $keyId, secret: $secret) { accessToken } }';
const CREATE = 'mutation ($input: CreatePaymentInput!) { createPayment(input: $input) { id } }';
const CANCEL = 'mutation ($id: ID!) { cancelPayment(id: $id) { id } }';
const ACCEPT = 'mutation ($id: ID!) { acceptPayment(id: $id) { id } }';
const REFUND = 'mutation ($input: RefundPaymentInput!) { refundPayment(input: $input) { id } }';
const WITHDRAW = 'mutation ($input: WithdrawInput!) { withdraw(input: $input) { id } }';
const REGISTER = 'mutation ($input: CreateMerchantInput!) { createMerchant(input: $input) { merchant { id } } }';
const INVOICE = 'mutation ($input: CreateInvoiceInput!) { createInvoice(input: $input) { id } }';
const CHOOSE = 'mutation ($input: ChooseAssetInput!) { chooseAsset(input: $input) { id } }';
const ENDPOINT = 'mutation ($input: CreateWebhookEndpointInput!) { createWebhookEndpoint(input: $input) { id } }';

/** The same input over REST and over GraphQL. */
const both = (path: string, mutation: string, fields: (setup: Setup) => object) => ({
  rest: [early((setup) => setup.shop.rest('POST', path, fields(setup)))],
  graphql: [resolver((setup) => setup.shop.graphql(mutation, { input: fields(setup) }))],
});
const payment = (fields: object) => both('/payments', CREATE, () => ({ ...USDT_PAYMENT, ...fields }));
const ONE_USDT = { currency: 'USDT', network: 'ETH', amount: '1', address: RECIPIENT };
const invoice = (fields: (setup: Setup) => object) =>
  both('/invoices', INVOICE, (setup) => ({ amount: '49.90', currency: 'EUR', ...fields(setup) }));
/** A choice of USDT for an invoice. */
const choice = (of: (setup: Setup) => string, more: Partial<Face> = {}) => {
  const asset = { currency: 'USDT', network: 'ETH' };
  return {
    rest: [early((w) => rest(w.gateway)('POST', `/checkout/invoices/${of(w)}/choose`, asset), more)],
    graphql: [resolver((w) => w.nobody.graphql(CHOOSE, { input: { invoiceId: of(w), ...asset } }), more)],
  };
};
const withdrawal = (fields: object | ((setup: Setup) => object)) =>
  both('/wallet/withdraw', WITHDRAW, (setup) => ({
    ...ONE_USDT,
    ...(typeof fields === 'function' ? fields(setup) : fields),
  }));
const refund = (of: (setup: Setup) => string, fields: object) => ({
  rest: [early((w) => w.shop.rest('POST', `/payments/${of(w)}/refund`, { address: RECIPIENT, ...fields }))],
  graphql: [resolver((w) => w.shop.graphql(REFUND, { input: { paymentId: of(w), address: RECIPIENT, ...fields } }))],
});
/** A bearer token that is rejected before anything else is checked. */
const bearer = (token: (setup: Setup) => string, headers: Face['headers'] = BEARER) => ({
  rest: [early((setup) => rest(setup.gateway, token(setup))('GET', '/payments'), { headers })],
  graphql: [early((setup) => graphql(setup.gateway, token(setup))(PAYMENTS), { headers })],
});
/** A token exchange that is rejected. */
const exchanged = (key: (setup: Setup) => { keyId: string; secret: string }) => ({
  rest: [early((setup) => rest(setup.gateway)('POST', '/auth/token', key(setup)), { headers: BEARER })],
  graphql: [resolver((setup) => setup.nobody.graphql(EXCHANGE, key(setup)))],
});
const keyed = (key: string) => ({ 'idempotency-key': key });
const graphqlBody = (setup: Setup, body: string | Buffer, headers: Readonly<Record<string, string>> = {}) =>
  send({
    method: 'POST',
    url: `${setup.gateway.url}/graphql`,
    headers: { 'content-type': 'application/json', accept: 'application/graphql-response+json', ...headers },
    body,
  });
const REFUSED_URL = { url: 'http://127.0.0.1/hook' };
const OVER_100_KB = 'x'.repeat(102_401);
const OVER_512_KB = ' '.repeat(524_289);

/** Tested in elsewhere.test.ts: it needs a gateway with other settings, or one with a fault. */
export const ELSEWHERE = 'elsewhere.test.ts';

export const CASES: Readonly<Record<ErrorName, ErrorCase>> = {
  MISSING_TOKEN: {
    row: ['1001', 401, 'UNAUTHENTICATED'],
    rest: [early(({ gateway }) => rest(gateway)('GET', '/payments'), { headers: BEARER })],
    graphql: [resolver(({ nobody }) => nobody.graphql(PAYMENTS))],
  },
  INVALID_TOKEN: { row: ['1002', 401, 'UNAUTHENTICATED'], ...bearer(() => 'rubbish') },
  ADDRESS_NOT_ALLOWED: { row: ['1003', 403, 'FORBIDDEN'], ...bearer((setup) => setup.elsewhereToken, {}) },
  MISSING_PERMISSION: {
    row: ['1004', 403, 'FORBIDDEN'],
    rest: [early(({ narrow }) => narrow.rest('GET', '/payments'), { message: 'Missing permission: READ_PAYMENTS' })],
    graphql: [resolver(({ narrow }) => narrow.graphql(PAYMENTS), { message: 'Missing permission: READ_PAYMENTS' })],
  },
  WRONG_CREDENTIALS: {
    row: ['1005', 401, 'UNAUTHENTICATED'],
    ...exchanged(({ shop }) => ({
      keyId: shop.keyId,
      secret: `${shop.secret.slice(0, -1)}${shop.secret.endsWith('0') ? '1' : '0'}`,
    })),
  },
  KEY_REVOKED: { row: ['1006', 401, 'UNAUTHENTICATED'], ...bearer((setup) => setup.revokedToken) },
  OTHER_ENVIRONMENT: {
    row: ['1007', 401, 'UNAUTHENTICATED'],
    ...{
      rest: [...exchanged(liveKey).rest, ...bearer((setup) => setup.liveToken).rest],
      graphql: [...exchanged(liveKey).graphql, ...bearer((setup) => setup.liveToken).graphql],
    },
  },
  HTTPS_REQUIRED: { row: ['1008', 403, 'FORBIDDEN'], rest: ELSEWHERE, graphql: ELSEWHERE },
  SECOND_FACTOR_NEEDED: {
    row: ['1009', 401, 'UNAUTHENTICATED'],
    rest: 'No row signs people in',
    graphql: [
      resolver(({ guarded }) =>
        guarded.graphql(`mutation { login(email: "${guarded.email}", password: "${PASSWORD}") { accessToken } }`),
      ),
    ],
  },
  CONFIRMATION_NEEDED: {
    row: ['1010', 403, 'FORBIDDEN'],
    rest: 'Only sessions of the console are asked over REST: test/server/admission/step-up.test.ts',
    graphql: [resolver(({ unconfirmed }) => unconfirmed.graphql('mutation { deleteRole(id: "rol_0") }'))],
  },
  REGISTRATION_CLOSED: { row: ['1011', 403, 'FORBIDDEN'], rest: ELSEWHERE, graphql: ELSEWHERE },
  MERCHANT_SUSPENDED: {
    row: ['1012', 403, 'FORBIDDEN'],
    rest: 'It takes an operator: test/resolvers/operator/merchants.test.ts',
    graphql: 'It takes an operator: test/resolvers/operator/merchants.test.ts',
  },
  HELD: {
    row: ['1013', 403, 'FORBIDDEN'],
    rest: 'No row is about members',
    graphql: [
      resolver(({ held }) =>
        held.graphql('mutation { inviteMember(input: { email: "ann@shop.example", role: OWNER }) { id } }'),
      ),
    ],
  },
  FACTOR_NEEDED: {
    row: ['1014', 403, 'FORBIDDEN'],
    rest: 'It takes a policy that asks for one: test/domain/payouts/control.test.ts',
    graphql: 'It takes a policy that asks for one: test/domain/payouts/control.test.ts',
  },
  VALIDATION: {
    row: ['2001', 400, 'BAD_USER_INPUT'],
    rest: [
      early(({ shop }) => shop.rest('POST', '/payments', { ...USDT_PAYMENT, amount: 25, unknown: 1 }), {
        details: ['amount', 'unknown'],
      }),
      early(({ shop }) => shop.rest('GET', '/payments?limit=0&unknown=1'), { details: ['limit', 'unknown'] }),
    ],
    graphql: [
      early(({ shop }) => shop.graphql(CREATE, { input: { ...USDT_PAYMENT, amount: 25, unknown: 1 } }), {
        details: ['input.amount', 'input.unknown'],
      }),
      early(({ shop }) => shop.graphql('{ nothingOfTheKind }'), { graphql: 'GRAPHQL_VALIDATION_FAILED' }),
    ],
  },
  IDEMPOTENCY_MISMATCH: {
    row: ['2002', 422, 'BAD_USER_INPUT'],
    rest: [
      early(async ({ shop }) => {
        await shop.rest('POST', '/payments', USDT_PAYMENT, keyed('a'));
        return shop.rest('POST', '/payments', { ...USDT_PAYMENT, amount: '26' }, keyed('a'));
      }),
    ],
    graphql: [
      resolver(async ({ shop }) => {
        await shop.graphql(CREATE, { input: USDT_PAYMENT }, keyed('b'));
        return shop.graphql(CREATE, { input: { ...USDT_PAYMENT, amount: '26' } }, keyed('b'));
      }),
    ],
  },
  IDEMPOTENCY_IN_FLIGHT: {
    row: ['2003', 409, 'CONFLICT'],
    rest: [early((setup) => twoAtOnce(setup, () => setup.shop.rest('POST', '/payments', USDT_PAYMENT, keyed('c'))))],
    graphql: [
      resolver((setup) => twoAtOnce(setup, () => setup.shop.graphql(CREATE, { input: USDT_PAYMENT }, keyed('d')))),
    ],
  },
  NOT_FOUND: {
    row: ['2004', 404, 'NOT_FOUND'],
    rest: [
      early(({ shop }) => shop.rest('GET', `/payments/${MISSING}`)),
      early(({ shop }) => shop.rest('GET', '/no/such/path')),
    ],
    graphql: [
      resolver(({ shop }) => shop.graphql('query ($id: ID!) { payment(id: $id) { id } }', { id: MISSING })),
      resolver(({ shop }) => shop.graphql(CANCEL, { id: 'x' })),
    ],
  },
  METHOD_NOT_ALLOWED: {
    row: ['2005', 405, 'BAD_REQUEST'],
    rest: [early(({ shop }) => shop.rest('PATCH', '/payments'), { headers: { allow: /^(GET, POST|POST, GET)$/ } })],
    graphql: [
      early(({ gateway }) => send({ method: 'DELETE', url: `${gateway.url}/graphql` }), {
        headers: { allow: /^GET, POST$/ },
      }),
    ],
  },
  BODY_TOO_LARGE: {
    row: ['2006', 413, 'BAD_REQUEST'],
    rest: [early(({ shop }) => shop.rest('POST', '/payments', OVER_100_KB))],
    graphql: [early((setup) => graphqlBody(setup, OVER_512_KB))],
  },
  MEDIA_TYPE: {
    row: ['2007', 415, 'BAD_REQUEST'],
    rest: [early(({ shop }) => shop.rest('POST', '/payments', '{}', { 'content-type': 'text/plain' }))],
    graphql: [early((setup) => graphqlBody(setup, '{ __typename }', { 'content-type': 'text/plain' }))],
  },
  MALFORMED_JSON: {
    row: ['2008', 400, 'BAD_REQUEST'],
    rest: [early(({ shop }) => shop.rest('POST', '/payments', '{'))],
    graphql: [
      early((setup) => graphqlBody(setup, '{')),
      early(({ shop }) => shop.graphql('{ payments('), { graphql: 'GRAPHQL_PARSE_FAILED' }),
    ],
  },
  EMAIL_TAKEN: {
    row: ['2009', 409, 'CONFLICT'],
    ...both('/merchant', REGISTER, ({ shop }) => ({ email: shop.email, companyName: 'Another' })),
  },
  LAST_OWNER: {
    row: ['2010', 409, 'CONFLICT'],
    rest: 'No row is about members',
    graphql: [
      resolver(({ owner }) =>
        owner.graphql('mutation ($id: ID!) { changeMember(id: $id, role: VIEWER) { id } }', { id: owner.id }),
      ),
    ],
  },
  PEOPLE_CONFLICT: {
    row: ['2011', 409, 'CONFLICT'],
    rest: 'No row is about roles',
    graphql: [
      resolver(({ owner }) => owner.graphql('mutation ($id: ID!) { deleteRole(id: $id) }', { id: owner.role })),
    ],
  },
  NO_MAIL: { row: ['2012', 503, 'UNAVAILABLE'], rest: 'No row needs a mail', graphql: ELSEWHERE },
  CUSTOMER_IN_USE: {
    row: ['2013', 409, 'CONFLICT'],
    rest: 'No row erases',
    graphql: 'It takes a person who is confirmed: test/resolvers/customers.test.ts',
  },
  EVENT_ERASED: {
    row: ['2014', 409, 'CONFLICT'],
    rest: 'It takes an erasure: test/api/post-webhooks-resend/409.test.ts',
    graphql: 'It takes an erasure: test/resolvers/customers.test.ts',
  },
  UNSUPPORTED_ASSET: { row: ['3001', 400, 'BAD_USER_INPUT'], ...payment({ network: 'BTC' }) },
  BELOW_MINIMUM: { row: ['3002', 400, 'BAD_USER_INPUT'], ...payment({ amount: '0.001' }) },
  ABOVE_MAXIMUM: { row: ['3003', 400, 'BAD_USER_INPUT'], ...payment({ amount: '1000000.01' }) },
  REFERENCE_USED: {
    row: ['3004', 409, 'CONFLICT'],
    ...invoice(({ invoices }) => ({ merchantInvoiceId: invoices.reference, amount: '50' })),
  },
  WRONG_STATE: {
    row: ['3005', 409, 'CONFLICT'],
    rest: [
      early(({ shop, paid }) => shop.rest('DELETE', `/payments/${paid}`)),
      early(({ shop, paid }) => shop.rest('POST', `/payments/${paid}/accept`)),
    ],
    graphql: [
      resolver(({ shop, paid }) => shop.graphql(CANCEL, { id: paid })),
      resolver(({ shop, paid }) => shop.graphql(ACCEPT, { id: paid })),
    ],
  },
  NOT_REFUNDABLE: { row: ['3006', 409, 'CONFLICT'], ...refund((setup) => setup.open, {}) },
  NETWORK_UNAVAILABLE: { row: ['3007', 503, 'UNAVAILABLE'], ...payment({ currency: 'BTC', network: 'BTC' }) },
  NOT_QUOTED: { row: ['3008', 400, 'BAD_USER_INPUT'], ...invoice(() => ({ amount: '5', currency: 'XOF' })) },
  TAKES_NO_MORE: { row: ['3009', 409, 'CONFLICT'], ...choice(({ invoices }) => invoices.canceled) },
  NO_RATE: {
    row: ['3010', 503, 'UNAVAILABLE'],
    ...choice(({ invoices }) => invoices.unquoted, { headers: { 'retry-after': /^30$/ } }),
  },
  TOO_MANY_CHOICES: { row: ['3011', 409, 'CONFLICT'], ...choice(({ invoices }) => invoices.worn) },
  INSUFFICIENT_FUNDS: { row: ['4001', 409, 'CONFLICT'], ...withdrawal({ amount: '10000' }) },
  BAD_ADDRESS: { row: ['4002', 400, 'BAD_USER_INPUT'], ...withdrawal({ address: 'nowhere' }) },
  DUST: { row: ['4003', 400, 'BAD_USER_INPUT'], ...refund((setup) => setup.paid, { amount: '0.001' }) },
  DUPLICATE_WITHDRAWAL: {
    row: ['4005', 409, 'CONFLICT'],
    ...withdrawal(({ withdrawn }) => ({ merchantWithdrawalId: withdrawn, amount: '2' })),
  },
  NOT_IN_BOOK: {
    row: ['4006', 409, 'CONFLICT'],
    rest: 'It takes a policy: test/resolvers/payouts/control.test.ts',
    graphql: 'It takes a policy: test/resolvers/payouts/control.test.ts',
  },
  OVER_LIMIT: {
    row: ['4007', 409, 'CONFLICT'],
    rest: 'It takes a policy: test/resolvers/payouts/control.test.ts',
    graphql: 'It takes a policy: test/resolvers/payouts/control.test.ts',
  },
  ALREADY_DECIDED: {
    row: ['4008', 409, 'CONFLICT'],
    rest: 'No row decides on payouts',
    graphql: 'It takes a policy: test/resolvers/payouts/control.test.ts',
  },
  PAYOUTS_FROZEN: {
    row: ['4009', 503, 'UNAVAILABLE'],
    rest: [early((setup) => whilePayoutsAreFrozen(setup, () => setup.shop.rest('POST', '/wallet/withdraw', ONE_USDT)))],
    graphql: [
      resolver((setup) => whilePayoutsAreFrozen(setup, () => setup.shop.graphql(WITHDRAW, { input: ONE_USDT }))),
    ],
  },
  SECOND_PERSON: {
    row: ['4010', 403, 'FORBIDDEN'],
    rest: 'No row decides on payouts',
    graphql: 'It takes a policy: test/resolvers/payouts/control.test.ts',
  },
  WEBHOOK_URL_REFUSED: {
    row: ['5001', 400, 'BAD_USER_INPUT'],
    rest: [early(({ shop }) => shop.rest('POST', '/webhooks', REFUSED_URL), { details: ['url'] })],
    graphql: [resolver(({ shop }) => shop.graphql(ENDPOINT, { input: REFUSED_URL }), { details: ['input.url'] })],
  },
  RATE_LIMITED: { row: ['9001', 429, 'RATE_LIMITED'], rest: ELSEWHERE, graphql: ELSEWHERE },
  MISDIRECTED: {
    row: ['9421', 421, 'MISDIRECTED'],
    rest: 'It takes cells: test/gateway/cells/calls.test.ts',
    graphql: 'It takes cells: test/gateway/cells/calls.test.ts',
  },
  INTERNAL: {
    row: ['9500', 500, 'INTERNAL_SERVER_ERROR'],
    rest: [
      early((setup) => breakTable(setup, () => setup.shop.rest('GET', '/wallet/balance')), {
        message: 'Something went wrong on our side',
      }),
    ],
    graphql: [
      resolver((setup) => breakTable(setup, () => setup.shop.graphql('{ walletBalances { available } }')), {
        message: 'Something went wrong on our side',
      }),
    ],
  },
  OVERLOADED: { row: ['9503', 503, 'UNAVAILABLE'], rest: ELSEWHERE, graphql: ELSEWHERE },
};

function liveKey(): { keyId: string; secret: string } {
  return { keyId: 'pk_live_0000000000000000', secret: 'sk_live_0000000000000000' };
}

/** The message of a rate-limited call. */
export const LIMITED_HEADERS = {
  ...AGAIN,
  'ratelimit-limit': /^\d+$/,
  'ratelimit-remaining': /^0$/,
  'ratelimit-reset': /^[1-9]\d*$/,
};
