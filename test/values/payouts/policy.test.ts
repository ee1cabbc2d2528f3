// The policy of payouts: what is judged how, and that a change never lets anything out before the hold is over.

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { changePolicy, inForce, waitingAt, type PolicyState } from '../../../src/values/payouts/policy-change.ts';
import {
  haveSameEffect,
  isLooser,
  judge,
  NO_RULES,
  tighterOf,
  type JudgedPayout,
  type PayoutRules,
} from '../../../src/values/payouts/policy.ts';

const USDT = { currency: 'USDT', network: 'ETH' };
const LIMITS = { ...USDT, perPayout: 1_000n, perDay: 2_500n, approvalAbove: 500n };
const RULES: PayoutRules = { ...NO_RULES, limits: [LIMITS] };
const PAYOUT: JudgedPayout = {
  ...{ ...USDT, kind: 'WITHDRAWAL', amount: 300n, isInBook: false, use: { total: 0n, unapproved: 0n } },
};
const used = (total: bigint, unapproved = total) => ({ use: { total, unapproved } });
const over = (limit: string, most: bigint, room: bigint) => ({ kind: 'OVER_LIMIT', limit, most, room });

describe('a payout is judged', () => {
  it.each([
    ['without a policy', NO_RULES, { amount: 10n ** 30n }, { kind: 'ALLOW' }],
    ['below everything', RULES, {}, { kind: 'ALLOW' }],
    ['at what needs no approval', RULES, { amount: 500n }, { kind: 'ALLOW' }],
    ['above it', RULES, { amount: 501n }, { kind: 'AWAIT' }],
    ['above it with what left before', RULES, { amount: 100n, ...used(450n) }, { kind: 'AWAIT' }],
    ['where what left before was approved', RULES, { amount: 100n, ...used(450n, 0n) }, { kind: 'ALLOW' }],
    ['at the limit of one', RULES, { amount: 1_000n }, { kind: 'AWAIT' }],
    ['above the limit of one', RULES, { amount: 1_001n }, over('perPayout', 1_000n, 1_000n)],
    ['at the limit of a day', RULES, { amount: 900n, ...used(1_600n) }, { kind: 'AWAIT' }],
    ['above the limit of a day', RULES, { amount: 900n, ...used(1_601n) }, over('perDay', 2_500n, 899n)],
    ['above a limit that was lowered', RULES, { amount: 1n, ...used(9_000n) }, over('perDay', 2_500n, 0n)],
    ['of an asset without limits', RULES, { currency: 'ETH', amount: 9_000n }, { kind: 'ALLOW' }],
    ['of an asset that is not listed', { ...RULES, listedOnly: true }, { currency: 'ETH' }, over('listedOnly', 0n, 0n)],
    ['elsewhere than to the book', { ...RULES, bookOnly: true }, { amount: 1_001n }, { kind: 'NOT_IN_BOOK' }],
    ['to the book', { ...RULES, bookOnly: true }, { isInBook: true }, { kind: 'ALLOW' }],
    ['as a refund, which goes anywhere', { ...RULES, bookOnly: true }, { kind: 'REFUND' }, { kind: 'ALLOW' }],
    ['as a refund that needs one', { ...RULES, refundsNeedApproval: true }, { kind: 'REFUND' }, { kind: 'AWAIT' }],
    ['as a withdrawal beside those', { ...RULES, refundsNeedApproval: true }, {}, { kind: 'ALLOW' }],
  ] as const)('%s', (_, rules, fields, verdict) => {
    expect(judge(rules, { ...PAYOUT, ...(fields as Partial<JudgedPayout>) })).toEqual(verdict);
  });
});

const amount = fc.option(fc.bigInt(1n, 9n), { nil: null });
const ASSETS = ['USDT', 'ETH', 'BTC'] as const;
const limits = fc
  .subarray([...ASSETS])
  .chain((currencies) =>
    fc.tuple(
      ...currencies.map((currency) =>
        fc
          .record({ perPayout: amount, perDay: amount, approvalAbove: amount })
          .map((all) => ({ ...USDT, ...all, currency })),
      ),
    ),
  );
const rulesOf: fc.Arbitrary<PayoutRules> = fc.record({
  ...{ bookOnly: fc.boolean(), listedOnly: fc.boolean(), refundsNeedApproval: fc.boolean() },
  ...{ requireSecondFactor: fc.boolean(), limits },
});
const payoutOf: fc.Arbitrary<JudgedPayout> = fc.record({
  ...{ kind: fc.constantFrom('WITHDRAWAL', 'REFUND'), currency: fc.constantFrom(...ASSETS, 'SOL') },
  ...{ network: fc.constant('ETH'), amount: fc.bigInt(1n, 12n), isInBook: fc.boolean() },
  use: fc.tuple(fc.bigInt(0n, 9n), fc.bigInt(0n, 9n)).map(([a, b]) => ({ total: a + b, unapproved: a })),
});
const RANK = { ALLOW: 0, AWAIT: 1, NOT_IN_BOOK: 2, OVER_LIMIT: 2 } as const;
const strictness = (rules: PayoutRules, payout: JudgedPayout): number => RANK[judge(rules, payout).kind];

describe('of two policies', () => {
  it('the tighter of both is as strict as the stricter one, for every payout', () => {
    fc.assert(
      fc.property(rulesOf, rulesOf, payoutOf, (a, b, payout) => {
        const most = Math.max(strictness(a, payout), strictness(b, payout));
        expect(strictness(tighterOf(a, b), payout)).toBe(most);
      }),
    );
  });

  it('one that is not looser lets nothing out that the other keeps', () => {
    fc.assert(
      fc.property(rulesOf, rulesOf, payoutOf, (a, b, payout) => {
        if (isLooser(a, b)) return;
        expect(strictness(b, payout)).toBeGreaterThanOrEqual(strictness(a, payout));
      }),
    );
  });

  it.each([
    ['a limit that is raised', { perDay: 2_501n }, true],
    ['a limit that is lowered', { perDay: 2_499n }, false],
    ['a limit that goes', { perPayout: null }, true],
    ['one that goes while another is lowered', { perPayout: null, perDay: 1n }, true],
    ['fewer approvals', { approvalAbove: 501n }, true],
    ['more approvals', { approvalAbove: 1n }, false],
  ])('%s', (_, change, looser) => {
    expect(isLooser(RULES, { ...RULES, limits: [{ ...LIMITS, ...change }] })).toBe(looser);
  });

  it('limits that go loosen what was unlisted, and tighten where only what is listed leaves', () => {
    expect(isLooser(RULES, NO_RULES)).toBe(true);
    expect(isLooser({ ...RULES, listedOnly: true }, { ...NO_RULES, listedOnly: true })).toBe(false);
    expect(isLooser({ ...NO_RULES, listedOnly: true }, { ...RULES, listedOnly: true })).toBe(true);
  });
});

const HOUR = 3_600_000;
const START = new Date('2026-11-23T12:00:00Z').getTime();
const at = (hours: number) => new Date(START + hours * HOUR);
const HOLD = 24 * HOUR;
const none: PolicyState = { rules: NO_RULES, pending: null, pendingFrom: null };

describe('a change of the policy', () => {
  it('holds at once where it is tighter, and waits where it is looser', () => {
    const strict = changePolicy(none, RULES, at(0), HOLD);
    expect(strict).toMatchObject({ loosens: false, state: { rules: RULES, pending: null } });
    const mixed = [{ ...LIMITS, perPayout: 2_000n, perDay: 1_500n }];
    const { state, loosens } = changePolicy(strict.state, { limits: mixed }, at(1), HOLD);
    expect(loosens).toBe(true);
    expect(inForce(state, at(24.9)).limits).toEqual([{ ...LIMITS, perDay: 1_500n }]);
    expect(inForce(state, at(25)).limits).toEqual(mixed);
    expect(waitingAt(state, at(25))).toBeNull();
  });

  it('that loosens replaces the one that waits, and waits anew', () => {
    const strict = { ...none, rules: { ...RULES, bookOnly: true } };
    const first = changePolicy(strict, { bookOnly: false }, at(0), HOLD).state;
    const second = changePolicy(first, { limits: [] }, at(23), HOLD).state;
    expect(inForce(second, at(46))).toEqual(strict.rules);
    expect(inForce(second, at(47))).toEqual({ ...strict.rules, limits: [] });
  });

  it('that tightens lets the one that waits go on, as far as it is not undone by it', () => {
    const strict = { ...none, rules: { ...RULES, bookOnly: true } };
    const waiting = changePolicy(strict, { bookOnly: false }, at(0), HOLD).state;
    const tight = changePolicy(waiting, { refundsNeedApproval: true }, at(1), HOLD).state;
    expect(inForce(tight, at(1))).toMatchObject({ bookOnly: true, refundsNeedApproval: true });
    expect(inForce(tight, at(24))).toMatchObject({ bookOnly: false, refundsNeedApproval: true });
    const undone = changePolicy(waiting, { bookOnly: true }, at(1), HOLD).state;
    expect(undone).toEqual({ ...strict, pending: null, pendingFrom: null });
  });

  it('never lets out what was not asked for a hold before, whatever is changed in between', () => {
    const step = fc.record({
      hours: fc.nat(30),
      change: fc.record(
        Object.fromEntries(
          Object.keys(NO_RULES).map((name) => [
            name,
            fc.option(
              rulesOf.map((all) => all[name as keyof PayoutRules]),
              { nil: null },
            ),
          ]),
        ),
      ),
    });
    fc.assert(
      fc.property(rulesOf, fc.array(step, { maxLength: 8 }), (rules, steps) => {
        let state: PolicyState = { rules, pending: null, pendingFrom: null };
        let now = 0;
        /** What was announced, with when; the first policy was for ever. */
        const announced: { at: number; rules: PayoutRules }[] = [{ at: -Infinity, rules }];
        for (const { hours, change } of steps) {
          now += hours;
          const before = inForce(state, at(now));
          state = changePolicy(state, change, at(now), HOLD).state;
          expect(isLooser(before, inForce(state, at(now)))).toBe(false);
          const waiting = waitingAt(state, at(now));
          if (waiting) announced.push({ at: (waiting.from.getTime() - HOLD - START) / HOUR, rules: waiting.rules });
          announced.push({ at: now, rules: inForce(state, at(now)) });
          const later = inForce(state, at(now + 24));
          expect(announced.some((one) => one.at <= now && !isLooser(one.rules, later))).toBe(true);
        }
      }),
    );
  });

  it('without a hold is in force at once, tighter or looser', () => {
    const { state } = changePolicy({ ...none, rules: RULES }, { limits: [] }, at(0), 0);
    expect(haveSameEffect(inForce(state, at(0)), NO_RULES)).toBe(true);
    expect(waitingAt(state, at(0))).toBeNull();
  });
});
