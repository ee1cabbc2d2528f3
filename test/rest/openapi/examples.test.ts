// Sends every example of the OpenAPI document to a running gateway, and checks every answer against the document.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../support/sources.ts';
import {
  createChecker,
  operationsOf,
  type DocumentedOperation,
  type Json,
} from '../../docs/openapi-document.fixture.ts';
import { newMerchant, send, USDT_PAYMENT, type Answer, type TestMerchant } from '../../support/clients.ts';
import { dataOf } from '../../support/expectations.ts';
import { borrowGateway, type BorrowedGateway } from '../../support/gateway/borrowed-gateway.ts';
import { newId } from '../../../src/values/id.ts';
import { createTidy } from './recorded.fixture.ts';
import { until } from '../../support/until.ts';

const document = JSON.parse(readFileSync(join(ROOT, 'schema/openapi.json'), 'utf8'));
const operations = operationsOf(document);
const { faultsOf, webhookFaults } = createChecker(document);

let gateway: BorrowedGateway;
let shop: TestMerchant;
let careful: TestMerchant;
let nobody: TestMerchant;

/** The values of path parameters, and of `{…}` in an example. */
type Values = Readonly<Record<string, string>>;

const created = async (path: string, body: object, merchant = shop): Promise<Json> =>
  dataOf(await merchant.rest('POST', path, body), 201);

async function ordered(merchant = shop): Promise<Values> {
  const { orderId } = await created('/payments', USDT_PAYMENT, merchant);
  return { id: orderId as string };
}

async function paid(): Promise<Values> {
  const order = await ordered();
  expect(dataOf(await shop.rest('POST', `/sandbox/payments/${order['id']}/deposit`)).status).toBe('SUCCEEDED');
  return order;
}

/** A payment of the merchant who decides about late money by hand: expired, then paid. */
async function paidLate(): Promise<Values> {
  const order = await ordered(careful);
  const path = `/sandbox/payments/${order['id']}`;
  dataOf(await careful.rest('POST', `${path}/expire`));
  await until(async () => dataOf(await careful.rest('GET', `/payments/${order['id']}`)).status === 'EXPIRED');
  dataOf(await careful.rest('POST', `${path}/deposit`));
  return order;
}

async function invoiced(merchant = shop): Promise<Values> {
  const { invoiceId } = await created('/invoices', { amount: '49.90', currency: 'EUR' }, merchant);
  return { id: invoiceId as string };
}

/** A payment link whose form asks for what the documented submission has. */
async function linked(): Promise<Values> {
  const fields = { requiredFields: ['EMAIL'], optionalFields: ['ADDRESS', 'NOTE'] };
  const { id } = await created('/payment-links', { name: 'Tea', amount: '20', currency: 'EUR', ...fields });
  return { id: id as string };
}

/** The payment of an invoice's quote. */
async function quoted(merchant = shop, invoice?: Values): Promise<Values> {
  const { id } = invoice ?? (await invoiced(merchant));
  const asset = { currency: 'USDT', network: 'ETH' };
  const { payments } = dataOf(await merchant.rest('POST', `/checkout/invoices/${id}/choose`, asset));
  return { id: payments[0].checkout.id as string };
}

/** An invoice of the merchant who decides about late money by hand: expired, then paid. */
async function invoicePaidLate(): Promise<Values> {
  const invoice = await invoiced(careful);
  const order = await quoted(careful, invoice);
  dataOf(await careful.rest('POST', `/sandbox/invoices/${invoice['id']}/expire`));
  await until(async () => dataOf(await careful.rest('GET', `/invoices/${invoice['id']}`)).status === 'EXPIRED');
  dataOf(await careful.rest('POST', `/sandbox/payments/${order['id']}/deposit`));
  return invoice;
}

async function keyMade(): Promise<Values> {
  const { keyId } = await created('/merchant/api-keys', { name: 'Spare', permissions: ['READ_PAYMENTS'] });
  return { keyId: keyId as string };
}

async function endpointMade(): Promise<Values> {
  const { id } = await created('/webhooks', { url: 'https://shop.example/more' });
  return { id: id as string };
}

/** An event with a delivery that was tried: it goes to the gateway itself, which answers 404. */
async function eventSent(): Promise<Values> {
  const { event_id: eventId } = dataOf(await shop.rest('POST', '/webhooks/test', { url: `${gateway.url}/hook` }));
  await until(async () => {
    const answer = await shop.rest('GET', `/webhooks/deliveries/${eventId}`);
    return answer.status === 200 && answer.body.data.deliveries[0].attempt_log.length > 0;
  });
  return { event_id: eventId as string, eventId: eventId as string };
}

async function withdrawn(): Promise<Values> {
  const { example } = operations.find(({ id }) => id === 'withdraw') ?? {};
  const { withdrawalId } = await created('/wallet/withdraw', { ...example, merchantWithdrawalId: null });
  return { id: withdrawalId as string };
}

async function batched(): Promise<Values> {
  const { example } = operations.find(({ id }) => id === 'createPayoutBatch') ?? {};
  const rows = (example?.['rows'] as object[]).map((row) => ({ ...row, merchantWithdrawalId: null }));
  return { id: (await created('/wallet/batches', { ...example, rows })).id as string };
}

async function refunded(): Promise<Values> {
  const { example } = operations.find(({ id }) => id === 'refundPayment') ?? {};
  const { id: orderId = '' } = await paid();
  const { refundId } = await created(`/payments/${orderId}/refund`, { ...example });
  return { id: refundId as string };
}

async function refundedPayment(): Promise<Values> {
  const { id: orderId = '' } = await paid();
  const body = { address: '0x52908400098527886E0F7030069857D2E4169EE7', amount: '1' };
  await created(`/payments/${orderId}/refund`, body);
  return { id: orderId };
}

/** An address of the book, which people alone add. */
async function booked(): Promise<Values> {
  await gateway.sql(
    `insert into payout_address (id, merchant_id, network, address, address_key, label, created_by, created_at, usable_at)
     select $1, merchant_id, 'ETH', '0x1', '0x1', 'Bank', person_id, now(), now() from membership where merchant_id = $2`,
    [newId('adr'), shop.id],
  );
  return {};
}

/** Prepares what an operation needs; returns the values it is called with. */
const GIVEN: Readonly<Record<string, () => Promise<Values> | Values>> = {
  createAccessToken: () => ({ keyId: shop.keyId, secret: shop.secret }),
  ...{ payment: paid, cancelPayment: ordered, refundPayment: paid, acceptPayment: paidLate },
  ...{ withdraw: paid, withdrawal: withdrawn, withdrawals: withdrawn },
  ...{ createPayoutBatch: paid, payoutBatch: batched, payoutBatches: batched },
  ...{ refund: refunded, refunds: refunded, paymentRefunds: refundedPayment, payoutAddresses: booked },
  ...{ updateApiKey: keyMade, revokeApiKey: keyMade },
  ...{ updateWebhookEndpoint: endpointMade, deleteWebhookEndpoint: endpointMade },
  ...{ resendEvent: eventSent, webhookDelivery: eventSent, webhookDeliveries: eventSent },
  ...{ simulateDeposit: ordered, expirePayment: ordered, expireInvoice: invoiced, expireQuote: quoted },
  ...{ invoice: invoiced, invoices: invoiced, cancelInvoice: invoiced, acceptInvoice: invoicePaidLate },
  ...{ invoiceCheckout: invoiced, chooseAsset: invoiced },
  ...{ paymentLink: linked, paymentLinks: linked, updatePaymentLink: linked, linkCheckout: linked },
  ...{ submitPaymentLink: linked, receipts: paid, movements: paid },
};

/** Operations that are called by another merchant. */
const CALLERS: Readonly<Record<string, () => TestMerchant>> = {
  acceptPayment: () => careful,
  acceptInvoice: () => careful,
};

const filled = (text: string, values: Values) =>
  text.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`Nothing is given for {${name}}`);
    return value;
  });

interface How {
  readonly token?: string | undefined;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function call(operation: DocumentedOperation, values: Values, { token, query = '', headers = {} }: How) {
  const { method, path, example } = operation;
  const all: Record<string, string> = { ...headers };
  if (token !== undefined) all['authorization'] = `Bearer ${token}`;
  const body = example === undefined ? undefined : JSON.stringify(example);
  if (body !== undefined) all['content-type'] = 'application/json';
  const url = gateway.url + filled(path, values) + query;
  // The placeholders of an example are whole strings: `"{keyId}"`.
  const sent = body?.replace(/"\{(\w+)\}"/g, (text) => JSON.stringify(filled(JSON.parse(text) as string, values)));
  return send({ method, url, headers: all, body: sent });
}

/** Ids that do not exist, of the right form. */
const NOTHING: Values = { id: 'none', keyId: 'none', event_id: 'none', eventId: 'none', secret: 'none' };

function expectDocumented(operation: DocumentedOperation, answer: Answer, status: number, code?: string): void {
  expect([operation.id, answer.status, answer.text]).toEqual([operation.id, status, expect.any(String)]);
  expect(faultsOf(operation, answer)).toEqual([]);
  if (code !== undefined) expect(answer.body.error.code).toBe(code);
}

beforeAll(async () => {
  gateway = await borrowGateway();
  [shop, careful, nobody] = [await newMerchant(gateway), await newMerchant(gateway), await newMerchant(gateway, [])];
  dataOf(await careful.rest('PUT', '/merchant/settings', { latePaymentPolicy: 'MANUAL' }));
  await paid();
  await until(async () => dataOf(await shop.rest('GET', '/merchant/api-logs')).items.length > 0);
});
afterAll(async () => {
  if (process.env['RECORD_EXAMPLES'] !== undefined) await record();
  await gateway.stop();
});

/** The text of every answer to an example, by operation. */
const answers: Record<string, string> = {};

/** What no operation's example comes to: half of the money in time, and money that goes back from an invoice. */
async function otherEndings(): Promise<void> {
  const order = await ordered();
  const [half, refunded] = [await invoiced(), await invoiced()];
  const [underpaid, paidInvoice] = [await quoted(shop, half), await quoted(shop, refunded)];
  for (const { id = '' } of [order, underpaid])
    dataOf(await shop.rest('POST', `/sandbox/payments/${id}/deposit`, { amount: '5' }));
  dataOf(await shop.rest('POST', `/sandbox/payments/${order['id']}/expire`));
  dataOf(await shop.rest('POST', `/sandbox/invoices/${half['id']}/expire`));
  dataOf(await shop.rest('POST', `/sandbox/payments/${paidInvoice['id']}/deposit`));
  const address = '0x52908400098527886E0F7030069857D2E4169EE7';
  await created(`/payments/${paidInvoice['id']}/refund`, { address, amount: '5' });
  await until(async () => {
    const types = new Set((await bodiesSent()).map(({ type }) => type));
    return ['payment.failed', 'invoice.failed', 'invoice.refunded'].every((type) => types.has(type));
  });
}

/** Writes the examples of the document anew: RECORD_EXAMPLES=1 npm test -- rest/openapi/examples; npm run schema. */
async function record(): Promise<void> {
  await otherEndings();
  const tidy = createTidy(gateway.url);
  const webhooks = Object.fromEntries((await bodiesSent()).map(({ type, body }) => [type, tidy(body)]));
  const tidied = Object.entries(answers).map(([id, text]) => [id, tidy(text)] as const);
  const recorded = { answers: Object.fromEntries(tidied), webhooks };
  writeFileSync(join(ROOT, 'src/rest/openapi/recorded.json'), `${JSON.stringify(recorded, null, 2)}\n`);
}

/** A body of every type of webhook that these merchants were to get. */
const bodiesSent = () =>
  gateway.sql<{ type: string; body: string }>(
    `select distinct on (type) type, body from event where body is not null and merchant_id = any($1) order by type, id`,
    [[shop.id, careful.id]],
  );

const named = operations.map((operation) => [`${operation.method} ${operation.path}`, operation] as const);

describe('the document', () => {
  it('is served as it was printed, with this deployment as its server', async () => {
    const { status, headers, body } = await send({ method: 'GET', url: `${gateway.url}/openapi.json` });
    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    expect(body).toEqual({ ...document, servers: [{ url: gateway.url }] });
  });

  it('an answer that says more, less or something else than is documented would be found', () => {
    const operation = operations.find(({ id }) => id === 'walletBalances');
    if (!operation) throw new Error('There is no such operation');
    const headers = { 'content-type': 'application/json' };
    const row = { currency: 'USDT', network: 'ETH', available: '1', pending: '0', reserved: '0' };
    const faults = (balance: object, status = 200) =>
      faultsOf(operation, { status, headers, text: '', body: { success: true, data: { balances: [balance] } } });
    expect(faults(row)).toEqual([]);
    expect(faults({ ...row, locked: '0' })).not.toEqual([]);
    expect(faults({ ...row, reserved: undefined })).not.toEqual([]);
    expect(faults({ ...row, available: 1 })).not.toEqual([]);
    expect(faults(row, 418)).not.toEqual([]);
  });
});

/** Query parameters without which a row answers nothing, by operation. */
const QUERIES: Readonly<Record<string, string>> = { rates: '?currency=EUR' };

describe('every example', () => {
  it.each(named)('%s is answered as documented', async (_, operation) => {
    const { id, method, isIdempotent, needsToken, status } = operation;
    const values = (await GIVEN[id]?.()) ?? {};
    const token = needsToken ? (CALLERS[id]?.() ?? shop).token : undefined;
    const headers = { 'idempotency-key': `example-${id}` };
    const answer = await call(operation, values, { token, headers, query: QUERIES[id] ?? '' });
    expectDocumented(operation, answer, status);
    answers[id] = answer.text;
    if ('items' in answer.body.data) expect(answer.body.data.items).not.toEqual([]);
    if (method !== 'POST') return;
    const again = await call(operation, values, { token, headers });
    expect([id, again.headers['idempotent-replayed']]).toEqual([id, isIdempotent ? 'true' : undefined]);
    if (isIdempotent) expectDocumented(operation, again, status);
  });

  it('a report as CSV too', async () => {
    const operation = operations.find(({ id }) => id === 'report');
    if (!operation) throw new Error('There is no such operation');
    const answer = await call(operation, {}, { token: shop.token, query: '?format=csv' });
    expect(answer.headers['content-type']).toMatch(/^text\/csv/);
    expectDocumented(operation, answer, 200);
  });
});

describe('every webhook', () => {
  it('has the body that is documented, and its type is', async () => {
    const sent = await bodiesSent();
    expect(sent.length).toBeGreaterThan(12);
    for (const { type, body } of sent) expect([type, webhookFaults(type, JSON.parse(body))]).toEqual([type, []]);
  });

  it('has an example that is documented, too', () => {
    for (const [type, { post }] of Object.entries(document.webhooks as Record<string, Json>)) {
      const { example } = post.requestBody.content['application/json'];
      expect([type, example.type, webhookFaults(type, example)]).toEqual([type, type, []]);
    }
  });
});

describe('every refusal', () => {
  it.each(named.filter(([, { needsToken }]) => needsToken))('%s without a token', async (_, operation) => {
    expectDocumented(operation, await call(operation, NOTHING, {}), 401, '1001');
  });

  it.each(named.filter(([, { permission }]) => permission !== null))(
    '%s without its permission',
    async (_, operation) => {
      const answer = await call(operation, NOTHING, { token: nobody.token });
      expectDocumented(operation, answer, 403, '1004');
      expect(answer.body.error.message).toBe(`Missing permission: ${operation.permission ?? ''}`);
    },
  );

  it.each(named)('%s with a parameter it does not know', async (_, operation) => {
    const answer = await call(operation, NOTHING, { token: shop.token, query: '?nonsense=1' });
    expectDocumented(operation, answer, 400, '2001');
    expect(answer.body.error.details).toContainEqual({ path: 'nonsense', message: 'is not a known parameter' });
  });

  it.each(named.filter(([, { path }]) => path.includes('{')))('%s of what does not exist', async (_, operation) => {
    expectDocumented(operation, await call(operation, NOTHING, { token: shop.token }), 404, '2004');
  });

  it.each(named.filter(([, { body }]) => body !== null))('%s with a body that is no JSON', async (_, operation) => {
    const headers = { authorization: `Bearer ${shop.token}`, 'content-type': 'application/json' };
    const url = gateway.url + filled(operation.path, NOTHING);
    expectDocumented(operation, await send({ method: operation.method, url, headers, body: '{' }), 400, '2008');
  });
});
