// Limits concurrent posts in total, per merchant, per lane, and for all failing lanes together, so that hanging
// receivers never take the slots of healthy ones. Bookkeeping only: no clock and no I/O.

import type { DueLane, LaneChoice } from '../../../database/queries/webhooks/claim-deliveries.ts';
import { FIRST_LIMIT, adaptLimit, type AdaptiveLimit, type Strain } from './adaptive-limit.ts';

/** Largest share of the slots for one merchant. */
const MERCHANT_SHARE = 1 / 4;
/** Largest share of the slots for all lanes whose last post failed. */
const FAILING_SHARE = 1 / 2;
/** Largest share of the slots for a lane without history. */
const FIRST_SHARE = 1 / 8;
/**
 * Most held claims as a multiple of slots: enough that a free slot never waits for a claim, even with a busy database.
 */
const MOST_AHEAD = 8;
/** A lane queues no more claims than it is expected to post in this time, because their leases are running. */
const AHEAD_MS = 250;
/** Claim again when this share of them is left: a few large claims instead of many small ones. */
const REFILL_AT = 1 / 2;
/** Lanes remembered; beyond this the least recently used are forgotten and count as new again. */
const MOST_LANES = 10_000;

interface Counts {
  /** Held claims: posts in flight, and those that wait for a slot. */
  held: number;
  posting: number;
}

interface Lane extends Counts {
  readonly name: string;
  readonly merchantId: string;
  adaptive: AdaptiveLimit;
  /** How long its posts take, smoothed. */
  meanMs: number;
  /** Something due may not have been claimed. */
  more: boolean;
}

export interface LaneSlots {
  readonly total: number;
  readonly perMerchant: number;
  /** Held claims and posts in flight. */
  readonly all: Counts;
  /** Least recently used first. */
  readonly lanes: Map<string, Lane>;
  /** Lanes and merchants with held claims. */
  readonly active: Map<string, Lane>;
  readonly merchants: Map<string, Counts>;
  /** Lanes whose last post failed. */
  readonly failing: Set<string>;
  failingHeld: number;
  /** The last claim left something out for a limit other than a lane's own. */
  more: boolean;
}

/** Creates the slots, all free. `total` posts may be in flight at once. */
export function createLaneSlots(total: number): LaneSlots {
  return {
    total,
    perMerchant: Math.max(1, Math.floor(total * MERCHANT_SHARE)),
    all: { held: 0, posting: 0 },
    lanes: new Map(),
    active: new Map(),
    merchants: new Map(),
    failing: new Set(),
    failingHeld: 0,
    more: false,
  };
}

/** Which lanes the next claim may consider; null if there is no room. */
export function chooseLanes(slots: LaneSlots): LaneChoice | null {
  slots.more = !isOpen(slots.all, slots.total);
  if (slots.more) return null;
  const active = [...slots.active.values()];
  // Lanes considered now are found if due; lanes left out may be due.
  for (const lane of active) lane.more = roomOf(slots, lane) === 0;
  const closed = active.filter((lane) => lane.more);
  const closedMerchants = [...slots.merchants].filter(([, counts]) => !isOpen(counts, slots.perMerchant));
  const failingLimit = failingRoom(slots);
  slots.more = closedMerchants.length > 0 || (slots.failing.size > 0 && failingLimit <= 0);
  return {
    closedLanes: closed.map((lane) => lane.name),
    closedMerchants: closedMerchants.map(([merchantId]) => merchantId),
    failingLanes: [...slots.failing],
    failingLimit,
  };
}

/** How many deliveries each of these lanes may claim, assigned round-robin so that no lane starves. */
export function shareSlots(slots: LaneSlots, due: readonly DueLane[]): number[] {
  const wants = due.map((each) => ({ ...each, given: 0, room: roomOf(slots, laneOf(slots, each)) }));
  const merchantLeft = new Map<string, number>();
  let left = ahead(slots.total) - slots.all.held;
  let failingLeft = failingRoom(slots);
  let open = wants;
  while (left > 0 && open.length > 0) {
    open = open.filter((want) => {
      const { lane, merchantId } = want;
      const ofMerchant = merchantLeft.get(merchantId) ?? ahead(slots.perMerchant) - heldBy(slots, merchantId);
      const isFailing = slots.failing.has(lane);
      if (left === 0 || want.given >= want.room || ofMerchant <= 0 || (isFailing && failingLeft <= 0)) return false;
      want.given += 1;
      left -= 1;
      merchantLeft.set(merchantId, ofMerchant - 1);
      if (isFailing) failingLeft -= 1;
      return true;
    });
  }
  return wants.map(({ given }) => given);
}

/** Counts a claimed delivery of this lane. */
export function holdClaim(slots: LaneSlots, due: DueLane): void {
  const lane = laneOf(slots, due);
  count(slots, lane, { held: 1, posting: 0 });
  remember(slots, lane);
}

/** Stores whether a lane that was considered has more due. */
export function noteMore(slots: LaneSlots, name: string, more: boolean): void {
  const lane = slots.lanes.get(name);
  if (lane) lane.more = more;
}

/** Whether other lanes may be waiting for this lane's slots, because all slots or its merchant's are taken. */
export function isContended(slots: LaneSlots, name: string): boolean {
  const { merchantId = '' } = slots.active.get(name) ?? {};
  return slots.all.posting >= slots.total || (slots.merchants.get(merchantId)?.posting ?? 0) >= slots.perMerchant;
}

/** Takes a slot for a held claim of this lane; false if it may not be posted now. */
export function startPost(slots: LaneSlots, name: string): boolean {
  const lane = slots.active.get(name);
  if (!lane || lane.posting >= lane.adaptive.limit || isContended(slots, name)) return false;
  count(slots, lane, { held: 0, posting: 1 });
  return true;
}

/** Counts the end of a post. Returns whether a claim may now find something that there was no room for before. */
export function endPost(
  slots: LaneSlots,
  name: string,
  { strain, durationMs }: { readonly strain: Strain; readonly durationMs: number },
): boolean {
  const lane = slots.active.get(name);
  if (!lane) return false;
  // Half, because of a round of posts the first to end sees the limit used up and the last sees itself alone.
  const atLimit = lane.posting * 2 > lane.adaptive.limit;
  const adaptive = adaptLimit(lane.adaptive, strain, { atLimit, most: slots.perMerchant });
  count(slots, lane, { held: -1, posting: -1 });
  setAdaptive(slots, lane, adaptive);
  lane.meanMs += (durationMs - lane.meanMs) / SMOOTHING;
  const merchant = slots.merchants.get(lane.merchantId) ?? NOTHING;
  const isRoom = isOpen(slots.all, slots.total) && isOpen(merchant, slots.perMerchant) && roomOf(slots, lane) > 0;
  return isRoom && (lane.more || slots.more);
}

/** Counts a claim that was released without being posted. */
export function dropClaim(slots: LaneSlots, name: string): void {
  const lane = slots.active.get(name);
  if (lane) count(slots, lane, { held: -1, posting: 0 });
}

/** How many of a lane's waiting claims exceed its limit since that fell. */
export function excessClaims(slots: LaneSlots, name: string): number {
  const lane = slots.active.get(name);
  if (!lane || lane.adaptive.health === 'well') return 0;
  return Math.max(0, Math.min(lane.held - lane.posting, lane.held - lane.adaptive.limit));
}

function roomOf(slots: LaneSlots, { adaptive, held, meanMs }: Lane): number {
  if (adaptive.health === 'well') {
    const most = Math.ceil(adaptive.limit * Math.min(MOST_AHEAD, 1 + AHEAD_MS / Math.max(1, meanMs)));
    return held < adaptive.limit || held <= most * REFILL_AT ? most - held : 0;
  }
  // After a restart every lane is new: once they hold half of the slots, one post each must do.
  const limit = adaptive.health === 'new' && slots.all.held >= slots.total / 2 ? 1 : adaptive.limit;
  return Math.max(0, limit - held);
}

function laneOf(slots: LaneSlots, { lane: name, merchantId }: DueLane): Lane {
  const known = slots.lanes.get(name);
  if (known) return known;
  const limit = Math.max(1, Math.min(FIRST_LIMIT, Math.floor(slots.total * FIRST_SHARE)));
  return { name, merchantId, adaptive: { limit, health: 'new' }, held: 0, posting: 0, more: false, meanMs: 0 };
}

function count(slots: LaneSlots, lane: Lane, change: Counts): void {
  const merchant = slots.merchants.get(lane.merchantId) ?? { held: 0, posting: 0 };
  for (const counts of [lane, merchant, slots.all]) {
    counts.held += change.held;
    counts.posting += change.posting;
  }
  if (slots.failing.has(lane.name)) slots.failingHeld += change.held;
  keep(slots.merchants, lane.merchantId, merchant);
  keep(slots.active, lane.name, lane);
}

function keep<Held extends Counts>(map: Map<string, Held>, key: string, counts: Held): void {
  if (counts.held > 0) map.set(key, counts);
  else map.delete(key);
}

function setAdaptive(slots: LaneSlots, lane: Lane, adaptive: AdaptiveLimit): void {
  const wasFailing = slots.failing.has(lane.name);
  const isFailing = adaptive.health === 'failing';
  lane.adaptive = adaptive;
  if (isFailing === wasFailing) return;
  if (isFailing) slots.failing.add(lane.name);
  else slots.failing.delete(lane.name);
  slots.failingHeld += isFailing ? lane.held : -lane.held;
}

function remember(slots: LaneSlots, lane: Lane): void {
  slots.lanes.delete(lane.name);
  slots.lanes.set(lane.name, lane);
  if (slots.lanes.size <= MOST_LANES) return;
  for (const { name, held } of slots.lanes.values()) {
    if (held > 0) continue;
    slots.lanes.delete(name);
    slots.failing.delete(name);
    return;
  }
}

const NOTHING: Readonly<Counts> = { held: 0, posting: 0 };
/** Roughly how many posts the smoothed duration reaches back over. */
const SMOOTHING = 8;

const heldBy = (slots: LaneSlots, merchantId: string): number => slots.merchants.get(merchantId)?.held ?? 0;
const failingRoom = (slots: LaneSlots): number =>
  Math.max(1, Math.floor(slots.total * FAILING_SHARE)) - slots.failingHeld;
const isOpen = ({ held }: Readonly<Counts>, slots: number): boolean => held <= slots * MOST_AHEAD * REFILL_AT;
const ahead = (slots: number): number => slots * MOST_AHEAD;
