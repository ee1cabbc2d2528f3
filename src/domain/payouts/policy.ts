// A merchant's payout policy: read, changed, and applied to a request or an approval (contract-people-payouts, section
// D). What is tighter holds at once, what is looser waits for the hold.

import type { EntityManager } from '../../database/connection.ts';
import { readUse } from '../../database/queries/control/daily-use.ts';
import {
  countApprovers,
  hasSecondFactor,
  holdPolicyRow,
  lockPolicyRow,
  readPolicyRow,
  storePolicyRow,
  type PolicyRow,
  type RulesJson,
} from '../../database/queries/control/policy.ts';
import { formatAmount } from '../../values/amount.ts';
import type { Asset } from '../../values/assets.ts';
import { GatewayError } from '../../values/errors.ts';
import {
  judge,
  NO_RULES,
  type AssetLimits,
  type JudgedPayout,
  type PayoutRules,
  type PayoutUse,
  type PolicyAsset,
  type Verdict,
} from '../../values/payouts/policy.ts';
import {
  changePolicy,
  inForce,
  waitingAt,
  type PolicyState,
  type RulesChange,
} from '../../values/payouts/policy-change.ts';
import { inTransaction, type Deps } from '../deps.ts';
import { lockAvailables } from '../ledger/payout-entries.ts';
import { nameOfActor, tellMembers, toldTime } from '../mail/notices.ts';
import { recordAudit } from '../merchants/audit-log.ts';
import { refuseHeld } from '../people/members.ts';
import type { PersonActor } from '../actor.ts';

const DAY_MS = 24 * 3_600_000;

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

const NO_POLICY: PolicyRow = { version: 0, rules: toJson(NO_RULES), pending: null, pendingFrom: null };

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

const useOf = (
  em: EntityManager,
  merchantId: string,
  { currency, network }: PolicyAsset,
  { now, except }: { readonly now: Date; readonly except: string | null },
): Promise<PayoutUse> =>
  readUse(em, { merchantId, currency, network, since: new Date(now.getTime() - DAY_MS), except });

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

/** A payout to judge by its merchant's policy. */
export interface PayoutToJudge extends Pick<JudgedPayout, 'kind' | 'amount' | 'isInBook'> {
  readonly asset: Asset;
}

/** Whose payouts are judged. */
export interface JudgedFor {
  readonly merchantId: string;
  /** The payout or batch itself, if it is stored already: it does not count as used. */
  readonly except: string | null;
  /** Who asks for them or approves them; null for a key. */
  readonly personId: string | null;
}

/**
 * Judges payouts by the policy in force, which stays so until the transaction ends, each as if those before it were
 * under way; locks the balances, so that of any number at once none passes a limit. Errors: 1014.
 */
export async function judgePayouts(
  em: EntityManager,
  { merchantId, except, personId }: JudgedFor,
  payouts: readonly PayoutToJudge[],
  now: Date,
): Promise<Verdict[]> {
  const row = await holdPolicyRow(em, merchantId);
  if (!row) return payouts.map(() => ({ kind: 'ALLOW' }));
  const rules = inForce(toState(row), now);
  await requireFactor(em, rules, personId);
  const assets = [...new Set(payouts.map(({ asset }) => asset))];
  await lockAvailables(em, merchantId, assets);
  const uses = new Map<Asset, PayoutUse>();
  for (const asset of assets) uses.set(asset, await useOf(em, merchantId, asset, { now, except }));
  return payouts.map(({ asset, ...payout }) => {
    const { currency, network } = asset;
    const use = uses.get(asset) ?? { total: 0n, unapproved: 0n };
    const verdict = judge(rules, { ...payout, currency, network, use });
    if (verdict.kind === 'ALLOW' || verdict.kind === 'AWAIT')
      uses.set(asset, { total: use.total + payout.amount, unapproved: use.unapproved + payout.amount });
    return verdict;
  });
}

/** What a refusal by the policy is answered with; null for a payout that it does not refuse: 4006, 4007. */
export function refusalOf(asset: Asset, verdict: Verdict): GatewayError | null {
  if (verdict.kind === 'NOT_IN_BOOK') return new GatewayError('NOT_IN_BOOK');
  return verdict.kind === 'OVER_LIMIT' ? overLimit(asset, verdict) : null;
}

/** Judges the same, and refuses all where one is refused; returns whether any has to wait. Errors: 1014, 4006, 4007. */
export async function mustAwait(
  em: EntityManager,
  judged: JudgedFor,
  payouts: readonly PayoutToJudge[],
  now: Date,
): Promise<boolean> {
  const verdicts = await judgePayouts(em, judged, payouts, now);
  for (const [nth, { asset }] of payouts.entries()) {
    const refusal = refusalOf(asset, verdicts[nth] ?? { kind: 'ALLOW' });
    if (refusal) throw refusal;
  }
  return verdicts.some(({ kind }) => kind === 'AWAIT');
}

/** 1014 for a person without the second factor that the rules ask for. */
async function requireFactor(em: EntityManager, rules: PayoutRules, personId: string | null): Promise<void> {
  if (rules.requireSecondFactor && personId !== null && !(await hasSecondFactor(em, personId)))
    throw new GatewayError('FACTOR_NEEDED');
}

/** The same by the policy that is in force. Errors: 1014. */
export async function requirePolicyFactor(
  em: EntityManager,
  { merchantId, personId }: PersonActor,
  now: Date,
): Promise<void> {
  const row = await readPolicyRow(em, merchantId);
  if (row) await requireFactor(em, inForce(toState(row), now), personId);
}

function overLimit(asset: Asset, { limit, most, room }: Extract<Verdict, { kind: 'OVER_LIMIT' }>): GatewayError {
  const show = (units: bigint) => `${formatAmount(units, asset.decimals)} ${asset.currency}`;
  const of = `${asset.currency} on ${asset.network}`;
  const which = limit === 'listedOnly' ? `listedOnly: ${of} has no limits` : `${limit} of ${of} is ${show(most)}`;
  return new GatewayError('OVER_LIMIT', { message: `${which}; room: ${show(room)}` });
}

const AMOUNTS = ['perPayout', 'perDay', 'approvalAbove'] as const;

function toJson({ limits, ...flags }: PayoutRules): RulesJson {
  const texts = limits.map(({ currency, network, ...amounts }) => ({
    ...{ currency, network },
    ...Object.fromEntries(AMOUNTS.map((name) => [name, amounts[name]?.toString() ?? null])),
  }));
  return { ...flags, limits: texts };
}

function fromJson(rules: RulesJson): PayoutRules {
  const { limits, ...flags } = rules as unknown as Omit<PayoutRules, 'limits'> & {
    readonly limits: readonly (PolicyAsset & Record<keyof AssetLimits, string | null>)[];
  };
  const units = (text: string | null) => (text === null ? null : BigInt(text));
  return {
    ...flags,
    limits: limits.map(({ currency, network, perPayout, perDay, approvalAbove }) => ({
      ...{ currency, network },
      ...{ perPayout: units(perPayout), perDay: units(perDay), approvalAbove: units(approvalAbove) },
    })),
  };
}

const toState = ({ rules, pending, pendingFrom }: PolicyRow): PolicyState => ({
  ...{ rules: fromJson(rules), pending: pending && fromJson(pending), pendingFrom },
});

const toRow = ({ rules, pending, pendingFrom }: PolicyState, version: number): PolicyRow => ({
  ...{ version, rules: toJson(rules), pending: pending && toJson(pending), pendingFrom },
});
