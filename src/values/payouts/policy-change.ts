// How a policy of payouts changes: what is tighter holds at once, what is looser waits (contract-people-payouts,
// section D). Pure.

import { haveSameEffect, isLooser, tighterOf, type PayoutRules } from './policy.ts';

/** A policy as it is stored. What holds is a function of it and the clock. */
export interface PolicyState {
  readonly rules: PayoutRules;
  /** The rules that take the place of `rules` at `pendingFrom`; both are null if nothing waits. */
  readonly pending: PayoutRules | null;
  readonly pendingFrom: Date | null;
}

/** New values; null and undefined both mean no change. Limits are replaced as a whole. */
export type RulesChange = { readonly [Name in keyof PayoutRules]?: PayoutRules[Name] | null };

/** The rules that hold at a time. */
export function inForce({ rules, pending, pendingFrom }: PolicyState, now: Date): PayoutRules {
  return pending !== null && pendingFrom !== null && pendingFrom <= now ? pending : rules;
}

/** The rules that wait at a time; null if none do. */
export function waitingAt(state: PolicyState, now: Date): { readonly rules: PayoutRules; readonly from: Date } | null {
  const { pending, pendingFrom } = state;
  return pending !== null && pendingFrom !== null && pendingFrom > now ? { rules: pending, from: pendingFrom } : null;
}

const changed = (rules: PayoutRules, change: RulesChange): PayoutRules => ({
  bookOnly: change.bookOnly ?? rules.bookOnly,
  listedOnly: change.listedOnly ?? rules.listedOnly,
  refundsNeedApproval: change.refundsNeedApproval ?? rules.refundsNeedApproval,
  requireSecondFactor: change.requireSecondFactor ?? rules.requireSecondFactor,
  limits: change.limits ?? rules.limits,
});

/** A change judged: the policy after it, what it asks for, and whether anything of it waits from now on. */
export interface JudgedChange {
  readonly state: PolicyState;
  readonly wanted: PayoutRules;
  readonly loosens: boolean;
}

/**
 * Changes a policy. What is looser, for any asset and in any field, waits for the hold, and takes the place of what
 * waits already. A change that only tightens applies to what waits as well; that waits anew if it became looser by it.
 */
export function changePolicy(state: PolicyState, change: RulesChange, now: Date, holdMs: number): JudgedChange {
  const current = inForce(state, now);
  const wanted = changed(current, change);
  const later = new Date(now.getTime() + holdMs);
  const tight = tighterOf(current, wanted);
  if (!haveSameEffect(tight, wanted))
    return { state: { rules: tight, pending: wanted, pendingFrom: later }, wanted, loosens: true };
  const waiting = waitingAt(state, now);
  const pending = waiting && changed(waiting.rules, change);
  if (!waiting || !pending || haveSameEffect(pending, wanted))
    return { state: { rules: wanted, pending: null, pendingFrom: null }, wanted, loosens: false };
  const loosens = isLooser(waiting.rules, pending);
  return { state: { rules: wanted, pending, pendingFrom: loosens ? later : waiting.from }, wanted, loosens };
}
