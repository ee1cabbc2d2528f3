// Invariants of deliveries and their attempts, compared with the receiver's log: what is recorded was received, and
// what was received is recorded.

import type { Taken } from '../receiver/log.ts';
import type { AttemptRow, DeliveryRow, Evidence } from './evidence.ts';
import { first, type Rule } from './invariant.ts';
import { findBadSignature, findOtherBody } from './bodies.ts';
import type { Outage } from '../processes/kill-targets.ts';

export const ATTEMPT_INVARIANTS: readonly Rule[] = [
  { words: 'recorded attempts are numbered 1, 2, … without gaps', breach: findMisnumbered },
  { words: 'every recorded answer is one that the receiver gave', breach: findUnseen },
  { words: 'every request that the receiver took is recorded, or was made again after a kill', breach: findUnrecorded },
  { words: 'a delivery ended by its rules, and no retry was burned by a crash', breach: findWrongEnd },
  { words: 'no retry came earlier than its rules', breach: findHasty },
  { words: 'the same attempt was made twice only where something was killed', breach: findUnexplainedRepeat },
  {
    words: 'the body of an event is the same, byte for byte, in every attempt and at every destination',
    breach: findOtherBody,
  },
  { words: "every signature is valid and has its attempt's time", breach: findBadSignature },
];

/** The gateway, which waits five seconds, may give up on an answer that is held back longer than this. */
const SURELY_HEARD_MS = 4_000;
/** How long after its answer an attempt may still be under way at the gateway, on a slow machine. */
const RECORDING_MS = 2_500;

const keyOf = ({ deliveryId, attempt }: { deliveryId: string; attempt: number }) => `${deliveryId} ${attempt}`;
const isSuccess = (status: number | null) => status !== null && status >= 200 && status < 300;
const attemptsOf = ({ attempts }: Evidence) => Map.groupBy(attempts, ({ deliveryId }) => deliveryId);
const takenOf = ({ book }: Evidence) => Map.groupBy(book.taken, keyOf);

function findMisnumbered(evidence: Evidence): string | null {
  const recorded = attemptsOf(evidence);
  return first(evidence.deliveries, ({ id, attempts }) => {
    const numbers = (recorded.get(id) ?? []).map(({ attempt }) => attempt);
    const whole = numbers.length === attempts && numbers.every((number, index) => number === index + 1);
    return whole ? null : `delivery ${id} counts ${attempts} attempts; recorded are ${numbers.join() || 'none'}`;
  });
}

/** Whether a request of the same attempt belongs to a record: it was signed in the second in which that began. */
const isOf = (record: AttemptRow) => (taken: Taken) => Number(taken.timestamp) === Math.floor(record.at / 1_000);

function findUnseen(evidence: Evidence): string | null {
  const taken = takenOf(evidence);
  return first(evidence.attempts, (record) => {
    const seen = (taken.get(keyOf(record)) ?? []).filter(isOf(record));
    const what = `delivery ${record.deliveryId}, attempt ${record.attempt}`;
    if (record.responseCode !== null) {
      const given = seen.map(({ answer }) => answer.status);
      if (given.includes(record.responseCode)) return null;
      return `${what}: ${record.responseCode} is recorded, and the receiver gave ${given.join() || 'no such answer'}`;
    }
    // A time-out means that no answer came in time, which only an answer given at once could disprove; a name that was
    // not resolved, that the receiver was not found.
    const cut = seen.some(({ answer }) => answer.status === null || answer.delayMs >= SURELY_HEARD_MS);
    if (cut || /^(timeout|dns)\b/.test(record.error ?? '')) return null;
    return `${what}: "${record.error}" is recorded, and the receiver ${seen.length > 0 ? 'answered' : 'saw nothing'}`;
  });
}

/** A request belongs to a record if it was signed in its second, and got the recorded answer or was given up. */
function findUnrecorded(evidence: Evidence): string | null {
  const [recorded, taken] = [new Map(evidence.attempts.map((record) => [keyOf(record), record])), takenOf(evidence)];
  const known = new Set(evidence.deliveries.map(({ id }) => id));
  return first(taken, ([key, requests]) => {
    const [{ deliveryId, eventId, answer }] = requests as [Taken];
    if (!known.has(deliveryId)) return `the receiver took delivery ${deliveryId} of ${eventId}, which is not recorded`;
    const record = recorded.get(key);
    if (!record)
      return `the receiver took delivery ${deliveryId}, attempt ${key.split(' ')[1]}, and gave ${answer.status}; it is not recorded`;
    const success = requests.find((request) => isSuccess(request.answer.status) && isOf(record)(request));
    if (!success || success.answer.delayMs >= SURELY_HEARD_MS || isSuccess(record.responseCode)) return null;
    if (requests.length > 1 || /^timeout\b/.test(record.error ?? '')) return null;
    return `delivery ${deliveryId}, attempt ${record.attempt}: the receiver gave ${success.answer.status}, recorded is ${record.responseCode ?? record.error}`;
  });
}

function findWrongEnd(evidence: Evidence): string | null {
  const recorded = attemptsOf(evidence);
  return first(evidence.deliveries, (delivery) => {
    const fault = faultOfEnd(delivery, recorded.get(delivery.id) ?? [], evidence.retryDelaysSeconds.length);
    return fault === null ? null : `delivery ${delivery.id} of ${delivery.eventId} to ${delivery.url} ${fault}`;
  });
}

/** Answers after which there are only three retries; any other is retried by the whole schedule. */
const isFinal = (status: number | null) =>
  status !== null && status >= 300 && status < 500 && ![408, 410, 425, 429].includes(status);
const RETRIES_AFTER_FINAL = 3;

function faultOfEnd({ status }: DeliveryRow, records: readonly AttemptRow[], delays: number): string | null {
  const last = records.at(-1);
  const successes = records.filter(({ responseCode }) => isSuccess(responseCode)).length;
  if (!last) return `is ${status} without an attempt`;
  const said = last.responseCode ?? last.error ?? 'nothing';
  if (successes > 1) return `succeeded ${successes} times`;
  if (isSuccess(last.responseCode)) return status === 'SUCCESS' ? null : `is ${status} after ${said}`;
  if (successes > 0) return 'was tried again after its success';
  if (status === 'DISABLED') return last.responseCode === 410 ? null : `is DISABLED after ${said}`;
  if (status !== 'FAILED') return `is ${status} after ${said}`;
  const retries = records.length - 1;
  if (retries >= delays || (isFinal(last.responseCode) && retries >= RETRIES_AFTER_FINAL)) return null;
  return `was given up after ${records.length} attempts, the last with ${said}`;
}

const LEAST_JITTER = 0.8;
const ROUNDING_MS = 50;

function findHasty(evidence: Evidence): string | null {
  const taken = takenOf(evidence);
  return first(attemptsOf(evidence).values(), (records) =>
    first(records.slice(1).entries(), ([index, next]) => {
      const before = records[index];
      if (!before) return null;
      const endedAt = before.at + before.responseTimeMs;
      const scheduledMs = 1_000 * LEAST_JITTER * (evidence.retryDelaysSeconds[index] ?? 0);
      const asked = (taken.get(keyOf(before)) ?? []).filter(isOf(before))[0]?.answer.retryAfter ?? null;
      const askedAt = asked === null || before.responseCode === null ? 0 : askedFor(asked, endedAt);
      const earliest = Math.max(endedAt + scheduledMs, askedAt) - ROUNDING_MS;
      if (next.at >= earliest) return null;
      const early = Math.round(earliest - next.at);
      return `delivery ${next.deliveryId}: attempt ${next.attempt} came ${early} ms too early after ${before.responseCode ?? before.error}`;
    }),
  );
}

function askedFor(retryAfter: string, endedAt: number): number {
  return /^\d+$/.test(retryAfter) ? endedAt + 1_000 * Number(retryAfter) : Date.parse(retryAfter);
}

function findUnexplainedRepeat(evidence: Evidence): string | null {
  const records = new Map(evidence.attempts.map((record) => [keyOf(record), record]));
  return first(repeatsOf(evidence), (requests) => {
    const [one] = requests as [Taken];
    const record = records.get(keyOf(one));
    const own = record ? requests.findIndex(isOf(record)) : -1;
    const others = requests.filter((_request, index) => index !== own);
    const unexplained = others.find((request) => !evidence.outages.some((outage) => cuts(outage, request)));
    if (!unexplained) return null;
    const times = requests.map(({ at }) => new Date(at).toISOString()).join(', ');
    return `delivery ${one.deliveryId}, attempt ${one.attempt}, was made ${requests.length} times without a kill: ${times}`;
  });
}

/** Whether a kill came while the request was under way at the gateway, so that its record could be lost. */
function cuts({ from, losesRecordsUntil }: Outage, { at, timestamp, answer }: Taken): boolean {
  if (losesRecordsUntil === null) return false;
  // Judged by the second it was signed in: the receiver may have read it after its sender was gone.
  const begunAt = 1_000 * Number(timestamp);
  return begunAt <= losesRecordsUntil && at + Math.min(answer.delayMs, 5_000) + RECORDING_MS >= from;
}

/** The requests of each attempt that the receiver took more than once. */
export function repeatsOf(evidence: Evidence): Taken[][] {
  return [...takenOf(evidence).values()].filter((requests) => requests.length > 1);
}
