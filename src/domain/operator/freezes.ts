// The operator freezes and unfreezes payouts: all of them, or those of a payout, a merchant, a network or a currency.

import { query, type EntityManager } from '../../database/connection.ts';
import {
  insertFreeze,
  liftFreeze,
  markFrozen,
  readFreezes,
  type FreezeScope,
  type PayoutFreeze,
} from '../../database/queries/payouts/freezes.ts';
import { lockForFreezing } from '../../database/queries/payouts/obstacles.ts';
import { Merchant } from '../../entities/merchant.ts';
import { Payout } from '../../entities/payout.ts';
import { isSupported, parseNetwork } from '../../values/assets.ts';
import { GatewayError } from '../../values/errors.ts';
import { newId } from '../../values/id.ts';
import { inTransaction } from '../deps.ts';
import type { IdempotencyKey } from '../idempotency.ts';
import { runIdempotent } from '../idempotent-request.ts';
import { reasonOf, recordForMerchant, recordLook, recordOperation, type Operator } from './log.ts';

export type { PayoutFreeze } from '../../database/queries/payouts/freezes.ts';

/** What to freeze: payouts that match everything named. Nothing named freezes everything. */
export interface FreezeRequest extends Partial<FreezeScope> {
  readonly reason: string;
}

/**
 * Freezes payouts, after waiting for signing in progress. Once this resolves, nothing in scope is signed, new payouts
 * in scope are refused with 4009, and requested ones are held as FROZEN. Payouts already signed continue. Returns the
 * freeze and how many payouts it holds. Errors: 2001, 2002, 2003, 2004 (no such payout or merchant), 3001, 4008 (the
 * payout has ended).
 */
export async function freezePayouts(
  operator: Operator,
  request: FreezeRequest,
  idempotencyKey: IdempotencyKey | null = null,
): Promise<PayoutFreeze & { readonly waiting: number; readonly replayed: boolean }> {
  const { deps, name } = operator;
  const reason = reasonOf(request.reason);
  const { result: freeze, replayed } = await runIdempotent<PayoutFreeze>(
    deps,
    idempotencyKey,
    async (em, createdAt) => {
      await lockForFreezing(em);
      const { scope, touches } = await readScope(em, request);
      const id = newId('frz', createdAt.getTime());
      const made = { id, ...scope, reason, createdBy: name, createdAt };
      await insertFreeze(em, made);
      const change = { action: 'PAYOUTS_FROZEN', target: id, details: { ...scope, reason } } as const;
      await recordOperation(em, operator, change);
      await recordForMerchant(em, operator, touches, change);
      return made;
    },
  );
  // In a second transaction, so that signing never waits for these row locks. The freeze is in force even if this
  // fails.
  const { frozen } = await inTransaction(deps, (em) => markFrozen(em, deps.clock.now()));
  return { ...freeze, createdAt: new Date(freeze.createdAt), waiting: frozen, replayed };
}

/**
 * Lifts a freeze; payouts that only it held continue at once. Returns how many do. Errors: 2004, 4008 for that of a
 * merchant who is suspended.
 */
export async function unfreezePayouts(operator: Operator, id: string): Promise<{ readonly released: number }> {
  const { deps, name } = operator;
  await inTransaction(deps, async (em) => {
    await lockForFreezing(em);
    await refuseSuspension(em, id);
    const freeze = await liftFreeze(em, id, name, deps.clock.now());
    if (!freeze) throw new GatewayError('NOT_FOUND', { message: `There is no freeze ${id} in force` });
    const payout = freeze.payoutId === null ? null : await em.findOne(Payout, { id: freeze.payoutId });
    await recordOperation(em, operator, { action: 'PAYOUTS_UNFROZEN', target: id });
    const merchantId = freeze.merchantId ?? payout?.merchantId ?? null;
    await recordForMerchant(em, operator, merchantId, { action: 'PAYOUTS_UNFROZEN', target: id });
  });
  const { released } = await inTransaction(deps, (em) => markFrozen(em, deps.clock.now()));
  return { released };
}

/** The freezes in force, oldest first. */
export async function listFreezes(operator: Operator): Promise<PayoutFreeze[]> {
  return inTransaction(operator.deps, async (em) => {
    await recordLook(em, operator, { action: 'FREEZES_READ' });
    return readFreezes(em);
  });
}

/** What holds the payouts of a suspended merchant goes with the suspension, and not before. */
async function refuseSuspension(em: EntityManager, freezeId: string): Promise<void> {
  const [merchant] = await query<{ id: string }>(em, 'select id from merchant where suspend_freeze = $1', [freezeId]);
  if (merchant)
    throw new GatewayError('ALREADY_DECIDED', { message: `The merchant ${merchant.id} is suspended: restore them` });
}

/** Checks a freeze's scope, and finds the merchant it affects: the one named, or the payout's. */
async function readScope(
  em: EntityManager,
  request: FreezeRequest,
): Promise<{ scope: FreezeScope; touches: string | null }> {
  const { payoutId = null, merchantId = null } = request;
  const payout = payoutId === null ? null : await em.findOne(Payout, { id: payoutId });
  if (payoutId !== null && !payout) throw new GatewayError('NOT_FOUND', { message: `There is no payout ${payoutId}` });
  if (payout && payout.status !== 'REQUESTED' && payout.status !== 'BROADCAST')
    throw new GatewayError('ALREADY_DECIDED', { message: `The payout ${payout.id} is ${payout.status}` });
  if (merchantId !== null && (await em.count(Merchant, { id: merchantId })) === 0)
    throw new GatewayError('NOT_FOUND', { message: `There is no merchant ${merchantId}` });
  const network = request.network == null ? null : parseNetwork(request.network);
  if (request.network != null && network === null) throw new GatewayError('UNSUPPORTED_ASSET');
  const currency = request.currency?.toUpperCase() ?? null;
  if (currency !== null && !isSupported(currency, network)) throw new GatewayError('UNSUPPORTED_ASSET');
  return { scope: { payoutId, merchantId, network, currency }, touches: merchantId ?? payout?.merchantId ?? null };
}
