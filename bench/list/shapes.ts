// The pages that the list bench compares: every list without a filter, and payments by every filter, with many matches,
// few and none.

import type { ListEnvironment, Served } from './environment.ts';

/** A page of a list, with its REST query as pairs. */
export interface Shape {
  readonly name: string;
  readonly path: string;
  readonly query: (setup: ListEnvironment) => readonly (readonly [name: string, value: string])[];
  /** The page starts after the row at this position. */
  readonly after?: (setup: ListEnvironment) => number;
  /** A search, which is over GraphQL alone: its query has a text. */
  readonly isSearch?: boolean;
}

const payments = (
  name: string,
  query: Record<string, string | readonly string[]>,
  rest: Partial<Shape> = {},
): Shape => {
  const pairs = Object.entries(query).flatMap(([key, value]) => [value].flat().map((each) => [key, each] as const));
  return { name: `payments, ${name}`, path: '/payments', query: () => pairs, ...rest };
};

const found = (name: string, text: string): Shape => {
  return { name: `search, ${name}`, path: '/search', query: () => [['text', text]], isSearch: true };
};
/** What a page looks for among deliveries or calls is walked to, as far as its bound. */
const deliveries = (name: string, query: Shape['query']): Shape => ({
  ...{ name: `deliveries, ${name}`, path: '/webhooks/deliveries', query },
});
const calls = (name: string, query: Record<string, string>): Shape => ({
  ...{ name: `API logs, ${name}`, path: '/merchant/api-logs', query: () => Object.entries(query) },
});

/** A date range from one position of the list to another, both as shares of its length. */
const between = (from: number, until: number) => (setup: ListEnvironment) =>
  [
    ['startDate', setup.timeOf(Math.ceil(setup.count * from)).toISOString()],
    ['endDate', setup.timeOf(Math.ceil(setup.count * until)).toISOString()],
  ] as const;
const TENTH = between(0.4, 0.5);

export const SHAPES: readonly Shape[] = [
  payments('first page', {}),
  payments('in the middle', {}, { after: ({ count }) => Math.ceil(count / 2) }),
  payments('the last page', {}, { after: () => 21 }),
  payments('a hundred', { limit: '100' }),
  payments('status, frequent', { status: 'SUCCEEDED' }),
  payments('status, three oldest', { status: 'PARTIALLY_PAID' }),
  payments('status, none', { status: 'CONFIRMING' }),
  payments('several statuses', { status: ['SUCCEEDED', 'PARTIALLY_PAID', 'EXPIRED'] }),
  payments('currency', { currency: 'USDT' }),
  payments('currency, thirty oldest', { currency: 'BNB' }),
  payments('network', { network: 'ETH' }),
  payments('network, none', { network: 'SOL' }),
  payments('status and pair', { status: 'EXPIRED', currency: 'USDC', network: 'ETH' }),
  payments('status and pair, none', { status: 'PARTIALLY_PAID', currency: 'BNB', network: 'BSC' }),
  payments('merchantOrderId', { merchantOrderId: 'order-77' }),
  payments('merchantOrderId, shared', { merchantOrderId: 'shared' }),
  payments('merchantOrderId, none', { merchantOrderId: 'nobody' }),
  payments('dates', {}, { query: TENTH }),
  payments('dates and status, none', {}, { query: (setup) => [...TENTH(setup), ['status', 'PARTIALLY_PAID']] }),
  found('one reference', 'Order-77'),
  found('references that begin alike', 'order-'),
  found('an e-mail address of all', 'customer@'),
  found('a product of all', 'annual'),
  found('nothing', 'nobody'),
  { name: 'withdrawals', path: '/wallet/withdrawals', query: () => [] },
  { name: 'deliveries', path: '/webhooks/deliveries', query: () => [] },
  deliveries('dates', (setup) => [
    ['since', setup.timeOf(Math.ceil(setup.count * 0.4)).toISOString()],
    ['until', setup.timeOf(Math.ceil(setup.count * 0.5)).toISOString()],
  ]),
  deliveries('endpoint', ({ merchantId }) => [['endpoint_id', `whk_${merchantId.slice('mer_'.length)}`]]),
  deliveries('endpoint, none', () => [['endpoint_id', `whk_${'0'.repeat(32)}`]]),
  deliveries('type, none', () => [['event_type', 'payment.expired']]),
  { name: 'API logs, dates', path: '/merchant/api-logs', query: TENTH },
  calls('key', { keyId: 'pk_test_bench' }),
  calls('key, none', { keyId: 'pk_test_nobody' }),
  calls('method, none', { method: 'DELETE' }),
  calls('path', { path: '/api/v1/pay' }),
  calls('path, none', { path: '/api/v1/wallet' }),
  calls('status class, none', { statusClass: '5' }),
  calls('error code, none', { errorCode: '2004' }),
  calls('source, none', { source: 'SESSION' }),
];

const FULL_PAYMENT = `id address amount currency network paymentUrl expiresAt status createdAt exception test
  merchantOrderId productName customerEmail callbackUrl returnUrl metadata amountReceived amountConfirmed amountRefunded
  feeAmount confirmations requiredConfirmations
  transactions { txHash amount status confirmations blockNumber seenAt } updatedAt completedAt invoiceId`;

const DOCUMENT = `query Payments($first: Int, $after: String, $filter: PaymentFilter) {
  payments(first: $first, after: $after, filter: $filter) {
    nodes { ${FULL_PAYMENT} } pageInfo { endCursor hasNextPage }
  }
}`;

const SEARCH = `query Search($text: String!) { search(text: $text) { payments { ${FULL_PAYMENT} } } }`;

/** A request for a page. */
export interface PageRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body: string;
}

type Pairs = readonly (readonly [name: string, value: string])[];

export function overRest(path: string, pairs: Pairs): PageRequest {
  const query = new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, value])).toString();
  return { method: 'GET', path: `/api/v1${path}${query && `?${query}`}`, body: '' };
}

/** The same over GraphQL; payments only. */
export function overGraphQL(pairs: Pairs): PageRequest {
  const { limit, cursor, ...filter } = Object.fromEntries(pairs);
  const statuses = pairs.filter(([name]) => name === 'status').map(([, value]) => value);
  const variables = {
    first: limit === undefined ? undefined : Number(limit),
    after: cursor,
    filter: { ...filter, status: statuses.length > 0 ? statuses : undefined },
  };
  return { method: 'POST', path: '/graphql', body: JSON.stringify({ query: DOCUMENT, variables }) };
}

/** A search over GraphQL. */
export function searchOverGraphQL(pairs: Pairs): PageRequest {
  const variables = Object.fromEntries(pairs);
  return { method: 'POST', path: '/graphql', body: JSON.stringify({ query: SEARCH, variables }) };
}

interface Answered {
  readonly items: readonly Record<string, unknown>[];
  readonly nextCursor: string | null;
}

/** Requests a page once; throws if the answer is not a page. */
export async function ask({ port, headers }: Served, { method, path, body }: PageRequest): Promise<Answered> {
  const init = method === 'POST' ? { body, headers: { ...headers, 'Content-Type': 'application/json' } } : { headers };
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, ...init });
  const answer = (await response.json()) as Record<string, any>; // eslint-disable-line @typescript-eslint/no-explicit-any
  if (method === 'POST' && answer['data']?.payments) return { items: answer['data'].payments.nodes, nextCursor: null };
  if (method === 'POST' && answer['data']?.search) return { items: answer['data'].search.payments, nextCursor: null };
  if (answer['success'] !== true) throw new Error(`${path} answered ${JSON.stringify(answer)}`);
  return { items: answer['data'].items, nextCursor: answer['data'].pagination.nextCursor };
}
