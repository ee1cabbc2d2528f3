// Classifying a payout's own transactions (can they still pay?) and what a transaction itself moved, from nodes'
// answers.

import { describe, expect, it } from '@jest/globals';
import type { ChainAdapter } from '../../../src/chain/adapter.ts';
import type { Receipt } from '../../../src/chain/blocks.ts';
import { ChainUnavailable } from '../../../src/chain/errors.ts';
import type { ExplanationContext } from '../../../src/custody/recovery/explanation.ts';
import { movedByItself } from '../../../src/custody/recovery/explain-transaction.ts';
import { standingOf } from '../../../src/custody/recovery/standing.ts';
import type { OwnTransaction } from '../../../src/database/queries/payouts/paid-candidates.ts';

const own: OwnTransaction = {
  ...{ txHash: 'own', senderKey: 'hot', recipientKey: 'shop', currency: 'ETH', amount: 5n, nonce: 3, validUntil: null },
  raw: '0x',
};
const TIP = 100;

interface Says {
  readonly receipt?: { readonly height: number; readonly succeeded: boolean } | null;
  readonly nonce?: number;
  /** Null: the node no longer has that state. */
  readonly conflictAt?: number | null | undefined;
  readonly isDead?: boolean;
  readonly replaceable?: boolean;
}

/** A node with these answers, whose blocks up to 90 are final. */
function node({ receipt = null, nonce = 0, conflictAt, isDead = false, replaceable = true }: Says): ChainAdapter {
  const told: Receipt | null = receipt && {
    ...{ block: { hash: 'b', height: receipt.height }, succeeded: receipt.succeeded, cost: 1n, paid: [], moves: [] },
  };
  return {
    ...{ network: 'ETH', model: 'ACCOUNT', replaceable },
    receipt: () => Promise.resolve(told),
    isCanonical: () => Promise.resolve(true),
    finalizedHeight: () => Promise.resolve(90),
    tip: () => Promise.resolve({ height: TIP }),
    nonces: () => Promise.resolve(new Map([['hot', nonce]])),
    hasExpired: () => Promise.resolve(isDead),
    conflictAt: (_: unknown, upTo: number) =>
      conflictAt === null
        ? Promise.reject(new ChainUnavailable('ETH', 'missing trie node'))
        : Promise.resolve(conflictAt !== undefined && conflictAt <= upTo ? conflictAt : null),
  } as unknown as ChainAdapter;
}

describe("a payout's own transaction", () => {
  it.each<[string, Says, Partial<OwnTransaction>, string]>([
    ['is in a block and paid', { receipt: { height: 99, succeeded: true } }, {}, 'PAID'],
    [
      'is in a block, and nobody can read what it moved',
      { receipt: { height: 80, succeeded: true } },
      { currency: 'USDT' },
      'UNSURE',
    ],
    ['reverted for good', { receipt: { height: 90, succeeded: false } }, {}, 'DEAD'],
    ['reverted a moment ago', { receipt: { height: 91, succeeded: false } }, {}, 'UNSURE'],
    ['has a nonce that is free', { nonce: 3 }, {}, 'ALIVE'],
    ['lost its nonce for good', { nonce: 4, conflictAt: 90 }, {}, 'DEAD'],
    ['lost its nonce a moment ago', { nonce: 4, conflictAt: 91 }, {}, 'UNSURE'],
    ['lost its nonce in a state that is not kept', { nonce: 4, conflictAt: null }, {}, 'UNSURE'],
    ['has expired', { isDead: true, replaceable: false }, { validUntil: 95 }, 'DEAD'],
    ['has not expired', { replaceable: false }, { validUntil: 95 }, 'ALIVE'],
    ['was found on a chain of such', { replaceable: false }, {}, 'UNSURE'],
  ])('%s', async (_what, says, more, standing) => {
    expect(await standingOf(node(says), 2, { ...own, ...more })).toBe(standing);
  });

  it('is asked of two nodes, and nothing is concluded while they differ', async () => {
    const liar = node({ receipt: { height: 80, succeeded: true } });
    const honest = node({ nonce: 3 });
    const agreed: ChainAdapter['agreed'] = async (question) => {
      const answers = [await question(liar), await question(honest)];
      if (answers[0] !== answers[1]) throw new ChainUnavailable('ETH', 'the nodes do not agree');
      return answers[0] as never;
    };
    await expect(standingOf({ ...liar, agreed }, 2, own)).rejects.toThrow('do not agree');
    const [same] = [await standingOf({ ...honest, agreed: (question) => question(honest) }, 2, own)];
    expect(same).toBe('ALIVE');
  });
});

describe('what a transaction itself moved', () => {
  const unknown = { txHash: 'u', signers: ['hot'], nonce: null, transfers: [], block: null };
  const moved = (ordinal: number, addressKey: string, currency: string) => ({
    ordinal,
    addressKey,
    currency,
    amount: 5n,
  });
  const read = (moves: Receipt['moves'], all: readonly ReturnType<typeof moved>[], model = 'ACCOUNT') => {
    const adapter = { model, receipt: () => Promise.resolve({ moves }) };
    return movedByItself({ adapter, network: 'ETH' } as unknown as ExplanationContext, unknown, all);
  };
  const first = moved(1, 'exchange', 'USDT');
  const on = moved(2, 'vault', 'USDT');

  it('is not what a contract sent on: of the coin by its place, of a token by who sent it', async () => {
    const coin = [moved(0, 'exchange', 'ETH'), moved(1_000_000, 'vault', 'ETH')];
    expect(await read(undefined, coin)).toEqual(coin.slice(0, 1));
    const moves = [
      { currency: 'USDT', from: 'hot', to: 'exchange', amount: 5n },
      { currency: 'USDT', from: 'exchange', to: 'vault', amount: 5n },
    ];
    expect(await read(moves, [first, on])).toEqual([first]);
  });

  it('is all of it where balances tell what arrived, and where outputs do', async () => {
    expect(await read(undefined, [first, on])).toEqual([first, on]);
    expect(await read(undefined, [first, on], 'OUTPUTS')).toEqual([first, on]);
  });
});
