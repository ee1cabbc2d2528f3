// Invoices over GraphQL: the operations beside the REST rows, what events and deliveries say of them, and live changes.

import { describe, expect, it } from '@jest/globals';
import {
  chosen,
  createFor,
  gateway,
  IN_USDT,
  other,
  pay,
  PRICE,
  readIn,
  shop,
} from '../api/fixtures/invoices.fixture.ts';
import { receiveWebhooks } from '../dispatch/webhook-receiver.fixture.ts';
import { connectAs, type TestClient } from '../server/graphql/ws/setup.fixture.ts';
import { graphql, newMerchant, type Json, type TestMerchant } from '../support/clients.ts';
import { dataOf, expectGraphQLError } from '../support/expectations.ts';
import { until } from '../support/until.ts';

const FULL = `id status exception test amount currency acceptedAssets { currency network } description merchantInvoiceId
  linkId customerEmail customer returnUrl callbackUrl metadata invoiceUrl amountReceived amountConfirmed amountRefunded
  amountDue payments { id currency network address amount status exception rate marketRate spread sources quotedAt
    quoteExpiresAt amountReceived amountConfirmed amountRefunded valueReceived valueConfirmed
    transactions { txHash amount status confirmations blockNumber seenAt explorerUrl rate value } }
  expiresAt createdAt updatedAt settledAt`;
const CREATE = `mutation ($input: CreateInvoiceInput!) { createInvoice(input: $input) { ${FULL} } }`;
const READ = `query ($id: ID!) { invoice(id: $id) { ${FULL} } }`;
const CHOOSE = `mutation ($input: ChooseAssetInput!) { chooseAsset(input: $input) {
  id status payments { checkout { id amount address } rate isCurrent } } }`;
const LOOK = `query ($id: ID!) { invoiceCheckout(id: $id) { id status options { currency state } } }`;

/** The one field of an answer without errors. */
function valueOf({ status, body }: { status: number; body: Json }): Json {
  expect({ status, errors: body.errors }).toEqual({ status: 200, errors: undefined });
  return Object.values(body.data as object)[0];
}

describe('operations', () => {
  it('answer what REST does, with id in place of invoiceId and orderId', async () => {
    const invoice = valueOf(await shop.graphql(CREATE, { input: { ...PRICE, metadata: { a: 'b' } } }));
    const invoiceId = invoice.id as string;
    dataOf(await pay(await chosen(invoiceId), { amount: '20' }));
    const { invoiceId: id, payments, ...rest } = await readIn('PARTIALLY_PAID', invoiceId);
    const byGraphQL = valueOf(await shop.graphql(READ, { id }));
    const withUrl = (transaction: Json) => ({ ...transaction, explorerUrl: null });
    const renamed = payments.map(({ orderId, transactions, ...payment }: Json) => {
      return { id: orderId, ...payment, transactions: transactions.map(withUrl) };
    });
    expect(byGraphQL).toEqual({ id, ...rest, payments: renamed });
  });

  it('a payer needs no token, and sees nothing that only concerns the merchant', async () => {
    const invoiceId = await createFor(shop);
    const payer = graphql(gateway);
    expect(valueOf(await payer(LOOK, { id: invoiceId }))).toMatchObject({ id: invoiceId, status: 'OPEN' });
    const input = { invoiceId, currency: 'USDT', network: 'ETH' };
    expect(valueOf(await payer(CHOOSE, { input })).payments).toMatchObject([
      { rate: IN_USDT.rate, isCurrent: true, checkout: { amount: IN_USDT.amount } },
    ]);
    expectGraphQLError(await payer(READ, { id: invoiceId }), 200, 'UNAUTHENTICATED', '1001');
    const { body } = await payer(`query ($id: ID!) { invoiceCheckout(id: $id) { metadata } }`, { id: invoiceId });
    expect(body.errors).toMatchObject([{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }]);
  });

  it('checkouts of orders and of invoices are not found under ids of the other kind (2004)', async () => {
    const invoiceId = await createFor(shop);
    const orderId = await chosen(invoiceId);
    const payer = graphql(gateway);
    const checkout = `query ($id: ID!) { checkout(id: $id) { id productName } }`;
    expectGraphQLError(await payer(checkout, { id: invoiceId }), 200, 'NOT_FOUND', '2004');
    expectGraphQLError(await payer(LOOK, { id: orderId }), 200, 'NOT_FOUND', '2004');
    expect(valueOf(await payer(checkout, { id: orderId }))).toEqual({ id: orderId, productName: null });
  });

  it("lists an invoice's payments, narrowed further if asked to", async () => {
    const invoiceId = await createFor(shop);
    const [first, second] = [await chosen(invoiceId), await chosen(invoiceId, 'ETH')];
    await chosen(await createFor(shop));
    const list = async (filter: object, by = shop): Promise<string[]> => {
      const query = 'query ($filter: PaymentFilter) { payments(filter: $filter) { nodes { id invoiceId } } }';
      return valueOf(await by.graphql(query, { filter })).nodes.map(({ id }: Json) => id);
    };
    expect(await list({ invoiceId })).toEqual([second, first]);
    expect(await list({ invoiceId, currency: 'ETH' })).toEqual([second]);
    expect(await list({ invoiceId, status: ['CANCELED'] })).toEqual([]);
    expect(await list({ invoiceId: 'inv_0' })).toEqual([]);
    expect(await list({ invoiceId }, other)).toEqual([]);
  });

  it('lists invoices as a connection', async () => {
    const merchant = await newMerchant(gateway);
    const ids = [await createFor(merchant), await createFor(merchant)].reverse();
    const query = `query ($after: String) { invoices(first: 1, after: $after) {
      edges { cursor node { id } } nodes { id } pageInfo { hasNextPage hasPreviousPage nextCursor endCursor } } }`;
    const first = valueOf(await merchant.graphql(query));
    expect(first.nodes).toEqual([{ id: ids[0] }]);
    expect(first.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
    const second = valueOf(await merchant.graphql(query, { after: first.edges[0].cursor }));
    expect(second.nodes).toEqual([{ id: ids[1] }]);
    expect(second.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true, nextCursor: null });
  });
});

/** An invoice of this merchant that was paid in full, with the types that were sent of it. */
async function settled(merchant: TestMerchant, fields: object = {}): Promise<string> {
  const invoiceId = await createFor(merchant, fields);
  dataOf(await pay(await chosen(invoiceId), {}, merchant));
  await readIn('SETTLED', invoiceId, merchant);
  return invoiceId;
}

/** Whether it was decided which endpoints hear of an invoice's settlement. */
const isRelayed = async (invoiceId: string): Promise<boolean> => {
  const rows = await gateway.sql(
    `select from event where invoice_id = $1 and type = 'invoice.settled'
       and position <= (select position from relay_cursor where name = 'webhooks')`,
    [invoiceId],
  );
  return rows.length > 0;
};

describe('webhooks', () => {
  const typesIn = (received: readonly { readonly body: Buffer }[]): string[] =>
    received.map(({ body }) => JSON.parse(body.toString()).type as string);

  it("go to subscribed endpoints and to the invoice's callbackUrl; its payments send none", async () => {
    const merchant = await newMerchant(gateway);
    const [all, some, own] = [await receiveWebhooks(), await receiveWebhooks(), await receiveWebhooks()];
    dataOf(await merchant.rest('PUT', '/merchant/webhook', { url: all.url }));
    dataOf(await merchant.rest('POST', '/webhooks', { url: some.url, events: ['invoice.settled'] }), 201);
    const invoiceId = await settled(merchant, { callbackUrl: own.url });
    const sent = ['invoice.created', 'invoice.processing', 'invoice.settled'];
    await until(() => all.received.length >= 3 && own.received.length >= 3 && some.received.length >= 1);
    expect(typesIn(all.received).sort()).toEqual(sent);
    expect(typesIn(own.received).sort()).toEqual(sent);
    expect(typesIn(some.received)).toEqual(['invoice.settled']);
    const { data } = JSON.parse(some.received[0]?.body.toString() ?? '');
    expect(data).toEqual({ invoice: (await merchant.rest('GET', `/invoices/${invoiceId}`)).body.data });
    const events = dataOf(await merchant.rest('GET', '/events?limit=100')).items as Json[];
    expect(events.filter(({ payment }) => payment !== null).map(({ payment }) => payment.invoiceId)).toContain(
      invoiceId,
    );
  });

  it('an endpoint made before there were invoices keeps what it had, and can be given more', async () => {
    const merchant = await newMerchant(gateway);
    const { url, received } = await receiveWebhooks();
    const { id } = dataOf(await merchant.rest('PUT', '/merchant/webhook', { url }));
    const before = ['payment.succeeded', 'payment.failed', 'payment.expired', 'payment.refunded'];
    await gateway.sql('update webhook_endpoint set events = $2 where id = $1', [id, before]);
    expect(dataOf(await merchant.rest('PUT', '/merchant/webhook', {})).events).toEqual(before);
    const first = await settled(merchant);
    await until(() => isRelayed(first));
    const more = [...before, 'invoice.settled'];
    expect(dataOf(await merchant.rest('PUT', `/webhooks/${id}`, { events: more })).events).toEqual(more);
    const second = await settled(merchant);
    await until(() => received.length > 0);
    const told = received.map(({ body }) => JSON.parse(body.toString()).data.invoice.invoiceId);
    expect(told).toEqual([second]);
    expect(told).not.toContain(first);
  });

  it('their deliveries say which invoice they tell of, and they can be sent again', async () => {
    const merchant = await newMerchant(gateway);
    const { url, received } = await receiveWebhooks();
    const invoiceId = await createFor(merchant, { callbackUrl: url });
    await until(() => received.length === 1);
    const query = '{ webhookDeliveries { nodes { eventId eventType paymentId invoiceId url } } }';
    const [delivery] = valueOf(await merchant.graphql(query)).nodes;
    expect(delivery).toEqual({
      ...{ eventId: expect.any(String), eventType: 'invoice.created', paymentId: null, invoiceId, url },
    });
    dataOf(await merchant.rest('POST', '/webhooks/resend', { event_id: delivery.eventId }));
    await until(() => received.length === 2);
    expect(received[1]?.body).toEqual(received[0]?.body);
  });
});

describe('live updates', () => {
  const socketOf = (token?: string): Promise<TestClient> =>
    connectAs(`${gateway.url.replace('http', 'ws')}/graphql`, token);
  const item = async (client: TestClient, id: string): Promise<Json> =>
    Object.values((await client.next(id)).payload.data as object)[0];

  it('an invoice: its state first, then each change in order, and confirmations as blocks arrive', async () => {
    const client = await socketOf(shop.token);
    const invoiceId = await createFor(shop);
    client.subscribe(
      'one',
      `subscription ($id: ID!) { invoiceUpdated(id: $id) {
        id status payments { status transactions { confirmations status } } } }`,
      { id: invoiceId },
    );
    expect(await item(client, 'one')).toEqual({ id: invoiceId, status: 'OPEN', payments: [] });
    const orderId = await chosen(invoiceId);
    expect(await item(client, 'one')).toMatchObject({ status: 'OPEN', payments: [{ status: 'PENDING' }] });
    dataOf(await pay(orderId, { confirmations: 0 }));
    const seen: Json[] = [];
    const take = async (isLast: (invoice: Json) => boolean) => {
      do seen.push(await item(client, 'one'));
      while (!isLast(seen.at(-1)));
    };
    await take(({ status, payments }) => status === 'PROCESSING' && payments[0].transactions[0].confirmations === 1);
    const mine = 'mutation { mineBlocks(input: { network: "ETH", count: 1 }) { tip } }';
    valueOf(await shop.graphql(mine));
    await take(({ status }) => status === 'SETTLED');
    const order = ['OPEN', 'PROCESSING', 'SETTLED'];
    const places = seen.map(({ status }) => order.indexOf(status));
    expect(places).toEqual(places.toSorted());
    client.socket.close();
    await client.closed;
  });

  it("all of a merchant's invoices: changes only, and nobody else's", async () => {
    const merchant = await newMerchant(gateway);
    const client = await socketOf(merchant.token);
    client.subscribe('all', 'subscription { invoiceUpdated { id status } }');
    // The answer to another operation shows that the subscription was begun.
    await client.run('{ __typename }');
    await createFor(other);
    const invoiceId = await createFor(merchant);
    expect(await item(client, 'all')).toEqual({ id: invoiceId, status: 'OPEN' });
    dataOf(await merchant.rest('DELETE', `/invoices/${invoiceId}`));
    expect(await item(client, 'all')).toEqual({ id: invoiceId, status: 'CANCELED' });
    client.socket.close();
    await client.closed;
  });

  it('a checkout, without a token: what the page shows, then each change', async () => {
    const client = await socketOf();
    const invoiceId = await createFor(shop);
    client.subscribe(
      'page',
      `subscription ($id: ID!) { invoiceCheckoutUpdated(id: $id) {
        id status amountDue options { currency state } payments { isCurrent checkout { id status amountDue } } } }`,
      { id: invoiceId },
    );
    const first = await item(client, 'page');
    expect(first).toMatchObject({ id: invoiceId, status: 'OPEN', amountDue: '49.9', payments: [] });
    expect(first.options).toContainEqual({ currency: 'USDT', state: 'OPEN' });
    const orderId = await chosen(invoiceId);
    expect((await item(client, 'page')).payments).toEqual([
      { isCurrent: true, checkout: { id: orderId, status: 'PENDING', amountDue: IN_USDT.amount } },
    ]);
    dataOf(await pay(orderId, { amount: '20' }));
    let shown = await item(client, 'page');
    while (shown.status !== 'PARTIALLY_PAID') shown = await item(client, 'page');
    expect(shown).toMatchObject({ amountDue: '31.4', payments: [{ checkout: { amountDue: '33.91896' } }] });
    client.socket.close();
    await client.closed;
  });

  it('there is nothing to follow under ids of another kind, or of another merchant (2004)', async () => {
    const client = await socketOf(other.token);
    const invoiceId = await createFor(shop);
    const orderId = await chosen(invoiceId);
    const refusals: readonly (readonly [string, string])[] = [
      ['invoiceUpdated', invoiceId],
      ['invoiceUpdated', 'inv_0'],
      ['invoiceCheckoutUpdated', orderId],
      ['checkoutUpdated', invoiceId],
    ];
    for (const [field, id] of refusals) {
      const told = await client.run(`subscription ($id: ID!) { ${field}(id: $id) { id } }`, { id });
      expect([field, JSON.stringify(told.payload)]).toEqual([field, expect.stringContaining('"errorCode":"2004"')]);
    }
    client.socket.close();
    await client.closed;
  });

  it('the event log has invoices, too', async () => {
    const merchant = await newMerchant(gateway);
    const client = await socketOf(merchant.token);
    const invoiceId = await createFor(merchant);
    client.subscribe('log', 'subscription { eventAdded(after: 0) { type payment { id } invoice { id status } } }');
    expect(await item(client, 'log')).toEqual({
      ...{ type: 'invoice.created', payment: null, invoice: { id: invoiceId, status: 'OPEN' } },
    });
    const orderId = await chosen(invoiceId);
    const rest = [await item(client, 'log'), await item(client, 'log')];
    expect(rest).toContainEqual({ type: 'payment.created', payment: { id: orderId }, invoice: null });
    expect(rest).toContainEqual({ type: 'invoice.updated', payment: null, invoice: { id: invoiceId, status: 'OPEN' } });
    client.socket.close();
    await client.closed;
  });
});
