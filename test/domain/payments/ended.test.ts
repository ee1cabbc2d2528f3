// The state machine for payments that have ended, checked against the contract's table (section 5): late money, lost
// money.

import { describe, expect, it } from '@jest/globals';
import { at, DAY, hold, minute, money, payment, settle, UPDATED, way } from './facts.fixture.ts';

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
