// Invariants of invoices: each is settled once an entry, and exactly if its confirmed deposits are worth its price at
// their own rates (contract-invoices, section 15). Values are computed from what merchants are told.

import { parseUnits } from 'viem/utils';
import type { Data } from '../load/client.ts';
import type { Evidence } from './evidence.ts';
import { first, type Rule } from './invariant.ts';

export const INVOICE_INVARIANTS: readonly Rule[] = [
  { words: 'an invoice that was answered exists once, and a payment of one belongs to it', breach: findLostInvoice },
  { words: 'each entry of an invoice to SETTLED is told once', breach: findUntoldEntry },
  {
    words: 'no invoice is ever settled below price × (1 − tolerance), at the rates of its own deposits',
    breach: findTooCheap,
  },
  { words: 'every invoice whose confirmed deposits are worth its price is settled', breach: findUnsettled },
];

function findLostInvoice({ notes, invoices, payments }: Evidence): string | null {
  const byReference = Map.groupBy(invoices, ({ reference }) => reference);
  const lost = first(notes.invoices, ({ reference, invoiceId }) => {
    const found = (byReference.get(reference) ?? []).map(({ id }) => id);
    if (invoiceId !== null && !found.includes(invoiceId))
      return `invoice ${invoiceId} was answered with 201 and is gone`;
    return found.length > 1 ? `one reference made the invoices ${found.join(' and ')}` : null;
  });
  const known = new Set(notes.invoices.map(({ reference }) => reference));
  const references = new Map(invoices.map(({ id, reference }) => [id, reference]));
  const unknown = first(references, ([id, reference]) =>
    known.has(reference ?? '') ? null : `nobody made invoice ${id}`,
  );
  const strayed = ({ id, invoiceId, reference }: Evidence['payments'][number]) =>
    invoiceId === null || references.get(invoiceId) === reference
      ? null
      : `payment ${id} is not of invoice ${invoiceId}, as it says`;
  return lost ?? unknown ?? first(payments, strayed);
}

function findUntoldEntry({ told }: Evidence): string | null {
  return first(told.values(), ({ events }) => {
    const byInvoice = Map.groupBy(
      events.filter(({ invoice }) => invoice != null),
      ({ invoice }) => invoice.invoiceId as string,
    );
    return first(byInvoice, ([id, changes]) => {
      const isEntry = ({ invoice }: Data, index: number) =>
        invoice.status === 'SETTLED' && changes[index - 1]?.invoice.status !== 'SETTLED';
      const entries = changes.filter(isEntry).length;
      const tellings = changes.filter(({ type }) => type === 'invoice.settled').length;
      return entries === tellings
        ? null
        : `invoice ${id} entered SETTLED ${entries} times, and that was told ${tellings} times`;
    });
  });
}

/** The value of the confirmed deposits in 10⁻³⁰ of the price's currency: exact, as a rate has at most 12 decimals. */
function confirmedWorth({ payments }: Data): bigint {
  const transactions = (payments as Data[]).flatMap((payment) => payment.transactions as Data[]);
  return transactions
    .filter(({ status }) => status === 'CONFIRMED')
    .reduce((sum, { amount, rate }) => sum + parseUnits(amount as string, 18) * parseUnits(rate as string, 12), 0n);
}

/** Whether the confirmed deposits reach price × (1 − tolerance). */
function isWorthIt(invoice: Data, toleranceBasisPoints: number): boolean {
  const least = parseUnits(invoice.amount as string, 30) * BigInt(10_000 - toleranceBasisPoints);
  return 10_000n * confirmedWorth(invoice) >= least;
}

const tolerances = ({ invoices }: Evidence) =>
  new Map(invoices.map(({ id, toleranceBasisPoints }) => [id, toleranceBasisPoints]));

const describe = (invoice: Data): string =>
  `invoice ${invoice.invoiceId} of ${invoice.amount} ${invoice.currency}, with ${confirmedWorth(invoice)}e-30 confirmed`;

/** At every settlement: later, a refund or a deposit may have changed what it was worth. */
function findTooCheap(evidence: Evidence): string | null {
  const tolerance = tolerances(evidence);
  return first(evidence.told.values(), ({ events }) =>
    first(events, ({ id, type, invoice }) => {
      if (type !== 'invoice.settled' || isWorthIt(invoice, tolerance.get(invoice.invoiceId) ?? 0)) return null;
      return `${describe(invoice)} was settled (event ${id})`;
    }),
  );
}

/** No invoice of a run asks its merchant before it accepts late money, and none is refunded before it is settled. */
const PAID = new Set(['SETTLED', 'PARTIALLY_REFUNDED', 'REFUNDED']);

function findUnsettled(evidence: Evidence): string | null {
  const tolerance = tolerances(evidence);
  return first(evidence.told.values(), ({ invoices }) =>
    first(invoices, ([id, invoice]) => {
      if (PAID.has(invoice.status) === isWorthIt(invoice, tolerance.get(id) ?? 0)) return null;
      return `${describe(invoice)} is ${invoice.status}`;
    }),
  );
}
