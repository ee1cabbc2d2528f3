// The state machine of a payment, held to the contract's table (section 5): every row, and what is no row.

import { describe, expect, it } from '@jest/globals';
import type { DepositFacts, ObservedClock, PaymentFacts } from '../../src/domain/payment-state.ts';
import { at, DAY, minute, money, payment, settle, way } from './state-facts.ts';

type Row = readonly [
  title: string,
  start: Partial<PaymentFacts>,
  deposits: readonly DepositFacts[],
  clock: ObservedClock,
  way: readonly string[],
];

function hold(rows: readonly Row[]): void {
  it.each(rows)('%s', (_title, start, deposits, clock, expected) => {
    expect(way(payment(start), deposits, clock)).toEqual(expected);
  });
}

const UPDATED = 'by payment.updated';
const MANUAL = { latePaymentPolicy: 'MANUAL' } as const;
const EXPIRED = { status: 'EXPIRED' } as const;
const UNDERPAID = { status: 'FAILED', exception: 'UNDERPAID' } as const;
const CANCELED = { status: 'CANCELED' } as const;
const PARTIAL = { status: 'PARTIALLY_PAID' } as const;
const CONFIRMING = { status: 'CONFIRMING', confirmingSince: minute(10) } as const;
const SUCCEEDED = { status: 'SUCCEEDED' } as const;
const LATE_FROM_EXPIRED = { ...CONFIRMING, confirmingSince: minute(40), lateFromStatus: 'EXPIRED' } as const;
const REORGED = {
  status: 'FAILED',
  exception: 'REORGED',
  lostFromStatus: 'SUCCEEDED',
  lostFromException: null,
  lostAt: minute(20),
} as const;
const UNCONFIRMED = { status: 'FAILED', exception: 'UNCONFIRMED' } as const;
const late = { late: true };

describe('money that comes in time', () => {
  hold([
    ['nothing seen: PENDING stays', {}, [], at(5), []],
    ['a part seen: PARTIALLY_PAID', {}, [money(999n, 'waiting')], at(10), [`PARTIALLY_PAID ${UPDATED}`]],
    ['another part, still less: nothing new', PARTIAL, [money(400n, 'waiting'), money(599n, 'confirmed')], at(10), []],
    ['enough seen: CONFIRMING', {}, [money(1_000n, 'waiting')], at(10), [`CONFIRMING ${UPDATED}`]],
    [
      'parts that make enough: CONFIRMING',
      PARTIAL,
      [money(400n, 'confirmed'), money(600n, 'waiting')],
      at(10),
      [`CONFIRMING ${UPDATED}`],
    ],
    [
      'enough confirmed at once: CONFIRMING is not skipped',
      {},
      [money(1_000n, 'confirmed')],
      at(10),
      [`CONFIRMING ${UPDATED}`, 'SUCCEEDED by payment.succeeded'],
    ],
    [
      'confirmations in part: CONFIRMING stays',
      CONFIRMING,
      [money(999n, 'confirmed'), money(1n, 'waiting')],
      at(10),
      [],
    ],
    [
      'more than the amount: OVERPAID',
      CONFIRMING,
      [money(1_001n, 'confirmed')],
      at(10),
      ['SUCCEEDED (OVERPAID) by payment.succeeded'],
    ],
    [
      'a surplus that is not confirmed is none yet',
      CONFIRMING,
      [money(1_000n, 'confirmed'), money(1n, 'waiting')],
      at(10),
      ['SUCCEEDED by payment.succeeded'],
    ],
    [
      'a surplus that confirms after SUCCEEDED: OVERPAID',
      SUCCEEDED,
      [money(1_000n, 'confirmed'), money(1n, 'confirmed')],
      at(20),
      [`SUCCEEDED (OVERPAID) ${UPDATED}`],
    ],
    [
      'the surplus is gone for good: OVERPAID is lifted',
      { ...SUCCEEDED, exception: 'OVERPAID' },
      [money(1_000n, 'confirmed'), money(1n, 'gone')],
      at(20),
      [`SUCCEEDED ${UPDATED}`],
    ],
    [
      'a late surplus overpays as well',
      SUCCEEDED,
      [money(1_000n, 'confirmed'), money(1n, 'confirmed', late)],
      at(50),
      [`SUCCEEDED (OVERPAID) ${UPDATED}`],
    ],
  ]);
});

describe('tolerance, to the base unit', () => {
  const tolerant = { amount: 1_001n, toleranceBasisPoints: 100 };
  hold([
    [
      'one unit less than amount × (1 − tolerance), rounded up: not enough',
      tolerant,
      [money(990n, 'confirmed')],
      at(10),
      [`PARTIALLY_PAID ${UPDATED}`],
    ],
    [
      'exactly that: enough',
      tolerant,
      [money(991n, 'confirmed')],
      at(10),
      [`CONFIRMING ${UPDATED}`, 'SUCCEEDED by payment.succeeded'],
    ],
    [
      'the amount itself is not overpaid',
      tolerant,
      [money(1_001n, 'confirmed')],
      at(10),
      [`CONFIRMING ${UPDATED}`, 'SUCCEEDED by payment.succeeded'],
    ],
    [
      'overpaid is more than the amount, not more than what is due',
      tolerant,
      [money(1_002n, 'confirmed')],
      at(10),
      [`CONFIRMING ${UPDATED}`, 'SUCCEEDED (OVERPAID) by payment.succeeded'],
    ],
    [
      'without tolerance one unit less is not enough',
      {},
      [money(999n, 'confirmed')],
      at(10),
      [`PARTIALLY_PAID ${UPDATED}`],
    ],
  ]);
});

describe('money that goes away before it is confirmed', () => {
  hold([
    ['CONFIRMING → PENDING', CONFIRMING, [money(1_000n, 'dropped')], at(20), [`PENDING ${UPDATED}`]],
    [
      'CONFIRMING → PARTIALLY_PAID',
      CONFIRMING,
      [money(400n, 'confirmed'), money(600n, 'dropped')],
      at(20),
      [`PARTIALLY_PAID ${UPDATED}`],
    ],
    ['PARTIALLY_PAID → PENDING', PARTIAL, [money(400n, 'dropped')], at(20), [`PENDING ${UPDATED}`]],
    [
      'after the time, CONFIRMING ends by way of PENDING',
      CONFIRMING,
      [money(1_000n, 'dropped')],
      at(30),
      [`PENDING ${UPDATED}`, 'EXPIRED by payment.expired'],
    ],
    [
      'or of PARTIALLY_PAID',
      CONFIRMING,
      [money(400n, 'waiting'), money(600n, 'dropped')],
      at(30),
      [`PARTIALLY_PAID ${UPDATED}`, 'FAILED (UNDERPAID) by payment.failed'],
    ],
    [
      'what is replaced by as much stays CONFIRMING',
      CONFIRMING,
      [money(1_000n, 'dropped'), money(1_000n, 'waiting')],
      at(20),
      [],
    ],
    [
      'credited money that is off the chain lets nothing succeed',
      CONFIRMING,
      [money(400n, 'unsettled'), money(600n, 'confirmed')],
      at(20),
      [`PARTIALLY_PAID ${UPDATED}`],
    ],
    [
      'nor while it waits to be mined again',
      CONFIRMING,
      [money(400n, 'returning'), money(600n, 'confirmed')],
      at(20),
      [],
    ],
  ]);
});

describe('time-outs', () => {
  hold([
    ['PENDING → EXPIRED', {}, [], at(30), ['EXPIRED by payment.expired']],
    [
      'PARTIALLY_PAID → FAILED (UNDERPAID)',
      PARTIAL,
      [money(999n, 'confirmed')],
      at(30),
      ['FAILED (UNDERPAID) by payment.failed'],
    ],
    ['not a millisecond before', {}, [], at(30, new Date(minute(30).getTime() - 1)), []],
    ['a watcher that has seen nothing expires nobody', {}, [], at(500, null), []],
    ['nor one that lags', PARTIAL, [money(1n, 'waiting')], at(500, minute(29)), []],
    [
      'what a lagging watcher finds to be in time is in time',
      {},
      [money(1_000n, 'confirmed')],
      at(500, minute(29)),
      [`CONFIRMING ${UPDATED}`, 'SUCCEEDED by payment.succeeded'],
    ],
    ['CONFIRMING does not expire', CONFIRMING, [money(1_000n, 'waiting')], at(31), []],
    [
      '24 h after expiresAt: FAILED (UNCONFIRMED)',
      CONFIRMING,
      [money(1_000n, 'waiting')],
      at(30 + DAY),
      ['FAILED (UNCONFIRMED) by payment.failed'],
    ],
    ['and not before', CONFIRMING, [money(1_000n, 'waiting')], at(29 + DAY), []],
    [
      '24 h after entering CONFIRMING where that is later',
      LATE_FROM_EXPIRED,
      [money(1_000n, 'waiting', late)],
      at(39 + DAY),
      [],
    ],
    [
      'and then FAILED (UNCONFIRMED)',
      LATE_FROM_EXPIRED,
      [money(1_000n, 'waiting', late)],
      at(40 + DAY),
      ['FAILED (UNCONFIRMED) by payment.failed'],
    ],
    [
      'the watcher must have seen those 24 h',
      CONFIRMING,
      [money(1_000n, 'waiting')],
      at(99 * DAY, minute(29 + DAY)),
      [],
    ],
    [
      'confirmed in the same moment: SUCCEEDED',
      CONFIRMING,
      [money(1_000n, 'confirmed')],
      at(30 + DAY),
      ['SUCCEEDED by payment.succeeded'],
    ],
  ]);
});

describe('after UNCONFIRMED only confirmed money leads back', () => {
  hold([
    [
      'waiting money does not',
      UNCONFIRMED,
      [money(1_000n, 'waiting'), money(1_000n, 'waiting', late)],
      at(31 + DAY),
      [],
    ],
    [
      'nor confirmed money that is not enough',
      UNCONFIRMED,
      [money(999n, 'confirmed'), money(1n, 'waiting')],
      at(31 + DAY),
      [],
    ],
    ['nor credited money that is off the chain', UNCONFIRMED, [money(1_000n, 'unsettled')], at(31 + DAY), []],
    [
      'enough of it does',
      UNCONFIRMED,
      [money(1_000n, 'confirmed')],
      at(31 + DAY),
      [`CONFIRMING ${UPDATED}`, 'SUCCEEDED (PAID_LATE) by payment.succeeded'],
    ],
  ]);
});

describe('late money', () => {
  const whole = [money(1_000n, 'waiting', late)];
  const confirmed = [money(1_000n, 'confirmed', late)];
  const paidLate = [`CONFIRMING ${UPDATED}`, 'SUCCEEDED (PAID_LATE) by payment.succeeded'];
  hold([
    ['before the expiry is told, it waits for it', {}, whole, at(40, minute(29)), []],
    ['then it leads on', {}, whole, at(40), ['EXPIRED by payment.expired', `CONFIRMING ${UPDATED}`]],
    [
      'beside a part in time',
      PARTIAL,
      [money(400n, 'confirmed'), money(600n, 'confirmed', late)],
      at(40),
      ['FAILED (UNDERPAID) by payment.failed', ...paidLate],
    ],
    ['EXPIRED → CONFIRMING', EXPIRED, whole, at(40), [`CONFIRMING ${UPDATED}`]],
    ['EXPIRED → CONFIRMING → SUCCEEDED (PAID_LATE)', EXPIRED, confirmed, at(40), paidLate],
    [
      'FAILED (UNDERPAID) and the rest',
      UNDERPAID,
      [money(400n, 'confirmed'), money(600n, 'confirmed', late)],
      at(40),
      paidLate,
    ],
    ['CANCELED', CANCELED, confirmed, at(10), paidLate],
    ['less than due leaves EXPIRED', EXPIRED, [money(999n, 'confirmed', late)], at(40), []],
    ['less than due leaves CANCELED', CANCELED, [money(999n, 'confirmed', late)], at(40), []],
    ['PAID_LATE outranks OVERPAID', EXPIRED, [money(2_000n, 'confirmed', late)], at(40), paidLate],
    [
      'and stays when a surplus follows',
      { ...SUCCEEDED, exception: 'PAID_LATE' },
      [money(2_000n, 'confirmed', late)],
      at(50),
      [],
    ],
    [
      'tolerance holds for late money too',
      { ...EXPIRED, toleranceBasisPoints: 1_000 },
      [money(900n, 'confirmed', late)],
      at(40),
      paidLate,
    ],
    ['MANUAL leaves EXPIRED', { ...EXPIRED, ...MANUAL }, confirmed, at(40), []],
    ['MANUAL leaves CANCELED', { ...CANCELED, ...MANUAL }, confirmed, at(40), []],
    [
      'MANUAL, accepted: on it goes',
      { ...EXPIRED, ...MANUAL, acceptedAt: minute(45) },
      whole,
      at(45),
      [`CONFIRMING ${UPDATED}`],
    ],
    ['goes away: back to EXPIRED', LATE_FROM_EXPIRED, [money(1_000n, 'dropped', late)], at(50), [`EXPIRED ${UPDATED}`]],
    [
      'goes away: back to FAILED (UNDERPAID)',
      { ...LATE_FROM_EXPIRED, lateFromStatus: 'FAILED', lateFromException: 'UNDERPAID' },
      [money(400n, 'confirmed'), money(600n, 'dropped', late)],
      at(50),
      [`FAILED (UNDERPAID) ${UPDATED}`],
    ],
    [
      'goes away: back to CANCELED',
      { ...LATE_FROM_EXPIRED, lateFromStatus: 'CANCELED' },
      [money(1_000n, 'dropped', late)],
      at(50),
      [`CANCELED ${UPDATED}`],
    ],
  ]);

  it('an accept is used up by money that goes away', () => {
    const accepted = payment({ ...LATE_FROM_EXPIRED, ...MANUAL, acceptedAt: minute(45) });
    const { facts } = settle(accepted, [money(1_000n, 'dropped', late)], at(50));
    expect(facts).toMatchObject({ status: 'EXPIRED', acceptedAt: null, lateFromStatus: null, confirmingSince: null });
    expect(way(facts, confirmed, at(60))).toEqual([]);
  });

  it('the state it came from is remembered with its exception', () => {
    const { facts } = settle(payment(UNDERPAID), [money(400n, 'confirmed'), money(600n, 'waiting', late)], at(40));
    expect(facts).toMatchObject({
      lateFromStatus: 'FAILED',
      lateFromException: 'UNDERPAID',
      confirmingSince: minute(40),
    });
  });
});

describe('confirmed money that is gone for good', () => {
  const gone = money(1_000n, 'gone');
  const later = { late: true, seenAt: minute(60) };
  hold([
    ['off the chain, perhaps to come back: nothing yet', SUCCEEDED, [money(1_000n, 'unsettled')], at(20), []],
    ['SUCCEEDED → FAILED (REORGED)', SUCCEEDED, [gone], at(20), ['FAILED (REORGED) by payment.failed']],
    [
      'PARTIALLY_REFUNDED → FAILED (REORGED)',
      { status: 'PARTIALLY_REFUNDED' },
      [gone],
      at(20),
      ['FAILED (REORGED) by payment.failed'],
    ],
    ['REFUNDED → FAILED (REORGED)', { status: 'REFUNDED' }, [gone], at(20), ['FAILED (REORGED) by payment.failed']],
    [
      'one part is enough to miss',
      SUCCEEDED,
      [money(999n, 'confirmed'), money(1n, 'gone')],
      at(20),
      ['FAILED (REORGED) by payment.failed'],
    ],
    ['where the rest is enough it stays', SUCCEEDED, [money(1_000n, 'confirmed'), gone], at(20), []],
    ['comes back, not yet confirmed: nothing', REORGED, [money(1_000n, 'waiting')], at(50), []],
    [
      'comes back confirmed: restored directly',
      REORGED,
      [money(1_000n, 'confirmed')],
      at(50),
      ['SUCCEEDED by payment.succeeded'],
    ],
    [
      'with its former exception',
      { ...REORGED, lostFromException: 'PAID_LATE' },
      [money(1_000n, 'confirmed')],
      at(50),
      ['SUCCEEDED (PAID_LATE) by payment.succeeded'],
    ],
    [
      'and its former state',
      { ...REORGED, lostFromStatus: 'PARTIALLY_REFUNDED' },
      [money(1_000n, 'confirmed')],
      at(50),
      ['PARTIALLY_REFUNDED by payment.succeeded'],
    ],
    [
      'whatever the late policy says',
      { ...REORGED, ...MANUAL },
      [money(1_000n, 'confirmed')],
      at(50),
      ['SUCCEEDED by payment.succeeded'],
    ],
    [
      'new money instead: paid late',
      REORGED,
      [gone, money(1_000n, 'confirmed', later)],
      at(60),
      [`CONFIRMING ${UPDATED}`, 'SUCCEEDED (PAID_LATE) by payment.succeeded'],
    ],
    [
      'under MANUAL new money is asked about',
      { ...REORGED, ...MANUAL },
      [gone, money(1_000n, 'confirmed', later)],
      at(60),
      [],
    ],
    [
      'the old comes back while new money is on its way: restored',
      {
        ...REORGED,
        status: 'CONFIRMING',
        exception: null,
        confirmingSince: minute(60),
        lateFromStatus: 'FAILED',
        lateFromException: 'REORGED',
      },
      [money(1_000n, 'confirmed'), money(1_000n, 'waiting', later)],
      at(70),
      ['SUCCEEDED by payment.succeeded'],
    ],
    [
      'what is left of the old and is off the chain does not add to new money',
      REORGED,
      [money(400n, 'unsettled'), money(600n, 'gone'), money(600n, 'waiting', later)],
      at(60),
      [],
    ],
  ]);

  it('what was lost is remembered until it is restored', () => {
    const lost = settle(payment({ ...SUCCEEDED, exception: 'OVERPAID' }), [money(2_000n, 'gone')], at(20)).facts;
    expect(lost).toMatchObject({ lostFromStatus: 'SUCCEEDED', lostFromException: 'OVERPAID', lostAt: minute(20) });
    const restored = settle(lost, [money(2_000n, 'confirmed')], at(90)).facts;
    expect(restored).toMatchObject({ status: 'SUCCEEDED', exception: 'OVERPAID', lostAt: null, lostFromStatus: null });
  });
});
