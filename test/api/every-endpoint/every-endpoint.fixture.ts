// The REST table for tests that go through it: every row as a call that succeeds, a merchant's objects to call it on,
// and the permission that the contract (section 3) requires. Importing this file starts a gateway for the test file.

import { afterAll, beforeAll } from '@jest/globals';
import type { Route } from '../../../src/rest/routes/route.ts';
import { ROUTES } from '../../../src/rest/routes/routes.ts';
import type { Permission } from '../../../src/values/permission.ts';
import {
  newEmail,
  newMerchant,
  USDT_PAYMENT,
  type Answer,
  type Json,
  type TestMerchant,
} from '../../support/clients.ts';
import { dataOf } from '../../support/expectations.ts';
import { borrowGateway, type BorrowedGateway } from '../../support/gateway/borrowed-gateway.ts';
import { until } from '../../support/until.ts';

/** What a call requires: one of the eight permissions, any valid token, or nothing. */
export type Need = Permission | 'TOKEN' | null;

/** Written from the contract, independently of the schema, because the schema is under test. */
const NEEDS: Readonly<Record<string, Need>> = {
  'POST /merchant/register': null,
  'POST /merchant': null,
  'POST /auth/token': null,
  'POST /payments': 'CREATE_PAYMENTS',
  'GET /payments': 'READ_PAYMENTS',
  'GET /payments/:id': 'READ_PAYMENTS',
  'DELETE /payments/:id': 'CANCEL_PAYMENTS',
  'POST /payments/:id/refund': 'WITHDRAW',
  'POST /payments/:id/accept': 'CREATE_PAYMENTS',
  'POST /invoices': 'CREATE_PAYMENTS',
  'GET /invoices': 'READ_PAYMENTS',
  'GET /invoices/:id': 'READ_PAYMENTS',
  'DELETE /invoices/:id': 'CANCEL_PAYMENTS',
  'POST /invoices/:id/accept': 'CREATE_PAYMENTS',
  'GET /rates': 'READ_PAYMENTS',
  'POST /payment-links': 'CREATE_PAYMENTS',
  'GET /payment-links': 'READ_PAYMENTS',
  'GET /payment-links/:id': 'READ_PAYMENTS',
  'PUT /payment-links/:id': 'CREATE_PAYMENTS',
  'GET /checkout/links/:id': null,
  'POST /checkout/links/:id': null,
  'GET /checkout/invoices/:id': null,
  'POST /checkout/invoices/:id/choose': null,
  'GET /events': 'READ_PAYMENTS',
  'GET /currencies': null,
  'GET /wallet/balance': 'READ_WALLET',
  'POST /wallet/withdraw': 'WITHDRAW',
  'GET /wallet/withdrawals': 'WITHDRAW',
  'GET /wallet/withdrawals/:id': 'WITHDRAW',
  'POST /wallet/batches': 'WITHDRAW',
  'GET /wallet/batches': 'WITHDRAW',
  'GET /wallet/batches/:id': 'WITHDRAW',
  'GET /wallet/addresses': 'READ_WALLET',
  'GET /wallet/policy': 'READ_WALLET',
  'GET /payments/:id/refunds': 'WITHDRAW',
  'GET /refunds': 'WITHDRAW',
  'GET /refunds/:id': 'WITHDRAW',
  'POST /webhooks': 'MANAGE_WEBHOOKS',
  'GET /webhooks': 'MANAGE_WEBHOOKS',
  'PUT /webhooks/:id': 'MANAGE_WEBHOOKS',
  'DELETE /webhooks/:id': 'MANAGE_WEBHOOKS',
  'PUT /merchant/webhook': 'MANAGE_WEBHOOKS',
  'POST /merchant/webhook/rotate-secret': 'MANAGE_WEBHOOKS',
  'POST /webhooks/test': 'MANAGE_WEBHOOKS',
  'GET /webhooks/deliveries': 'MANAGE_WEBHOOKS',
  'GET /webhooks/deliveries/:event_id': 'MANAGE_WEBHOOKS',
  'POST /webhooks/resend': 'MANAGE_WEBHOOKS',
  'GET /reports': 'READ_REPORTS',
  'GET /reports/receipts': 'READ_REPORTS',
  'GET /reports/movements': 'READ_REPORTS',
  'GET /merchant/settings': 'MANAGE_SETTINGS',
  'PUT /merchant/settings': 'MANAGE_SETTINGS',
  'POST /merchant/api-keys': 'TOKEN',
  'GET /merchant/api-keys': 'TOKEN',
  'PUT /merchant/api-keys/:keyId': 'TOKEN',
  'DELETE /merchant/api-keys/:keyId': 'TOKEN',
  'GET /merchant/api-logs': 'READ_REPORTS',
  'POST /sandbox/payments/:id/deposit': 'CREATE_PAYMENTS',
  'POST /sandbox/payments/:id/expire': 'CREATE_PAYMENTS',
  'POST /sandbox/rates': 'CREATE_PAYMENTS',
  'POST /sandbox/invoices/:id/expire': 'CREATE_PAYMENTS',
  'POST /sandbox/payments/:id/expire-quote': 'CREATE_PAYMENTS',
};

/** The three calls that accept an `sk_…` secret in place of a token. */
export const BY_SECRET: readonly string[] = [
  'PUT /merchant/webhook',
  'POST /webhooks/resend',
  'GET /webhooks/deliveries/:event_id',
];

/** A row of the table. `name` is its method and path as in the table. */
export interface Row {
  readonly name: string;
  readonly method: Route['method'];
  readonly path: string;
  readonly status: number;
  readonly need: Need;
  readonly idempotent: boolean;
}

export const ROWS: readonly Row[] = ROUTES.map(({ method, path, status, idempotent = false }) => {
  const name = `${method} ${path}`;
  const need = NEEDS[name];
  if (need === undefined) throw new Error(`${name} has no permission in the tests' table`);
  return { name, method, path, status, need, idempotent };
});

/** Rows by name, for `it.each`. */
export const named = (rows: readonly Row[]): [name: string, row: Row][] => rows.map((row) => [row.name, row]);
export const GUARDED = ROWS.filter(({ need }) => need !== null);
export const WITH_BODY = ROWS.filter(({ method }) => method === 'POST' || method === 'PUT');

/** Ids of a merchant's objects: an expired payment with refundable money, an open one, and one of every other kind. */
export interface Belongings {
  readonly payment: string;
  readonly open: string;
  /** An open invoice, and the payment of a quote of another. */
  readonly invoice: string;
  readonly quoted: string;
  readonly link: string;
  readonly withdrawal: string;
  readonly batch: string;
  readonly key: string;
  readonly endpoint: string;
  readonly event: string;
}

export let gateway: BorrowedGateway;
export let shop: TestMerchant;
export let other: TestMerchant;
export let mine: Belongings;
export let theirs: Belongings;

const RECIPIENT = '0x52908400098527886E0F7030069857D2E4169EE7';
export const HOOK = 'http://127.0.0.1:1024/hook';

/** Makes one object of every kind. */
export async function furnish({ rest }: TestMerchant): Promise<Belongings> {
  const create = async (): Promise<string> => dataOf(await rest('POST', '/payments', USDT_PAYMENT), 201).orderId;
  const payment = await create();
  dataOf(await rest('POST', `/sandbox/payments/${payment}/deposit`, {}));
  const money = { currency: 'USDT', network: 'ETH', amount: '1', address: RECIPIENT };
  const { withdrawalId } = dataOf(await rest('POST', '/wallet/withdraw', money), 201);
  const { id: batch } = dataOf(await rest('POST', '/wallet/batches', { rows: [money] }), 201);
  const { keyId } = dataOf(await rest('POST', '/merchant/api-keys', { name: 'Till', permissions: ['WITHDRAW'] }), 201);
  dataOf(await rest('PUT', '/merchant/webhook', { url: HOOK }));
  const { id } = dataOf(await rest('POST', '/webhooks', { url: `${HOOK}/2` }), 201);
  const { event_id: event } = dataOf(await rest('POST', '/webhooks/test'));
  await until(async () => (await rest('GET', `/webhooks/deliveries/${event}`)).status === 200);
  const price = { amount: '49.90', currency: 'EUR' };
  const bill = async (): Promise<string> => dataOf(await rest('POST', '/invoices', price), 201).invoiceId;
  const asset = { currency: 'USDT', network: 'ETH' };
  const { payments } = dataOf(await rest('POST', `/checkout/invoices/${await bill()}/choose`, asset));
  const { id: link } = dataOf(await rest('POST', '/payment-links', { name: 'Window', currency: 'EUR' }), 201);
  const invoices = { invoice: await bill(), quoted: payments[0].checkout.id as string, link: link as string };
  return {
    payment,
    open: await create(),
    ...invoices,
    ...{ withdrawal: withdrawalId, batch },
    key: keyId,
    endpoint: id,
    event,
  };
}

beforeAll(async () => {
  gateway = await borrowGateway();
  [shop, other] = await Promise.all([newMerchant(gateway), newMerchant(gateway)]);
  [mine, theirs] = await Promise.all([furnish(shop), furnish(other)]);
});
afterAll(() => gateway.stop());

/** The id for a row's path, out of these; undefined if the path has none. */
export function idFor({ path, name }: Row, of: Belongings): string | undefined {
  if (!path.includes(':')) return undefined;
  if (path.includes('/invoices/')) return of.invoice;
  if (path.includes('links/')) return of.link;
  if (path.endsWith('/expire-quote')) return of.quoted;
  if (path.startsWith('/wallet/batches')) return of.batch;
  if (path.startsWith('/wallet/')) return of.withdrawal;
  if (path.startsWith('/merchant/api-keys')) return of.key;
  if (path.startsWith('/webhooks/deliveries')) return of.event;
  if (path.startsWith('/webhooks')) return of.endpoint;
  return name === 'GET /payments/:id' || path.endsWith('/refund') ? of.payment : of.open;
}

/** A row's path with this id in it. */
export const pathOf = ({ path }: Row, id = ''): string => path.replace(/:\w+/, id);

/** A valid body for a row; undefined if it takes none. */
export function bodyOf({ name }: Row, merchant: Pick<TestMerchant, 'keyId' | 'secret'>, of: Belongings): Json {
  const bodies: Record<string, object> = {
    'POST /merchant/register': { email: newEmail(), companyName: 'Shop', password: 'correct horse battery' },
    'POST /merchant': { email: newEmail(), companyName: 'Shop' },
    'POST /auth/token': { keyId: merchant.keyId, secret: merchant.secret },
    'POST /payments': USDT_PAYMENT,
    'POST /invoices': { amount: '49.90', currency: 'EUR' },
    'POST /payment-links': { name: 'Window', amount: '20', currency: 'EUR' },
    'PUT /payment-links/:id': { name: 'Door' },
    'POST /checkout/links/:id': { amount: '20' },
    'POST /checkout/invoices/:id/choose': { currency: 'USDT', network: 'ETH' },
    'POST /wallet/withdraw': { currency: 'USDT', network: 'ETH', amount: '0.5', address: RECIPIENT },
    'POST /wallet/batches': { rows: [{ currency: 'USDT', network: 'ETH', amount: '0.5', address: RECIPIENT }] },
    'POST /payments/:id/refund': { address: RECIPIENT, amount: '0.5' },
    'POST /merchant/api-keys': { name: 'Till', permissions: ['READ_PAYMENTS'] },
    'PUT /merchant/api-keys/:keyId': { name: 'Till 2' },
    'PUT /merchant/settings': { locale: 'de' },
    'PUT /merchant/webhook': { url: HOOK },
    'POST /webhooks': { url: `${HOOK}/3` },
    'PUT /webhooks/:id': { description: 'Books' },
    'POST /webhooks/resend': { event_id: of.event },
    'POST /webhooks/test': { url: HOOK },
    'POST /sandbox/rates': { code: 'LTC', usd: '81' },
  };
  return bodies[name];
}

/** A parameter that a row needs. */
const PARAMETERS: Readonly<Record<string, string>> = { 'GET /rates': 'currency=EUR' };

/** A query, which may be empty, together with the parameter that the row needs. */
function queryOf({ name }: Row, query: string): string {
  const own = PARAMETERS[name];
  if (own === undefined) return query;
  return query === '' ? `?${own}` : `${query}&${own}`;
}

interface CallOptions {
  readonly id?: string | undefined;
  readonly body?: unknown;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Calls a row as the given caller, by default with the first merchant's objects and a valid body. */
export function call(row: Row, { rest }: Pick<TestMerchant, 'rest'>, options: CallOptions = {}): Promise<Answer> {
  const { id = idFor(row, mine), query = '', headers } = options;
  const body = 'body' in options ? options.body : bodyOf(row, shop, mine);
  // Node sends the body of a DELETE without a Content-Length.
  const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
  const own = row.method === 'DELETE' && text !== undefined ? { 'content-length': `${Buffer.byteLength(text)}` } : {};
  return rest(row.method, pathOf(row, id) + queryOf(row, query), text, { ...own, ...headers });
}
