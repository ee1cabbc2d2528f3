// Orders as the stories use them: created, paid from the faucet, and awaited until they reach a status.

import { expectLike } from './support/expect.ts';
import type { Stage } from './run.ts';
import { STATE, type PaymentOrder, type Shop } from './support/shapes.ts';
import { waitUntil } from './support/wait.ts';

type Owner = Pick<Shop, 'token'>;

/** Creates an order on ETH. */
export async function createOrder(
  { http }: Stage,
  { token }: Owner,
  amount: string,
  currency: string,
): Promise<PaymentOrder> {
  const body = { amount, currency, network: 'ETH' };
  const show = ['orderId', 'amount', 'currency', 'network', 'status'];
  const { data } = await http.call<PaymentOrder>('POST', '/payments', { token, body, status: 201, show });
  expectLike('the order', { ...data }, { ...body, status: 'PENDING' });
  return data;
}

/** Pays an order from the faucet; by default the amount due, with enough blocks to confirm it. */
export async function deposit({ http }: Stage, { token }: Owner, orderId: string, body: object): Promise<void> {
  await http.call('POST', `/sandbox/payments/${orderId}/deposit`, { token, body, show: STATE });
}

type ExpectedState = Readonly<Record<string, string | number | null>>;

/** Waits until an order has the expected status, then checks the other fields. */
export async function expectState(
  stage: Stage,
  { token }: Owner,
  orderId: string,
  expected: ExpectedState,
): Promise<void> {
  let seen: PaymentOrder | undefined;
  const look = async () => {
    seen = await stage.http.look<PaymentOrder>(`/payments/${orderId}`, token);
    return seen.status === expected['status'] ? seen : null;
  };
  const payment = await waitUntil(`${orderId} to be ${String(expected['status'])}`, look, { instead: () => seen });
  expectLike(orderId, payment, expected);
  const facts = Object.entries(expected).map(([name, value]) => `${name} ${String(value)}`);
  stage.printer.met(`It has ${facts.join(', ')}`);
}
