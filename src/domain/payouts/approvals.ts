// Payouts that wait for an approval: listed, approved, rejected, and rejected when their time runs out
// (contract-people-payouts, section D). The first decision under the payout's lock holds; it is never their
// requester's.

import { query, toDate, type EntityManager } from '../../database/connection.ts';
import { findLapsed, findWaiting } from '../../database/queries/control/approvals.ts';
import { isHalted, lockAgainstRecovery, lockForSigning } from '../../database/queries/payouts/obstacles.ts';
import { mayBeOlder } from '../../database/queries/payouts/signing-state.ts';
import { Payout } from '../../entities/payout.ts';
import { formatAmount } from '../../values/amount.ts';
import { assetOf, type Network } from '../../values/assets.ts';
import { GatewayError } from '../../values/errors.ts';
import type { MemberPermission } from '../../values/member-permission.ts';
import { nextPayoutState, type PayoutDecision } from '../../values/payouts/state.ts';
import { inTransaction, type Deps } from '../deps.ts';
import { recordPayout } from '../events/record-payout.ts';
import { recordActed, type AuditAction } from '../merchants/audit-log.ts';
import { endUnpaid } from '../payments/refunds.ts';
import { refuseHeld } from '../people/members.ts';
import type { PersonActor } from '../people/sessions.ts';
import { snapshotPayout, type PayoutSnapshot } from '../snapshots/payout.ts';
import { findActive } from './address-book.ts';
import { factsOf, followRefund, lockPayout } from './lifecycle.ts';
import { judgePayout } from './policy.ts';

/** A merchant's payouts that wait for an approval, oldest first. */
export async function listAwaiting({ db }: Pick<Deps, 'db'>, merchantId: string): Promise<PayoutSnapshot[]> {
  const ids = await findWaiting(db.em, merchantId);
  const payouts = await db.em.fork().find(Payout, { id: { $in: ids } }, { orderBy: { createdAt: 'asc', id: 'asc' } });
  return payouts.filter(({ status }) => status === 'AWAITING_APPROVAL').map(snapshotPayout);
}

/**
 * Approves a payout, which is judged anew by the policy; nothing is booked, as its money is reserved. Errors: 2004;
 * 4010 for the requester, and the maker of the key that asked; 1004 for others who may not; 1013 for an approver who
 * has to wait; 4008 if it does not wait any more; 1014, 4006, 4007.
 */
export async function approvePayout(deps: Deps, actor: PersonActor, id: string): Promise<void> {
  const { merchantId, personId } = actor;
  const network = await inTransaction(deps, async (em) => {
    const { payout } = await lockOwn(em, merchantId, id);
    const now = deps.clock.now();
    if ((await requesterOf(em, payout)) === personId) throw new GatewayError('SECOND_PERSON');
    await requireApprover(em, actor, now);
    await refuseHeld(em, actor, now);
    const next = decide(payout, 'APPROVE', now);
    if (next.status !== 'REQUESTED') throw tooLate();
    await judgeAnew(deps, em, payout, personId, now);
    Object.assign(payout, { status: next.status, decidedBy: personId, approvedAt: now, updatedAt: now });
    await recordPayout(deps, em, payout, next.step);
    await em.flush();
    await recordActed(em, { actor }, auditOf('PAYOUT_APPROVED', payout), now);
    return payout.network;
  });
  deps.signals.events();
  deps.signals.payouts(network);
}

/**
 * Rejects a payout and releases what it reserved, for an approver or its requester. Errors: 2004; 1004 for others;
 * 1013 for an approver who has to wait; 4008 if it does not wait any more; 3007 while the book may lack that it was
 * approved and signed.
 */
export async function rejectPayout(
  deps: Deps,
  actor: PersonActor,
  permissions: ReadonlySet<MemberPermission>,
  { id, reason }: { readonly id: string; readonly reason: string },
): Promise<void> {
  const { merchantId, personId } = actor;
  await inTransaction(deps, async (em) => {
    const locked = await lockOwn(em, merchantId, id);
    const now = deps.clock.now();
    if ((await requesterOf(em, locked.payout)) !== personId) {
      if (!permissions.has('APPROVE_PAYOUTS'))
        throw new GatewayError('MISSING_PERMISSION', { message: 'Missing permission: APPROVE_PAYOUTS' });
      await requireApprover(em, actor, now);
    }
    decide(locked.payout, 'REJECT', now);
    if (await isInDoubt(em, locked.payout.network))
      throw new GatewayError('NETWORK_UNAVAILABLE', { message: 'The signer has to look first whether it was paid' });
    await endRejected(deps, em, locked, { reason, by: personId, now });
    await recordActed(em, { actor }, auditOf('PAYOUT_REJECTED', locked.payout, reason), now);
  });
  deps.signals.events();
}

/** How many payouts are looked at at a time. */
const BATCH = 50;

/**
 * Rejects payouts that nobody approved in time, each in a transaction of its own; returns whether there may be more.
 * Several processes may run it.
 */
export async function rejectLapsed(
  deps: Pick<Deps, 'db' | 'clock' | 'environment' | 'payUrl' | 'signals'>,
): Promise<boolean> {
  const lapsed = await findLapsed(deps.db.em, deps.clock.now(), BATCH);
  let rejected = 0;
  for (const id of lapsed)
    rejected += await inTransaction(deps, async (em) => {
      const now = deps.clock.now();
      const locked = await lockForDecision(em, id);
      const { payout } = locked;
      const next = nextPayoutState(factsOf(payout), null, { state: 'NONE' }, now);
      if (next?.status !== 'REJECTED' || (await isInDoubt(em, payout.network))) return 0;
      await endRejected(deps, em, locked, { reason: 'nobody approved it in time', by: 'system', now });
      return 1;
    });
  if (rejected > 0) deps.signals.events();
  return rejected === BATCH;
}

type Locked = Awaited<ReturnType<typeof lockPayout>>;

/** Locks a payout of a merchant. Errors: 2004. */
async function lockOwn(em: EntityManager, merchantId: string, id: string): Promise<Locked> {
  if ((await em.count(Payout, { id, merchantId })) === 0) throw new GatewayError('NOT_FOUND');
  return lockForDecision(em, id);
}

/** Before any row lock, as in the signer: a halt or a recovery then either waits for this or is seen. */
async function lockForDecision(em: EntityManager, id: string): Promise<Locked> {
  const { network } = await em.findOneOrFail(Payout, { id }, { fields: ['network'] });
  await lockForSigning(em);
  await lockAgainstRecovery(em, network);
  return lockPayout(em, id);
}

/** An older copy of the book may have it waiting although it was approved and paid: nothing is released then. */
const isInDoubt = async (em: EntityManager, network: Network): Promise<boolean> =>
  (await isHalted(em, network)) || (await mayBeOlder(em, network));

const tooLate = () => new GatewayError('ALREADY_DECIDED', { message: 'Its time to be approved has run out' });

/** What a decision leads to. Errors: 4008 for a payout that does not wait. */
function decide(payout: Payout, decision: PayoutDecision, now: Date) {
  const isWaiting = payout.status === 'AWAITING_APPROVAL';
  const next = isWaiting ? nextPayoutState(factsOf(payout), decision, { state: 'NONE' }, now) : null;
  if (!next) throw new GatewayError('ALREADY_DECIDED', { message: `The payout is ${payout.status}` });
  return next;
}

/** The person behind a request: those who asked for it, or who made the key that did; null if that is unknown. */
async function requesterOf(em: EntityManager, { requestedBy }: Payout): Promise<string | null> {
  if (requestedBy?.startsWith('usr_') === true) return requestedBy;
  const [key] = await query<{ by: string | null }>(em, 'select created_by as by from api_key where key_id = $1', [
    requestedBy,
  ]);
  return key?.by ?? null;
}

/** Throws 1013 for somebody who may not approve payouts yet, and 1004 for somebody who may not at all. */
async function requireApprover(em: EntityManager, { merchantId, personId }: PersonActor, now: Date): Promise<void> {
  const [member] = await query<{ from: string | null }>(
    em,
    'select approves_from as "from" from membership where merchant_id = $1 and person_id = $2 for share',
    [merchantId, personId],
  );
  const from = toDate(member?.from ?? null);
  if (from === null) throw new GatewayError('MISSING_PERMISSION', { message: 'Missing permission: APPROVE_PAYOUTS' });
  if (from > now) throw new GatewayError('HELD', { message: `You have to wait until ${from.toISOString()}` });
}

/** Judges a waiting payout by the policy as it is now; that it needs an approval is no reason to refuse one. */
async function judgeAnew(deps: Deps, em: EntityManager, payout: Payout, personId: string, now: Date): Promise<void> {
  const { id, kind, amount, network, merchantId } = payout;
  if (kind === 'FEES' || merchantId == null) throw new Error(`${id} is no payout of a merchant`);
  const key = deps.chains.get(network)?.adapter.parseAddress(payout.address)?.key;
  if (key === undefined) throw new GatewayError('NETWORK_UNAVAILABLE');
  const addressId = kind === 'REFUND' ? null : await findActive(em, merchantId, { network, key }, { now });
  const isInBook = addressId !== null;
  await judgePayout(em, { id, kind, merchantId, asset: assetOf(payout), amount, isInBook, personId }, now);
}

async function endRejected(
  deps: Pick<Deps, 'environment' | 'payUrl' | 'clock'>,
  em: EntityManager,
  locked: Locked,
  { reason, by, now }: { readonly reason: string; readonly by: string; readonly now: Date },
): Promise<void> {
  locked.payout.decidedBy = by;
  await endUnpaid(deps, em, locked.payout, { step: 'rejected', reason, keepsFee: false, now });
  await followRefund(deps, em, locked, now);
}

function auditOf(action: AuditAction, { id, amount, currency, network, address }: Payout, reason?: string) {
  const details = { amount: formatAmount(amount, assetOf({ currency, network }).decimals), currency, network, address };
  return { action, target: id, details: reason === undefined ? details : { ...details, reason } };
}
