// Stores a request for a payout once and reserves its money, all in one transaction.

import { UniqueConstraintViolationException } from '@mikro-orm/core';
import type { EntityManager } from '../../database/connection.ts';
import { lockForSigning } from '../../database/queries/payouts/obstacles.ts';
import { Payout } from '../../entities/payout.ts';
import type { Asset } from '../../values/assets.ts';
import { traceparent } from '../../tracing.ts';
import { GatewayError } from '../../values/errors.ts';
import { inTransaction, type Deps } from '../deps.ts';
import { recordPayout } from '../events/record-payout.ts';
import { storeAnswer, takeKey, whileInFlight, type IdempotencyKey, type IdempotentResult } from '../idempotency.ts';
import { reservePayout } from '../ledger/payout-entries.ts';
import { recordActed, type AuditedChange } from '../merchants/audit-log.ts';
import { keptPayout, snapshotPayout, type PayoutSnapshot } from '../snapshots/payout.ts';

/**
 * Runs a request once for its idempotency key, in one transaction with its audit entry, then wakes the signer. A repeat
 * answers as the first time (contract, section 2). Errors: 2002, 2003, and those of `work`.
 */
export async function requestOnce(
  deps: Deps,
  once: IdempotencyKey | null,
  work: (em: EntityManager, now: Date) => Promise<PayoutSnapshot>,
): Promise<IdempotentResult<PayoutSnapshot>> {
  const answer = await whileInFlight(once, () =>
    inTransaction(deps, async (em) => {
      const earlier = once && (await takeKey<PayoutSnapshot>(em, once));
      if (earlier) return { result: keptPayout(earlier), replayed: true };
      // Before any row: a freeze either waits for this transaction or is seen by it.
      await lockForSigning(em);
      const now = deps.clock.now();
      const result = await work(em, now);
      await recordActed(em, deps, auditOf(result), now);
      // Another process has answered the same key meanwhile: roll back.
      if (once && !(await storeAnswer(em, once, result, now))) throw new GatewayError('IDEMPOTENCY_IN_FLIGHT');
      return { result, replayed: false };
    }),
  );
  deps.signals.payouts(answer.result.network);
  deps.signals.events();
  return answer;
}

function auditOf({ id, paymentId, amount, currency, network, address }: PayoutSnapshot): AuditedChange {
  const action = paymentId === null ? 'WITHDRAWAL_REQUESTED' : 'REFUND_REQUESTED';
  return { action, target: id, details: { amount, currency, network, address } };
}

/** A payout to store; amounts in base units of the asset. */
export interface NewPayout {
  readonly id: string;
  readonly kind: 'WITHDRAWAL' | 'REFUND';
  readonly merchantId: string;
  readonly paymentId: string | null;
  readonly asset: Asset;
  readonly amount: bigint;
  readonly networkFee: bigint;
  readonly opensAccount: boolean;
  readonly address: string;
  readonly addressId: string | null;
  readonly status: 'REQUESTED' | 'AWAITING_APPROVAL';
  /** Null unless it waits for an approval. */
  readonly awaitsUntil: Date | null;
  readonly merchantWithdrawalId: string | null;
  readonly early: boolean;
  readonly beforeSettlement: boolean;
  readonly now: Date;
}

/**
 * Stores a payout, reserves its money and records the request. Errors: 4005 (the merchant used the id before), 4001
 * (not enough).
 */
export async function storePayout(
  deps: Pick<Deps, 'actor' | 'environment'>,
  em: EntityManager,
  once: IdempotencyKey | null,
  { asset, now, ...fields }: NewPayout,
): Promise<PayoutSnapshot> {
  const payout = em.create(Payout, {
    ...fields,
    currency: asset.currency,
    network: asset.network,
    version: 0,
    requestedBy: deps.actor?.keyId ?? deps.actor?.personId ?? null,
    decidedBy: null,
    approvedAt: null,
    failure: null,
    heldReason: null,
    heldSince: null,
    lookAt: null,
    txHash: null,
    onceOperation: once?.operation ?? null,
    onceKey: once?.key ?? null,
    trace: traceparent(),
    createdAt: now,
    updatedAt: now,
    completedAt: null,
  });
  try {
    await em.persist(payout).flush();
  } catch (error) {
    if (error instanceof UniqueConstraintViolationException)
      throw new GatewayError('DUPLICATE_WITHDRAWAL', { cause: error });
    throw error;
  }
  await reservePayout(em, { ...fields, currency: asset.currency, network: asset.network }, now);
  await recordPayout(deps, em, payout, 'requested');
  await em.flush();
  return snapshotPayout(payout);
}
