// Invariants of answers: whatever was answered with 2xx (orders, deposits, cancellations) happened, and happened once.

import type { Data } from '../load/client.ts';
import type { Evidence } from './evidence.ts';
import { first, type Rule } from './invariant.ts';

export const CLIENT_INVARIANTS: readonly Rule[] = [
  { words: 'an order that was answered exists once', breach: findLostOrder },
  { words: 'a deposit that was answered is confirmed, once; one that was cut off at most once', breach: findDeposit },
  { words: 'a cancellation that was answered was made', breach: findCancellation },
];

function findLostOrder({ notes, payments }: Evidence): string | null {
  const ordered = payments.filter(({ invoiceId }) => invoiceId === null);
  const byReference = Map.groupBy(ordered, ({ reference }) => reference);
  const lost = first(notes.orders, ({ reference, orderId }) => {
    const found = (byReference.get(reference) ?? []).map(({ id }) => id);
    if (orderId !== null && !found.includes(orderId)) return `order ${orderId} was answered with 201 and is gone`;
    return found.length > 1 ? `one idempotency key made the orders ${found.join(' and ')}` : null;
  });
  const known = new Set(notes.orders.map(({ reference }) => reference));
  return lost ?? first(ordered, ({ id, reference }) => (known.has(reference ?? '') ? null : `nobody made order ${id}`));
}

function findDeposit({ notes, told }: Evidence): string | null {
  const asked = Map.groupBy(notes.deposits, ({ orderId }) => orderId);
  return first(told.values(), ({ payments }) =>
    first(payments.values(), (payment) => {
      const { orderId } = payment as { orderId: string };
      const transactions = (payment.transactions as Data[]).filter(({ status }) => status !== 'ORPHANED');
      const deposits = asked.get(orderId) ?? [];
      const missing = deposits.find(
        ({ answered, amount }) => answered && !transactions.some((one) => one.amount === amount && isConfirmed(one)),
      );
      if (missing) return `the deposit of ${missing.amount} to ${orderId} was answered and is not confirmed there`;
      if (transactions.length > deposits.length)
        return `${orderId} has ${transactions.length} deposits, and ${deposits.length} were asked for`;
      return null;
    }),
  );
}

const isConfirmed = ({ status }: Data): boolean => status === 'CONFIRMED';

function findCancellation({ notes, told }: Evidence): string | null {
  const canceled = new Set(
    [...told.values()].flatMap(({ events }) =>
      events.flatMap(({ payment, invoice }) => [
        ...(payment?.status === 'CANCELED' ? [payment.orderId as string] : []),
        ...(invoice?.status === 'CANCELED' ? [invoice.invoiceId as string] : []),
      ]),
    ),
  );
  return first(notes.canceled, (id) => (canceled.has(id) ? null : `${id} was canceled, and its events do not say so`));
}
