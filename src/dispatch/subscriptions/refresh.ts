// Reads the current state of what is followed, and reads it again when a chain has moved, to show new confirmations.

import { readChainHeights } from '../../database/queries/events/read-event-log.ts';
import { readInvoice } from '../../database/queries/invoices/read-invoices.ts';
import { readPayment } from '../../database/queries/payments/read-payments.ts';
import type { Deps } from '../../domain/deps.ts';
import { snapshotInvoice, type InvoiceSnapshot } from '../../domain/snapshots/invoice.ts';
import { snapshotPayment, type PaymentSnapshot } from '../../domain/snapshots/payment.ts';
import type { Followers } from './followers.ts';

export type StateDeps = Pick<Deps, 'db' | 'payUrl'>;

/** What is followed at a version. */
export interface State<Snapshot> {
  readonly version: number;
  readonly snapshot: Snapshot;
}

export type ReadState<Snapshot> = () => Promise<State<Snapshot> | null>;

const REFRESHED_AT_ONCE = 8;
const MOST_REFRESHED = 200;

/** A payment; null if there is none, or if it belongs to a merchant other than `merchantId` (null for any). */
export async function readPaymentState(
  { db, payUrl }: StateDeps,
  id: string,
  merchantId: string | null,
): Promise<State<PaymentSnapshot> | null> {
  const read = await readPayment(db.em, id, merchantId);
  if (!read) return null;
  const { payment, deposits, height } = read;
  return { version: payment.version, snapshot: snapshotPayment(payment, deposits, { payUrl, height }) };
}

/** The same of an invoice. */
export async function readInvoiceState(
  { db, payUrl }: StateDeps,
  id: string,
  merchantId: string | null,
): Promise<State<InvoiceSnapshot> | null> {
  const read = await readInvoice(db.em, id, merchantId);
  if (!read) return null;
  const { invoice, payments } = read;
  return { version: invoice.version, snapshot: snapshotInvoice(invoice, payments, { payUrl }) };
}

interface Followed {
  readonly payments: Followers<PaymentSnapshot>;
  readonly invoices: Followers<InvoiceSnapshot>;
}

/**
 * Makes the function that reads again what waits for confirmations on a chain that has moved. It returns whether there
 * is more to do.
 */
export function createRefresh(deps: StateDeps, { payments, invoices }: Followed) {
  let heights: ReadonlyMap<string, number> = new Map();
  const refreshPayments = createRefreshOf(payments, (id) => readPaymentState(deps, id, null));
  const refreshInvoices = createRefreshOf(invoices, (id) => readInvoiceState(deps, id, null));

  return async (): Promise<boolean> => {
    if (!payments.anyAwaiting() && !invoices.anyAwaiting()) return false;
    const before = heights;
    const now = await readChainHeights(deps.db.pool);
    const moved = [...now.keys()].filter((network) => before.get(network) !== now.get(network));
    for (const network of moved) for (const followers of [payments, invoices]) followers.markNetworkStale(network);
    heights = now;
    const more = [await refreshPayments(), await refreshInvoices()];
    return more.includes(true);
  };
}

/** Makes the function that reads again what is stale, up to a bound; it returns whether there may be more. */
function createRefreshOf<Snapshot>(
  followers: Followers<Snapshot>,
  readState: (id: string) => Promise<State<Snapshot> | null>,
) {
  async function refreshOne(id: string): Promise<void> {
    const show = followers.beginRefresh(id);
    try {
      const state = await readState(id);
      if (state) show(state.version, state.snapshot);
    } catch (error) {
      followers.markStale(id);
      throw error;
    }
  }

  return async (): Promise<boolean> => {
    const stale = followers.stale().slice(0, MOST_REFRESHED);
    for (let i = 0; i < stale.length; i += REFRESHED_AT_ONCE)
      await Promise.all(stale.slice(i, i + REFRESHED_AT_ONCE).map(refreshOne));
    return stale.length === MOST_REFRESHED;
  };
}
