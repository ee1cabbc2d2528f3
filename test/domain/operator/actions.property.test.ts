// Random actions of operators over a book with fees and suspense: each is done once or not at all, and the book
// balances.

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bookDifference } from '../../../src/domain/ledger/suspense.ts';
import { verifyLedger } from '../../../src/domain/ledger/verify.ts';
import {
  approveAction,
  rejectAction,
  requestAction,
  type ActionRequest,
  type ActionRules,
} from '../../../src/domain/operator/actions.ts';
import { failStuckPayout } from '../../../src/domain/operator/payouts.ts';
import { formatAmount } from '../../../src/values/amount.ts';
import { chain, deps, order, setup } from '../own-book.fixture.ts';
import * as book from '../payouts/book.fixture.ts';
import { findWhole, operatorOf } from './operate.fixture.ts';

const COLD = '0x52908400098527886E0F7030069857D2E4169EE7';
const HISTORIES = 6;

interface Move {
  readonly kind: 'find' | 'lack' | 'earn' | 'fees' | 'credit' | 'gain' | 'loss' | 'approve' | 'own' | 'reject' | 'end';
  readonly units: bigint;
  readonly nth: number;
}

const move: fc.Arbitrary<Move> = fc.record({
  kind: fc.constantFrom(
    ...(['find', 'lack', 'earn', 'fees', 'credit', 'gain', 'loss', 'approve', 'own', 'reject', 'end'] as const),
    ...(['fees', 'credit', 'gain', 'approve', 'approve', 'approve'] as const),
  ),
  units: fc.constantFrom(400_000n, 1_000_000n, 1_500_000n, 3_000_000n),
  nth: fc.nat(9),
});

const rules: ActionRules = {
  approvalAbove: { listed: new Map([['USDT/ETH', 1_000_000n]]), others: 0n },
  coldPlaceOf: () => {
    const [found] = [...deps.chains.values()];
    if (!found) throw new Error('There is no network');
    return { adapter: found.adapter, coldAddress: COLD };
  },
};
const [ada, ben] = ['Ada', 'Ben'];
const EXPECTED = ['INSUFFICIENT_FUNDS', 'SECOND_PERSON', 'ALREADY_DECIDED', 'DUST'];
/** Nothing for what may be refused, as long as it says why. */
const unlessRefused = <Result>(work: Promise<Result>): Promise<Result | null> =>
  work.catch((error: unknown) => {
    expect(EXPECTED).toContain((error as { errorName?: string }).errorName);
    return null;
  });

async function find(difference: bigint): Promise<void> {
  const [row] = await setup.sql<{ balance: string }>(
    `select balance::text from ledger_account where owner = 'gateway' and purpose = 'custody' and currency = 'USDT'`,
  );
  const balance = BigInt(row?.balance ?? 0);
  const found = { network: 'ETH', currency: 'USDT', book: -balance, chain: difference - balance, difference, balance };
  expect(await bookDifference(deps, { ...found, at: chain.tip })).toBe(true);
}

function requestOf({ kind, units }: Move): ActionRequest {
  const named = { network: 'ETH', currency: 'USDT', amount: formatAmount(units, 6), reason: 'a history' };
  if (kind === 'fees') return { ...named, kind: 'WITHDRAW_FEES' };
  if (kind === 'credit') return { ...named, kind: 'CREDIT_SUSPENSE', paymentId: order.id };
  return { ...named, kind: 'WRITE_OFF_SUSPENSE', amount: kind === 'loss' ? `-${named.amount}` : named.amount };
}

async function act(what: Move, ids: string[]): Promise<void> {
  const id = ids.at(-1 - (what.nth % Math.max(1, ids.length))) ?? '';
  switch (what.kind) {
    case 'find':
      return find(what.units);
    case 'lack':
      return find(-what.units / 4n);
    case 'earn':
      return void (await book.deposit(chain, order, what.units * 100n));
    case 'approve':
      return void (ids.length > 0 && (await unlessRefused(approveAction(operatorOf(deps, ben), rules, id))));
    case 'own':
      if (ids.length > 0) await expect(approveAction(operatorOf(deps, ada), rules, id)).rejects.toThrow();
      return;
    case 'reject':
      return void (ids.length > 0 && (await unlessRefused(rejectAction(operatorOf(deps, ben), id, 'no'))));
    case 'end': {
      const [open] = await setup.sql<{ id: string }>(`select id from payout where status = 'REQUESTED' order by id`);
      return void (open && (await unlessRefused(failStuckPayout(operatorOf(deps), { id: open.id, reason: 'why' }))));
    }
    default: {
      const made = await unlessRefused(requestAction(operatorOf(deps, ada), rules, requestOf(what)));
      if (made) ids.push(made.result.id);
    }
  }
}

/** How often the book and the payouts refer to an action. */
const TRACES = `select a.id, a.kind, a.status, a.amount::text,
  (select count(*)::int from ledger_transaction t where t.reference = 'action/' || a.id) as posted,
  (select count(*)::int from payout p where p.reference = 'action/' || a.id) as paid
  from operator_action a`;

describe('whatever operators request, approve and reject', () => {
  it.each(Array.from({ length: HISTORIES }, (_, seed) => seed))(
    'each is done once or not at all, and the book balances: history %i',
    async (seed) => {
      await findWhole(deps);
      const [moves = []] = fc.sample(fc.array(move, { minLength: 25, maxLength: 40 }), { numRuns: 1, seed });
      const ids: string[] = [];
      for (const one of moves) await act(one, ids);
      const rows = await setup.sql<{ kind: string; status: string; posted: number; paid: number }>(TRACES);
      expect(rows).toHaveLength(ids.length);
      for (const { kind, status, posted, paid } of rows) {
        const once = status === 'DONE' ? 1 : 0;
        expect([posted, paid]).toEqual(kind === 'WITHDRAW_FEES' ? [0, once] : [once, 0]);
      }
      expect((await verifyLedger(deps.db)).faults).toEqual([]);
    },
  );
});
