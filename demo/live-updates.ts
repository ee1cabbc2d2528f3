// Compares the live updates of the first payment with the expected ones.

import { expectLike, expectSame } from './support/expect.ts';
import type { Updates } from './support/live-socket.ts';
import type { Stage } from './run.ts';
import type { LiveUpdate, PaymentOrder } from './support/shapes.ts';

/** The fields that each subscription requests. */
export const LIVE_FIELDS = 'id status amountReceived confirmations';

const STATES = ['PENDING', 'PARTIALLY_PAID', 'CONFIRMING', 'SUCCEEDED'];

interface Followed {
  readonly merchant: Updates<LiveUpdate>;
  readonly customer: Updates<LiveUpdate>;
  readonly everyPayment: Updates<LiveUpdate>;
}

/** Checks that every subscription delivered every state, once and in order, and that confirmations only rose. */
export async function compareLiveUpdates(
  { printer }: Stage,
  { orderId }: PaymentOrder,
  { merchant, customer, everyPayment }: Followed,
): Promise<void> {
  printer.step('The live updates of the first payment, as they came');
  const isPaid = ({ id, status }: LiveUpdate) => id === orderId && status === 'SUCCEEDED';
  const subscriptions = [
    { name: 'paymentUpdated(id)', updates: merchant },
    { name: 'checkoutUpdated(id), without a token', updates: customer },
    { name: 'paymentUpdated, all payments', updates: everyPayment },
  ];
  for (const { name, updates } of subscriptions) {
    await updates.until('SUCCEEDED', isPaid);
    const own = updates.all.filter(({ id }) => id === orderId);
    printer.say(`${name}:`);
    for (const update of own) printer.arrived(describeUpdate(update));
    // A subscription to all payments delivers changes only, so it may omit the initial state.
    const states = statesOf(own);
    const expected = updates === everyPayment && states[0] !== STATES[0] ? STATES.slice(1) : STATES;
    expectSame(`the states by ${name}`, states, expected);
    expectRising(name, own);
  }
  printer.met(STATES.join(' → '));
}

/** One update in words. */
export function describeUpdate({ status, amountReceived, confirmations }: LiveUpdate): string {
  return `${status}, ${amountReceived} received, ${confirmations} confirmation${confirmations === 1 ? '' : 's'}`;
}

/** The states in order; a state repeated with other confirmations counts once. */
function statesOf(updates: readonly LiveUpdate[]): string[] {
  return updates.map(({ status }) => status).filter((status, index, all) => status !== all[index - 1]);
}

function expectRising(name: string, updates: readonly LiveUpdate[]): void {
  updates.forEach(({ confirmations }, index) => {
    const before = updates[index - 1]?.confirmations ?? 0;
    const holds = (came: unknown) => Number(came) >= before;
    expectLike(`confirmations by ${name}`, confirmations, { words: `${before} or more`, holds });
  });
}
