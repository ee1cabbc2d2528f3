// `payments …`: creates, shows, lists payments, and waits for their end.

import { createHash } from 'node:crypto';
import type { BodyOf, DataOf, QueryOf } from '#sdk';
import type { Command, Context, Option } from '../command.ts';
import { EXIT, Failure, usage } from '../failure.ts';

type Payment = DataOf<'payment'>;

/** States that a payment leaves only by a refund, or by a late payment that is accepted. */
const ENDED = new Set(['SUCCEEDED', 'FAILED', 'EXPIRED', 'CANCELED', 'REFUNDED', 'PARTIALLY_REFUNDED']);
/** Those that the money came in for. */
const PAID = new Set(['SUCCEEDED', 'REFUNDED', 'PARTIALLY_REFUNDED']);

/** What a line says of a payment; `createPayment` answers little more. */
type Summary = Pick<Payment, 'orderId' | 'status' | 'amount' | 'currency' | 'network' | 'createdAt'> &
  Partial<Pick<Payment, 'merchantOrderId'>>;

/** A payment in a line. */
export const describePayment = (one: Summary): string =>
  [one.orderId, one.status, `${one.amount} ${one.currency} (${one.network})`, one.merchantOrderId, one.createdAt]
    .filter((part) => part != null)
    .join('  ');

/** The options of an order, which `trigger` takes as well. */
export const ORDER_OPTIONS = {
  amount: { value: 'AMOUNT', help: 'such as 25.00' },
  currency: { value: 'CODE', help: 'such as USDT' },
  network: { value: 'CODE', help: 'such as ETH' },
} as const satisfies Record<string, Option>;

const create: Command = {
  name: 'payments create',
  summary: 'create a payment, with a fresh deposit address',
  details: 'The idempotency key is your order id, if there is one: the same command twice is one payment.',
  options: {
    ...ORDER_OPTIONS,
    'order-id': { value: 'ID', help: "your shop's id of the order" },
    'product-name': { value: 'TEXT', help: 'what is paid for' },
    email: { value: 'ADDRESS', help: "the customer's" },
    'return-url': { value: 'URL', help: 'where the customer goes afterwards' },
    'callback-url': { value: 'URL', help: 'where its events are sent besides' },
    metadata: { value: 'NAME=VALUE', help: 'kept with the payment; repeatable', isList: true },
  },
  async run(context) {
    const { terminal, text, signal } = context;
    const merchantOrderId = text('order-id');
    const idempotencyKey = merchantOrderId === undefined ? undefined : keyOf(merchantOrderId);
    const payment = await (await context.client()).payments.create(readOrder(context), { signal, idempotencyKey });
    terminal.show(payment, `${describePayment(payment)}\nPay at ${payment.paymentUrl}\nor to ${payment.address}`);
  },
};

/** Of a fixed length, and of characters that a header may hold. */
const keyOf = (orderId: string): string => `turnpike-cli-${createHash('sha256').update(orderId).digest('hex')}`;

function readOrder({ text, texts }: Context): BodyOf<'createPayment'> {
  const [amount, currency, network] = [text('amount'), text('currency'), text('network')];
  if (!amount || !currency || !network) throw usage('payments create needs --amount, --currency and --network');
  const named = {
    ...{ merchantOrderId: text('order-id'), productName: text('product-name'), customerEmail: text('email') },
    ...{ returnUrl: text('return-url'), callbackUrl: text('callback-url') },
  };
  const pairs = texts('metadata').map((pair) => {
    const at = pair.indexOf('=');
    if (at < 1) throw usage('--metadata takes NAME=VALUE');
    return [pair.slice(0, at), pair.slice(at + 1)];
  });
  const metadata = pairs.length === 0 ? undefined : (Object.fromEntries(pairs) as Record<string, string>);
  const given = Object.entries({ ...named, metadata }).filter(([, value]) => value !== undefined);
  return { amount, currency, network, ...Object.fromEntries(given) };
}

const get: Command = {
  name: 'payments get',
  operands: 'ID',
  summary: 'show a payment',
  options: {},
  async run(context) {
    const payment = await (await context.client()).payments.get(context.operand(), { signal: context.signal });
    const rows = Object.entries(payment).filter(([, value]) => value !== null);
    const lines = rows.map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`);
    context.terminal.show(payment, lines.join('\n'));
  },
};

const list: Command = {
  name: 'payments list',
  summary: 'list payments, newest first',
  options: {
    status: { value: 'STATUS', help: 'only those in this state; repeatable, or between commas', isList: true },
    limit: { value: 'NUMBER', help: 'at most so many; 20' },
  },
  async run(context) {
    const limit = context.count('limit') ?? 20;
    const status = context.texts('status').map((one) => one.toUpperCase());
    const filter = { limit: Math.min(Math.max(limit, 1), 100), ...(status.length > 0 && { status }) };
    const payments = (await context.client()).payments.list(filter as QueryOf<'payments'>, { signal: context.signal });
    for (const payment of await payments.toArray(limit)) context.terminal.show(payment, describePayment(payment));
  },
};

const wait: Command = {
  name: 'payments wait',
  operands: 'ID',
  summary: 'wait until a payment has ended; success if it was paid',
  options: { timeout: { value: 'SECONDS', help: 'give up after this long; without it, never' } },
  async run(context) {
    const client = await context.client();
    const seconds = context.count('timeout');
    const limit = seconds === undefined ? undefined : AbortSignal.timeout(seconds * 1_000);
    const signal = limit ? AbortSignal.any([context.signal, limit]) : context.signal;
    const id = context.operand();
    try {
      for await (const payment of client.live.payment(id, { signal })) {
        context.terminal.show(payment, describePayment(payment));
        if (!ENDED.has(payment.status)) continue;
        if (PAID.has(payment.status)) return;
        throw new Failure(EXIT.otherOutcome, `${id} has ended as ${payment.status}`);
      }
    } catch (error) {
      if (limit?.aborted && !context.signal.aborted)
        throw new Failure(EXIT.timedOut, `${id} has not ended within ${seconds ?? 0} s`);
      throw error;
    }
  },
};

/** Everything about payments. */
export const PAYMENT_COMMANDS: readonly Command[] = [create, get, list, wait];
