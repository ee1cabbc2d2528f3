// Random histories of the gateway's earnings, costs, funding and fee payouts: no fee payout is signed with money that
// is not the gateway's own, none leaves twice, and the book is correct at every step.

import { afterAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { postLedger } from '../../../src/database/queries/ledger/post-ledger.ts';
import { inTransaction, type Deps } from '../../../src/domain/deps.ts';
import { withdrawableOf } from '../../../src/domain/ledger/gateway-funds.ts';
import { account, GATEWAY, posting } from '../../../src/domain/ledger/ledger.ts';
import { readGatewayFunds, withdrawFees } from '../../../src/domain/operator/fees.ts';
import { freezePayouts, unfreezePayouts } from '../../../src/domain/operator/freezes.ts';
import { failStuckPayout } from '../../../src/domain/operator/payouts.ts';
import { bookCost } from '../../../src/domain/ledger/payout-entries.ts';
import { mayPay, mayTransact } from '../../../src/domain/payouts/signing-gate.ts';
import { completePayout, lockPayout, markBroadcast } from '../../../src/domain/payouts/lifecycle.ts';
import { verifyLedger } from '../../../src/domain/ledger/verify.ts';
import { formatAmount } from '../../../src/values/amount.ts';
import { assetOf } from '../../../src/values/assets.ts';
import { newId } from '../../../src/values/id.ts';
import { holdStories, longList } from '../../support/story/story.ts';
import { audit } from '../audit.fixture.ts';
import { newHash, START, type DataChain, type Setup } from '../book.fixture.ts';
import { findWhole, operatorOf } from './operate.fixture.ts';
import * as book from '../payouts/book.fixture.ts';
import { createSetups, openChainAbove } from '../setups.fixture.ts';

/** `HISTORY_RUNS` sets a larger number of runs. */
const numRuns = Number(process.env['HISTORY_RUNS'] ?? 20);
const ASSET = assetOf({ currency: 'USDT', network: 'ETH' });
const COLD = '0x52908400098527886E0F7030069857D2E4169EE7';

type Move =
  | { readonly kind: 'earn' | 'cost' | 'fund' | 'take back' | 'withdraw'; readonly units: bigint }
  | { readonly kind: 'max' | 'lose' | 'freeze' | 'unfreeze' }
  | { readonly kind: 'sign' | 'complete' | 'fail'; readonly payout: number };

const units = fc.constantFrom(10_000n, 25_000n, 60_000n, 200_000n);
const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constantFrom('earn' as const, 'withdraw' as const), units }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('cost' as const, 'fund' as const), units }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('take back' as const), units }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('max' as const, 'lose' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('freeze' as const, 'unfreeze' as const) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('sign' as const), payout: fc.nat(4) }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constantFrom('complete' as const, 'fail' as const), payout: fc.nat(4) }),
  },
);

const setups = createSetups();
afterAll(() => setups.stop());

/** What the model knows. Amounts in base units; `since` is what was paid in costs since a payout was reserved. */
interface History {
  readonly setup: Setup;
  readonly deps: Deps;
  readonly chain: DataChain;
  readonly own: { fees: bigint; costs: bigint; capital: bigint };
  readonly payouts: { readonly id: string; readonly amount: bigint; since: bigint; status: string }[];
  /** Deposits that a reorganisation can still take back, newest last, by the fee that they brought. */
  readonly earned: bigint[];
  freeze: string | null;
}

async function begin(setup: Setup): Promise<History> {
  setup.setNow(START);
  const deps = book.withNetwork(setup.deps);
  await findWhole(deps);
  const before = (await readGatewayFunds(operatorOf(deps))).find(({ currency }) => currency === 'USDT');
  const { fees = 0n, costs = 0n, capital = 0n } = before ?? {};
  return {
    ...{ setup, deps, chain: await openChainAbove(setup), own: { fees, costs, capital } },
    ...{ payouts: [], earned: [], freeze: null },
  };
}

async function act(history: History, what: Move): Promise<void> {
  const { setup, deps, chain, own, payouts, earned } = history;
  const operator = operatorOf(deps);
  const payout = 'payout' in what ? payouts.at(-1 - (what.payout % Math.max(1, payouts.length))) : undefined;
  switch (what.kind) {
    case 'earn':
      await book.deposit(chain, await setup.order(await setup.merchant()), what.units * 100n);
      own.fees += what.units;
      return void earned.push(what.units);
    case 'lose': {
      const lost = earned.pop();
      if (lost === undefined) return;
      await book.loseForGood(chain);
      own.fees -= lost;
      // The empty blocks in its place add two to the depth that a further reorganisation needs.
      return void earned.splice(0);
    }
    case 'cost':
      await inTransaction(deps, (em) =>
        bookCost(em, { txHash: newHash(), coin: ASSET, amount: what.units, turn: 1 }, START),
      );
      own.costs -= what.units;
      for (const one of payouts) one.since += what.units;
      return;
    case 'fund':
    case 'take back': {
      const signed = what.kind === 'fund' ? what.units : -what.units;
      own.capital += signed;
      return moveCapital(deps, signed);
    }
    case 'max':
    case 'withdraw':
      return withdraw(history, 'units' in what ? what.units : null);
    case 'freeze':
      history.freeze ??= (await freezePayouts(operator, { network: 'ETH', reason: 'why' })).id;
      return;
    case 'unfreeze':
      if (history.freeze !== null) await unfreezePayouts(operator, history.freeze);
      history.freeze = null;
      return;
    case 'sign':
      return payout && sign(history, payout);
    case 'complete':
      if (payout?.status !== 'BROADCAST') return;
      await inTransaction(deps, (em) => completePayout(deps, em, payout.id, newHash()));
      payout.status = 'COMPLETED';
      return;
    case 'fail': {
      if (!payout) return;
      const ended = await failStuckPayout(operator, { id: payout.id, reason: 'why' }).catch(() => null);
      expect(ended !== null).toBe(payout.status === 'REQUESTED' || payout.status === 'BROADCAST');
      if (ended === null) return;
      own.fees += payout.amount;
      payout.status = 'FAILED';
    }
  }
}

function moveCapital(deps: Deps, signed: bigint): Promise<void> {
  const [custody, capital] = [account(GATEWAY, 'custody', ASSET), account(GATEWAY, 'capital', ASSET)];
  const [from, to] = signed > 0n ? [custody, capital] : [capital, custody];
  const transaction = { id: newId('ltx'), reference: `capital/${newHash()}`, paymentId: null, at: START };
  return inTransaction(deps, async (em) => {
    await postLedger(em, transaction, [custody, capital], () => [posting(from, to, signed > 0n ? signed : -signed)]);
  });
}

/** It succeeds exactly if the gateway's own money covers it. */
async function withdraw({ deps, own, payouts, freeze }: History, asked: bigint | null): Promise<void> {
  const [place] = [...deps.chains.values()].map(({ adapter }) => ({ adapter, coldAddress: COLD }));
  if (!place) throw new Error('there is no network');
  const free = withdrawableOf(own);
  const amount = asked === null ? 'max' : formatAmount(asked, 6);
  const made = await withdrawFees(operatorOf(deps), place, { currency: 'USDT', amount }).catch((error: unknown) => {
    expect(['INSUFFICIENT_FUNDS', 'PAYOUTS_FROZEN', 'DUST']).toContain((error as { errorName?: string }).errorName);
    return null;
  });
  expect(made !== null).toBe(freeze === null && (asked ?? free) <= free && (asked ?? free) >= 10_000n);
  if (made === null) return;
  expect(made.amount).toBe(asked ?? free);
  own.fees -= made.amount;
  payouts.push({ id: made.id, amount: made.amount, since: 0n, status: 'REQUESTED' });
}

/** Signed exactly if it is not frozen and still covered by the gateway's own money; if not covered, it fails. */
async function sign({ deps, own, freeze }: History, payout: History['payouts'][number]): Promise<void> {
  if (payout.status !== 'REQUESTED') return;
  const signed = await inTransaction(deps, async (em) => {
    await mayTransact(em, 'ETH');
    const { payout: row } = await lockPayout(em, payout.id);
    if (!(await mayPay(deps, em, row))) return false;
    await markBroadcast(deps, em, payout.id, newHash());
    return true;
  });
  const covered = own.fees >= 0n && own.fees + own.costs + payout.since + own.capital >= 0n;
  expect({ signed, frozen: freeze !== null, covered }).toEqual({
    ...{ signed: freeze === null && covered, frozen: freeze !== null, covered },
  });
  if (signed) payout.status = 'BROADCAST';
  else if (freeze === null) {
    payout.status = 'FAILED';
    own.fees += payout.amount;
  }
}

async function compare({ setup, deps, own, payouts }: History): Promise<void> {
  const found = (await readGatewayFunds(operatorOf(deps))).find(({ currency }) => currency === 'USDT');
  const { fees = 0n, costs = 0n, capital = 0n, reserved = 0n, withdrawable = 0n } = found ?? {};
  expect({ fees, costs, capital, withdrawable }).toEqual({ ...own, withdrawable: withdrawableOf(own) });
  const open = payouts.filter(({ status }) => status === 'REQUESTED' || status === 'BROADCAST');
  expect(reserved).toBe(open.reduce((sum, { amount }) => sum + amount, 0n));
  for (const payout of payouts) expect(await book.statusOf(setup, payout)).toBe(payout.status);
}

/** Leaves nothing behind for the next history in this setup. */
async function end(history: History): Promise<void> {
  const { deps, payouts } = history;
  if (history.freeze !== null) await unfreezePayouts(operatorOf(deps), history.freeze);
  for (const { id, status } of payouts)
    if (status === 'REQUESTED' || status === 'BROADCAST')
      await failStuckPayout(operatorOf(deps), { id, reason: 'the story is over' });
}

function story(moves: readonly Move[]): Promise<void> {
  return setups.tell(async (setup) => {
    const history = await begin(setup);
    for (const one of moves) {
      await act(history, one);
      await compare(history);
    }
    await audit(setup);
    expect((await verifyLedger(setup.deps.db)).faults).toEqual([]);
    await end(history);
  });
}

describe('whatever the gateway earns, pays, is sent and pays out', () => {
  const title = 'no fees leave that are not its own, at the request and when they are signed';
  it(title, () => holdStories({ title, of: [longList(move, 40)], story, numRuns }), Math.max(600_000, numRuns * 5_000));
});
