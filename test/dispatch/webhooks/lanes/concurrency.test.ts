// The sender's slots: how many a lane, a merchant and the failing lanes may use, whatever the others do.

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  adaptLimit,
  strainOf,
  type AdaptiveLimit,
  type Strain,
} from '../../../../src/dispatch/webhooks/lanes/adaptive-limit.ts';
import {
  chooseLanes,
  createLaneSlots,
  dropClaim,
  endPost,
  excessClaims,
  holdClaim,
  shareSlots,
  startPost,
  type LaneSlots,
} from '../../../../src/dispatch/webhooks/lanes/concurrency.ts';

const due = (lane: string, merchantId = `of ${lane}`) => ({ lane, merchantId });

/** Claims what these lanes may get, like a claim that finds many due deliveries in each. */
function claim(slots: LaneSlots, ...lanes: { lane: string; merchantId: string }[]): number[] {
  const choice = chooseLanes(slots);
  if (choice === null) return lanes.map(() => 0);
  const isClosed = ({ lane, merchantId }: { lane: string; merchantId: string }) =>
    choice.closedLanes.includes(lane) || choice.closedMerchants.includes(merchantId);
  const open = lanes.filter((each) => !isClosed(each));
  const shares = new Map(shareSlots(slots, open).map((share, index) => [open[index]?.lane, share]));
  for (const each of open) for (let n = shares.get(each.lane) ?? 0; n > 0; n -= 1) holdClaim(slots, each);
  return lanes.map(({ lane }) => shares.get(lane) ?? 0);
}

/** Posts all that a lane may post, and ends them with this outcome; returns how many there were. */
function postAll(slots: LaneSlots, lane: string, strain: Strain): number {
  let posts = 0;
  while (startPost(slots, lane)) posts += 1;
  for (let n = 0; n < posts; n += 1) endPost(slots, lane, { strain, durationMs: 20 });
  return posts;
}

/** Brings a lane to the state in which its receiver is known to hang. */
function fail(slots: LaneSlots, lane: string): void {
  claim(slots, due(lane));
  postAll(slots, lane, 'strained');
}

describe('the pace of a lane', () => {
  const pace = (limit: number, health: AdaptiveLimit['health'] = 'well'): AdaptiveLimit => ({ limit, health });
  const at = (atLimit: boolean) => ({ atLimit, most: 64 });

  it('rises by one for a success at the limit, and not for one below it', () => {
    expect(adaptLimit(pace(4), 'well', at(true))).toEqual(pace(5));
    expect(adaptLimit(pace(4), 'well', at(false))).toEqual(pace(4));
    expect(adaptLimit(pace(64), 'well', at(true))).toEqual(pace(64));
  });

  it('halves for a failure, down to one', () => {
    expect(adaptLimit(pace(9), 'strained', at(true))).toEqual(pace(4, 'failing'));
    expect(adaptLimit(pace(1, 'failing'), 'strained', at(true))).toEqual(pace(1, 'failing'));
  });

  it('says nothing for an answer that says nothing of strength', () => {
    expect(adaptLimit(pace(9), 'other', at(true))).toEqual(pace(9));
  });

  it.each([
    [{ kind: 'failure' as const }, 'strained'],
    [{ kind: 'response' as const, status: 500 }, 'strained'],
    [{ kind: 'response' as const, status: 429 }, 'strained'],
    [{ kind: 'response' as const, status: 404 }, 'other'],
    [{ kind: 'response' as const, status: 302 }, 'other'],
    [{ kind: 'response' as const, status: 204 }, 'well'],
  ])('%j is %s', (result, strain) => {
    expect(strainOf(result)).toBe(strain);
  });
});

describe('a lane', () => {
  it('starts with four posts, and with one where half of the slots are taken', () => {
    const slots = createLaneSlots(64);
    expect(claim(slots, due('a'))).toEqual([4]);
    for (const lane of ['b', 'c', 'd', 'e', 'f', 'g', 'h']) claim(slots, due(lane));
    expect(slots.all.held).toBe(32);
    expect(claim(slots, due('late'))).toEqual([1]);
  });

  it('that is quick reaches its limit in a few rounds, and has claims waiting for its slots', () => {
    const slots = createLaneSlots(64);
    for (let round = 0; round < 5; round += 1) {
      claim(slots, due('a'));
      postAll(slots, 'a', 'well');
    }
    expect(slots.lanes.get('a')?.adaptive.limit).toBe(16);
    claim(slots, due('a'));
    let posting = 0;
    while (startPost(slots, 'a')) posting += 1;
    expect(posting).toBe(16);
    expect(slots.all.held).toBeGreaterThan(posting);
  });

  it('that hangs has one post after two time-outs, and gives back what it holds beyond', () => {
    const slots = createLaneSlots(64);
    claim(slots, due('a'));
    postAll(slots, 'a', 'well');
    claim(slots, due('a'));
    startPost(slots, 'a');
    startPost(slots, 'a');
    endPost(slots, 'a', { strain: 'strained', durationMs: 5_000 });
    endPost(slots, 'a', { strain: 'strained', durationMs: 5_000 });
    const excess = excessClaims(slots, 'a');
    for (let n = 0; n < excess; n += 1) dropClaim(slots, 'a');
    endPost(slots, 'a', { strain: 'strained', durationMs: 5_000 });
    expect(slots.lanes.get('a')?.adaptive).toEqual({ limit: 1, health: 'failing' });
    expect(excess).toBeGreaterThan(0);
  });
});

describe('many lanes', () => {
  it('that fail together have at most half of the slots, and the others get theirs', () => {
    const slots = createLaneSlots(64);
    const stuck = Array.from({ length: 100 }, (_, n) => `stuck ${n}`);
    for (const lane of stuck) fail(slots, lane);
    const shares = claim(slots, ...stuck.map((lane) => due(lane)), due('healthy'));
    expect(shares.slice(0, -1).reduce((sum, share) => sum + share, 0)).toBe(32);
    expect(shares.at(-1)).toBe(4);
    expect(startPost(slots, 'healthy')).toBe(true);
    expect(chooseLanes(slots)?.failingLimit).toBe(0);
  });

  it('of one merchant post at most a quarter of what may be posted', () => {
    const slots = createLaneSlots(64);
    const lanes = Array.from({ length: 50 }, (_, n) => due(`lane ${n}`, 'one merchant'));
    claim(slots, ...lanes);
    let posting = 0;
    for (const { lane } of lanes) while (startPost(slots, lane)) posting += 1;
    expect(posting).toBe(16);
    expect(claim(slots, due('other'))[0]).toBeGreaterThan(0);
    expect(startPost(slots, 'other')).toBe(true);
  });

  it('share evenly: none gets its second before each has its first', () => {
    const slots = createLaneSlots(8);
    const lanes = Array.from({ length: 64 }, (_, n) => due(`lane ${n}`));
    expect(new Set(claim(slots, ...lanes))).toEqual(new Set([1]));
  });
});

it('the counts agree and the caps hold, whatever happens in whatever order', () => {
  const names = Array.from({ length: 12 }, (_, n) => n);
  const step = fc.tuple(
    fc.constantFrom('claim', 'start', 'well', 'strained', 'other', 'drop'),
    fc.constantFrom(...names),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), fc.integer({ min: 1, max: 40 }), (steps, total) => {
      const slots = createLaneSlots(total);
      const lane = (n: number) => due(`lane ${n}`, `merchant ${n % 3}`);
      for (const [what, n] of steps) {
        const { posting = 0, held = 0 } = slots.active.get(`lane ${n}`) ?? {};
        if (what === 'claim') claim(slots, lane(n), lane((n + 1) % 12));
        else if (what === 'start') startPost(slots, `lane ${n}`);
        else if (what === 'drop' && held > posting) dropClaim(slots, `lane ${n}`);
        else if (what !== 'drop' && posting > 0) endPost(slots, `lane ${n}`, { strain: what, durationMs: 20 });
        const lanes = [...slots.active.values()];
        const sum = (values: number[]) => values.reduce((all, value) => all + value, 0);
        expect(slots.all.held).toBe(sum(lanes.map((each) => each.held)));
        expect(slots.all.posting).toBe(sum(lanes.map((each) => each.posting)));
        expect(slots.failingHeld).toBe(
          sum(lanes.filter(({ name }) => slots.failing.has(name)).map((each) => each.held)),
        );
        expect(slots.all.posting).toBeLessThanOrEqual(total);
        for (const merchant of slots.merchants.values())
          expect(merchant.posting).toBeLessThanOrEqual(slots.perMerchant);
      }
    }),
    { numRuns: 300 },
  );
});
