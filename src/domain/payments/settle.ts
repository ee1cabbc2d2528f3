// Settles payments: looks at their deposits and the clock, moves the money, takes the due steps and records the events.
// All of it happens in the current transaction, so a state, its postings and its events commit together or not at all.
//
// A block may settle hundreds of payments, so everything is read first, decided in memory, and written by a fixed
// number of statements. No unit of work is used: hydrating and updating row by row cost more than the database work.

import { readRows, updateRows, type RowChange } from '../../database/rows.ts';
import type { EntityManager } from '../../database/connection.ts';
import { changeHoldings } from '../../database/queries/ledger/holdings.ts';
import { postEntries, type LedgerEntry } from '../../database/queries/ledger/post-ledger.ts';
import { Deposit } from '../../entities/deposit.ts';
import { Payment } from '../../entities/payment.ts';
import { feeOf } from '../../values/amount.ts';
import { assetOf, type Network } from '../../values/assets.ts';
import type { Deps } from '../deps.ts';
import { eventRow, recordEvents, type EventRow, type EventType } from '../events/record.ts';
import { keepReceipts } from './keep-receipts.ts';
import { failRequestedRefunds, readSetAside } from './refunds.ts';
import { lockInvoices } from '../../database/queries/invoices/lock-invoices.ts';
import { settleInvoices } from './settle-invoices.ts';
import { creditEntry, reversalEntry } from '../ledger/ledger.ts';
import { lastRatesOf } from '../rates/last-rates.ts';
import { isOwn, snapshotPayment } from '../snapshots/payment.ts';
import { nextState, type ObservedClock } from './state-machine.ts';

/** The state of a chain: the height up to which it was read, and the observed clock. */
export interface ChainView {
  readonly network: Network;
  readonly height: number;
  readonly clock: ObservedClock;
}

type SettleDeps = Pick<Deps, 'environment' | 'payUrl' | 'rates'>;

/** How many payments are settled by one set of statements. */
const BATCH_SIZE = 500;

/**
 * Settles payments, locked in id order, and then their invoices, which are locked after all payments, in id order too.
 * A payment of another network has only its deposits on this network credited; the payment itself does not change.
 * Returns how many events were recorded. Flush your own changes of these payments and deposits before calling, and
 * treat loaded entities as stale afterwards.
 */
export async function settlePayments(
  deps: SettleDeps,
  em: EntityManager,
  paymentIds: readonly string[],
  view: ChainView,
): Promise<number> {
  const ids = [...new Set(paymentIds)].sort();
  const batches: Payment[][] = [];
  for (let from = 0; from < ids.length; from += BATCH_SIZE)
    batches.push(
      await readRows(em, Payment, 'where id = any($1) order by id for update', [ids.slice(from, from + BATCH_SIZE)]),
    );
  const invoiceIds = batches.flat().flatMap(({ invoiceId }) => invoiceId ?? []);
  // Before the money moves: who asks for a refund locks the invoice before the balance.
  await lockInvoices(em, invoiceIds);
  let recorded = 0;
  for (const payments of batches) recorded += await settleBatch(deps, em, payments, view);
  return recorded + (await settleInvoices(deps, em, invoiceIds, view.clock.now));
}

/**
 * SQL: the deposits of the payments $1, looked up for each, as a plan without statistics would read the whole table.
 */
const DEPOSITS_OF = `select d.id from unnest($1::text[]) as p(id)
  cross join lateral (select id from deposit where payment_id = p.id offset 0) d`;

/** A deposit before and after it is settled. */
interface SettledDeposit extends RowChange<Deposit> {
  readonly payment: Payment;
}

async function settleBatch(
  deps: SettleDeps,
  em: EntityManager,
  payments: readonly Payment[],
  view: ChainView,
): Promise<number> {
  const ids = payments.map(({ id }) => id);
  const found = await readRows(em, Deposit, `where id = any(array(${DEPOSITS_OF})) order by id`, [ids]);
  const foundOf = Map.groupBy(found, ({ paymentId }) => paymentId);
  const settle = (payment: Payment, before: Deposit) =>
    before.network === view.network ? settleDeposit(payment, before, view) : before;
  const deposits = payments.flatMap((payment) =>
    (foundOf.get(payment.id) ?? []).map((before) => ({ payment, before, after: settle(payment, before) })),
  );
  const refused = await moveMoney(deps, em, deposits, view.clock.now);
  const setAside = await readSetAside(em, ids);
  const settledOf = Map.groupBy(deposits, ({ payment }) => payment.id);
  const own = payments.filter(({ network }) => network === view.network);
  const settled = own.map((payment) => {
    const all = (settledOf.get(payment.id) ?? []).map(({ after }) => after);
    const refunds = { setAside: setAside.get(payment.id) ?? 0n, haveFailed: refused.has(payment.id) };
    return settlePayment(deps, payment, all, refunds, view);
  });
  const events = settled.flatMap((payment) => payment.events);
  await updateRows(em, Deposit, deposits);
  await updateRows(em, Payment, settled);
  await recordEvents(em, events);
  return events.length;
}

/** Confirms and credits a deposit, or takes its credit back if it is gone for good; each once. */
function settleDeposit(payment: Payment, deposit: Deposit, { height }: ChainView): Deposit {
  const reached = (from: number | null | undefined) =>
    from != null && height - from + 1 >= (deposit.requiredConfirmations ?? payment.requiredConfirmations);
  const settled = { ...deposit };
  if (settled.status === 'PENDING' && reached(settled.blockHeight)) settled.status = 'CONFIRMED';
  if (settled.status === 'CONFIRMED' && !settled.credited) {
    settled.credits += 1;
    settled.credited = true;
  }
  // Gone for good: the chain has the required confirmations since the transaction's block, without the transaction.
  // Being in the mempool again does not change that; if it is mined again, it is credited anew.
  if (settled.blockHeight == null && !settled.gone && reached(settled.orphanedHeight)) {
    settled.gone = true;
    settled.credited = false;
  }
  return settled;
}

/**
 * Posts new credits and takes lost ones back, after failing the refunds that depended on them. Returns the payments
 * with failed refunds.
 */
async function moveMoney(
  deps: SettleDeps,
  em: EntityManager,
  deposits: readonly SettledDeposit[],
  now: Date,
): Promise<ReadonlySet<string>> {
  const lost = deposits.filter(
    ({ payment, before, after }) => before.credited && !after.credited && isOwn(payment, after),
  );
  const releases: LedgerEntry[] = [];
  const refused = new Set<string>();
  for (const payment of new Set(lost.map(({ payment }) => payment))) {
    const released = await failRequestedRefunds(deps, em, payment, now);
    if (released.length > 0) refused.add(payment.id);
    releases.push(...released);
  }
  const entries = [...releases, ...deposits.flatMap((deposit) => entriesOf(deposit, now))];
  await postEntries(em, entries, lastRatesOf(deps.rates));
  const moved = deposits.filter(({ before, after }) => before.credited !== after.credited);
  await changeHoldings(
    em,
    moved.map(({ after: { paymentId, network, currency, amount, credited } }) => ({
      ...{ paymentId, network, currency },
      units: credited ? amount : -amount,
    })),
  );
  await keepReceipts(
    deps,
    em,
    moved.flatMap(({ payment, after: deposit }) =>
      deposit.credited && deposit.credits === 1 ? { payment, deposit } : [],
    ),
  );
  return refused;
}

function entriesOf({ payment, before, after }: SettledDeposit, now: Date): LedgerEntry[] {
  if (before.credited === after.credited) return [];
  const credit = {
    depositId: after.id,
    paymentId: payment.id,
    merchantId: payment.merchantId,
    asset: assetOf(after),
    amount: after.amount,
    turn: after.credits,
  };
  return [after.credited ? creditEntry(credit, now) : reversalEntry(credit, now)];
}

interface SettledPayment extends RowChange<Payment> {
  readonly events: readonly EventRow[];
}

/** A payment's refunds: what they take out of it, in base units, and whether some have just failed. */
interface Refunds {
  readonly setAside: bigint;
  readonly haveFailed: boolean;
}

/**
 * Takes every due step and records an event for each. A change of amounts without a step, and failed refunds, are
 * recorded as updates.
 */
function settlePayment(
  deps: SettleDeps,
  before: Payment,
  deposits: readonly Deposit[],
  { setAside, haveFailed }: Refunds,
  { height, clock }: ChainView,
): SettledPayment {
  const own = deposits.filter((deposit) => isOwn(before, deposit));
  const payment = { ...before, ...amountsOf(own) };
  const events: EventRow[] = [];
  const addEvent = (type: EventType) => {
    payment.version += 1;
    payment.updatedAt = clock.now;
    const snapshot = snapshotPayment(payment, deposits, { payUrl: deps.payUrl, height });
    const { merchantId, version } = payment;
    events.push(eventRow(deps.environment, { type, merchantId, version, payment: snapshot, at: clock.now }));
  };

  if (haveFailed) addEvent('payment.updated');
  const next = () => nextState({ ...toFacts(payment), setAside }, own, clock);
  for (let step = next(); step; step = next()) {
    Object.assign(payment, step.changes);
    if (payment.status === 'SUCCEEDED') payment.completedAt ??= clock.now;
    addEvent(step.event);
  }
  const changed =
    payment.amountReceived !== before.amountReceived || payment.amountConfirmed !== before.amountConfirmed;
  if (changed && events.length === 0) addEvent('payment.updated');
  return { before, after: payment, events };
}

function amountsOf(own: readonly Deposit[]): Pick<Payment, 'amountReceived' | 'amountConfirmed' | 'feeAmount'> {
  const sum = (counts: (deposit: Deposit) => boolean, of = (amount: bigint) => amount) =>
    own.reduce((total, deposit) => (counts(deposit) ? total + of(deposit.amount) : total), 0n);
  return {
    amountReceived: sum((deposit) => deposit.status !== 'ORPHANED'),
    amountConfirmed: sum((deposit) => deposit.credited),
    feeAmount: sum((deposit) => deposit.credited, feeOf),
  };
}

/** The entity as the state machine reads it, with null for absent values. */
export function toFacts(payment: Payment) {
  return {
    status: payment.status,
    exception: payment.exception ?? null,
    amount: payment.amount,
    overpaidFrom: payment.amount + 1n,
    toleranceBasisPoints: payment.toleranceBasisPoints,
    latePaymentPolicy: payment.latePaymentPolicy,
    expiresAt: payment.expiresAt,
    confirmingSince: payment.confirmingSince ?? null,
    lateFromStatus: payment.lateFromStatus ?? null,
    lateFromException: payment.lateFromException ?? null,
    lostFromStatus: payment.lostFromStatus ?? null,
    lostFromException: payment.lostFromException ?? null,
    lostAt: payment.lostAt ?? null,
    acceptedAt: payment.acceptedAt ?? null,
  };
}
