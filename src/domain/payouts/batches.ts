// Batches of withdrawals: each row is judged as if it were requested alone, after those before it, and all are reserved
// or none (contract-people-payouts, section D).

import type { EntityManager } from '../../database/connection.ts';
import {
  findUsedIds,
  insertBatch,
  listBatches,
  readBatch,
  type CountedBatch,
} from '../../database/queries/payouts/batches.ts';
import { findWallets } from '../../database/queries/payouts/nonces.ts';
import { lockForSigning } from '../../database/queries/payouts/obstacles.ts';
import { readAnywhere } from '../../database/read-source.ts';
import { GatewayError, invalid, type Fault } from '../../values/errors.ts';
import { isId, newId } from '../../values/id.ts';
import { batchStatusOf, type BatchStatus } from '../../values/payouts/batch-status.ts';
import type { Deps } from '../deps.ts';
import type { IdempotentResult, IdempotencyKey } from '../idempotency.ts';
import { runIdempotent } from '../idempotent-request.ts';
import { lockAvailables } from '../ledger/payout-entries.ts';
import { recordActed } from '../merchants/audit-log.ts';
import { refuseFrozen, refuseOutOfService, refuseUnsendable } from '../requested-amount.ts';
import { findActives } from './address-book.ts';
import { attempt, faultsOf, readRows, type BatchRow, type ReadRow } from './batch-rows.ts';
import { judgePayouts, refusalOf } from './judge-payouts.ts';
import { firstState, storePayouts, type NewPayout } from './store.ts';

/** A batch to make. */
export interface BatchRequest {
  readonly label: string | null;
  /** Whether two rows may pay the same amount of an asset to the same address. */
  readonly allowDuplicates: boolean;
  readonly rows: readonly BatchRow[];
}

/** A batch as its merchant sees it. Dates are texts if it was read back from an earlier answer. */
export interface BatchView {
  readonly id: string;
  readonly label: string | null;
  readonly status: BatchStatus;
  readonly rows: number;
  readonly completed: number;
  readonly failed: number;
  readonly createdAt: Date;
}

const toView = ({ awaiting, rejected, open, ...batch }: CountedBatch): BatchView => ({
  ...batch,
  status: batchStatusOf({ awaiting, rejected, open }),
});

/**
 * Requests all payouts of a batch in one transaction; one that has to wait for an approval makes all wait. Errors:
 * 2001, which names each fault by its row and code (besides those of `readRows`: 4002, 4003, 4005, 4006, 4007); of all
 * together 3007, 4009, 1014, 4007, 4001; 2002, 2003.
 */
export async function createBatch(
  deps: Deps,
  merchantId: string,
  { rows: asked, label, allowDuplicates }: BatchRequest,
  once: IdempotencyKey | null,
): Promise<IdempotentResult<BatchView>> {
  const rows = await readRows(deps, merchantId, asked, { allowDuplicates });
  const assets = [...new Set(rows.map(({ asset }) => asset))];
  const answer = await runIdempotent(deps, once, async (em, now) => {
    // Before any row: a freeze either waits for this transaction or is seen by it.
    await lockForSigning(em);
    // All who post to several accounts lock them in one order.
    await lockAvailables(em, merchantId, assets);
    for (const asset of assets) await refuseFrozen(em, merchantId, asset);
    for (const asset of assets) await refuseOutOfService('WITHDRAWAL', em, asset);
    const { addressIds, awaits } = await judgeRows(deps, em, merchantId, rows, now);
    const id = newId('bat', now.getTime());
    await insertBatch(em, merchantId, { id, label, rows: rows.length, createdAt: now });
    const state = firstState(deps, awaits, now);
    await storePayouts(
      deps,
      em,
      rows.map((row, nth) =>
        payoutOf(row, { merchantId, id, nth, once, addressId: addressIds[nth] ?? null, state, now }),
      ),
    );
    await recordActed(em, deps, { action: 'BATCH_REQUESTED', target: id, details: { rows: rows.length, label } }, now);
    const counts = { awaiting: awaits ? rows.length : 0, rejected: 0, open: awaits ? 0 : rows.length };
    return toView({ id, label, rows: rows.length, createdAt: now, ...counts, completed: 0, failed: 0 });
  });
  for (const network of new Set(assets.map(({ network }) => network))) deps.signals.payouts(network);
  deps.signals.events();
  return answer;
}

interface StoredRow {
  readonly merchantId: string;
  readonly id: string;
  readonly nth: number;
  readonly once: IdempotencyKey | null;
  readonly addressId: string | null;
  readonly state: Pick<NewPayout, 'status' | 'awaitsUntil'>;
  readonly now: Date;
}

/**
 * A row as a payout. Under one key a row is the same each time, so key and number tell what a batch pays again that was
 * requested once more after a restore.
 */
function payoutOf(
  { asset, amount, networkFee, opensAccount, address, merchantWithdrawalId }: ReadRow,
  { merchantId, id, nth, once, addressId, state, now }: StoredRow,
): NewPayout {
  return {
    ...{ id: newId('wdr', now.getTime()), kind: 'WITHDRAWAL', merchantId, paymentId: null, asset, amount },
    ...{ networkFee, opensAccount, address, addressId, merchantWithdrawalId, ...state, now },
    ...{ early: false, beforeSettlement: false },
    once: once && { operation: `${once.operation}/${String(nth)}`, key: once.key },
    origin: { batchId: id, reference: `batch/${id}/${String(nth)}` },
  };
}

/**
 * Judges the rows by what is locked: returns the active entries of the book that they go to, and whether one has to
 * wait. Errors: 2001 with the faults of all rows; 1014; 4007 for what they come to together.
 */
async function judgeRows(
  { actor }: Pick<Deps, 'actor'>,
  em: EntityManager,
  merchantId: string,
  rows: readonly ReadRow[],
  now: Date,
): Promise<{ readonly addressIds: (string | null)[]; readonly awaits: boolean }> {
  const faults: Fault[] = [];
  const note = (nth: number, error: GatewayError) =>
    void faults.push(...faultsOf(nth, { addressId: rows[nth]?.named ?? null }, error));
  const keys = rows.map(({ key }) => key);
  const wallets = await findWallets(em, keys);
  const ids = rows.flatMap(({ merchantWithdrawalId }) => merchantWithdrawalId ?? []);
  const used = await findUsedIds(em, merchantId, ids);
  for (const [nth, { key, chain, asset, address, amount: units, merchantWithdrawalId }] of rows.entries()) {
    if (wallets.has(key)) note(nth, new GatewayError('BAD_ADDRESS'));
    if (merchantWithdrawalId !== null && used.has(merchantWithdrawalId))
      note(nth, new GatewayError('DUPLICATE_WITHDRAWAL'));
    const sendable = attempt(() => refuseUnsendable('WITHDRAWAL', chain.adapter, asset, { address, units }));
    if (sendable instanceof GatewayError) note(nth, sendable);
  }
  const recipients = rows.map(({ asset, key, named }) => ({ network: asset.network, key, named }));
  const active = await findActives(em, merchantId, recipients, now);
  const addressIds = active.map((found, nth) => {
    if (found instanceof GatewayError) note(nth, found);
    return found instanceof GatewayError ? null : found;
  });
  const judged = rows.map(({ asset, amount }, nth) => ({
    ...({ kind: 'WITHDRAWAL', asset, amount, isInBook: addressIds[nth] !== null } as const),
  }));
  const person = { merchantId, except: null, personId: actor?.personId ?? null };
  const verdicts = await judgePayouts(em, person, judged, now);
  for (const [nth, { asset }] of rows.entries()) {
    const verdict = verdicts[nth] ?? { kind: 'ALLOW' };
    const refusal = refusalOf(asset, verdict);
    // A row alone may have room in a day that all together have not.
    if (refusal && verdict.kind === 'OVER_LIMIT' && verdict.limit === 'perDay' && faults.length === 0) throw refusal;
    if (refusal && !(active[nth] instanceof GatewayError)) note(nth, refusal);
  }
  if (faults.length > 0) throw invalid(faults);
  return { addressIds, awaits: verdicts.some(({ kind }) => kind === 'AWAIT') };
}

/** One of a merchant's batches. Errors: 2004. */
export async function getBatch({ db }: Pick<Deps, 'db'>, merchantId: string, id: string): Promise<BatchView> {
  const batch = isId('bat', id) ? await readBatch(db.em, merchantId, id) : null;
  if (!batch) throw new GatewayError('NOT_FOUND');
  return toView(batch);
}

/** A page of a merchant's batches, newest first. */
export async function findBatches(
  { db }: Pick<Deps, 'db'>,
  merchantId: string,
  { limit, before }: { readonly limit: number; readonly before: string | null },
): Promise<{ readonly nodes: BatchView[]; readonly hasMore: boolean }> {
  const batches = await readAnywhere(db, ({ em }) => listBatches(em, merchantId, { limit: limit + 1, before }));
  return { nodes: batches.slice(0, limit).map(toView), hasMore: batches.length > limit };
}
