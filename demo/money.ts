// The story of the money: payments that are short, too much, late, or reversed by the chain, and payouts. After each
// step the whole ledger is verified.

import { randomUUID } from 'node:crypto';
import { expectLike, expectSame } from './support/expect.ts';
import { createOrder, deposit, expectState } from './orders.ts';
import type { Stage } from './run.ts';
import type { Balance } from './support/shapes.ts';
import { verifyWebhook } from './support/verify-webhook.ts';
import { waitUntil } from './support/wait.ts';

/** A customer's wallet, outside the gateway. */
const CUSTOMER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

interface Merchant {
  readonly token: string;
  readonly webhookSecret: string;
}

interface Payout {
  readonly status: string;
  readonly txHash: string | null;
}

export async function tellMoney(stage: Stage): Promise<void> {
  const shop = await openShop(stage);
  for (const tell of [underpay, overpay, payLate, loseToReorganisation, refund, withdraw]) {
    await tell(stage, shop);
    await stage.verifyBook();
  }
}

async function openShop({ http, printer, receiver }: Stage): Promise<Merchant> {
  printer.step('Make a merchant who accepts late money by hand and tolerates 1 percent');
  const account = { email: `money-${randomUUID()}@example.com`, companyName: 'The Counting House' };
  const made = await http.call<{ apiKey: { keyId: string; key: string } }>('POST', '/merchant', {
    body: account,
    status: 201,
  });
  const { keyId, key: secret } = made.data.apiKey;
  const exchanged = await http.call<{ accessToken: string }>('POST', '/auth/token', { body: { keyId, secret } });
  const token = exchanged.data.accessToken;
  const settings = { latePaymentPolicy: 'MANUAL', underpaymentTolerance: 1 };
  const answer = await http.call('PUT', '/merchant/settings', { token, body: settings });
  expectLike('the settings', answer.data, settings);
  const body = { url: receiver.url, enabled: true };
  const webhook = await http.call<{ secret: string }>('PUT', '/merchant/webhook', { token, body });
  return { token, webhookSecret: webhook.data.secret };
}

async function underpay(stage: Stage, shop: Merchant): Promise<void> {
  stage.printer.step('Underpay: 19 of 20 USDT, which is more than is tolerated, until the time is over');
  const { orderId } = await createOrder(stage, shop, '20', 'USDT');
  await deposit(stage, shop, orderId, { amount: '19' });
  await expectState(stage, shop, orderId, { status: 'PARTIALLY_PAID', amountConfirmed: '19' });
  await expire(stage, shop, orderId);
  await expectState(stage, shop, orderId, { status: 'FAILED', exception: 'UNDERPAID', amountConfirmed: '19' });
  await expectAvailable(stage, shop, 'USDT', '18.81');

  const within = await createOrder(stage, shop, '20', 'USDT');
  await deposit(stage, shop, within.orderId, { amount: '19.8' });
  await expectState(stage, shop, within.orderId, { status: 'SUCCEEDED', exception: null, amountConfirmed: '19.8' });
  await expectAvailable(stage, shop, 'USDT', '38.412');
}

async function overpay(stage: Stage, shop: Merchant): Promise<void> {
  stage.printer.step('Overpay: 12 for 10 USDC');
  const { orderId } = await createOrder(stage, shop, '10', 'USDC');
  await deposit(stage, shop, orderId, { amount: '12' });
  await expectState(stage, shop, orderId, { status: 'SUCCEEDED', exception: 'OVERPAID', amountConfirmed: '12' });
  await expectAvailable(stage, shop, 'USDC', '11.88');
}

async function payLate(stage: Stage, shop: Merchant): Promise<void> {
  const { http, printer } = stage;
  printer.step('Pay late: the money is credited, the payment waits until the merchant accepts it');
  const { orderId } = await createOrder(stage, shop, '10', 'USDC');
  await expire(stage, shop, orderId);
  await expectState(stage, shop, orderId, { status: 'EXPIRED' });
  await deposit(stage, shop, orderId, {});
  await expectState(stage, shop, orderId, { status: 'EXPIRED', amountConfirmed: '10' });
  await expectAvailable(stage, shop, 'USDC', '21.78');
  await http.call('POST', `/payments/${orderId}/accept`, { token: shop.token, show: ['status', 'exception'] });
  await expectState(stage, shop, orderId, { status: 'SUCCEEDED', exception: 'PAID_LATE' });
  const error = { code: '3005', message: /./ };
  await http.refused('POST', `/payments/${orderId}/accept`, { token: shop.token, status: 409, error });
}

async function loseToReorganisation(stage: Stage, shop: Merchant): Promise<void> {
  const { http, printer, receiver } = stage;
  printer.step('Lose a payment that had succeeded to a reorganisation: what was credited is taken back');
  const { orderId, network } = await createOrder(stage, shop, '5', 'USDC');
  await deposit(stage, shop, orderId, {});
  await expectState(stage, shop, orderId, { status: 'SUCCEEDED', amountConfirmed: '5' });
  await expectAvailable(stage, shop, 'USDC', '26.73');
  const document = 'mutation($input: SimulateReorgInput!) { simulateReorg(input: $input) { network tip } }';
  await http.graphql(document, { input: { network, depth: 2 } }, { token: shop.token });
  await expectState(stage, shop, orderId, { status: 'FAILED', exception: 'REORGED', amountConfirmed: '0' });
  await expectAvailable(stage, shop, 'USDC', '21.78');
  const event = await verifyWebhook(await receiver.waitFor('payment.failed', orderId), shop.webhookSecret);
  printer.arrived('webhook', { type: event.type, exception: event.data.payment.exception });
}

async function refund(stage: Stage, shop: Merchant): Promise<void> {
  const { http, printer, receiver } = stage;
  printer.step('Refund 4 of 10 USDT, then the rest; more cannot be refunded');
  const { orderId } = await createOrder(stage, shop, '10', 'USDT');
  await deposit(stage, shop, orderId, {});
  await expectState(stage, shop, orderId, { status: 'SUCCEEDED' });
  const path = `/payments/${orderId}/refund`;
  const ask = (body: object) => http.call('POST', path, { token: shop.token, body, status: 201 });
  const first = await ask({ address: CUSTOMER, amount: '4' });
  expectLike('the refund', first.data, { refundId: /^rfd_/, orderId, amount: '4', address: CUSTOMER });
  await expectState(stage, shop, orderId, { status: 'PARTIALLY_REFUNDED', amountRefunded: '4' });
  await ask({ address: CUSTOMER });
  await expectState(stage, shop, orderId, { status: 'REFUNDED', amountRefunded: '10' });
  const event = await verifyWebhook(await receiver.waitFor('payment.refunded', orderId), shop.webhookSecret);
  printer.arrived('webhook', { type: event.type, status: event.data.payment.status });
  const error = { code: '3006', message: /./ };
  const body = { address: CUSTOMER, amount: '1' };
  await http.refused('POST', path, { token: shop.token, status: 409, body, error });
  printer.say('The merchant bears the whole refund; the fee of 0.1 USDT is not given back.');
  await expectAvailable(stage, shop, 'USDT', '38.312');
}

async function withdraw(stage: Stage, shop: Merchant): Promise<void> {
  const { http, printer } = stage;
  printer.step('Withdraw everything: reserved at once, sent, and completed with its confirmations');
  const body = {
    currency: 'USDT',
    network: 'ETH',
    amount: 'max',
    address: CUSTOMER,
    merchantWithdrawalId: randomUUID(),
  };
  const { data } = await http.call<{ withdrawalId: string }>('POST', '/wallet/withdraw', {
    token: shop.token,
    body,
    status: 201,
  });
  expectLike('the withdrawal', data, { withdrawalId: /^wdr_/, amount: '38.312', status: 'REQUESTED' });
  const look = async () => {
    const seen = await http.look<Payout>(`/wallet/withdrawals/${data.withdrawalId}`, shop.token);
    return seen.status === 'COMPLETED' ? seen : null;
  };
  const completed = await waitUntil('the withdrawal to be COMPLETED', look, { deadlineMs: 30_000 });
  printer.arrived('withdrawal', { status: completed.status, txHash: completed.txHash });
  await expectAvailable(stage, shop, 'USDT', '0');
  const error = { code: '4005', message: /./ };
  await http.refused('POST', '/wallet/withdraw', {
    token: shop.token,
    body: { ...body, amount: '1', currency: 'USDC' },
    status: 409,
    error,
  });
}

async function expire({ http }: Stage, { token }: Merchant, orderId: string): Promise<void> {
  await http.call('POST', `/sandbox/payments/${orderId}/expire`, { token, show: ['orderId', 'status', 'expiresAt'] });
}

async function expectAvailable({ http, printer }: Stage, { token }: Merchant, currency: string, amount: string) {
  const { balances } = await http.look<{ balances: Balance[] }>('/wallet/balance', token);
  const balance = balances.find((one) => one.currency === currency && one.network === 'ETH');
  expectSame(`what is available in ${currency}`, balance?.available, amount);
  printer.met(`${amount} ${currency} are available`);
}
