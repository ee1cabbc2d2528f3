// The policy of payouts in words: its rules, the limits of an asset, and how one policy differs from another.

import type { PayoutLimitRowFragment, PayoutRuleSetFragment } from '../../generated/operations.ts';
import { inWords } from '../../components/forms/asset-checks.tsx';

export type Rule = Exclude<keyof PayoutRuleSetFragment, 'limits'>;

export const RULES: readonly (readonly [rule: Rule, words: string, hint: string])[] = [
  ['bookOnly', 'Withdrawals go to the address book only', 'A stolen key or password cannot send them elsewhere.'],
  ['listedOnly', 'Coins without limits below do not leave', 'What you add to your account later is closed at first.'],
  ['refundsNeedApproval', 'Every refund waits for an approval', 'Two members have to be able to approve.'],
  [
    'requireSecondFactor',
    'Members need a second factor for payouts',
    'Those without one neither request nor decide. Keys are not asked for one.',
  ],
];

export const keyOfLimit = ({ currency, network }: Pick<PayoutLimitRowFragment, 'currency' | 'network'>): string =>
  `${currency}/${network}`;

/** What may be done with an asset, in words. */
function limitsIn({ limits, listedOnly }: PayoutRuleSetFragment, key: string): string {
  const own = limits.find((limit) => keyOfLimit(limit) === key);
  if (!own) return listedOnly ? 'nothing leaves' : 'no limits';
  const { perPayout, perDay, approvalAbove } = own;
  const parts = [
    ...(perPayout == null ? [] : [`${perPayout} in one payout`]),
    ...(perDay == null ? [] : [`${perDay} in 24 hours`]),
    ...(approvalAbove == null ? [] : [`approval above ${approvalAbove} in 24 hours`]),
  ];
  return parts.length === 0 ? 'no limits' : parts.join(', ');
}

/** How `then` differs from `now`, one sentence for each rule and asset. */
export function differences(now: PayoutRuleSetFragment, then: PayoutRuleSetFragment): string[] {
  const rules = RULES.filter(([rule]) => now[rule] !== then[rule]).map(
    ([rule, words]) => `${words}: ${then[rule] ? 'yes' : 'no longer'}`,
  );
  const assets = new Map([...now.limits, ...then.limits].map((limit) => [keyOfLimit(limit), limit]));
  const limits = [...assets].flatMap(([key, asset]) => {
    const [before, after] = [limitsIn(now, key), limitsIn(then, key)];
    return before === after ? [] : [`${inWords(asset)}: ${after} (now: ${before})`];
  });
  return [...rules, ...limits];
}
