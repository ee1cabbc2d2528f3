// The one way a payment changes: look at its deposits and the clock, move the money, take the steps, record the events.
// All in the transaction at hand, so a state, its postings and its events commit together or not at all.
//
// A block may settle hundreds of payments, so everything is read first, decided in memory, and written by a fixed number
// of statements. There is no unit of work on this path: hydrating and updating row by row cost more than the database.

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
import { failRequestedRefunds, readSetAside } from './refunds.ts';
import { creditEntry, reversalEntry } from '../ledger/ledger.ts';
import { isOwn, snapshotPayment } from '../snapshots/payment.ts';
import { nextState, type ObservedClock } from './state-machine.ts';

/** What is known of a chain at this moment: the height up to which it was read, and the observed clock. */
export interface ChainView {
  readonly network: Network;
  readonly height: number;
  readonly clock: ObservedClock;
}

type SettleDeps = Pick<Deps, 'environment' | 'payUrl'>;

/** How many payments are held in memory and written at once. */
const AT_ONCE = 500;

/**
 * Settles payments, locked in the order of their ids: those of the network at hand, and of others the deposits that they
 * have on it, which are credited and change no payment. Says how many events were recorded.
 * What the caller has loaded of them and of their deposits is out of date afterwards; what it changed, it flushes before.
 */
export async function settlePayments(
  deps: SettleDeps,
  em: EntityManager,
  paymentIds: readonly string[],
  view: ChainView,
): Promise<number> {
  const ids = [...new Set(paymentIds)].sort();
  let recorded = 0;
  for (let from = 0; from < ids.length; from += AT_ONCE)
    recorded += await settleTogether(deps, em, ids.slice(from, from + AT_ONCE), view);
  return recorded;
}

/** A deposit of a payment, as it was found and as it is settled. */
interface SettledDeposit extends RowChange<Deposit> {
  readonly payment: Payment;
}

async function settleTogether(
  deps: SettleDeps,
  em: EntityManager,
  ids: readonly string[],
  view: ChainView,
): Promise<number> {
  const payments = await readRows(em, Payment, 'where id = any($1) order by id for update', [ids]);
  const found = await readRows(em, Deposit, 'where payment_id = any($1) order by id', [ids]);
  const foundOf = Map.groupBy(found, ({ paymentId }) => paymentId);
  const settle = (payment: Payment, before: Deposit) =>
    before.network === view.network ? settleDeposit(payment, before, view) : before;
  const deposits = payments.flatMap((payment) =>
    (foundOf.get(payment.id) ?? []).map((before) => ({ payment, before, after: settle(payment, before) })),
  );
  const refused = await moveMoney(em, deposits, view.clock.now);
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

/** Confirms, credits, gives up and takes back, each once. */
function settleDeposit(payment: Payment, deposit: Deposit, { height }: ChainView): Deposit {
  const reached = (from: number | null | undefined) =>
    from != null && height - from + 1 >= (deposit.requiredConfirmations ?? payment.requiredConfirmations);
  const settled = { ...deposit };
  if (settled.status === 'PENDING' && reached(settled.blockHeight)) settled.status = 'CONFIRMED';
  if (settled.status === 'CONFIRMED' && !settled.credited) {
    settled.credits += 1;
    settled.credited = true;
  }
  // Gone for good: the winning branch has the required confirmations where the transaction was, without it. Waiting to
  // be mined once more does not help it; should it be, it is credited anew.
  if (settled.blockHeight == null && !settled.gone && reached(settled.orphanedHeight)) {
    settled.gone = true;
    settled.credited = false;
  }
  return settled;
}

/**
 * Posts what is credited now and was not, and takes back what was and is not; refunds that were to come of it fail first.
 * Answers the payments of which some did.
 */
async function moveMoney(
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
    const released = await failRequestedRefunds(em, payment, now);
    if (released.length > 0) refused.add(payment.id);
    releases.push(...released);
  }
  await postEntries(em, [...releases, ...deposits.flatMap((deposit) => entriesOf(deposit, now))]);
  const moved = deposits.filter(({ before, after }) => before.credited !== after.credited);
  await changeHoldings(
    em,
    moved.map(({ after: { paymentId, network, currency, amount, credited } }) => ({
      ...{ paymentId, network, currency },
      units: credited ? amount : -amount,
    })),
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

/** What a payment's refunds matter to it: what they take out of it, in base units, and whether some failed just now. */
interface Refunds {
  readonly setAside: bigint;
  readonly haveFailed: boolean;
}

/**
 * Takes every step that is due, and tells each; a change of amounts without a step is told as an update, and so are
 * refunds that failed.
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
  const tell = (type: EventType) => {
    payment.version += 1;
    payment.updatedAt = clock.now;
    const snapshot = snapshotPayment(payment, deposits, { payUrl: deps.payUrl, height });
    const { merchantId, version } = payment;
    events.push(eventRow(deps.environment, { type, merchantId, version, payment: snapshot, at: clock.now }));
  };

  if (haveFailed) tell('payment.updated');
  const next = () => nextState({ ...toFacts(payment), setAside }, own, clock);
  for (let step = next(); step; step = next()) {
    Object.assign(payment, step.changes);
    if (payment.status === 'SUCCEEDED') payment.completedAt ??= clock.now;
    tell(step.event);
  }
  const changed =
    payment.amountReceived !== before.amountReceived || payment.amountConfirmed !== before.amountConfirmed;
  if (changed && events.length === 0) tell('payment.updated');
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

/** The entity as the state machine reads it: absent is null. */
export function toFacts(payment: Payment) {
  return {
    status: payment.status,
    exception: payment.exception ?? null,
    amount: payment.amount,
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
