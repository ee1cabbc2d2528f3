// `trigger`: makes something happen in a sandbox for real, with a payment of its own, so that its event is sent.

import type { DataOf, Turnpike } from '#sdk';
import type { Command, Context } from '../command.ts';
import { EXIT, Failure, unsafe, usage } from '../failure.ts';
import { describePayment, ORDER_OPTIONS } from './payments.ts';

type Payment = DataOf<'payment'>;
type Order = Pick<Payment, 'orderId' | 'amount'>;
type Trigger = (client: Turnpike, order: Order, context: Context) => Promise<readonly string[]>;

/** An address of the development chains' format that no one has the key of (EIP-55's first example). */
const NOBODY = '0x52908400098527886E0F7030069857D2E4169EE7';
const WAIT_MS = 120_000;

/** Each makes its event happen, and returns the states that show it. */
const TRIGGERS: Readonly<Record<string, Trigger>> = {
  'payment.succeeded': async (client, { orderId }, { signal }) => {
    await client.sandbox.deposit(orderId, {}, { signal });
    return ['SUCCEEDED'];
  },
  'payment.expired': async (client, { orderId }, { signal }) => {
    await client.sandbox.expirePayment(orderId, { signal });
    return ['EXPIRED'];
  },
  // Underpaid: half of it comes, and then its time is over.
  'payment.failed': async (client, { orderId, amount }, { signal }) => {
    await client.sandbox.deposit(orderId, { amount: half(amount) }, { signal });
    await client.sandbox.expirePayment(orderId, { signal });
    return ['FAILED'];
  },
  // All but the fee, which a merchant without other money does not have.
  'payment.refunded': async (client, { orderId }, { text, signal }) => {
    await client.sandbox.deposit(orderId, {}, { signal });
    const paid = await reach(client, orderId, ['SUCCEEDED'], signal);
    const address = text('address') ?? NOBODY;
    const amount = minus(paid.amountConfirmed, paid.feeAmount ?? '0');
    await client.payments.refund(orderId, { address, amount }, { signal });
    return ['PARTIALLY_REFUNDED', 'REFUNDED'];
  },
};

/** Makes an event of a type happen. */
export const trigger: Command = {
  name: 'trigger',
  operands: 'EVENT',
  choices: Object.keys(TRIGGERS),
  summary: 'make a payment in the sandbox and let this happen to it',
  details: `EVENT is one of ${Object.keys(TRIGGERS).join(', ')}. The payment is real, and so is its money on the sandbox's chain.`,
  options: {
    ...ORDER_OPTIONS,
    address: { value: 'ADDRESS', help: 'where payment.refunded pays to' },
  },
  async run(context) {
    const type = context.operand();
    const make = Object.hasOwn(TRIGGERS, type) ? TRIGGERS[type] : undefined;
    if (!make) throw usage(`${type} cannot be triggered; there are: ${Object.keys(TRIGGERS).join(', ')}`);
    if (context.profileName === 'live') throw unsafe('trigger is for the sandbox: in live, somebody would have to pay');
    const { terminal, text, signal } = context;
    const client = await context.client();
    const order = {
      amount: text('amount') ?? '25',
      ...{ currency: text('currency') ?? 'USDT', network: text('network') ?? 'ETH' },
    };
    const payment = await client.payments.create(order, { signal });
    terminal.note(`Made ${describePayment(payment)}`);
    const states = await make(client, payment, context);
    const reached = await reach(client, payment.orderId, states, signal);
    terminal.show(reached, describePayment(reached));
  },
};

async function reach(client: Turnpike, id: string, states: readonly string[], signal: AbortSignal): Promise<Payment> {
  const limit = AbortSignal.timeout(WAIT_MS);
  try {
    for await (const payment of client.live.payment(id, { signal: AbortSignal.any([signal, limit]) }))
      if (states.includes(payment.status)) return payment;
  } catch (error) {
    if (!limit.aborted) throw error;
  }
  throw new Failure(EXIT.timedOut, `${id} was not ${states.join(' or ')} within ${WAIT_MS / 1_000} s`);
}

/** Digits behind the point. */
const decimalsOf = (text: string): number => text.split('.')[1]?.length ?? 0;
const toUnits = (text: string, decimals: number): bigint => {
  const [whole = '0', part = ''] = text.split('.');
  return BigInt(whole + part.padEnd(decimals, '0'));
};
const fromUnits = (units: bigint, decimals: number): string => {
  const digits = units.toString().padStart(decimals + 1, '0');
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
};

function minus(amount: string, less: string): string {
  const decimals = Math.max(decimalsOf(amount), decimalsOf(less));
  return fromUnits(toUnits(amount, decimals) - toUnits(less, decimals), decimals);
}

/** Rounded down in the decimals that the amount has, or two if it has fewer. */
function half(amount: string): string {
  const decimals = Math.max(decimalsOf(amount), 2);
  return fromUnits(toUnits(amount, decimals) / 2n, decimals);
}
