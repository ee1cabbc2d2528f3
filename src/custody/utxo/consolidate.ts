// Consolidates many outputs into one of the hot wallet: for a payout that needs more inputs than one transaction can
// have, and in quiet times, while fees are low. The chain's fee is the gateway's cost.

import type { DuePayout } from '../../database/queries/payouts/due-payouts.ts';
import { sumSpendable } from '../../database/queries/payouts/utxos.ts';
import type { Unmined } from '../context.ts';
import { costOfOne, costOfPaying, LEAST_WORTH, MAX_INPUTS } from '../../domain/payouts/sendable-outputs.ts';
import { boundsOf, choose, outputsOf, readCoins, type Candidate } from './coins.ts';
import type { UtxoContext } from './context.ts';
import { isAffordable } from '../payout-cost.ts';
import { selectCoins, type Goal, type Selection } from './select-coins.ts';
import { signSpend, type Spend } from './sign.ts';

/** In quiet times outputs are consolidated if there are more than this; the largest few are kept for payouts. */
const QUIET_ABOVE = 100;
const KEPT_LARGEST = 20;
/** Only outputs worth this many times the cost of spending them, so that it costs at most 1% of the money. */
const QUIET_WORTH = 100n;
/** How often it checks whether there is anything to consolidate. */
const QUIET_EVERY_MS = 60_000;

export type Consolidation = 'signed' | 'coming' | 'lacking' | 'expensive';

interface Spending {
  readonly rate: bigint;
  readonly sequence: number;
  readonly coins: readonly Candidate[];
  readonly unmined: Unmined;
}

/**
 * Helps a payout that no single transaction can pay now. `signed`: a consolidation is on its way, and more may have to
 * follow; `coming`: money on its way will pay it; `lacking`: all our money does not cover it; `expensive`: it would, if
 * spending the outputs cost less.
 */
export async function consolidateFor(ctx: UtxoContext, payout: DuePayout, spending: Spending): Promise<Consolidation> {
  const { rate, coins } = spending;
  const goal = { ...boundsOf(ctx, payout.address, rate), amount: payout.amount };
  const settledSoon = coins.map((coin) => ({ ...coin, parentSize: 0n, parentFee: 0n, ancestors: 0, ancestorSize: 0n }));
  if (selectCoins(settledSoon, goal)) return 'coming';
  const { count, units, allUnits, net } = await readPayable(ctx, goal);
  if (net < payout.amount) return allUnits >= payout.amount && units < allUnits ? 'expensive' : 'lacking';
  // The whole cost is checked before anything is spent.
  const cost = costOfPaying(goal, countNeeded(goal, coins) ?? count);
  if (!(await isAffordable(ctx, { payoutId: payout.id, cost }))) return 'expensive';
  const group = await choose(ctx, coins, (left) => selectGroup(ctx, left, { rate, leastWorth: LEAST_WORTH }));
  if (!group) return 'coming';
  return (await signGroup(ctx, group, { ...spending, forPayoutId: payout.id })) ? 'signed' : 'coming';
}

/** How many of the largest outputs cover a payout and the cost of spending them; null if these do not. */
function countNeeded(goal: Goal<Candidate>, coins: readonly Candidate[]): number | null {
  let units = 0n;
  const last = coins.findIndex(({ amount }, place) => {
    units += amount;
    return units - costOfPaying(goal, place + 1) >= goal.amount;
  });
  return last < 0 ? null : last + 1;
}

/** What all outputs worth spending can pay, consolidated where necessary. */
async function readPayable(ctx: UtxoContext, goal: Goal<Candidate>) {
  const { chain, deps } = ctx;
  const each = costOfOne(goal);
  const sums = await sumSpendable(deps.db.em, chain.adapter.network, outputsOf(ctx), LEAST_WORTH * each);
  return { ...sums, net: sums.units - costOfPaying(goal, sums.count) };
}

/** As many outputs as a transaction can spend, in the given order. */
function selectGroup(
  { chain, wallets }: UtxoContext,
  coins: readonly Candidate[],
  { rate, leastWorth }: { rate: bigint; leastWorth: bigint },
): (Selection<Candidate> & { readonly amount: bigint }) | null {
  const { address } = wallets.hot;
  const sizeOf = (inputs: number) => chain.adapter.sizeOf(inputs, [address]);
  const least = leastWorth * rate * (sizeOf(2) - sizeOf(1));
  const inputs = coins.filter(({ settled, amount }) => settled && amount >= least).slice(0, MAX_INPUTS);
  if (inputs.length < 2) return null;
  const size = sizeOf(inputs.length);
  const fee = rate * size;
  return { inputs, change: null, fee, size, amount: inputs.reduce((sum, coin) => sum + coin.amount, -fee) };
}

function signGroup(
  ctx: UtxoContext,
  group: NonNullable<Awaited<ReturnType<typeof choose>>>,
  { rate, sequence, forPayoutId }: Spending & Pick<Spend, 'forPayoutId'>,
): Promise<boolean> {
  const amount = group.inputs.reduce((sum, input) => sum + input.amount, -group.fee);
  return signSpend(ctx, { payoutId: null, forPayoutId, to: ctx.wallets.hot.address, amount, rate, ...group }, sequence);
}

/** Checks now and then whether fees are low, and consolidates the smallest outputs, one transaction at a time. */
export function createQuietConsolidation(
  ctx: UtxoContext,
): (unmined: Unmined, readSequence: () => Promise<number>) => Promise<boolean> {
  const { consolidateBelow = 0n, chain } = ctx;
  let lookedAt = -Infinity;
  return async (unmined, readSequence) => {
    if (consolidateBelow <= 0n || performance.now() - lookedAt < QUIET_EVERY_MS) return false;
    lookedAt = performance.now();
    if (unmined.some(({ purpose }) => purpose === 'SWEEP')) return false;
    const { maxPerGas: rate } = await chain.adapter.fees();
    if (rate > consolidateBelow) return false;
    const sequence = await readSequence();
    const coins = await readCoins(ctx, unmined, { limit: MAX_INPUTS + KEPT_LARGEST, smallest: true });
    const small = coins.slice(0, -KEPT_LARGEST);
    const isWorth = { rate, leastWorth: QUIET_WORTH };
    const group = await choose(ctx, small, (left) => {
      const found = selectGroup(ctx, left, isWorth);
      return found && found.inputs.length + KEPT_LARGEST > QUIET_ABOVE ? found : null;
    });
    return group !== null && signGroup(ctx, group, { rate, sequence, coins, unmined, forPayoutId: null });
  };
}
