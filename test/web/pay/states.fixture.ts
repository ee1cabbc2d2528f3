// Payments brought to every state that the page has texts for, by real causes: money, time, the merchant, the chain.

import { expect } from '@jest/globals';
import type { TestMerchant } from '../../support/clients.ts';
import { dataOf } from '../../support/expectations.ts';
import type { TestGateway } from '../../support/gateway/gateway.ts';
import { until } from '../../support/until.ts';

export interface Stage {
  readonly gateway: TestGateway;
  readonly shop: TestMerchant;
  newPayment(changes?: object): Promise<string>;
  deposit(id: string, body?: object): Promise<void>;
  expire(id: string): Promise<unknown>;
  settings(body: object): Promise<unknown>;
}

export interface Reached {
  readonly name: string;
  readonly id: string;
  readonly heading: string;
  /** The further texts for the customer, and what they can do. */
  readonly says: readonly string[];
}

const CUSTOMER = '0x52908400098527886E0F7030069857D2E4169EE7';

/** The order matters: what is mined after the last ones would confirm them. */
export async function paymentsInAllStates(stage: Stage): Promise<Reached[]> {
  const { newPayment, expire } = stage;
  const waiting = 'Waiting for your payment';
  const precise = { currency: 'ETH', amount: '0.012345678901234567' };
  return [
    { name: 'pending', id: await newPayment(), heading: waiting, says: ['Pay with your wallet, or copy the address'] },
    { name: 'pending-eth', id: await newPayment(precise), heading: waiting, says: ['0.012345678901234567 ETH'] },
    await paid(stage, 'part', '10', 'Part of the amount has arrived', ['send the remaining 15 USDT']),
    await paid(stage, 'succeeded', '25', 'Payment complete', ['has received your payment']),
    await paid(stage, 'overpaid', '30', 'Payment complete', [
      'You sent 30 USDT',
      'To get the difference back',
      'quote',
    ]),
    await late(stage),
    await lateAndUndecided(stage),
    await underpaid(stage),
    { ...(await ended(stage, expire)), name: 'expired', heading: 'This payment has expired' },
    { ...(await ended(stage, (id) => cancel(stage, id))), name: 'canceled', heading: 'This payment was canceled' },
    await refunded(stage, 'partly-refunded', { amount: '4' }, 'Partly refunded'),
    await refunded(stage, 'refunded', {}, 'Refunded'),
    await reorganised(stage),
    await unconfirmed(stage),
    await confirming(stage),
  ];
}

async function paid(
  { newPayment, deposit }: Stage,
  name: string,
  amount: string,
  heading: string,
  says: readonly string[],
): Promise<Reached> {
  const id = await newPayment();
  await deposit(id, { amount });
  return { name, id, heading, says };
}

async function late(stage: Stage): Promise<Reached> {
  const { newPayment, expire, deposit } = stage;
  const id = await newPayment();
  await expire(id);
  // A block has whole seconds: one of this second is in time as long as the payment is open.
  await untilStatus(stage, id, 'EXPIRED', null);
  await deposit(id);
  return { name: 'late', id, heading: 'Payment complete', says: ['arrived late', 'has accepted it'] };
}

async function lateAndUndecided(stage: Stage): Promise<Reached> {
  const { newPayment, expire, deposit, settings } = stage;
  await settings({ latePaymentPolicy: 'MANUAL' });
  const id = await newPayment();
  await settings({ latePaymentPolicy: 'ACCEPT' });
  await expire(id);
  await untilStatus(stage, id, 'EXPIRED', null);
  await deposit(id);
  const says = ['We received 25 USDT afterwards', 'do not send anything', 'Your money is not lost', 'quote'];
  return { name: 'late-undecided', id, heading: 'This payment has expired', says };
}

async function underpaid({ newPayment, deposit, expire }: Stage): Promise<Reached> {
  const id = await newPayment();
  await deposit(id, { amount: '10' });
  await expire(id);
  const says = ['we received 10 USDT of 25 USDT', 'do not send anything', 'To complete the payment', 'quote'];
  return { name: 'underpaid', id, heading: 'The payment was not completed', says };
}

async function ended({ newPayment }: Stage, end: (id: string) => Promise<unknown>) {
  const id = await newPayment();
  await end(id);
  return { id, says: ['do not send anything', 'start again', 'If you have already paid', 'quote'] };
}

async function cancel({ shop }: Stage, id: string): Promise<void> {
  await shop.graphql('mutation ($id: ID!) { cancelPayment(id: $id) { id } }', { id });
}

async function refunded(stage: Stage, name: string, part: object, heading: string): Promise<Reached> {
  const { newPayment, deposit, shop } = stage;
  const id = await newPayment();
  await deposit(id);
  dataOf(await shop.rest('POST', `/payments/${id}/refund`, { address: CUSTOMER, ...part }), 201);
  const status = 'amount' in part ? 'PARTIALLY_REFUNDED' : 'REFUNDED';
  await untilStatus(stage, id, status, null);
  return { name, id, heading, says: ['back', 'With questions about the refund, contact', 'quote'] };
}

async function reorganised(stage: Stage): Promise<Reached> {
  const { newPayment, deposit, shop } = stage;
  const id = await newPayment();
  await deposit(id);
  // The reorganisation replaces its own block and the one that confirmed it, and confirms that it is gone.
  const { body } = await shop.graphql('mutation { simulateReorg(input: { network: "ETH", depth: 2 }) { tip } }');
  expect(body.errors).toBeUndefined();
  await untilStatus(stage, id, 'FAILED', 'REORGED');
  const says = ['has removed your transfer', 'not your fault', 'before you pay again', 'quote'];
  return { name: 'reorged', id, heading: 'The payment was not completed', says };
}

/** It waits in the pool after its deadline; instead of waiting for hours, the test moves its times back. */
async function unconfirmed(stage: Stage): Promise<Reached> {
  const { newPayment, deposit, gateway } = stage;
  const id = await newPayment();
  await deposit(id, { confirmations: -1 });
  await gateway.sql(
    `update payment set created_at = created_at - interval '2 days', expires_at = expires_at - interval '2 days',
       confirming_since = confirming_since - interval '2 days' where id = $1`,
    [id],
  );
  await untilStatus(stage, id, 'FAILED', 'UNCONFIRMED');
  const says = ['has not confirmed it in time', 'Do not send it a second time', 'For help, contact', 'quote'];
  return { name: 'unconfirmed', id, heading: 'The payment was not completed', says };
}

async function confirming({ newPayment, deposit }: Stage): Promise<Reached> {
  const id = await newPayment();
  await deposit(id, { confirmations: -1 });
  return { name: 'confirming', id, heading: 'Payment seen', says: ['Confirmations: 0 of 2', 'nothing more for you'] };
}

async function untilStatus({ shop }: Stage, id: string, status: string, exception: string | null): Promise<void> {
  await until(async () => {
    const payment = dataOf(await shop.rest('GET', `/payments/${id}`));
    return payment.status === status && payment.exception === exception;
  }, 40_000);
}
