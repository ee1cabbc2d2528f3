// A merchant's payout policy as its row has it, and the rules of it that a transaction holds.

import type { EntityManager } from '../../database/connection.ts';
import { readUse } from '../../database/queries/control/daily-use.ts';
import { holdPolicyRow, type PolicyRow, type RulesJson } from '../../database/queries/control/policy.ts';
import {
  NO_RULES,
  type AssetLimits,
  type PayoutRules,
  type PayoutUse,
  type PolicyAsset,
} from '../../values/payouts/policy.ts';
import { inForce, type PolicyState } from '../../values/payouts/policy-change.ts';

const DAY_MS = 24 * 3_600_000;

/** Of a merchant who never made a policy. */
export const NO_POLICY: PolicyRow = { version: 0, rules: toJson(NO_RULES), pending: null, pendingFrom: null };

/** The rules in force, which stay so until the transaction ends; null where there is no policy. */
export async function holdRules(em: EntityManager, merchantId: string, now: Date): Promise<PayoutRules | null> {
  const row = await holdPolicyRow(em, merchantId);
  return row && inForce(toState(row), now);
}

/** What is used of an asset in the 24 hours before a time; `except` is a payout or batch that does not count. */
export const useOf = (
  em: EntityManager,
  merchantId: string,
  { currency, network }: PolicyAsset,
  { now, except }: { readonly now: Date; readonly except: string | null },
): Promise<PayoutUse> =>
  readUse(em, { merchantId, currency, network, since: new Date(now.getTime() - DAY_MS), except });

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

/** A policy from its row. */
export const toState = ({ rules, pending, pendingFrom }: PolicyRow): PolicyState => ({
  ...{ rules: fromJson(rules), pending: pending && fromJson(pending), pendingFrom },
});

/** The row of a policy. */
export const toRow = ({ rules, pending, pendingFrom }: PolicyState, version: number): PolicyRow => ({
  ...{ version, rules: toJson(rules), pending: pending && toJson(pending), pendingFrom },
});
