// Selects the outputs that pay a payout. Pure: prices, sizes and bounds are arguments.

import { costOfOne, LEAST_WORTH, type Prices } from '../../domain/payouts/sendable-outputs.ts';

/** What selection needs to know about an output. Amounts are in base units. */
export interface Coin {
  readonly amount: bigint;
  /** Size and fee of an unmined parent of ours, which must be paid for too if it offered less than the present rate. */
  readonly parentSize: bigint;
  readonly parentFee: bigint;
  /** How many of our transactions must be mined first, and their total size; 0 if the output is in a block. */
  readonly ancestors: number;
  readonly ancestorSize: bigint;
}

export interface Goal<Of extends Coin> extends Prices {
  /** The amount to pay. */
  readonly amount: bigint;
  /** Smaller change is left to the miner. */
  readonly leastChange: bigint;
  /** Always spent: the inputs of a transaction that is replaced. */
  readonly required?: readonly Of[];
  readonly maxInputs: number;
}

export interface Selection<Of extends Coin> {
  readonly inputs: readonly Of[];
  /** Null if there is none. */
  readonly change: bigint | null;
  readonly fee: bigint;
  readonly size: bigint;
}

/** Mempool limits: chains of 25 unmined transactions and 101,000 virtual bytes, including the transaction itself. */
const MAX_ANCESTORS = 24;
const MAX_CHAIN_SIZE = 100_000n;

/**
 * Selects among coins in the order of preference. Prefers a single coin that suffices, and of these the last, which is
 * the smallest. Otherwise takes them one after the other, or largest first if that needs too many. Null if they do not
 * suffice.
 */
export function selectCoins<Of extends Coin>(coins: readonly Of[], goal: Goal<Of>): Selection<Of> | null {
  const { rate, required = [] } = goal;
  const worthwhile = coins.filter((coin) => coin.amount >= LEAST_WORTH * costOfOne(goal) + burdenOf(coin, rate));
  if (required.length === 0) {
    const alone = worthwhile.filter(({ parentSize }) => parentSize === 0n).findLast((coin) => suffices([coin], goal));
    if (alone) return complete([alone], goal);
  }
  return accumulate(worthwhile, goal) ?? accumulate(worthwhile.toSorted(byAmount), goal);
}

const byAmount = (a: Coin, b: Coin): number => (a.amount === b.amount ? 0 : a.amount > b.amount ? -1 : 1);

function accumulate<Of extends Coin>(coins: readonly Of[], goal: Goal<Of>): Selection<Of> | null {
  const inputs = [...(goal.required ?? [])];
  for (const coin of [null, ...coins]) {
    if (coin && !isPassedOn([...inputs, coin], goal)) continue;
    if (coin) inputs.push(coin);
    if (inputs.length > goal.maxInputs) return null;
    if (inputs.length > 0 && suffices(inputs, goal)) return complete(inputs, goal);
  }
  return null;
}

/** Whether mempool limits allow a transaction behind the unmined ancestors of its coins. */
function isPassedOn(coins: readonly Coin[], { sizeOf }: Pick<Goal<Coin>, 'sizeOf'>): boolean {
  const last = coins.at(-1);
  if (!last || last.ancestors === 0) return true;
  const ancestors = coins.reduce((sum, coin) => sum + coin.ancestors, 0);
  const size = coins.reduce((sum, coin) => sum + coin.ancestorSize, sizeOf(coins.length, true));
  return ancestors <= MAX_ANCESTORS && size <= MAX_CHAIN_SIZE;
}

function suffices<Of extends Coin>(inputs: readonly Of[], goal: Goal<Of>): boolean {
  return total(inputs) >= goal.amount + feeOf(inputs, goal, false);
}

/** The rest becomes change if that is worthwhile; otherwise it goes to the miner with the fee. */
function complete<Of extends Coin>(inputs: readonly Of[], goal: Goal<Of>): Selection<Of> {
  const { amount, leastChange, sizeOf } = goal;
  const change = total(inputs) - amount - feeOf(inputs, goal, true);
  const hasChange = change >= leastChange;
  return {
    inputs,
    change: hasChange ? change : null,
    fee: total(inputs) - amount - (hasChange ? change : 0n),
    size: sizeOf(inputs.length, hasChange),
  };
}

function feeOf<Of extends Coin>(inputs: readonly Of[], { rate, sizeOf }: Goal<Of>, hasChange: boolean): bigint {
  return inputs.reduce((sum, coin) => sum + burdenOf(coin, rate), rate * sizeOf(inputs.length, hasChange));
}

/** The fee that a coin's parent lacks to match this rate: miners look at both together. */
function burdenOf({ parentSize, parentFee }: Coin, rate: bigint): bigint {
  const lacking = rate * parentSize - parentFee;
  return lacking > 0n ? lacking : 0n;
}

function total(coins: readonly Coin[]): bigint {
  return coins.reduce((sum, { amount }) => sum + amount, 0n);
}
