// The erasure of customers over the API: what stays of them, what refuses it, and what comes later
// (contract-people-payouts, sections E and G).

import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { rest, type Answer, type Json } from '../support/clients.ts';
import { dataOf, expectGraphQLError, expectRefusal } from '../support/expectations.ts';
import { borrowGateway, type BorrowedGateway } from '../support/gateway/borrowed-gateway.ts';
import { confirm, join, signIn, signUp, type SignedIn } from '../support/people.ts';
import { until } from '../support/until.ts';
import { closeReceivers } from '../dispatch/receivers.fixture.ts';
import { receiveWebhooks } from '../dispatch/webhook-receiver.fixture.ts';

const ERASE = 'mutation ($email: String!) { eraseCustomer(email: $email) { id payments events mails at } }';
const RECIPIENT = `0x${'4'.repeat(40)}`;

let gateway: BorrowedGateway;
let owner: SignedIn & { readonly merchantId: string };
let email: string;

beforeAll(async () => {
  gateway = await borrowGateway();
});
beforeEach(async () => {
  owner = await signUp(gateway, { isConfirmed: true });
  email = `Canary${randomBytes(8).toString('hex')}@Customer.example`;
});
afterAll(async () => {
  await gateway.stop();
  await closeReceivers();
});

const call = (method: string, path: string, body?: object, headers = {}): Promise<Answer> =>
  rest(gateway, owner.token)(method, path, body, headers);
const erase = (by: Pick<SignedIn, 'graphql'> = owner, headers = {}) => by.graphql(ERASE, { email }, headers);
const erased = async (headers = {}): Promise<Json> => {
  const { body } = await erase(owner, headers);
  if (!body.data) throw new Error(JSON.stringify(body));
  return body.data.eraseCustomer;
};
const blockers = async (): Promise<string[]> => {
  const error = expectGraphQLError(await erase(), 200, 'CONFLICT', '2013') as unknown as Json;
  return (error.extensions.details as { path: string; message: string }[]).map(
    ({ path, message }) => `${path.slice(0, 4)} ${message}`,
  );
};

/** Whether a text is anywhere in the database, in any case. */
async function findText(text: string): Promise<string[]> {
  const tables = await gateway.sql<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await gateway.sql<{ text: string }>(
      `select t::text as text from "${name}" t where position(lower($1) in lower(t::text)) > 0`,
      [text],
    );
    found.push(...rows.map((row) => `${name}: ${row.text}`));
  }
  return found;
}

/** An order that says the customer's address wherever it can, paid with an idempotency key. */
async function order(fields: object = {}): Promise<string> {
  const body = {
    ...{ amount: '100', currency: 'USDT', network: 'ETH', customerEmail: email, metadata: { who: email } },
    ...{ returnUrl: `https://shop.example/thanks?${email}`, merchantOrderId: 'M-1', ...fields },
  };
  return dataOf(await call('POST', '/payments', body, { 'idempotency-key': randomBytes(8).toString('hex') }), 201)
    .orderId;
}
const deposit = async (orderId: string, amount?: string) =>
  dataOf(await call('POST', `/sandbox/payments/${orderId}/deposit`, amount === undefined ? {} : { amount }));
/** Webhooks that were sent, and are recorded. */
const sent = () =>
  until(async () => {
    const rows = await gateway.sql(
      `select 1 from event e where e.merchant_id = $1 and (e.position is null or exists (
         select from webhook_delivery d where d.event_id = e.id and d.due_at is not null)
         or e.position > (select position from relay_cursor where name = 'webhooks'))`,
      [owner.merchantId],
    );
    return rows.length === 0;
  });

describe('an erasure', () => {
  it('leaves the address nowhere, and the amounts, the reference and the books as they were', async () => {
    const hook = await receiveWebhooks((response) => void response.end(`thanks, ${email}`));
    dataOf(await call('PUT', '/merchant/webhook', { url: hook.url }));
    const orderId = await order();
    await deposit(orderId, '60');
    await deposit(orderId, '40');
    const invoice = { amount: '10', currency: 'USDT', customerEmail: email.toLowerCase(), metadata: { note: email } };
    const { invoiceId } = dataOf(await call('POST', '/invoices', invoice, { 'idempotency-key': 'an-invoice' }), 201);
    dataOf(await call('DELETE', `/invoices/${invoiceId}`));
    const other = await order({ customerEmail: 'other@customer.example', metadata: null, returnUrl: null });
    await sent();
    expect((await findText(email)).length).toBeGreaterThan(5);
    const before = dataOf(await call('GET', '/wallet/balance'));
    const { id, ...counts } = await erased();
    expect([id, counts]).toEqual([
      expect.stringMatching(/^ers_/),
      { payments: 1, events: expect.any(Number), mails: 0, at: expect.any(String) },
    ]);
    expect(counts.events).toBeGreaterThanOrEqual(5);
    expect(await findText(email)).toEqual([]);
    const kept = { customerEmail: null, metadata: null, returnUrl: null };
    expect(dataOf(await call('GET', `/payments/${orderId}`))).toMatchObject({
      ...{ ...kept, amount: '100', status: 'SUCCEEDED', merchantOrderId: 'M-1', amountConfirmed: '100' },
    });
    expect(dataOf(await call('GET', `/payments/${other}`)).customerEmail).toBe('other@customer.example');
    expect(dataOf(await call('GET', '/wallet/balance'))).toEqual(before);
    const { items } = dataOf(await call('GET', '/events?limit=100'));
    const own = (items as Json[]).filter(({ payment }) => payment?.orderId === orderId);
    expect(own.length).toBeGreaterThanOrEqual(4);
    for (const { payment } of own) expect(payment).toMatchObject(kept);
    expect((items as Json[]).map(({ sequence }) => sequence)).toEqual(items.map((_: Json, at: number) => at + 1));
    const [{ details } = { details: null }] = await gateway.sql<{ details: unknown }>(
      `select details from audit_log where merchant_id = $1 and action = 'CUSTOMER_ERASED'`,
      [owner.merchantId],
    );
    expect(details).toEqual({ payments: 1, events: counts.events, mails: 0 });
  });

  it('is refused while something of the customer is under way, and names it', async () => {
    let isOpen = false;
    const hook = await receiveWebhooks((response) => void response.writeHead(isOpen ? 200 : 503).end());
    dataOf(await call('POST', '/webhooks', { url: hook.url, events: ['refund.completed'] }), 201);
    const orderId = await order();
    await sent();
    expect(await blockers()).toEqual(['ord_ is PENDING']);
    await deposit(orderId, '60');
    await sent();
    expect(await blockers()).toEqual(['ord_ is PARTIALLY_PAID']);
    await deposit(orderId, '40');
    await sent();
    const refund = { address: RECIPIENT, amount: '20' };
    const { refundId } = dataOf(await call('POST', `/payments/${orderId}/refund`, refund), 201);
    await until(() => hook.received.length > 0);
    await until(async () => dataOf(await call('GET', `/refunds/${refundId}`)).status === 'COMPLETED');
    await until(async () => (await blockers()).join() === 'evt_ has a webhook that waits');
    isOpen = true;
    await gateway.sql(
      `update webhook_delivery set due_at = now(), next_retry_at = now() where merchant_id = $1 and due_at is not null`,
      [owner.merchantId],
    );
    await gateway.sql('update webhook_lane set due_at = now() where merchant_id = $1', [owner.merchantId]);
    await sent();
    const eventId = String(hook.received[0]?.headers['x-pgw-event-id']);
    await erased();
    expectRefusal(await call('POST', '/webhooks/resend', { event_id: eventId }), 409, '2014');
    const resend = 'mutation ($id: ID!) { resendEvent(eventId: $id) { eventId } }';
    expectGraphQLError(await owner.graphql(resend, { id: eventId }), 200, 'CONFLICT', '2014');
    // Money that comes later is credited, and brings nobody back.
    await deposit(orderId, '5');
    expect(dataOf(await call('GET', `/payments/${orderId}`))).toMatchObject({
      ...{ customerEmail: null, metadata: null, amountConfirmed: '105' },
    });
    expect(await findText(email)).toEqual([]);
  });

  it('of somebody unknown erases nothing; a repeated call under one key is answered alike', async () => {
    const nothing = await erased();
    expect(nothing).toMatchObject({ payments: 0, events: 0, mails: 0 });
    const first = await erased({ 'idempotency-key': 'once' });
    expect(await erased({ 'idempotency-key': 'once' })).toEqual(first);
    expectGraphQLError(await owner.graphql(ERASE, { email: 'nobody' }), 200, 'BAD_USER_INPUT', '2001');
  });

  it('is of one merchant alone, needs its permission and a confirmation', async () => {
    const orderId = await order();
    dataOf(await call('DELETE', `/payments/${orderId}`));
    await sent();
    const stranger = await signUp(gateway, { isConfirmed: true });
    expect((await erase(stranger)).body.data.eraseCustomer).toMatchObject({ payments: 0 });
    const developer = await signIn(
      gateway,
      (await join(gateway, { merchantId: owner.merchantId, role: 'DEVELOPER' })).email,
    );
    await confirm(developer);
    expect(expectGraphQLError(await erase(developer), 200, 'FORBIDDEN', '1004').message).toBe(
      'Missing permission: ERASE_CUSTOMERS',
    );
    const unconfirmed = await signIn(gateway, owner.email);
    expectGraphQLError(await erase(unconfirmed), 200, 'FORBIDDEN', '1010');
    expect(await erased()).toMatchObject({ payments: 1 });
  });
});
