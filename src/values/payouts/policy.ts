// The policy of payouts: what leaves at once, what waits for an approval and what is refused; and how one policy is
// tighter or looser than another (contract-people-payouts, section D). Pure.

/** An asset, by its codes. */
export interface PolicyAsset {
  readonly currency: string;
  readonly network: string;
}

/** Limits of an asset in base units; null is unlimited, and for `approvalAbove` that none is needed. */
export interface AssetLimits {
  readonly perPayout: bigint | null;
  /** Of 24 hours. */
  readonly perDay: bigint | null;
  readonly approvalAbove: bigint | null;
}

export interface PayoutRules {
  /** Withdrawals go to active addresses of the book only. */
  readonly bookOnly: boolean;
  /** Assets without limits of their own do not leave at all. */
  readonly listedOnly: boolean;
  readonly refundsNeedApproval: boolean;
  /** Members without a second factor neither request nor decide. */
  readonly requireSecondFactor: boolean;
  /** At most one for each asset. */
  readonly limits: readonly (PolicyAsset & AssetLimits)[];
}

/** What holds without a policy. */
export const NO_RULES: PayoutRules = {
  ...{ bookOnly: false, listedOnly: false, refundsNeedApproval: false, requireSecondFactor: false, limits: [] },
};

/** What left, or is about to, in 24 hours: all of it, and what nobody approved. Base units without network fees. */
export interface PayoutUse {
  readonly total: bigint;
  readonly unapproved: bigint;
}

/** A payout to judge. */
export interface JudgedPayout extends PolicyAsset {
  readonly kind: 'WITHDRAWAL' | 'REFUND';
  readonly amount: bigint;
  /** Whether it goes to an active address of the book. */
  readonly isInBook: boolean;
  /** Without the payout itself. */
  readonly use: PayoutUse;
}

export type Verdict =
  | { readonly kind: 'ALLOW' | 'AWAIT' | 'NOT_IN_BOOK' }
  | {
      readonly kind: 'OVER_LIMIT';
      readonly limit: 'listedOnly' | 'perPayout' | 'perDay';
      /** The limit and what is left of it, in base units. */
      readonly most: bigint;
      readonly room: bigint;
    };

/** Judges a payout; the first rule that applies decides. */
export function judge(rules: PayoutRules, payout: JudgedPayout): Verdict {
  const { kind, amount, use } = payout;
  if (rules.bookOnly && kind === 'WITHDRAWAL' && !payout.isInBook) return { kind: 'NOT_IN_BOOK' };
  const limits = limitsOf(rules, payout);
  if (limits === null) return { kind: 'OVER_LIMIT', limit: 'listedOnly', most: 0n, room: 0n };
  const { perPayout, perDay, approvalAbove } = limits;
  if (perPayout !== null && amount > perPayout)
    return { kind: 'OVER_LIMIT', limit: 'perPayout', most: perPayout, room: perPayout };
  if (perDay !== null && use.total + amount > perDay)
    return { kind: 'OVER_LIMIT', limit: 'perDay', most: perDay, room: roomOf(perDay, use) };
  const isAbove = approvalAbove !== null && use.unapproved + amount > approvalAbove;
  return { kind: isAbove || (rules.refundsNeedApproval && kind === 'REFUND') ? 'AWAIT' : 'ALLOW' };
}

/** What is left of a limit of 24 hours. */
export const roomOf = (perDay: bigint, { total }: Pick<PayoutUse, 'total'>): bigint =>
  total > perDay ? 0n : perDay - total;

const UNLIMITED: AssetLimits = { perPayout: null, perDay: null, approvalAbove: null };

/** The limits that hold for an asset; null if it may not leave at all. */
export function limitsOf({ limits, listedOnly }: PayoutRules, asset: PolicyAsset): AssetLimits | null {
  const own = limits.find(({ currency, network }) => currency === asset.currency && network === asset.network);
  return own ?? (listedOnly ? null : UNLIMITED);
}

const FLAGS = ['bookOnly', 'listedOnly', 'refundsNeedApproval', 'requireSecondFactor'] as const;
const AMOUNTS = ['perPayout', 'perDay', 'approvalAbove'] as const;
/** Stands for every asset that has no limits of its own. */
const ANY_OTHER: PolicyAsset = { currency: '', network: '' };

const assetsOf = (...all: readonly PayoutRules[]): PolicyAsset[] => {
  const assets = all.flatMap(({ limits }) => limits.map(({ currency, network }) => ({ currency, network })));
  return [...new Map(assets.map((asset) => [`${asset.currency}/${asset.network}`, asset])).values()];
};

const least = (a: bigint | null, b: bigint | null): bigint | null => {
  if (a === null || b === null) return a ?? b;
  return a < b ? a : b;
};

/** The rules that allow only what both allow, and need every approval that one of them needs. */
export function tighterOf(a: PayoutRules, b: PayoutRules): PayoutRules {
  const flags = Object.fromEntries(FLAGS.map((flag) => [flag, a[flag] || b[flag]])) as Pick<
    PayoutRules,
    (typeof FLAGS)[number]
  >;
  const limits = assetsOf(a, b).flatMap((asset) => {
    const [one, other] = [limitsOf(a, asset), limitsOf(b, asset)];
    if (one === null || other === null) return [];
    const [perPayout = null, perDay = null, approvalAbove = null] = AMOUNTS.map((name) =>
      least(one[name], other[name]),
    );
    return [{ ...asset, perPayout, perDay, approvalAbove }];
  });
  return { ...flags, limits };
}

/** Whether two rules have the same effect on every payout. */
export function haveSameEffect(a: PayoutRules, b: PayoutRules): boolean {
  const alike = ['bookOnly', 'refundsNeedApproval', 'requireSecondFactor'] as const;
  if (alike.some((flag) => a[flag] !== b[flag])) return false;
  return [...assetsOf(a, b), ANY_OTHER].every((asset) => {
    const [one, other] = [limitsOf(a, asset), limitsOf(b, asset)];
    if (one === null || other === null) return one === other;
    return AMOUNTS.every((name) => one[name] === other[name]);
  });
}

/** Whether `to` allows anything that `from` refuses, or needs fewer approvals. */
export const isLooser = (from: PayoutRules, to: PayoutRules): boolean => !haveSameEffect(tighterOf(from, to), to);
