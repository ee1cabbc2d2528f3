// The requests that btcpayserver-greenfield-php 2 makes for the WooCommerce plugin, as its source writes them: headers,
// paths and bodies, with the answers in the shapes that its result classes read.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHmac } from 'node:crypto';
import { newMerchant, send, type Answer, type Json, type TestMerchant } from '../../support/clients.ts';
import { dataOf, expectFaults, expectGraphQLError } from '../../support/expectations.ts';
import { borrowGateway, type BorrowedGateway } from '../../support/gateway/borrowed-gateway.ts';
import { closeReceivers, receive, type Receiver } from '../../dispatch/receivers.fixture.ts';
import { text } from 'node:stream/consumers';
import type { IncomingHttpHeaders } from 'node:http';
import { until } from '../../support/until.ts';

let gateway: BorrowedGateway;
let shop: TestMerchant;
let other: TestMerchant;
let receiver: Receiver;
const received: { readonly headers: IncomingHttpHeaders; readonly body: string }[] = [];

beforeAll(async () => {
  gateway = await borrowGateway();
  [shop, other] = await Promise.all([newMerchant(gateway), newMerchant(gateway)]);
  receiver = await receive((request, response) => {
    void text(request).then((body) => {
      received.push({ headers: request.headers, body });
      response.end();
    });
  });
});
afterAll(async () => {
  await closeReceivers();
  await gateway.stop();
});

/** As CurlClient sends: the same headers with every method. */
function php(method: string, path: string, body?: object, secret = shop.secret): Promise<Answer> {
  const headers = {
    ...{ accept: 'application/json', 'content-type': 'application/json', authorization: `token ${secret}` },
  };
  const url = `${gateway.url}/api/v1/${path}`;
  return send({ method, url, headers, body: body === undefined ? undefined : JSON.stringify(body) });
}

async function done(method: string, path: string, body?: object): Promise<Json> {
  const answer = await php(method, path, body);
  expect([path, answer.status, answer.text]).toEqual([path, 200, expect.any(String)]);
  return answer.body;
}

/** What AbstractGateway::createInvoice sends. */
const ORDER = {
  amount: '49.90',
  currency: 'EUR',
  metadata: {
    ...{ buyerEmail: 'ann@customer.example', buyerName: 'Ann', buyerAddress1: '', taxIncluded: 3.21 },
    ...{
      posData: '{"WooCommerce":{"Order ID":71}}',
      orderUrl: 'https://shop.example/wp-admin/?post=71',
      orderId: '71',
    },
  },
  checkout: {
    ...{ speedPolicy: 'MediumSpeed', paymentMethods: null, expirationMinutes: null, monitoringMinutes: null },
    ...{ paymentTolerance: null, redirectURL: 'https://shop.example/thanks', redirectAutomatically: null },
  },
};

const store = () => `stores/${shop.id}`;

async function pay(id: string): Promise<void> {
  const asset = { currency: 'USDT', network: 'ETH' };
  const { payments } = dataOf(await shop.rest('POST', `/checkout/invoices/${id}/choose`, asset));
  dataOf(await shop.rest('POST', `/sandbox/payments/${String(payments[0].checkout.id)}/deposit`));
}

describe('connecting', () => {
  it('finds the server, its store, its methods and what the key may do', async () => {
    expect(await done('GET', 'health')).toEqual({ synchronized: true });
    expect(await done('GET', 'server/info')).toMatchObject({ version: '2.0.0', fullySynched: true });
    expect(await done('GET', 'stores')).toEqual([expect.objectContaining({ id: shop.id })]);
    expect(await done('GET', store())).toMatchObject({ id: shop.id });
    const names = ((await done('GET', `${store()}/payment-methods`)) as Json[]).map((each) =>
      String(each.paymentMethodId),
    );
    expect(names).toEqual(expect.arrayContaining(['ETH-CHAIN', 'USDT-ETH']));
    const { permissions } = await done('GET', 'api-keys/current');
    for (const name of ['canviewinvoices', 'cancreateinvoice', 'canviewstoresettings', 'canmodifyinvoices'])
      expect(permissions).toContain(`btcpay.store.${name}:${shop.id}`);
    expect(permissions.every((each: string) => each.endsWith(`:${shop.id}`))).toBe(true);
  });
});

describe('an order', () => {
  it('names its methods as the plugin for WooCommerce does, of which those count that the merchant accepts', async () => {
    const careful = await newMerchant(gateway);
    const own = `stores/${careful.id}`;
    const methods = async () =>
      ((await php('GET', `${own}/payment-methods`, undefined, careful.secret)).body as Json[]).filter(
        ({ enabled }) => enabled === true,
      );
    // DefaultGateway::getPaymentMethods with the names of GreenfieldApiHelper::supportedPaymentMethods.
    const named = (await methods()).map(({ paymentMethodId }) => String(paymentMethodId).replaceAll('-', '_'));
    expect(named).toEqual(expect.arrayContaining(['ETH_CHAIN', 'USDT_ETH']));
    const order = (paymentMethods: readonly unknown[]) =>
      php('POST', `${own}/invoices`, { ...ORDER, checkout: { ...ORDER.checkout, paymentMethods } }, careful.secret);
    const all = await order(named);
    expect([all.status, all.body.checkout.paymentMethods.length]).toEqual([200, named.length]);
    const acceptedAssets = [{ currency: 'USDT', network: 'ETH' }];
    dataOf(await careful.rest('PUT', '/merchant/settings', { acceptedAssets }));
    expect((await methods()).map(({ paymentMethodId }) => String(paymentMethodId))).toEqual(['USDT-ETH']);
    const kept = await order(named); // the plugin keeps the list that it has read
    expect([kept.status, kept.body.checkout?.paymentMethods]).toEqual([200, ['USDT-ETH']]);
    const none = await order(['ETH_CHAIN']);
    expect([none.status, none.body[0].path]).toEqual([422, 'checkout.paymentMethods.0']);
    expect((await order([{ toString: 1 }])).status).toBe(422);
  });

  it('has a description that is cut, and metadata that is refused where it cannot be written', async () => {
    const itemDesc = ` ${'🫖'.repeat(200)}`;
    const made = await done('POST', `${store()}/invoices`, { ...ORDER, metadata: { itemDesc, buyerEmail: ' ' } });
    expect(dataOf(await shop.rest('GET', `/invoices/${String(made.id)}`)).description).toBe('🫖'.repeat(127));
    const deep = `{"amount":"1","currency":"EUR","metadata":{"deep":${'['.repeat(20_000)}${']'.repeat(20_000)}}}`;
    const url = `${gateway.url}/api/v1/${store()}/invoices`;
    const headers = { 'content-type': 'application/json', authorization: `token ${shop.secret}` };
    const answer = await send({ method: 'POST', url, headers, body: deep });
    expect([answer.status, answer.body[0]?.path]).toEqual([422, 'metadata.deep']);
  });

  it('is created, read with its methods, paid and settled', async () => {
    const made = await done('POST', `${store()}/invoices`, ORDER);
    expect(made).toMatchObject({
      ...{ storeId: shop.id, amount: '49.9', currency: 'EUR', type: 'Standard', archived: false },
      ...{ status: 'New', additionalStatus: 'None', checkoutLink: `${gateway.url}/pay/${String(made.id)}` },
      ...{ createdTime: expect.any(Number), expirationTime: expect.any(Number), monitoringTime: expect.any(Number) },
      metadata: { orderId: '71', buyerEmail: 'ann@customer.example', taxIncluded: '3.21' },
      checkout: { redirectURL: 'https://shop.example/thanks', paymentMethods: [] },
    });
    const leads = await send({ method: 'GET', url: `${gateway.url}/i/${String(made.id)}` });
    expect([leads.status, leads.headers['location']]).toEqual([302, made.checkoutLink]);
    await pay(made.id as string);
    const path = `${store()}/invoices/${String(made.id)}`;
    expect(await done('GET', path)).toMatchObject({ status: 'Settled', additionalStatus: 'None' });
    const [method] = (await done('GET', `${path}/payment-methods`)) as Json[];
    expect(method).toMatchObject({
      ...{ paymentMethodId: 'USDT-ETH', paymentMethod: 'USDT-ETH', cryptoCode: 'USDT', due: '0', networkFee: '0' },
      payments: [{ id: expect.stringMatching(/^0x/), status: 'Settled', receivedDate: expect.any(Number) }],
    });
    expect(Number(method?.totalPaid)).toBe(Number(method?.amount));
    const settled = (await done('GET', `${store()}/invoices?status=Settled&take=5`)) as Json[];
    expect(settled.map(({ id }) => String(id))).toEqual([made.id]);
  });

  it('of another shop is none, and so is another store', async () => {
    const { id } = await done('POST', `${store()}/invoices`, ORDER);
    const foreign = await php('GET', `stores/${other.id}/invoices/${String(id)}`, undefined, other.secret);
    expect([foreign.status, foreign.body.code]).toEqual([404, 'invoice-not-found']);
    const strange = await php('POST', `stores/${other.id}/invoices`, ORDER);
    expect([strange.status, strange.body.code]).toEqual([404, 'store-not-found']);
  });

  it('whose customer left is marked invalid, once', async () => {
    const { id } = await done('POST', `${store()}/invoices`, ORDER);
    const path = `${store()}/invoices/${String(id)}/status`;
    expect(await done('POST', path, { status: 'Invalid' })).toMatchObject({
      status: 'Invalid',
      additionalStatus: 'Marked',
    });
    const again = await php('POST', path, { status: 'Invalid' });
    expect([again.status, again.body.code]).toEqual([409, 'wrong-state']);
    expect((await php('POST', path, { status: 'Settled' })).status).toBe(422);
  });
});

describe('errors', () => {
  it.each([
    ['an amount that is none', { ...ORDER, amount: null }, 'amount'],
    ['a currency that is none', { ...ORDER, currency: 'XXX' }, 'currency'],
    ['a return that runs', { ...ORDER, checkout: { redirectURL: 'javascript:alert(1)' } }, 'checkout.redirectURL'],
    ['no object', { ...ORDER, metadata: 'x' }, 'metadata'],
    ['no address', { ...ORDER, metadata: { buyerEmail: 'nobody' } }, 'metadata.buyerEmail'],
  ])('%s are 422 with its path', async (_, body, path) => {
    const { status, body: faults } = await php('POST', `${store()}/invoices`, body);
    expect([status, (faults as Json[]).map((fault) => fault.path as string)]).toEqual([
      422,
      expect.arrayContaining([path]),
    ]);
  });

  it('say who may not, and that a key is wrong', async () => {
    const reader = await newMerchant(gateway, ['READ_PAYMENTS']);
    const refused = await php('POST', `stores/${reader.id}/invoices`, ORDER, reader.secret);
    expect([refused.status, refused.body.code]).toEqual([403, 'missing-permission']);
    for (const secret of ['wrong', `${shop.secret}x`]) {
      const { status, body } = await php('GET', 'stores', undefined, secret);
      expect([status, body.code]).toEqual([401, 'unauthenticated']);
    }
    const refund = await done('POST', `${store()}/invoices`, ORDER).then(({ id }) =>
      php('POST', `${store()}/invoices/${String(id)}/refund`, { paymentMethod: 'BTC', refundVariant: 'CurrentRate' }),
    );
    expect([refund.status, refund.body.code]).toEqual([409, 'not-refundable']);
  });
});

describe('webhooks', () => {
  it('are made as the plugin asks, changed, and signed as its client checks', async () => {
    const events = [
      ...['InvoiceReceivedPayment', 'InvoicePaymentSettled', 'InvoiceProcessing'],
      ...['InvoiceExpired', 'InvoiceSettled', 'InvoiceInvalid'],
    ];
    const authorizedEvents = { everything: false, specificEvents: events };
    const asked = { enabled: true, automaticRedelivery: true, url: `${receiver.url}/wc-api`, authorizedEvents };
    const { id, secret, ...made } = await done('POST', `${store()}/webhooks`, asked);
    expect(made).toMatchObject({ url: asked.url, enabled: true });
    expect(await done('GET', `${store()}/webhooks/${String(id)}`)).toEqual({ id, ...made });
    expect(await done('PUT', `${store()}/webhooks/${String(id)}`, { ...asked, secret })).toEqual({ id, ...made });
    const { id: invoiceId } = await done('POST', `${store()}/invoices`, ORDER);
    await pay(invoiceId as string);
    const settled = await until(async () => received.find(({ body }) => JSON.parse(body).type === 'InvoiceSettled'));
    const signature = `sha256=${createHmac('sha256', String(secret)).update(settled.body).digest('hex')}`;
    expect(settled.headers['btcpay-sig']).toBe(signature);
    expect(JSON.parse(settled.body)).toMatchObject({
      ...{ webhookId: id, storeId: shop.id, invoiceId, isRedelivery: false, manuallyMarked: false, overPaid: false },
      ...{ deliveryId: expect.stringMatching(/^dlv_/), timestamp: expect.any(Number), metadata: { orderId: '71' } },
    });
    const types = received.map(({ body }) => String(JSON.parse(body).type));
    expect(types).not.toContain('InvoiceCreated');
    expect(await done('DELETE', `${store()}/webhooks/${String(id)}`)).toEqual({});
    const gone = await php('GET', `${store()}/webhooks/${String(id)}`);
    expect([gone.status, gone.body.code]).toEqual([404, 'webhook-not-found']);
  });

  it('of our own form are not theirs', async () => {
    const { id } = dataOf(await shop.rest('POST', '/webhooks', { url: `${receiver.url}/own` }), 201);
    expect(await done('GET', `${store()}/webhooks`)).toEqual([]);
    for (const method of ['GET', 'PUT', 'DELETE'])
      expect((await php(method, `${store()}/webhooks/${String(id)}`, method === 'PUT' ? {} : undefined)).status).toBe(
        404,
      );
  });

  it('that were for some events are for everything when that is asked', async () => {
    const some = { everything: false, specificEvents: ['InvoiceSettled'] };
    const { id, authorizedEvents } = await done('POST', `${store()}/webhooks`, {
      url: `${receiver.url}/some`,
      authorizedEvents: some,
    });
    expect(authorizedEvents).toEqual(some);
    const path = `${store()}/webhooks/${String(id)}`;
    const changed = await done('PUT', path, { authorizedEvents: { everything: true, specificEvents: [] } });
    expect(changed.authorizedEvents).toEqual({ everything: true, specificEvents: [] });
    expect((await done('PUT', path, { enabled: false })).authorizedEvents).toEqual(changed.authorizedEvents);
  });

  it('share no address with endpoints of our form, and have no events that theirs lacks', async () => {
    const url = `${receiver.url}/shared`;
    const authorizedEvents = { everything: true };
    const { id } = await done('POST', `${store()}/webhooks`, { url, authorizedEvents });
    const refusals = [
      await shop.rest('POST', '/webhooks', { url }),
      await shop.rest('PUT', '/merchant/webhook', { url }),
    ];
    for (const answer of refusals) expectFaults(answer, ['url']);
    const { id: own } = dataOf(await shop.rest('POST', '/webhooks', { url: `${receiver.url}/mine` }), 201);
    expectFaults(await shop.rest('PUT', `/webhooks/${String(own)}`, { url }), ['url']);
    expectFaults(await shop.rest('PUT', `/webhooks/${String(id)}`, { events: ['payment.succeeded'] }), ['events']);
    const input = { form: 'GREENFIELD', url: `${receiver.url}/other`, events: ['invoice.refunded'] };
    const make = 'mutation ($input: CreateWebhookEndpointInput!) { createWebhookEndpoint(input: $input) { id } }';
    expectGraphQLError(await shop.graphql(make, { input }), 200, 'BAD_USER_INPUT', '2001');
  });

  it('take neither a secret of theirs nor events that are not sent', async () => {
    const url = `${receiver.url}/x`;
    for (const [body, path] of [
      [{ url, secret: 'mine' }, 'secret'],
      [
        { url, authorizedEvents: { everything: false, specificEvents: ['InvoiceDreamt'] } },
        'authorizedEvents.specificEvents',
      ],
      [{ url: 'ftp://x' }, 'url'],
    ] as const) {
      const answer = await php('POST', `${store()}/webhooks`, body);
      expect([answer.status, answer.body[0].path]).toEqual([422, path]);
    }
  });
});
