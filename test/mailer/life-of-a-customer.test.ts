// A customer's life (contract-people-payouts, section G 5): too little, the rest, a refund, and their erasure.

import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { rest, type Answer, type Json } from '../support/clients.ts';
import { dataOf, expectGraphQLError, expectRefusal } from '../support/expectations.ts';
import { startTestGateway, type TestGateway } from '../support/gateway/gateway.ts';
import { mailsTo } from '../support/mailbox.ts';
import { signUp, type SignedIn } from '../support/people.ts';
import { until } from '../support/until.ts';
import { closeReceivers } from '../dispatch/receivers.fixture.ts';
import { receiveWebhooks } from '../dispatch/webhook-receiver.fixture.ts';

const ERASE = 'mutation ($email: String!) { eraseCustomer(email: $email) { payments mails } }';

let gateway: TestGateway;
let owner: SignedIn & { readonly merchantId: string };
const email = `ann-${randomBytes(8).toString('hex')}@customer.example`;

beforeAll(async () => {
  gateway = await startTestGateway({ ETH_USDT_NETWORK_FEE: '1' });
  owner = await signUp(gateway, { isConfirmed: true });
  await gateway.sql('update person set email_verified_at = now() where email = $1', [owner.email.toLowerCase()]);
});
afterAll(async () => {
  await gateway.stop();
  await closeReceivers();
});

const call = (method: string, path: string, body?: object): Promise<Answer> =>
  rest(gateway, owner.token)(method, path, body);
const subjects = async () => (await mailsTo(gateway, email)).map(({ subject }) => subject).reverse();
const available = async (): Promise<string | undefined> =>
  (dataOf(await call('GET', '/wallet/balance')).balances as Json[]).find(
    ({ currency, network }) => currency === 'USDT' && network === 'ETH',
  )?.available;
const erase = () => owner.graphql(ERASE, { email });

it('pays too little and the rest, is refunded, erased, and pays once more', async () => {
  let isOpen = false;
  const hook = await receiveWebhooks((response) => void response.writeHead(isOpen ? 200 : 503).end());
  dataOf(await call('POST', '/webhooks', { url: hook.url, events: ['refund.completed'] }), 201);
  const settings = {
    ...{ customerMails: ['RECEIPT', 'UNDERPAID', 'REFUND'], supportEmail: 'help@shop.example' },
    accountingCurrency: 'EUR',
  };
  dataOf(await call('PUT', '/merchant/settings', settings));
  // 1.08 US dollars are a euro.
  dataOf(await call('POST', '/sandbox/rates', { code: 'USDT', usd: '0.9936' }));
  const wish = { amount: '100', currency: 'USDT', network: 'ETH', customerEmail: email };
  const { orderId, paymentUrl } = dataOf(await call('POST', '/payments', wish), 201);
  const deposit = async (amount: string) =>
    dataOf(await call('POST', `/sandbox/payments/${String(orderId)}/deposit`, { amount }));

  await deposit('60');
  const ofOrder = () =>
    gateway.sql<{ status: string; wait: number }>(
      `select status, round(extract(epoch from due_at - created_at))::int as wait from mail
       where order_id = $1 and template = 'UNDERPAID'`,
      [orderId],
    );
  await until(async () => (await ofOrder()).length === 1);
  expect(await ofOrder()).toEqual([{ status: 'QUEUED', wait: 120 }]);
  expect(await subjects()).toEqual([]);
  await gateway.sql(`update mail set due_at = now() where order_id = $1`, [orderId]);
  await until(async () => (await subjects()).length === 1);
  const [told] = await mailsTo(gateway, email);
  expect(told?.subject).toBe('Shop: 40 USDT (ETH) is still due');
  expect(told?.text).toContain('Shop has received 60 USDT (ETH)');
  expect(told?.text.split('\n\n')).toContain(paymentUrl);

  await deposit('40');
  await until(async () => (await subjects()).length === 2);
  expect((await subjects())[1]).toBe('Shop: your payment has arrived');
  const refund = { address: `0x${'4'.repeat(40)}`, amount: '20' };
  const { refundId } = dataOf(await call('POST', `/payments/${String(orderId)}/refund`, refund), 201);
  await until(async () => dataOf(await call('GET', `/refunds/${String(refundId)}`)).status === 'COMPLETED');
  await until(async () => (await subjects()).length === 3);
  expect((await subjects())[2]).toBe('Shop has sent money back to you');

  const { items } = dataOf(await call('GET', '/reports/movements?limit=100'));
  const rows = (items as Json[]).filter((row) => row.orderId === orderId || row.refundId === refundId);
  const amountsOf = (type: string) =>
    rows
      .filter((row) => row.type === type)
      .map(({ amount, fiatAmount }) => [amount, fiatAmount])
      .reverse();
  expect(amountsOf('FEE').slice(0, 2)).toEqual([
    ['0.6', '0.55'],
    ['0.4', '0.37'],
  ]);
  expect(await available()).toBe('78');

  await until(() => Promise.resolve(hook.received.length > 0));
  const waiting = expectGraphQLError(await erase(), 200, 'CONFLICT', '2013') as unknown as Json;
  expect((waiting.extensions.details as Json[]).map(({ message }) => message)).toEqual(['has a webhook that waits']);
  isOpen = true;
  await gateway.sql(
    `update webhook_delivery set due_at = now(), next_retry_at = now() where merchant_id = $1 and due_at is not null`,
    [owner.merchantId],
  );
  await gateway.sql('update webhook_lane set due_at = now() where merchant_id = $1', [owner.merchantId]);
  await until(async () => (await erase()).body.data !== null);
  expect(await mailsTo(gateway, email)).toEqual([]);
  const eventId = String(hook.received[0]?.headers['x-pgw-event-id']);
  expectRefusal(await call('POST', '/webhooks/resend', { event_id: eventId }), 409, '2014');

  await deposit('5');
  const late = dataOf(await call('GET', `/payments/${String(orderId)}`));
  expect(late).toMatchObject({ customerEmail: null, amountConfirmed: '105' });
  const rest = await gateway.sql(`select 1 from mail where order_id = $1 and recipient <> ''`, [orderId]);
  expect(rest).toEqual([]);
}, 120_000);
