// Reading a merchant's withdrawals and refunds.

import { listPayouts, type PayoutListFilter } from '../../database/queries/payouts/list-payouts.ts';
import { readAnywhere } from '../../database/read-source.ts';
import { Payment } from '../../entities/payment.ts';
import { Payout } from '../../entities/payout.ts';
import { GatewayError } from '../../values/errors.ts';
import { isId } from '../../values/id.ts';
import type { PayoutStatus } from '../../values/payouts/state.ts';
import type { Deps } from '../deps.ts';
import { snapshotPayout, type PayoutSnapshot } from '../snapshots/payout.ts';

interface Page {
  readonly limit: number;
  /** Only older ones than this id; null from the newest on. */
  readonly before: string | null;
}

interface PayoutPage {
  readonly nodes: PayoutSnapshot[];
  readonly hasMore: boolean;
}

/** What a list may be narrowed by. */
export interface PayoutFilter {
  /** Null and none both mean any. */
  readonly statuses: readonly PayoutStatus[] | null;
}

/** A page of a merchant's withdrawals, or of those of one batch, newest first; empty for an ill-formed batch id. */
export async function findWithdrawals(
  deps: Pick<Deps, 'db'>,
  merchantId: string,
  { statuses, batchId }: PayoutFilter & { readonly batchId: string | null },
  page: Page,
): Promise<PayoutPage> {
  if (batchId !== null && !isId('bat', batchId)) return { nodes: [], hasMore: false };
  return findPayouts(deps, { merchantId, kind: 'WITHDRAWAL', batchId, statuses }, page);
}

/** A page of a merchant's refunds, or of those of one payment, newest first; empty for an ill-formed payment id. */
export async function findRefunds(
  deps: Pick<Deps, 'db'>,
  merchantId: string,
  { paymentId, statuses }: PayoutFilter & { readonly paymentId: string | null },
  page: Page,
): Promise<PayoutPage> {
  if (paymentId !== null && !isId('ord', paymentId)) return { nodes: [], hasMore: false };
  return findPayouts(deps, { merchantId, kind: 'REFUND', paymentId, statuses }, page);
}

const FOUND = { fields: ['id'] } as const;

/** A page of the refunds of one of the merchant's payments, newest first. Errors: 2004. */
export async function findRefundsOf(
  deps: Pick<Deps, 'db'>,
  merchantId: string,
  paymentId: string,
  page: Page,
): Promise<PayoutPage> {
  const isOrder = isId('ord', paymentId);
  const payment = isOrder && (await deps.db.em.fork().findOne(Payment, { id: paymentId, merchantId }, FOUND));
  if (!payment) throw new GatewayError('NOT_FOUND');
  return findPayouts(deps, { merchantId, kind: 'REFUND', paymentId, statuses: null }, page);
}

async function findPayouts(
  { db }: Pick<Deps, 'db'>,
  filter: PayoutListFilter,
  { limit, before }: Page,
): Promise<PayoutPage> {
  const rows = await readAnywhere(db, ({ pool }) => listPayouts(pool, filter, { limit: limit + 1, before }));
  return { nodes: rows.slice(0, limit).map(snapshotPayout), hasMore: rows.length > limit };
}

/** One of a merchant's withdrawals or refunds (contract, section 4). Errors: 2004. */
export async function getPayout(
  deps: Pick<Deps, 'db'>,
  merchantId: string,
  kind: 'WITHDRAWAL' | 'REFUND',
  id: string,
): Promise<PayoutSnapshot> {
  const isOne = isId(kind === 'REFUND' ? 'rfd' : 'wdr', id);
  const row = isOne ? await deps.db.em.fork().findOne(Payout, { id, merchantId, kind }) : null;
  if (!row) throw new GatewayError('NOT_FOUND');
  return snapshotPayout(row);
}
