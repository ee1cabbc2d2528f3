// The policy of payouts in words: its rules, the limits of an asset, and how one policy differs from another.

import type { PayoutLimitRowFragment, PayoutRuleSetFragment } from '../../generated/operations.ts';
import { inWords } from '../../components/forms/asset-checks.tsx';

export type Rule = Exclude<keyof PayoutRuleSetFragment, 'limits'>;

export const RULES: readonly (readonly [rule: Rule, words: string, hint: string])[] = [
  ['bookOnly', 'Withdrawals only to the address book', 'A stolen key or password cannot send them elsewhere.'],
  ['listedOnly', 'Coins without limits below cannot be paid out', 'New coins stay closed until you add limits.'],
  ['refundsNeedApproval', 'Every refund needs an approval', 'At least two members must be able to approve.'],
  [
    'requireSecondFactor',
    'Members need a second factor for payouts',
    'Members without one cannot request or approve. API keys are exempt.',
  ],
];

export const keyOfLimit = ({ currency, network }: Pick<PayoutLimitRowFragment, 'currency' | 'network'>): string =>
  `${currency}/${network}`;

/** What may be done with an asset, in words. */
function limitsIn({ limits, listedOnly }: PayoutRuleSetFragment, key: string): string {
  const own = limits.find((limit) => keyOfLimit(limit) === key);
  if (!own) return listedOnly ? 'no payouts' : 'no limits';
  const { perPayout, perDay, approvalAbove } = own;
  const parts = [
    ...(perPayout == null ? [] : [`${perPayout} per payout`]),
    ...(perDay == null ? [] : [`${perDay} in 24 hours`]),
    ...(approvalAbove == null ? [] : [`approval above ${approvalAbove} in 24 hours`]),
  ];
  return parts.length === 0 ? 'no limits' : parts.join(', ');
}

/** How `then` differs from `now`, one sentence for each rule and asset. */
export function differences(now: PayoutRuleSetFragment, then: PayoutRuleSetFragment): string[] {
  const rules = RULES.filter(([rule]) => now[rule] !== then[rule]).map(
    ([rule, words]) => `${words}: ${then[rule] ? 'on' : 'off'}`,
  );
  const assets = new Map([...now.limits, ...then.limits].map((limit) => [keyOfLimit(limit), limit]));
  const limits = [...assets].flatMap(([key, asset]) => {
    const [before, after] = [limitsIn(now, key), limitsIn(then, key)];
    return before === after ? [] : [`${inWords(asset)}: ${after} (now: ${before})`];
  });
  return [...rules, ...limits];
}
