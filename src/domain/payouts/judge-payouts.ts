// Judges payouts by the policy of their merchant, under the lock of the balance (contract-people-payouts, section D).

import type { EntityManager } from '../../database/connection.ts';
import { hasSecondFactor, readPolicyRow } from '../../database/queries/control/policy.ts';
import { formatAmount } from '../../values/amount.ts';
import type { Asset } from '../../values/assets.ts';
import { GatewayError } from '../../values/errors.ts';
import {
  judge,
  type JudgedPayout,
  type PayoutRules,
  type PayoutUse,
  type Verdict,
} from '../../values/payouts/policy.ts';
import { inForce } from '../../values/payouts/policy-change.ts';
import type { PersonActor } from '../actor.ts';
import { lockAvailables } from '../ledger/payout-entries.ts';
import { holdRules, toState, useOf } from './policy-rows.ts';

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
  const rules = await holdRules(em, merchantId, now);
  if (!rules) return payouts.map(() => ({ kind: 'ALLOW' }));
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
export async function requireFactor(em: EntityManager, rules: PayoutRules, personId: string | null): Promise<void> {
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
