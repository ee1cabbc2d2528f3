// Tests the chaos rules for an older copy of the database: a correct run breaks none, and each is broken by its own
// fault.

import { describe, expect, it } from '@jest/globals';
import type { CopyEvidence } from '../../../chaos/copies/evidence.ts';
import type { PayoutNote, Shop } from '../../../chaos/load/client-log.ts';
import { COPY_INVARIANTS } from '../../../chaos/invariants/copies.ts';

const shop: Shop = {
  ...{ merchantId: 'mer_1', token: '', webhookSecret: '', endpoints: [] },
  ...{ eventsRead: new Map(), publicEvents: [] },
};

const withdrawal = (n: number): PayoutNote => ({
  ...{ shop, kind: 'withdrawal', address: `0xA${n}`, currency: 'USDT', amount: '2', orderId: null },
  ...{ merchantWithdrawalId: `cart-${n}`, id: `wdr_${n}`, refused: null },
});

const booked = (n: number, status: string) => ({ id: `wdr_${n}`, address: `0xa${n}`, status, transfers: 1 });

const DUE = 2_000_000n;

/** A payout that waited in the copy, one that was lost and not signed, and a paid refund whose payment is lost. */
function rightRun(): CopyEvidence {
  const [waiting, lost] = [withdrawal(1), withdrawal(2)];
  const refund: PayoutNote = { ...withdrawal(3), kind: 'refund', orderId: 'ord_1', merchantWithdrawalId: null };
  return {
    ...{ payouts: [waiting, lost, refund], signed: 2, inCopy: [booked(1, 'REQUESTED')] },
    readyWhenHalted: { status: 200, halted: ['ETH'] },
    ...{ recovered: { code: 0, words: '' }, haltsLeft: [], payments: new Set<string>(), outflows: 1 },
    receivedWhenHalted: new Map([['0xA1', DUE]]),
    received: new Map([1, 2, 3].map((n) => [`0xA${n}`, DUE])),
    retries: [
      { note: waiting, held: DUE, code: '4005' },
      { note: lost, held: 0n, code: null },
    ],
    book: [booked(1, 'COMPLETED'), booked(2, 'COMPLETED')],
    suspended: [{ currency: 'USDT', amount: 5n, least: 5n, most: 5n }],
    ledgerFault: null,
  };
}

/** The texts of the rules that it breaks. */
const broken = (evidence: CopyEvidence): string[] =>
  COPY_INVARIANTS.filter(({ breach }) => breach(evidence) !== null).map(({ words }) => words);

const received = (changes: Readonly<Record<string, bigint>>) =>
  new Map([...rightRun().received, ...Object.entries(changes)]);

describe('the rules of an older copy of the database', () => {
  it('hold of a right run', () => {
    expect(broken(rightRun())).toEqual([]);
  });

  it.each<[string, string, Partial<CopyEvidence>]>([
    ['a second payment', 'no address ever holds more', { received: received({ '0xA2': 2n * DUE }) }],
    [
      'a payment before the recovery',
      'no address ever holds more',
      { receivedWhenHalted: received({ '0xA1': 3n * DUE }) },
    ],
    ['silence', 'a network that signed', { readyWhenHalted: null }],
    ['not being ready', 'a network that signed', { readyWhenHalted: { status: 503, halted: ['ETH'] } }],
    ['a recovery that failed', 'npm run recover', { recovered: { code: 1, words: '' } }],
    ['a halt that stays', 'npm run recover', { haltsLeft: ['ETH'] }],
    ['one that waits for ever', 'a payout that waits', { book: [booked(1, 'REQUESTED'), booked(2, 'COMPLETED')] }],
    ['one that was paid and is lost', 'what the chain paid', { book: [booked(1, 'COMPLETED')] }],
    ['one that was booked and not paid', 'what the chain paid', { received: received({ '0xA2': 0n }) }],
    ['a cost that nobody knows of', 'a paid refund', { outflows: 2 }],
    ['a repeat that is accepted', 'a withdrawal that', { retries: [{ note: withdrawal(1), held: DUE, code: null }] }],
    ['a repeat that is refused', 'a withdrawal that', { retries: [{ note: withdrawal(2), held: 0n, code: '4005' }] }],
    [
      'too much in suspense',
      'what was paid to orders',
      { suspended: [{ currency: 'USDT', amount: 6n, least: 5n, most: 5n }] },
    ],
    ['a book that is wrong', 'with that written off', { ledgerFault: 'wrong' }],
  ])('are broken by %s', (_, words, change) => {
    expect(broken({ ...rightRun(), ...change })).toEqual(expect.arrayContaining([expect.stringContaining(words)]));
  });
});
