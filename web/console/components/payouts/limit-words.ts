// What the policy says of payouts of an asset, in words.

import type { PayoutRuleSetFragment } from '../../generated/operations.ts';

interface NamedAsset {
  readonly currency: string;
  readonly network: string;
}

/** The limits of an asset as one sentence; null if there are none. */
export function limitWords({ limits, listedOnly }: PayoutRuleSetFragment, asset: NamedAsset): string | null {
  const own = limits.find(({ currency, network }) => currency === asset.currency && network === asset.network);
  if (!own) return listedOnly ? 'Your policy allows no payouts of this coin: it has no limits.' : null;
  const { perPayout, perDay, approvalAbove, room } = own;
  const parts = [
    ...(perPayout == null ? [] : [`at most ${perPayout} per payout`]),
    ...(perDay == null ? [] : [`${room ?? perDay} left of ${perDay} in 24 hours`]),
    ...(approvalAbove == null ? [] : [`approval above ${approvalAbove} in 24 hours`]),
  ];
  return parts.length === 0 ? null : `Your policy: ${parts.join(', ')}.`;
}
