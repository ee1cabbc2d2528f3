// What a receipt proves about a transfer, as a table.

import { describe, expect, it } from '@jest/globals';
import type { Move, Receipt } from '../../src/chain/blocks.ts';
import { judgeReceipt, type Judged } from '../../src/chain/judge-receipt.ts';

const MOVE = { senderKey: 'us', recipientKey: 'shop', currency: 'USDT', amount: 100n };

function receiptOf(moves: readonly Move[] | null, { succeeded = true } = {}): Receipt {
  const paid = (moves ?? []).map(({ currency, to, amount }, ordinal) => ({
    ...{ txHash: '0x', ordinal, addressKey: to, currency, amount },
  }));
  return { block: { hash: '0x', height: 1 }, succeeded, cost: 1n, paid, ...(moves && { moves }) };
}

const usdt = (from: string, to: string, amount: bigint): Move => ({ currency: 'USDT', from, to, amount });
const usdc = (from: string, to: string, amount: bigint): Move => ({ currency: 'USDC', from, to, amount });

const TABLE: readonly (readonly [what: string, moves: Move[], judged: Judged])[] = [
  ['all of it', [usdt('us', 'shop', 100n)], { verdict: 'PAID', left: 100n, arrived: 100n }],
  [
    'all of it, beside others that are not ours',
    [usdt('a', 'b', 7n), usdc('us', 'b', 1n), usdt('us', 'shop', 100n)],
    { verdict: 'PAID', left: 100n, arrived: 100n },
  ],
  [
    'less to them, and a part to the owner',
    [usdt('us', 'owner', 1n), usdt('us', 'shop', 99n)],
    { verdict: 'FEE_TAKEN', left: 100n, arrived: 99n },
  ],
  [
    'all of it to them, and more to the owner',
    [usdt('us', 'shop', 100n), usdt('us', 'owner', 1n)],
    { verdict: 'FEE_TAKEN', left: 101n, arrived: 100n },
  ],
  [
    'all of it to them, and a part of it on to the owner',
    [usdt('us', 'shop', 100n), usdt('shop', 'owner', 1n)],
    { verdict: 'FEE_TAKEN', left: 100n, arrived: 99n },
  ],
  ['less than was sent', [usdt('us', 'shop', 99n)], { verdict: 'FEE_TAKEN', left: 99n, arrived: 99n }],
  ['more than was sent', [usdt('us', 'shop', 101n)], { verdict: 'FEE_TAKEN', left: 101n, arrived: 101n }],
  ['all of it to somebody else', [usdt('us', 'her', 100n)], { verdict: 'FEE_TAKEN', left: 100n, arrived: 0n }],
  [
    'a part that is burnt',
    [usdt('us', 'shop', 90n), usdt('us', '0', 10n)],
    { verdict: 'FEE_TAKEN', left: 100n, arrived: 90n },
  ],
  ['nothing, without a word', [], { verdict: 'UNCLEAR', left: 0n, arrived: 0n }],
  ["another token's", [usdc('us', 'shop', 100n)], { verdict: 'UNCLEAR', left: 0n, arrived: 0n }],
];

describe('a receipt with logs', () => {
  it.each(TABLE)('that moved %s', (_what, moves, judged) => {
    expect(judgeReceipt(MOVE, receiptOf(moves), 'ETH')).toEqual(judged);
  });
});

describe('any receipt', () => {
  it('of what reverted moved nothing, whatever it says', () => {
    const receipt = receiptOf([usdt('us', 'shop', 100n)], { succeeded: false });
    expect(judgeReceipt(MOVE, receipt, 'ETH')).toEqual({ verdict: 'MOVED_NOTHING', left: 0n, arrived: 0n });
  });

  it('of the coin moved what it says: nobody can keep a part', () => {
    const judged = judgeReceipt({ ...MOVE, currency: 'ETH' }, receiptOf([]), 'ETH');
    expect(judged).toEqual({ verdict: 'PAID', left: 100n, arrived: 100n });
  });
});

describe('a receipt with balances alone', () => {
  const withBalance = (amount: bigint) => ({ ...receiptOf([usdt('us', 'shop', amount)]), moves: undefined }) as never;

  it('says what arrived; what left is what was signed', () => {
    expect(judgeReceipt(MOVE, withBalance(100n), 'SOL')).toEqual({ verdict: 'PAID', left: 100n, arrived: 100n });
    expect(judgeReceipt(MOVE, withBalance(98n), 'SOL')).toEqual({ verdict: 'FEE_TAKEN', left: 100n, arrived: 98n });
    expect(judgeReceipt(MOVE, receiptOf(null), 'SOL')).toEqual({ verdict: 'UNCLEAR', left: 0n, arrived: 0n });
  });
});
