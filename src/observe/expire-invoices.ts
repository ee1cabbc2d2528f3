// Ends the invoices whose time has run out: those without payments, and those whose payments have ended before; and
// rejects the payouts that nobody approved in time.

import { findOverdue, FIRST_PLACE } from '../database/queries/invoices/find-invoices.ts';
import { inTransaction, type Deps } from '../domain/deps.ts';
import { settleInvoices } from '../domain/payments/settle-invoices.ts';
import { rejectLapsed } from '../domain/payouts/approvals.ts';
import type { Worker } from '../loop.ts';

/** Invoices looked at by one statement, and settled in one transaction. */
const BATCH = 200;

type ExpiryDeps = Pick<Deps, 'db' | 'clock' | 'environment' | 'payUrl' | 'signals'>;

/**
 * Creates the worker. It goes through the open invoices that are past their deadline, a batch at a time: those that
 * wait for their payments are passed over, so that they keep none behind them waiting. Several processes may run it.
 */
export function createInvoiceExpiry(deps: ExpiryDeps): Worker {
  let place = FIRST_PLACE;
  return {
    name: 'expire-invoices',
    async processNext() {
      const now = deps.clock.now();
      const overdue = await findOverdue(deps.db.em, now, place, BATCH);
      const due = overdue.filter(({ isDue }) => isDue).map(({ id }) => id);
      if (due.length > 0 && (await inTransaction(deps, (em) => settleInvoices(deps, em, due, now))) > 0)
        deps.signals.events();
      const last = overdue.length === BATCH ? overdue.at(-1) : undefined;
      place = last ?? FIRST_PLACE;
      const hasMoreLapsed = await rejectLapsed(deps);
      return last !== undefined || hasMoreLapsed;
    },
  };
}
