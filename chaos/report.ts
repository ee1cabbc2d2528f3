// Prints a run: a line for each round, then the results.

import type { Evidence } from './invariants/evidence.ts';
import type { Round } from './rounds.ts';
import { repeatsOf } from './invariants/attempts.ts';

interface Column {
  readonly title: string;
  readonly width: number;
  readonly cell: (round: Round) => string | number;
}

const COLUMNS: readonly Column[] = [
  { title: 'round', width: 5, cell: ({ number }) => number },
  { title: 'killed with -9', width: 21, cell: ({ outage }) => outage.victim },
  { title: 'after', width: 7, cell: ({ killedAfterMs }) => seconds(killedAfterMs) },
  { title: 'back in', width: 7, cell: ({ outage }) => seconds(outage.to - outage.from) },
  { title: 'orders', width: 6, cell: ({ orders }) => orders },
  { title: 'invoices', width: 8, cell: ({ invoices }) => invoices },
  { title: 'deposits', width: 8, cell: ({ deposits }) => deposits },
  { title: 'payouts', width: 7, cell: ({ payouts }) => payouts },
  { title: 'resends', width: 7, cell: ({ resends }) => resends },
  { title: 'unanswered', width: 10, cell: ({ unanswered }) => unanswered },
];

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
const line = (cells: readonly (string | number)[]): string =>
  cells.map((cell, index) => String(cell).padStart(COLUMNS[index]?.width ?? 0)).join('  ');

export const tableHead = (): string => line(COLUMNS.map(({ title }) => title));
export const tableRow = (round: Round): string => line(COLUMNS.map(({ cell }) => cell(round)));

/** Sums up the run in a few lines. */
export function summary(evidence: Evidence): string {
  const { notes, book, events, deliveries, outages } = evidence;
  const byStatus = [...Map.groupBy(deliveries, ({ status }) => status)].map(
    ([status, all]) => `${all.length} ${status}`,
  );
  const repeats = repeatsOf(evidence);
  const twice = repeats.reduce((sum, requests) => sum + requests.length - 1, 0);
  const settled = new Set(events.filter(({ type }) => type === 'invoice.settled').map(({ invoiceId }) => invoiceId))
    .size;
  return [
    `${outages.length} kills; ${notes.calls.answered} calls answered, ${notes.calls.unanswered} cut off or answered with 5xx`,
    `${notes.orders.length} orders, ${notes.invoices.length} invoices, ${settled} of them settled`,
    `${notes.deposits.length} deposits, ${notes.payouts.length} payouts, ${events.length} events`,
    `${deliveries.length} deliveries: ${byStatus.join(', ')}; ${book.taken.length} requests taken by the receiver`,
    `${twice} requests repeated an attempt whose record a kill had lost`,
  ].join('\n');
}
