// Other ways in which a payment can end: overpaid, expired, canceled, and paid again after a reorganisation of the
// chain.

import { expectLike } from './support/expect.ts';
import { createOrder, deposit, expectState } from './orders.ts';
import type { Stage } from './run.ts';
import { STATE, type Shop } from './support/shapes.ts';
import { verifyWebhook } from './support/verify-webhook.ts';

/** Overpayment: the payment succeeds, marked OVERPAID, and the merchant gets the whole amount. */
export async function overpay(stage: Stage, shop: Shop): Promise<void> {
  stage.printer.step('Overpay: 0.06 ETH for an order of 0.05');
  const { orderId } = await createOrder(stage, shop, '0.05', 'ETH');
  await deposit(stage, shop, orderId, { amount: '0.06' });
  await expectState(stage, shop, orderId, { status: 'SUCCEEDED', exception: 'OVERPAID', amountReceived: '0.06' });
}

/** Nothing is paid in time; the merchant is notified by webhook. */
export async function letExpire(stage: Stage, shop: Shop, secret: string): Promise<void> {
  const { http, printer, receiver } = stage;
  printer.step('Let a payment expire');
  const { orderId } = await createOrder(stage, shop, '1', 'USDC');
  await http.call('POST', `/sandbox/payments/${orderId}/expire`, { token: shop.token, show: [...STATE, 'expiresAt'] });
  await expectState(stage, shop, orderId, { status: 'EXPIRED', exception: null, amountReceived: '0' });
  const webhook = await receiver.waitFor('payment.expired', orderId);
  const { type, data } = await verifyWebhook(webhook, secret);
  printer.arrived('webhook', { type, orderId: data.payment.orderId, status: data.payment.status });
  expectLike('the payment in the webhook', data.payment, { orderId, status: 'EXPIRED' });
}

/** Cancels a payment; a second attempt is refused. */
export async function cancel(stage: Stage, { token, ...shop }: Shop): Promise<void> {
  const { http, printer } = stage;
  printer.step('Cancel a payment, and try it again');
  const { orderId } = await createOrder(stage, { token, ...shop }, '1', 'USDC');
  const { data } = await http.call('DELETE', `/payments/${orderId}`, { token, show: STATE });
  expectLike('the canceled payment', data, { orderId, status: 'CANCELED' });
  const error = { code: '3005', message: /./ };
  await http.refused('DELETE', `/payments/${orderId}`, { token, status: 409, error });
}

/** Money reverted by the chain is not the merchant's; the same order can be paid again. */
export async function reorganise(stage: Stage, shop: Shop): Promise<void> {
  const { http, printer } = stage;
  printer.step('Lose a payment to a reorganisation of the chain, and pay it again');
  const { orderId, network } = await createOrder(stage, shop, '5', 'USDC');
  await deposit(stage, shop, orderId, { confirmations: 0 });
  await expectState(stage, shop, orderId, { status: 'CONFIRMING', amountReceived: '5', confirmations: 1 });
  const reorg = 'mutation($input: SimulateReorgInput!) { simulateReorg(input: $input) { network tip } }';
  await http.graphql(reorg, { input: { network, depth: 1 } }, { token: shop.token });
  await expectState(stage, shop, orderId, { status: 'PENDING', amountReceived: '0', confirmations: 0 });
  await deposit(stage, shop, orderId, {});
  await expectState(stage, shop, orderId, { status: 'SUCCEEDED', exception: null, amountReceived: '5' });
}
