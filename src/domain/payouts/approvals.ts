// Payouts that wait for an approval: listed, approved, rejected, and rejected when their time runs out
// (contract-people-payouts, section D). The first decision under the payout's lock holds; it is never their
// requester's. A batch is decided whole.

import { LockMode } from '@mikro-orm/core';
import { query, toDate, type EntityManager } from '../../database/connection.ts';
import { findLapsed, findWaiting } from '../../database/queries/control/approvals.ts';
import { isHalted, lockAgainstRecovery, lockForSigning } from '../../database/queries/payouts/obstacles.ts';
import { mayBeOlder } from '../../database/queries/payouts/signing-state.ts';
import type { Payment } from '../../entities/payment.ts';
import { Payout } from '../../entities/payout.ts';
import { formatAmount } from '../../values/amount.ts';
import { assetOf, type Network } from '../../values/assets.ts';
import { GatewayError } from '../../values/errors.ts';
import { isId } from '../../values/id.ts';
import type { MemberPermission } from '../../values/member-permission.ts';
import { nextPayoutState, type PayoutDecision } from '../../values/payouts/state.ts';
import type { PersonActor } from '../actor.ts';
import { inTransaction, type Deps } from '../deps.ts';
import { recordPayouts } from '../events/record-payout.ts';
import { recordActed, type AuditAction, type AuditedChange } from '../merchants/audit-log.ts';
import { endUnpaid } from '../payments/refunds.ts';
import { refuseHeld } from '../people/members.ts';
import { personBehind } from '../people/requester.ts';
import { snapshotPayout, type PayoutSnapshot } from '../snapshots/payout.ts';
import { findActives } from './address-book.ts';
import { factsOf, followRefund, lockPayout } from './lifecycle.ts';
import { mustAwait } from './judge-payouts.ts';

/** A merchant's payouts that wait for an approval, oldest first; of a batch, all that wait. */
export async function listAwaiting({ db }: Pick<Deps, 'db'>, merchantId: string): Promise<PayoutSnapshot[]> {
  const ids = await findWaiting(db.em, merchantId);
  const payouts = await db.em.fork().find(Payout, { id: { $in: ids } }, { orderBy: { createdAt: 'asc', id: 'asc' } });
  return payouts.filter(({ status }) => status === 'AWAITING_APPROVAL').map(snapshotPayout);
}

/**
 * Approves a payout, or the batch that has or is this id, which is judged anew by the policy; nothing is booked, as its
 * money is reserved. Errors: 2004; 4010 for the requester, and the maker of the key that asked; 1004 for others who may
 * not; 1013 for an approver who has to wait; 4008 if it does not wait any more; 1014, 4006, 4007.
 */
export async function approvePayout(deps: Deps, actor: PersonActor, id: string): Promise<void> {
  const { merchantId, personId } = actor;
  const networks = await inTransaction(deps, async (em) => {
    const locked = await lockOwn(em, merchantId, id);
    const now = deps.clock.now();
    if ((await requesterOf(em, locked)) === personId) throw new GatewayError('SECOND_PERSON');
    await requireApprover(em, actor, now);
    await refuseHeld(em, actor, now);
    const next = decide(locked, 'APPROVE', now);
    if (next.status !== 'REQUESTED') throw tooLate();
    await judgeAnew(deps, em, locked, personId, now);
    const { waiting } = locked;
    for (const payout of waiting)
      Object.assign(payout, { status: next.status, decidedBy: personId, approvedAt: now, updatedAt: now });
    await recordPayouts(deps, em, waiting, next.step);
    await em.flush();
    await recordActed(em, { actor }, auditOf('PAYOUT_APPROVED', locked), now);
    return networksOf(waiting);
  });
  deps.signals.events();
  for (const network of networks) deps.signals.payouts(network);
}

/**
 * Rejects a payout, or the batch that has or is this id, and releases what it reserved, for an approver or its
 * requester. Errors: 2004; 1004 for others; 1013 for an approver who has to wait; 4008 if it does not wait any more;
 * 3007 while the book may lack that it was approved and signed.
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
    if ((await requesterOf(em, locked)) !== personId) {
      if (!permissions.has('APPROVE_PAYOUTS'))
        throw new GatewayError('MISSING_PERMISSION', { message: 'Missing permission: APPROVE_PAYOUTS' });
      await requireApprover(em, actor, now);
    }
    decide(locked, 'REJECT', now);
    if (await isInDoubt(em, locked))
      throw new GatewayError('NETWORK_UNAVAILABLE', { message: 'The signer has to look first whether it was paid' });
    await endRejected(deps, em, locked, { reason, by: personId, now });
    await recordActed(em, { actor }, auditOf('PAYOUT_REJECTED', locked, reason), now);
  });
  deps.signals.events();
}

/** How many payouts are looked at at a time. */
const BATCH = 50;

/**
 * Rejects payouts that nobody approved in time, each, or each batch, in a transaction of its own; returns whether there
 * may be more.
 */
export async function rejectLapsed(
  deps: Pick<Deps, 'db' | 'clock' | 'environment' | 'payUrl' | 'signals'>,
): Promise<boolean> {
  const lapsed = await findLapsed(deps.db.em, deps.clock.now(), BATCH);
  let rejected = 0;
  for (const { whole, merchantId } of new Map(lapsed.map((found) => [found.whole, found])).values())
    rejected += await inTransaction(deps, async (em) => {
      const locked = await lockOwn(em, merchantId, whole);
      const now = deps.clock.now();
      const [first] = locked.waiting;
      const next = first ? nextPayoutState(factsOf(first), null, { state: 'NONE' }, now) : null;
      if (next?.status !== 'REJECTED' || (await isInDoubt(em, locked))) return 0;
      await endRejected(deps, em, locked, { reason: 'nobody approved it in time', by: 'system', now });
      return locked.waiting.length;
    });
  if (rejected > 0) deps.signals.events();
  return rejected > 0 && lapsed.length === BATCH;
}

/** What is decided together, locked: one payout with its payment, or the rows of a batch. */
interface Locked {
  /** The id of the payout or batch. */
  readonly whole: string;
  readonly payouts: readonly Payout[];
  /** Those of them that wait. */
  readonly waiting: readonly Payout[];
  readonly payment: Payment | null;
}

const networksOf = (payouts: readonly Payout[]): Network[] =>
  [...new Set(payouts.map(({ network }) => network))].sort();

/**
 * Locks what a payout of a merchant is decided with. Before any row lock, as in the signer: a halt or a recovery then
 * either waits for this or is seen. Errors: 2004.
 */
async function lockOwn(em: EntityManager, merchantId: string, id: string): Promise<Locked> {
  if (!(['wdr', 'rfd', 'bat'] as const).some((prefix) => isId(prefix, id))) throw new GatewayError('NOT_FOUND');
  const fields = ['id', 'batchId', 'network'] as const;
  const found = await em.find(Payout, { $or: [{ id }, { batchId: id }], merchantId }, { fields });
  const [first] = found;
  if (!first) throw new GatewayError('NOT_FOUND');
  const whole = first.batchId ?? first.id;
  const rows = first.batchId == null ? found : await em.find(Payout, { batchId: whole, merchantId }, { fields });
  await lockForSigning(em);
  for (const network of [...new Set(rows.map(({ network }) => network))].sort()) await lockAgainstRecovery(em, network);
  const { payouts, payment } = first.batchId == null ? await lockOne(em, id) : await lockBatch(em, whole);
  return { whole, payouts, waiting: payouts.filter(({ status }) => status === 'AWAITING_APPROVAL'), payment };
}

async function lockOne(em: EntityManager, id: string) {
  const { payout, payment } = await lockPayout(em, id);
  return { payouts: [payout], payment };
}

async function lockBatch(em: EntityManager, batchId: string) {
  const lock = { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { id: 'asc' }, refresh: true } as const;
  return { payouts: await em.find(Payout, { batchId }, lock), payment: null };
}

/** An older copy of the book may have it waiting although it was approved and paid: nothing is released then. */
async function isInDoubt(em: EntityManager, { waiting }: Locked): Promise<boolean> {
  for (const network of networksOf(waiting))
    if ((await isHalted(em, network)) || (await mayBeOlder(em, network))) return true;
  return false;
}

const tooLate = () => new GatewayError('ALREADY_DECIDED', { message: 'Its time to be approved has run out' });

/** What a decision leads to. Errors: 4008 for what does not wait. */
function decide({ payouts, waiting: [first] }: Locked, decision: PayoutDecision, now: Date) {
  const next = first ? nextPayoutState(factsOf(first), decision, { state: 'NONE' }, now) : null;
  if (!next) throw new GatewayError('ALREADY_DECIDED', { message: `The payout is ${payouts[0]?.status ?? 'gone'}` });
  return next;
}

/** The person behind a request, of whom no approval is taken; null if that is unknown. */
const requesterOf = (em: EntityManager, { payouts: [first] }: Locked): Promise<string | null> =>
  personBehind(em, first?.requestedBy ?? null);

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

/** Judges what waits by the policy as it is now; that it needs an approval is no reason to refuse it. */
async function judgeAnew(
  { chains }: Pick<Deps, 'chains'>,
  em: EntityManager,
  { whole, waiting }: Locked,
  personId: string,
  now: Date,
): Promise<void> {
  const merchantId = waiting[0]?.merchantId;
  if (merchantId == null) throw new Error(`${whole} is no payout of a merchant`);
  const recipients = waiting.map(({ network, address }) => {
    const key = chains.get(network)?.adapter.parseAddress(address)?.key;
    if (key === undefined) throw new GatewayError('NETWORK_UNAVAILABLE');
    return { network, key };
  });
  const active = await findActives(em, merchantId, recipients, now);
  const judged = waiting.map((payout, nth) => {
    const kind = payout.kind === 'REFUND' ? 'REFUND' : 'WITHDRAWAL';
    return { kind, asset: assetOf(payout), amount: payout.amount, isInBook: active[nth] !== null } as const;
  });
  await mustAwait(em, { merchantId, except: whole, personId }, judged, now);
}

async function endRejected(
  deps: Pick<Deps, 'environment' | 'payUrl' | 'clock'>,
  em: EntityManager,
  { waiting, payment }: Locked,
  { reason, by, now }: { readonly reason: string; readonly by: string; readonly now: Date },
): Promise<void> {
  for (const payout of waiting) payout.decidedBy = by;
  await endUnpaid(deps, em, waiting, { step: 'rejected', reason, keepsFee: false, now });
  const [payout] = waiting;
  if (payout) await followRefund(deps, em, { payout, payment }, now);
}

function auditOf(action: AuditAction, { whole, waiting }: Locked, reason?: string): AuditedChange {
  const [payout] = waiting;
  const why = reason === undefined ? {} : { reason };
  if (!payout || whole !== payout.id) return { action, target: whole, details: { rows: waiting.length, ...why } };
  const { amount, currency, network, address } = payout;
  const text = formatAmount(amount, assetOf(payout).decimals);
  return { action, target: whole, details: { amount: text, currency, network, address, ...why } };
}
