// Stores requests for payouts once and reserves their money, all in one transaction.

import { UniqueConstraintViolationException } from '@mikro-orm/core';
import type { EntityManager } from '../../database/connection.ts';
import { lockForSigning } from '../../database/queries/payouts/obstacles.ts';
import { Payout } from '../../entities/payout.ts';
import type { Asset } from '../../values/assets.ts';
import { traceparent } from '../../tracing.ts';
import { GatewayError } from '../../values/errors.ts';
import { inTransaction, type Deps } from '../deps.ts';
import { recordRequests } from '../events/record-payout.ts';
import { storeAnswer, takeKey, whileInFlight, type IdempotencyKey, type IdempotentResult } from '../idempotency.ts';
import { figuresOf, reservePayouts } from '../ledger/payout-entries.ts';
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
  /** The idempotency key that it was requested under, of one payout alone; null for none. */
  readonly once: Pick<IdempotencyKey, 'operation' | 'key'> | null;
  /** What else asked for it than a single call. */
  readonly origin?: PayoutOrigin;
}

/** Three days. */
const APPROVAL_MS = 72 * 3_600_000;

/** The state that a payout begins with, and until when it may be approved. */
export function firstState(
  { approvalMs = APPROVAL_MS }: Pick<Deps, 'approvalMs'>,
  awaits: boolean,
  now: Date,
): Pick<NewPayout, 'status' | 'awaitsUntil'> {
  if (!awaits) return { status: 'REQUESTED', awaitsUntil: null };
  return { status: 'AWAITING_APPROVAL', awaitsUntil: new Date(now.getTime() + approvalMs) };
}

/** What asks for payouts, each of them once. */
export interface PayoutOrigin {
  readonly batchId: string | null;
  /** Unique for the merchant. */
  readonly reference: string;
  /** The rule of settlement that asks, where nobody else does. */
  readonly requestedBy?: string;
}

/**
 * Stores payouts of a merchant, reserves their money and records the requests, all of them or none. Errors: 4005 (the
 * merchant used an id before), 4001 (not enough).
 */
export async function storePayouts(
  deps: Pick<Deps, 'actor' | 'environment' | 'rates'>,
  em: EntityManager,
  requested: readonly NewPayout[],
): Promise<PayoutSnapshot[]> {
  const payouts = requested.map((payout) => newPayout(deps, em, payout));
  try {
    await em.persist(payouts).flush();
  } catch (error) {
    if (error instanceof UniqueConstraintViolationException)
      throw new GatewayError('DUPLICATE_WITHDRAWAL', { cause: error });
    throw error;
  }
  const [first] = payouts;
  if (first) await reservePayouts(deps, em, payouts.map(figuresOf), first.createdAt);
  await recordRequests(deps, em, payouts);
  return payouts.map(snapshotPayout);
}

/** The same of one. */
export async function storePayout(
  deps: Pick<Deps, 'actor' | 'environment' | 'rates'>,
  em: EntityManager,
  requested: NewPayout,
): Promise<PayoutSnapshot> {
  const [stored] = await storePayouts(deps, em, [requested]);
  if (!stored) throw new Error('Nothing was stored');
  return stored;
}

function newPayout(
  { actor }: Pick<Deps, 'actor'>,
  em: EntityManager,
  { asset, now, once, origin, ...fields }: NewPayout,
): Payout {
  return em.create(Payout, {
    ...fields,
    currency: asset.currency,
    network: asset.network,
    version: 1,
    batchId: origin?.batchId ?? null,
    reference: origin?.reference ?? null,
    requestedBy: origin?.requestedBy ?? actor?.keyId ?? actor?.personId ?? null,
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
}
