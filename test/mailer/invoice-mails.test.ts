// Mails about invoices: of the invoice as a whole, once, however many quotes it has.

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { rest, type Json } from '../support/clients.ts';
import { dataOf } from '../support/expectations.ts';
import { startTestGateway, type TestGateway } from '../support/gateway/gateway.ts';
import { mailsTo } from '../support/mailbox.ts';
import { signUp } from '../support/people.ts';
import { until } from '../support/until.ts';

const EMAIL = 'bo@customer.example';
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

it('an invoice that is paid in two coins is told of once: the rest in its currency, and one receipt', async () => {
  const owner = await signUp(gateway, { isConfirmed: true });
  await gateway.sql('update person set email_verified_at = now() where email = $1', [owner.email.toLowerCase()]);
  const call = rest(gateway, owner.token);
  dataOf(await call('PUT', '/merchant/settings', { customerMails: ['RECEIPT', 'UNDERPAID'] }));
  const wish = { amount: '10', currency: 'USD', customerEmail: EMAIL, description: 'Assam' };
  const { invoiceId, invoiceUrl } = dataOf(await call('POST', '/invoices', wish), 201);
  const choose = async (currency: string): Promise<string> => {
    const body = { currency, network: 'ETH' };
    const { payments } = dataOf(await rest(gateway)('POST', `/checkout/invoices/${String(invoiceId)}/choose`, body));
    return payments.findLast(({ checkout }: Json) => checkout.currency === currency).checkout.id as string;
  };
  const pay = async (orderId: string, body: object) =>
    dataOf(await call('POST', `/sandbox/payments/${orderId}/deposit`, body));
  await pay(await choose('USDT'), { amount: '4' });
  const queued = () =>
    gateway.sql('select 1 from mail where order_id = $1 and template = $2', [invoiceId, 'UNDERPAID']);
  await until(async () => (await queued()).length === 1);
  await gateway.sql('update mail set due_at = now() where order_id = $1', [invoiceId]);
  await until(async () => (await mailsTo(gateway, EMAIL)).length === 1);
  const [told] = await mailsTo(gateway, EMAIL);
  const { amountDue } = dataOf(await call('GET', `/invoices/${String(invoiceId)}`));
  expect(told?.subject).toBe(`Shop: ${String(amountDue)} USD is still due`);
  expect(told?.text.split('\n\n')).toContain(invoiceUrl);
  await pay(await choose('USDC'), {});
  await until(async () => dataOf(await call('GET', `/invoices/${String(invoiceId)}`)).status === 'SETTLED');
  await until(async () => (await mailsTo(gateway, EMAIL)).length === 2);
  const mails = await gateway.sql('select template, status from mail where recipient = $1 order by created_at', [
    EMAIL,
  ]);
  expect(mails).toEqual([
    { template: 'UNDERPAID', status: 'SENT' },
    { template: 'RECEIPT', status: 'SENT' },
  ]);
}, 90_000);
