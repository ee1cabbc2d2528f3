// Settles invoices: looks at what their payments have brought, takes the due steps and records the events. It happens
// in the transaction that changed the payments, so that a deposit, its payment, its invoice and their events commit
// together.

import type { EntityManager } from '../../database/connection.ts';
import { readRows, updateRows, type RowChange } from '../../database/rows.ts';
import { readQuotedPayments, type ReadQuotedPayment } from '../../database/queries/invoices/read-invoices.ts';
import { moveUses } from '../../database/queries/links/move-uses.ts';
import type { InvoiceStatus } from '../../entities/enums.ts';
import { Invoice } from '../../entities/invoice.ts';
import type { Deps } from '../deps.ts';
import { invoiceEventRow, recordEvents, type EventRow, type EventType } from '../events/record.ts';
import { isOwn } from '../snapshots/payment.ts';
import { snapshotInvoice } from '../snapshots/invoice.ts';
import { nextInvoiceState } from './invoice-state.ts';
import { worthOfAll } from './invoice-values.ts';

type SettleDeps = Pick<Deps, 'environment' | 'payUrl'>;

/** What has happened to the invoices besides what their payments tell. */
export interface Occasion {
  /** A refund of a payment has just been completed. */
  readonly isRefunded?: boolean;
  /** Whether it is an update in any case: a choice, or a cancel. */
  readonly isChanged?: boolean;
}

/**
 * Settles invoices, locked in id order; their payments come before them in a transaction. Returns how many events were
 * recorded; without ids, costs no statement. Flush your own changes before calling, and treat loaded entities as stale
 * afterwards.
 */
export async function settleInvoices(
  deps: SettleDeps,
  em: EntityManager,
  invoiceIds: readonly string[],
  now: Date,
  occasion: Occasion = {},
): Promise<number> {
  if (invoiceIds.length === 0) return 0;
  const ids = [...new Set(invoiceIds)].sort();
  const invoices = await readRows(em, Invoice, 'where id = any($1) order by id for update', [ids]);
  // A statement after the lock: it sees what another transaction committed before it gave the lock away.
  const paymentsOf = await readQuotedPayments(em, ids);
  const settled = invoices.map((invoice) =>
    settleInvoice(deps, invoice, paymentsOf.get(invoice.id) ?? [], now, occasion),
  );
  const events = settled.flatMap((invoice) => invoice.events);
  await updateRows(em, Invoice, settled);
  await moveUses(em, usesOf(settled));
  await recordEvents(em, events);
  return events.length;
}

/** What counts as a use of a payment link (contract-invoices, section 5). */
const USES: ReadonlySet<InvoiceStatus> = new Set(['PROCESSING', 'SETTLED', 'PARTIALLY_REFUNDED', 'REFUNDED']);

/** By how many the uses of links move with these invoices. */
function usesOf(settled: readonly RowChange<Invoice>[]): ReadonlyMap<string, number> {
  const moves = new Map<string, number>();
  for (const { before, after } of settled) {
    const by = Number(USES.has(after.status)) - Number(USES.has(before.status));
    if (after.linkId != null && by !== 0) moves.set(after.linkId, (moves.get(after.linkId) ?? 0) + by);
  }
  return moves;
}

/** An invoice before and after, with the events of its steps. */
export interface SettledInvoice extends RowChange<Invoice> {
  readonly events: readonly EventRow[];
}

/** Takes every due step and records an event for each. A change of values without a step is recorded as an update. */
export function settleInvoice(
  deps: SettleDeps,
  before: Invoice,
  payments: readonly ReadQuotedPayment[],
  now: Date,
  { isRefunded = false, isChanged = false }: Occasion,
): SettledInvoice {
  const invoice = { ...before, ...worthOfAll(payments) };
  const events: EventRow[] = [];
  const addEvent = (type: EventType) => {
    invoice.version += 1;
    invoice.updatedAt = now;
    const snapshot = snapshotInvoice(invoice, payments, deps);
    const { merchantId, version } = invoice;
    events.push(invoiceEventRow(deps.environment, { type, merchantId, version, invoice: snapshot, at: now }));
  };

  if (isRefunded) {
    Object.assign(invoice, refundedStates(invoice, payments));
    addEvent('invoice.refunded');
  }
  const next = () => nextInvoiceState(invoice, payments, now);
  for (let step = next(); step; step = next()) {
    Object.assign(invoice, step.changes);
    if (invoice.status === 'SETTLED') invoice.settledAt ??= now;
    addEvent(step.event);
  }
  const values = ['valueReceived', 'valueConfirmed', 'valueSetAside'] as const;
  const isMoved = isChanged || values.some((name) => invoice[name] !== before[name]);
  if (isMoved && events.length === 0) addEvent('invoice.updated');
  return { before, after: invoice, events };
}

const isPaid = (status: InvoiceStatus | null | undefined): boolean =>
  status === 'SETTLED' || status === 'PARTIALLY_REFUNDED';

/**
 * The states after a refund: REFUNDED once no confirmed money is left in any payment. The state to restore, if lost
 * money comes back, must reflect the refund as well.
 */
function refundedStates(
  { status, lostFromStatus }: Invoice,
  payments: readonly ReadQuotedPayment[],
): Partial<Pick<Invoice, 'status' | 'lostFromStatus'>> {
  const isLeft = (confirmed: (each: ReadQuotedPayment) => bigint) =>
    payments.some((each) => confirmed(each) > each.payment.amountRefunded);
  const refunded = (left: boolean): InvoiceStatus => (left ? 'PARTIALLY_REFUNDED' : 'REFUNDED');
  return {
    ...(isPaid(status) && { status: refunded(isLeft(({ payment }) => payment.amountConfirmed)) }),
    ...(isPaid(lostFromStatus) && { lostFromStatus: refunded(isLeft(everConfirmed)) }),
  };
}

/** What a payment has confirmed, including what it has lost again. */
function everConfirmed({ payment, deposits }: ReadQuotedPayment): bigint {
  const credited = deposits.filter((deposit) => isOwn(payment, deposit) && deposit.credits > 0);
  return credited.reduce((sum, { amount }) => sum + amount, 0n);
}
