// A merchant's payout policy, read and changed (contract-people-payouts, section D). What is tighter holds at once,
// what is looser waits for the hold.

import type { EntityManager } from '../../database/connection.ts';
import {
  countApprovers,
  lockPolicyRow,
  readPolicyRow,
  storePolicyRow,
  type PolicyRow,
} from '../../database/queries/control/policy.ts';
import { GatewayError } from '../../values/errors.ts';
import type { PayoutRules, PayoutUse } from '../../values/payouts/policy.ts';
import { changePolicy, inForce, waitingAt, type RulesChange } from '../../values/payouts/policy-change.ts';
import type { PersonActor } from '../actor.ts';
import { inTransaction, type Deps } from '../deps.ts';
import { nameOfActor, tellMembers, toldTime } from '../mail/notices.ts';
import { recordAudit } from '../merchants/audit-log.ts';
import { refuseHeld } from '../people/members.ts';
import { requireFactor } from './judge-payouts.ts';
import { NO_POLICY, toRow, toState, useOf } from './policy-rows.ts';

/** A policy as its merchant sees it at a time. Amounts in base units. */
export interface PolicyView {
  /** Counts its changes; 0 if there never was one. */
  readonly version: number;
  readonly inForce: PayoutRules;
  readonly pending: PayoutRules | null;
  readonly pendingFrom: Date | null;
  /** What is used of the assets with limits of a day, in their order in `inForce.limits`; null for others. */
  readonly uses: readonly (PayoutUse | null)[];
}

/** Reads a merchant's policy, and what is used of its limits. */
export function readPolicy(deps: Pick<Deps, 'db' | 'clock'>, merchantId: string): Promise<PolicyView> {
  return inTransaction(deps, async (em) =>
    viewOf(em, merchantId, (await readPolicyRow(em, merchantId)) ?? NO_POLICY, deps.clock.now()),
  );
}

async function viewOf(em: EntityManager, merchantId: string, row: PolicyRow, now: Date): Promise<PolicyView> {
  const state = toState(row);
  const rules = inForce(state, now);
  const waiting = waitingAt(state, now);
  const uses: (PayoutUse | null)[] = [];
  for (const limits of rules.limits)
    uses.push(limits.perDay === null ? null : await useOf(em, merchantId, limits, { now, except: null }));
  const pending = { pending: waiting?.rules ?? null, pendingFrom: waiting?.from ?? null };
  return { version: row.version, inForce: rules, ...pending, uses };
}

/**
 * Changes the policy. `version` is that of the policy that the change was made from. Errors: 4008 if it has changed
 * since; 4010 for rules that need approvals where fewer than two members may approve; 1014 for somebody without the
 * second factor that the rules ask for; 1013 for loosening it in the hold.
 */
export function updatePolicy(
  deps: Pick<Deps, 'db' | 'clock' | 'sendsMail'> & { readonly payoutHoldMs: number },
  actor: PersonActor,
  { version, ...change }: RulesChange & { readonly version: number },
): Promise<PolicyView> {
  const { merchantId, personId } = actor;
  return inTransaction(deps, async (em) => {
    const row = (await lockPolicyRow(em, merchantId)) ?? NO_POLICY;
    if (row.version !== version) throw new GatewayError('ALREADY_DECIDED', { message: 'The policy has changed since' });
    const now = deps.clock.now();
    const { state, wanted, loosens } = changePolicy(toState(row), change, now, deps.payoutHoldMs);
    if (loosens) await refuseHeld(em, actor, now);
    for (const rules of [inForce(toState(row), now), wanted]) await requireFactor(em, rules, personId);
    if (needsApprovals(wanted) && (await countApprovers(em, merchantId)) < 2)
      throw new GatewayError('SECOND_PERSON', { message: 'Two members have to be able to approve payouts first' });
    const next = toRow(state, version + 1);
    await storePolicyRow(em, merchantId, next, { by: personId, at: now });
    const details = { rules: next.rules, pending: next.pending, pendingFrom: next.pendingFrom };
    await recordAudit(em, actor, { action: 'PAYOUT_POLICY_CHANGED', target: null, details }, now);
    if (loosens) await tellLoosening(em, deps, actor, { from: next.pendingFrom ?? now, now });
    return viewOf(em, merchantId, next, now);
  });
}

/** Tells the owners when a change begins to hold that loosens the policy. */
async function tellLoosening(
  em: EntityManager,
  deps: Pick<Deps, 'sendsMail'>,
  actor: PersonActor,
  { from, now }: { readonly from: Date; readonly now: Date },
): Promise<void> {
  if (deps.sendsMail !== true) return;
  const { merchantId } = actor;
  const params = { by: await nameOfActor(em, actor), from: toldTime(from) };
  await tellMembers(em, deps, { owners: true }, { merchantId, template: 'POLICY_LOOSENED', params }, now);
}

const needsApprovals = ({ refundsNeedApproval, limits }: PayoutRules): boolean =>
  refundsNeedApproval || limits.some(({ approvalAbove }) => approvalAbove !== null);

/** Drops what waits; what is in force stays, and nothing happens where nothing waits. */
export function cancelChange(deps: Pick<Deps, 'db' | 'clock'>, actor: PersonActor): Promise<PolicyView> {
  const { merchantId, personId } = actor;
  return inTransaction(deps, async (em) => {
    const row = (await lockPolicyRow(em, merchantId)) ?? NO_POLICY;
    const now = deps.clock.now();
    const state = toState(row);
    if (waitingAt(state, now) === null) return viewOf(em, merchantId, row, now);
    const next = toRow({ ...state, pending: null, pendingFrom: null }, row.version + 1);
    await storePolicyRow(em, merchantId, next, { by: personId, at: now });
    await recordAudit(em, actor, { action: 'PAYOUT_POLICY_CHANGE_CANCELED', target: null }, now);
    return viewOf(em, merchantId, next, now);
  });
}
