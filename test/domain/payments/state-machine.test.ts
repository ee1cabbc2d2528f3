// The state machine for open payments, checked against the contract's table (section 5): every row, and cases without
// one.

import { describe } from '@jest/globals';
import { at, DAY, hold, minute, money, UPDATED } from './facts.fixture.ts';

const PARTIAL = { status: 'PARTIALLY_PAID' } as const;
const CONFIRMING = { status: 'CONFIRMING', confirmingSince: minute(10) } as const;
const SUCCEEDED = { status: 'SUCCEEDED' } as const;
const LATE_FROM_EXPIRED = { ...CONFIRMING, confirmingSince: minute(40), lateFromStatus: 'EXPIRED' } as const;
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
      'a surplus that is not confirmed does not count yet',
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
