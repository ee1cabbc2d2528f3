// The states of a payout: docs/payout-states.md lists exactly the transitions of the state machine, and no history
// leaves a final state or tells of something twice.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  nextPayoutState,
  PAYOUT_STATUSES,
  type PayoutDecision,
  type PayoutFacts,
  type PayoutTransfer,
} from '../../../src/values/payouts/state.ts';
import { tableUnder } from '../../domain/payments/states-table.fixture.ts';

const text = readFileSync(join(process.cwd(), 'docs', 'payout-states.md'), 'utf8');
const NOW = new Date('2026-11-23T12:00:00Z');
const LATER = new Date('2026-11-23T12:00:01Z');

const DECISIONS: readonly (PayoutDecision | null)[] = [null, 'APPROVE', 'REJECT', 'FAIL'];
const TRANSFERS: readonly PayoutTransfer[] = [
  { state: 'NONE' },
  { state: 'VOID' },
  ...['0x1', '0x2'].flatMap((txHash) => [
    { state: 'OPEN' as const, txHash },
    { state: 'MINED' as const, txHash },
  ]),
];

/** Facts that a row can have: only what was broadcast can be booked. */
const FACTS: readonly PayoutFacts[] = PAYOUT_STATUSES.flatMap((status) =>
  [true, false].flatMap((isBooked) =>
    [null, NOW, LATER].map((awaitsUntil) => ({ status, isBooked, txHash: '0x1', awaitsUntil })),
  ),
).filter(({ status, isBooked }) => {
  if (status === 'COMPLETED') return isBooked;
  return status === 'BROADCAST' || !isBooked;
});

/** Every transition, as the table words it. */
function transitions(): Set<string> {
  const found = new Set<string>();
  for (const facts of FACTS)
    for (const decision of DECISIONS)
      for (const transfer of TRANSFERS) {
        const next = nextPayoutState(facts, decision, transfer, NOW);
        if (next) found.add(`${facts.status} → ${next.status} by ${next.step}`);
      }
  return found;
}

describe('docs/payout-states.md', () => {
  it('describes every status, and which are final', () => {
    expect(tableUnder(text, 'States').map(([status]) => status)).toEqual([...PAYOUT_STATUSES]);
  });

  it('lists exactly the transitions of the state machine', () => {
    const listed = tableUnder(text, 'Transitions').flatMap(([from = '', to = '', , step = '']) =>
      from.split(', ').map((status) => `${status} → ${to} by ${step}`),
    );
    expect(listed.toSorted()).toEqual([...transitions()].toSorted());
  });
});

describe('a payout that waits for an approval', () => {
  const waiting = { status: 'AWAITING_APPROVAL', isBooked: false, txHash: null } as const;
  const none = { state: 'NONE' } as const;

  it.each([
    ['approved in time', 'APPROVE', LATER, 'REQUESTED'],
    ['approved at the end of its time', 'APPROVE', NOW, 'REJECTED'],
    ['rejected', 'REJECT', LATER, 'REJECTED'],
    ['left to itself until the end', null, NOW, 'REJECTED'],
    ['failed', 'FAIL', LATER, 'FAILED'],
    ['failed at the end of its time', 'FAIL', NOW, 'FAILED'],
  ] as const)('%s', (_, decision, awaitsUntil, status) => {
    expect(nextPayoutState({ ...waiting, awaitsUntil }, decision, none, NOW)?.status).toBe(status);
  });

  it('stays as it is before its time ran out', () => {
    expect(nextPayoutState({ ...waiting, awaitsUntil: LATER }, null, none, NOW)).toBeNull();
  });
});

describe('any history of a payout', () => {
  const step = fc.record({ decision: fc.constantFrom(...DECISIONS), transfer: fc.constantFrom(...TRANSFERS) });

  it('ends in a final state, tells of each public step once, and never fails what was booked', () => {
    fc.assert(
      fc.property(fc.constantFrom('REQUESTED', 'AWAITING_APPROVAL'), fc.array(step), (first, steps) => {
        let facts: PayoutFacts = { status: first, isBooked: false, txHash: null, awaitsUntil: LATER };
        const told: string[] = [];
        for (const { decision, transfer } of steps) {
          const next = nextPayoutState(facts, decision, transfer, NOW);
          if (!next) continue;
          expect(['FAILED', 'REJECTED']).not.toContain(facts.status);
          if (next.status === 'FAILED' || next.status === 'REJECTED') expect(facts.isBooked).toBe(false);
          const txHash = 'txHash' in transfer ? transfer.txHash : facts.txHash;
          const isBooked = facts.isBooked || next.status === 'COMPLETED';
          facts = { ...facts, status: next.status, txHash, isBooked };
          if (next.step !== 'updated') told.push(next.step);
        }
        expect(new Set(told).size).toBe(told.length);
      }),
    );
  });
});
