// Slots for posts: so many in all, for a merchant, for a lane, and for the lanes that fail together, so that receivers
// that hang never take the slots of those that answer. Bookkeeping only: no clock and no I/O.

import type { DueLane, LaneChoice } from '../../../database/queries/webhooks/claim-deliveries.ts';
import { FIRST_LIMIT, paceAfter, type LanePace, type Strain } from './adaptive-limit.ts';

/** One merchant has at most this share of the slots. */
const MERCHANT_SHARE = 1 / 4;
/** Lanes whose last post failed have at most this share of the slots together. */
const FAILING_SHARE = 1 / 2;
/** A lane that nothing is known of has at most this share. */
const FIRST_SHARE = 1 / 8;
/** Claims in hand as a multiple of slots, at most, so that a free slot waits for no claim, even of a busy database. */
const MOST_AHEAD = 8;
/** A lane has no more claims waiting than it is expected to post in this time: they are under their lease meanwhile. */
const AHEAD_MS = 250;
/** More is claimed when half of that is left: few large claims instead of many small ones. */
const REFILL_AT = 1 / 2;
/** Lanes remembered; of more, those that were used longest ago are forgotten, and are new again. */
const MOST_LANES = 10_000;

interface Counts {
  /** Claims in hand: posts under way, and those that wait for a slot. */
  held: number;
  posting: number;
}

interface Lane extends Counts {
  readonly name: string;
  readonly merchantId: string;
  pace: LanePace;
  /** How long its posts take, smoothed. */
  meanMs: number;
  /** Something may be due that was not claimed. */
  more: boolean;
}

export interface LaneSlots {
  readonly total: number;
  readonly perMerchant: number;
  /** Claims in hand and posts under way. */
  readonly all: Counts;
  /** The lanes used last come last. */
  readonly lanes: Map<string, Lane>;
  /** Lanes and merchants with claims in hand. */
  readonly active: Map<string, Lane>;
  readonly merchants: Map<string, Counts>;
  /** Lanes whose last post failed. */
  readonly failing: Set<string>;
  failingHeld: number;
  /** A look left something out for want of room other than a lane's own. */
  more: boolean;
}

/** Makes slots, all free. `total` posts may be under way at once. */
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

/** What a claim may look at; null when there is no room for any. */
export function chooseLanes(slots: LaneSlots): LaneChoice | null {
  slots.more = !isOpen(slots.all, slots.total);
  if (slots.more) return null;
  const active = [...slots.active.values()];
  // What is looked at now is found if it is due; what is left out may be.
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

/** How many deliveries each of these lanes may get: one each and again, so that none gets many while one gets none. */
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

/** Notes that a delivery of this lane was claimed. */
export function holdClaim(slots: LaneSlots, due: DueLane): void {
  const lane = laneOf(slots, due);
  count(slots, lane, { held: 1, posting: 0 });
  remember(slots, lane);
}

/** Notes whether a lane that was looked at has more due. */
export function noteMore(slots: LaneSlots, name: string, more: boolean): void {
  const lane = slots.lanes.get(name);
  if (lane) lane.more = more;
}

/** Whether other lanes may be waiting for this lane's slots, because all slots or its merchant's are taken. */
export function isContended(slots: LaneSlots, name: string): boolean {
  const { merchantId = '' } = slots.active.get(name) ?? {};
  return slots.all.posting >= slots.total || (slots.merchants.get(merchantId)?.posting ?? 0) >= slots.perMerchant;
}

/** Whether a held claim of this lane may be posted now; if so, its slot is taken. */
export function startPost(slots: LaneSlots, name: string): boolean {
  const lane = slots.active.get(name);
  if (!lane || lane.posting >= lane.pace.limit || isContended(slots, name)) return false;
  count(slots, lane, { held: 0, posting: 1 });
  return true;
}

/** Notes how a post ended, and after how long. Says whether a claim may now find what there was no room for before. */
export function endPost(
  slots: LaneSlots,
  name: string,
  { strain, durationMs }: { readonly strain: Strain; readonly durationMs: number },
): boolean {
  const lane = slots.active.get(name);
  if (!lane) return false;
  // The first of a round to end finds the limit used up, the last finds itself alone.
  const atLimit = lane.posting * 2 > lane.pace.limit;
  const pace = paceAfter(lane.pace, strain, { atLimit, most: slots.perMerchant });
  count(slots, lane, { held: -1, posting: -1 });
  setPace(slots, lane, pace);
  lane.meanMs += (durationMs - lane.meanMs) / SMOOTHING;
  const merchant = slots.merchants.get(lane.merchantId) ?? NOTHING;
  const isRoom = isOpen(slots.all, slots.total) && isOpen(merchant, slots.perMerchant) && roomOf(slots, lane) > 0;
  return isRoom && (lane.more || slots.more);
}

/** Notes that a claim was given back that was not posted. */
export function dropClaim(slots: LaneSlots, name: string): void {
  const lane = slots.active.get(name);
  if (lane) count(slots, lane, { held: -1, posting: 0 });
}

/** How many of a lane's waiting claims are beyond what it may hold since its pace fell. */
export function excessClaims(slots: LaneSlots, name: string): number {
  const lane = slots.active.get(name);
  if (!lane || lane.pace.health === 'well') return 0;
  return Math.max(0, Math.min(lane.held - lane.posting, lane.held - lane.pace.limit));
}

function roomOf(slots: LaneSlots, { pace, held, meanMs }: Lane): number {
  if (pace.health === 'well') {
    const most = Math.ceil(pace.limit * Math.min(MOST_AHEAD, 1 + AHEAD_MS / Math.max(1, meanMs)));
    return held < pace.limit || held <= most * REFILL_AT ? most - held : 0;
  }
  // After a restart nothing is known of any lane: once they have half of the slots, one each must do.
  const limit = pace.health === 'new' && slots.all.held >= slots.total / 2 ? 1 : pace.limit;
  return Math.max(0, limit - held);
}

function laneOf(slots: LaneSlots, { lane: name, merchantId }: DueLane): Lane {
  const known = slots.lanes.get(name);
  if (known) return known;
  const limit = Math.max(1, Math.min(FIRST_LIMIT, Math.floor(slots.total * FIRST_SHARE)));
  return { name, merchantId, pace: { limit, health: 'new' }, held: 0, posting: 0, more: false, meanMs: 0 };
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

function setPace(slots: LaneSlots, lane: Lane, pace: LanePace): void {
  const wasFailing = slots.failing.has(lane.name);
  const isFailing = pace.health === 'failing';
  lane.pace = pace;
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
/** Posts that the mean of their times reaches back over, about. */
const SMOOTHING = 8;

const heldBy = (slots: LaneSlots, merchantId: string): number => slots.merchants.get(merchantId)?.held ?? 0;
const failingRoom = (slots: LaneSlots): number =>
  Math.max(1, Math.floor(slots.total * FAILING_SHARE)) - slots.failingHeld;
const isOpen = ({ held }: Readonly<Counts>, slots: number): boolean => held <= slots * MOST_AHEAD * REFILL_AT;
const ahead = (slots: number): number => slots * MOST_AHEAD;
